import Ashlar
import FoundationEssentials

/// Makes a store in the folder that it is given, writes it and reads it with a second container, with a predicate and orders of
/// Foundation's too, and says what it found.
@main
struct EssentialsProgram {
    static func main() throws {
        let url = URL(fileURLWithPath: CommandLine.arguments[1]).appendingPathComponent("Notebook.store")
        let context = ModelContext(try ModelContainer(for: NotebookModel.self, at: url))
        for rank in 1...100 { context.insert(Note(rank: Int64(rank), text: "Nöte \(rank)")) }
        try context.save()
        try context.batchUpdate(Note.where { $0.rank > 90 }) { $0.text = "new" }
        let other = ModelContext(try ModelContainer(for: NotebookModel.self, at: url))
        let new = try other.fetch(
            FetchDescriptor(
                predicate: #Predicate<Note> { $0.text == "new" }, sortBy: [SortDescriptor(\.rank, order: .reverse)]))
        let found = try other.fetch(
            Note.where { $0.text.contains("NOTE 1", options: [.caseInsensitive, .diacriticInsensitive]) })
        print(
            "\(try other.fetchCount(Note.all)) notes, the last is \(new.first?.rank ?? 0), \(found.count) begin alike")
        do {
            print(try other.fetchCount(Note.where { $0.text.matches("n[e]w") }))
        } catch {
            print("no regular expressions:", "\(error)".contains("FoundationEssentials"))
        }
        try other.container.suspend()
        try other.container.resume()
        try other.container.backUp(to: url.deletingLastPathComponent().appendingPathComponent("copy.store"))
        print("problems:", try other.container.integrityProblems().count)
    }
}
