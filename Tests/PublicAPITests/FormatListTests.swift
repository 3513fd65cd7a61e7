import Ashlar
import AshlarCoreData
import Foundation
import Testing

/// Lists and aggregates in format strings.
@Suite struct FormatListTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library() }

    @Test(arguments: [false, true])
    func aListThatContainsIsTheSameAsIn(_ hasChanges: Bool) throws {
        if hasChanges { for book in try context.fetch(Book.all) { book.price += 1 } }
        let (first, second) = (
            try #require(try library.book("Beowulf")), try #require(try library.book("The Last Man"))
        )
        let years: [Int64] = [1818, 1826]
        func count(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> Int {
            let condition = try Condition(for: Book.self, format: format, arguments: arguments)
            return try context.fetchCount(Book.where { _ in condition })
        }
        #expect(try count("%@ CONTAINS SELF", [first, second]) == 2)
        #expect(try count("NOT (%@ CONTAINS SELF)", [first]) == 4)
        #expect(try count("%@ CONTAINS SELF", [first.persistentModelID]) == 1)
        #expect(try count("%@ CONTAINS objectID", [first.persistentModelID]) == 1)
        #expect(try count("%@ CONTAINS title", ["Beowulf", "x"]) == 1)
        #expect(try count("%@ CONTAINS[c] title", ["BEOWULF", "x"]) == 1)
        #expect(try count("%@ CONTAINS year", years) == 2)
        let author = try #require(second.author)
        #expect(try count("%@ CONTAINS author", [author]) == 2)
        #expect(try count("%@ CONTAINS title", Set(["Beowulf"])) == 1)
        #expect(try count("%@ CONTAINS title", [String]()) == 0)
        // A text still contains a text.
        #expect(try count("%@ CONTAINS title", "Beowulf and others") == 1)
        let variables = try FetchDescriptor<Book>(format: "$some CONTAINS SELF", variables: ["some": [first, second]])
        #expect(try context.fetchCount(variables) == 2)
        #expect(throws: FetchError.self) { try count("%@ CONTAINS title", [1, 2]) }
        #expect(throws: FetchError.self) { try count("%@ CONTAINS SELF", "Beowulf") }
    }

    @Test func theGreatestOfAllObjectsIsRefusedWithAWayOut() throws {
        for format in ["year == max(year)", "year == max:(year)"] {
            let error = #expect(throws: FetchError.self) { try Condition(for: Book.self, format: format) }
            #expect(error.map { "\($0)".contains("descending order of the attribute with a limit of 1") } == true)
        }
        let error = #expect(throws: FetchError.self) { try Condition(for: Book.self, format: "year == min(year)") }
        #expect(error.map { "\($0)".contains("ascending order") } == true)
    }
}
