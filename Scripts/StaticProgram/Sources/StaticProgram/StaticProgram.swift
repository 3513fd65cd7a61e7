import Ashlar
import Foundation

/// Makes a store in the folder that it is given, writes it, reads it with a second container and says what it found.
@main
struct StaticProgram {
    static func main() throws {
        let folder = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "."
        let url = URL(fileURLWithPath: folder).appendingPathComponent("Notebook.store")
        let context = ModelContext(try ModelContainer(for: NotebookModel.self, at: url))
        for rank in 1...100 { context.insert(Note(rank: Int64(rank), text: "note \(rank)")) }
        try context.save()
        try context.batchUpdate(Note.where { $0.rank > 90 }) { $0.text = "new" }
        let other = ModelContext(try ModelContainer(for: NotebookModel.self, at: url))
        let count = try other.fetchCount(Note.all)
        let new = try other.fetch(Note.where { $0.text.matches("n[e]w") }.order { $0.rank.descending })
        let newest = new.first?.rank ?? 0
        print("\(count) notes, \(new.count) of them new, the last is \(newest)")
        print("problems:", try other.container.integrityProblems().count)
    }
}
