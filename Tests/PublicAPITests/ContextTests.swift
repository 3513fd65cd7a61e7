import Ashlar
import Foundation
import Testing

/// The values of objects that another context, or another container of the same store, changed.
@Suite struct ContextTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library() }

    /// Row 71 of CoreDataParity.md.
    @Test(arguments: [false, true]) func aChildTakesOverDeletionsIfItMerges(_ merges: Bool) throws {
        let child = ModelContext(parent: context)
        child.automaticallyMergesChangesFromParent = merges
        let author = try #require(try child.fetchFirst(Author.where { $0.name == "Shelley" }))
        let members = author.books.sorted { $0.title < $1.title }
        #expect(members.map(\.title) == ["Frankenstein", "The Last Man"])
        try #require(try library.book("Frankenstein")).pages = 1
        context.delete(try #require(try library.book("The Last Man")))
        try context.save()
        #expect(try child.fetch(Book.where { $0.title == "Frankenstein" }).map(\.pages) == [1])
        #expect(members[0].pages == 1)
        #expect(members[1].isDeleted == merges && author.books.count == (merges ? 1 : 2))
    }

    /// As Contexts.md says about changes of other processes.
    @Test func aFetchGivesObjectsWithoutChangesTheValuesOfTheirRows() throws {
        let books = try context.fetch(Book.order { $0.title.ascending })
        let (fetched, changed, other) = (books[0], books[1], books[2])
        changed.summary = "unsaved"
        let container = try ModelContainer(
            for: LibraryModel.self,
            configurations: ModelConfiguration(url: library.folder.url.appending(path: "Library.store")))
        try ModelContext(container).batchUpdate(Book.all) { $0.pages = 9 }
        let pages = changed.pages
        #expect(fetched.pages != 9 && pages != 9 && other.pages != 9)
        let titles = [fetched.title, changed.title]
        _ = try context.fetch(Book.where { $0.title.isIn(titles) })
        #expect(fetched.pages == 9 && changed.pages == pages && other.pages != 9)
    }
}
