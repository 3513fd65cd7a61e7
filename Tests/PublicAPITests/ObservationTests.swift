import Ashlar
import Observation
import Testing

/// Observing changes.
@Suite struct ObservationTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library() }

    private func saveElsewhere(_ title: String) throws {
        let other = ModelContext(library.container)
        other.insert(Book(title: title))
        try other.save()
    }

    @Test func anObserverGetsObjects() throws {
        final class Log { var titles: [String] = [] }
        let log = Log()
        let observation = context.observe(.didSave) { _, changes in
            log.titles += changes.insertedModels.compactMap { ($0 as? Book)?.title }
        }
        context.insert(Book(title: "News"))
        try context.save()
        observation.cancel()
        context.insert(Book(title: "More news"))
        try context.save()
        #expect(log.titles == ["News"])
    }

    @Test func sequencesGiveIdentifiers() async throws {
        var saves = library.container.saves().makeAsyncIterator()
        var notifications = context.notifications().makeAsyncIterator()
        context.author = "the program"
        let book = Book(title: "News")
        context.insert(book)
        try context.save()
        #expect(await notifications.next()?.insertedIdentifiers == [book.persistentModelID])
        let save = await saves.next()
        #expect(save?.insertedIdentifiers == [book.persistentModelID] && save?.author == "the program")
    }

    @Test func savesOfOthersAreMerged() throws {
        let book = try #require(try library.book("Beowulf"))
        context.automaticallyMergesChangesFromParent = true
        let other = ModelContext(library.container)
        let theirs: Book = try other.model(for: book.persistentModelID)
        theirs.pages = 100
        try other.save()
        context.processPendingChanges()
        #expect(book.pages == 100)
    }

    @Test func whoReadsAPropertyIsTold() async throws {
        let book = try #require(try library.book("Beowulf"))
        context.isObservable = true
        await confirmation { told in
            withObservationTracking {
                _ = book.pages
            } onChange: {
                told()
            }
            book.title = "Grendel"
            book.pages = 91
        }
    }

    // MARK: Live results

    private final class List: FetchedResultsControllerDelegate {
        var lines: [String] = []

        func controller(
            _ controller: FetchedResultsController<Book, Language>,
            didChange object: FetchedResultsChanges<Book, Language>.ObjectChange
        ) {
            lines.append("\(object.kind) \(object.object.title)")
        }
    }

    @Test func aControllerFollows() throws {
        let controller = FetchedResultsController(
            Book.order { $0.language.ascending }.order { $0.title.ascending }, in: context
        ) { $0.language }
        let list = List()
        controller.delegate = list
        try controller.performFetch()
        #expect(controller.sections.map(\.name) == [.en, .fr] && controller.count == 5)
        #expect(controller.object(at: [1, 0])?.title == "Le tour du monde")
        context.insert(Book(language: .de, title: "Faust"))
        try context.save()
        #expect(controller.sections.map(\.name) == [.de, .en, .fr])
        #expect(list.lines == ["insert Faust"])
        #expect(controller.snapshot.identifiers.count == 6)
    }

    @Test func sequencesFollow() async throws {
        var results = library.container.results(Book.where { $0.title.hasPrefix("N") }).makeAsyncIterator()
        #expect(try await results.next()?.isEmpty == true)
        try saveElsewhere("News")
        #expect(try await results.next()?.map(\.title) == ["News"])
    }

    @Test func commitsOfOthersAreTold() async throws {
        var changes = library.container.remoteChanges.makeAsyncIterator()
        let other = try ModelContainer(for: LibraryModel.self, at: library.container.configuration.url)
        let context = ModelContext(other)
        context.insert(Book(title: "From another container"))
        try context.save()
        #expect(await changes.next()?.kind == .commit)
    }
}
