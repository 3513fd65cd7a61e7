import Ashlar
import Foundation

/// Saves a book, and prints the titles of long books.
@main
struct Library {
    static func main() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("Library-\(UUID()).store")
        let context = ModelContext(try ModelContainer(for: LibraryModel.self, at: url))
        context.insert(Book(pages: 635, title: "Moby-Dick"))
        try context.save()
        for book in try context.fetch(Book.where { $0.pages > 500 }) { print(book.title) }
    }
}
