import Ashlar
import AshlarCoreData
import Foundation
import Testing

/// A property that several entities share, as a base class has it in Core Data.
private protocol Titled: PersistentModel {
    var title: String { get }
}

extension Titled {
    /// Not an attribute of any entity.
    var shout: String { title.uppercased() }
}

extension Book: Titled {}
extension ReadingList: Titled {}

private protocol Priced: PersistentModel {
    var price: Decimal { get }
    var year: Int64? { get }
}

extension Book: Priced {}

/// Code that is generic over the entity.
@Suite struct GenericCodeTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws {
        library = try Library()
        for title in ["Sea", "Air"] { context.insert(ReadingList(title: title)) }
    }

    private func titles<Model: Titled>(_ type: Model.Type) throws -> [String] {
        try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Model.title)])).map(\.title)
    }

    @Test func aSortDescriptorTakesARequirement() throws {
        #expect(try titles(ReadingList.self) == ["Air", "Sea"])
        #expect(
            try titles(Book.self) == [
                "Beowulf", "Frankenstein", "Le tour du monde", "The Last Man", "Vingt mille lieues",
            ])
        #expect(try titles(AudioBook.self) == ["Le tour du monde"])
        try context.save()
        #expect(try titles(ReadingList.self) == ["Air", "Sea"])
    }

    @Test func everyTypeOfAttributeIsFound() throws {
        func byPrice<Model: Priced>(_ type: Model.Type) throws -> [Model] {
            try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Model.price, order: .reverse)]))
        }
        func byYear<Model: Priced>(_ type: Model.Type) throws -> [Model] {
            try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Model.year)]))
        }
        #expect(try byPrice(Book.self).first?.title == "Le tour du monde")
        #expect(try byYear(Book.self).map(\.year) == [nil, 1818, 1826, 1870, 1872])
    }

    @Test func aSortDescriptorWithAComparatorTakesARequirement() throws {
        context.insert(ReadingList(title: "earth"))
        func titles<Model: Titled>(_ type: Model.Type) throws -> [String] {
            let order = SortDescriptor(\Model.title, comparator: .localizedStandard)
            return try context.fetch(FetchDescriptor(sortBy: [order])).map(\.title)
        }
        #expect(try titles(ReadingList.self) == ["Air", "earth", "Sea"])
    }

    @Test func aPredicateTakesARequirement() throws {
        func count<Model: Titled>(_ type: Model.Type, _ title: String) throws -> Int {
            try context.fetchCount(FetchDescriptor(predicate: #Predicate<Model> { $0.title == title }))
        }
        #expect(try count(ReadingList.self, "Sea") == 1 && count(Book.self, "Beowulf") == 1)
        #expect(try count(AudioBook.self, "Beowulf") == 0)
    }

    @Test func whatIsComputedIsRefused() throws {
        func fetch<Model: Titled>(_ type: Model.Type) throws -> [Model] {
            try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Model.shout)]))
        }
        #expect(throws: FetchError.self) { try fetch(ReadingList.self) }
        #expect(throws: FetchError.self) { try fetch(Book.self) }
    }

    @Test func anOrderByAName() throws {
        func years<Model: PersistentModel>(_ type: Model.Type) throws -> FetchDescriptor<Model> {
            try Model.all.order(named: "author.name").order(named: "year", ascending: false)
        }
        #expect(try context.fetch(years(Book.self)).map(\.year) == [nil, 1826, 1818, 1872, 1870])
        #expect(
            try context.fetch(Book.all.order(named: "shelf.number").order(named: "title", comparing: .localized)).first?
                .title == "Beowulf")
        #expect(throws: FetchError.unknownProperty(entity: "Book", property: "titel")) {
            try Book.all.order(named: "titel")
        }
        #expect(throws: FetchError.unknownProperty(entity: "Book", property: "loans")) {
            try Book.all.order(named: "loans")
        }
    }

    @Test func aFetchByTheNameOfAnEntity() throws {
        let found = try context.fetch(
            entityNamed: "Book", format: "pages > %d", arguments: [100], orderedBy: [("pages", false)], limit: 2)
        #expect(found.map { ($0 as? any Titled)?.title } == ["The Last Man", "Vingt mille lieues"])
        #expect(try context.fetch(entityNamed: "ReadingList").count == 2)
        #expect(throws: FetchError.unknownEntityName("Boat")) { try context.fetch(entityNamed: "Boat") }
        func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int { try context.fetchCount(Model.all) }
        let type = try #require(library.container.model.modelType(named: "AudioBook"))
        #expect(try count(type) == 1)
    }
}
