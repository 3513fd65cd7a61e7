import Ashlar
import Foundation

/// The language of a book, stored as its raw value.
nonisolated enum Language: String, Codable, Sendable, CaseIterable {
    case en, fr, de
}

/// A library of a few books, as a program fills it.
struct Library {
    let folder: TemporaryFolder
    let container: ModelContainer
    let context: ModelContext

    /// Opens a library in a folder of its own; empty, or with the books below.
    init(isEmpty: Bool = false, options: StoreOptions = StoreOptions()) throws {
        folder = try TemporaryFolder()
        container = try ModelContainer(
            for: LibraryModel.self,
            configurations: ModelConfiguration(url: folder.url.appending(path: "Library.store"), options: options))
        context = ModelContext(container)
        if isEmpty { return }
        let shelley = Author(name: "Shelley")
        let verne = Author(name: "Verne")
        let books = [
            Book(pages: 280, price: 9.5, title: "Frankenstein", year: 1818, author: shelley),
            Book(pages: 470, price: 12, title: "The Last Man", year: 1826, author: shelley),
            Book(language: .fr, pages: 300, price: 8.25, title: "Vingt mille lieues", year: 1870, author: verne),
            AudioBook(language: .fr, price: 15, title: "Le tour du monde", year: 1872, author: verne, minutes: 440),
            Book(pages: 90, title: "Beowulf"),
        ]
        for book in books { context.insert(book) }
        try context.save()
    }

    /// The row of the book with a title, as it was saved.
    func saved(_ title: String) throws -> Book.Values? {
        try ModelContext(container).fetchValues(Book.where { $0.title == title }).first
    }

    func book(_ title: String) throws -> Book? { try context.fetch(Book.where { $0.title == title }).first }
}

/// A folder that goes with this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
