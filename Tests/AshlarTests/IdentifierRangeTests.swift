import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Stores that assign row numbers from a range of their own.
@Suite struct IdentifierRangeTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func container(_ name: String = "test.store") throws -> ModelContainer {
        try ModelContainer(
            for: PhotoFeedModel.self,
            configurations: ModelConfiguration(url: folder.file(name), options: StoreOptions(historyTracking: true)))
    }

    private func insert(_ container: ModelContainer, _ name: String) throws -> Int64 {
        let context = ModelContext(container)
        let author = Author(name: name)
        context.insert(author)
        try context.save()
        return author.persistentModelID.rowID
    }

    @Test func allInsertions() throws {
        let container = try container()
        #expect(try container.identifierRange() == nil)
        #expect(try insert(container, "before") == 1)
        try container.setIdentifierRange(1_000...1_999)
        #expect(try container.identifierRange() == 1_000...1_999)
        #expect(try insert(container, "saved") == 1_000)
        let context = ModelContext(container)
        let reserved = Author(name: "reserved")
        context.insert(reserved)
        try context.obtainPermanentIdentifiers(for: [reserved])
        #expect(reserved.persistentModelID.rowID == 1_001)
        let options = BatchOptions(resultType: .identifiers)
        let result = try context.batchInsert(
            contentsOf: [Author.Values(name: "batch"), Author.Values(name: "batch too")], options: options)
        #expect(result.identifiers?.map(\.rowID) == [1_002, 1_003])
        try context.save()
        #expect(try insert(container, "next") == 1_004)
        try container.expectSound()
    }

    @Test func lastsAndIsOfEachStore() throws {
        try container().setIdentifierRange(500...600)
        let reopened = try container()
        #expect(try reopened.identifierRange() == 500...600)
        #expect(try insert(reopened, "one") == 500)
        try reopened.setIdentifierRange(500...600)
        #expect(try insert(reopened, "two") == 501)
        // A copy keeps the range of its source until it gets another.
        try reopened.backUp(to: folder.file("copy.store"))
        let copy = try container("copy.store")
        #expect(try copy.identifierRange() == 500...600)
        try copy.setIdentifierRange(700...800)
        #expect(try insert(copy, "three") == 700)
    }

    @Test func exhausted() throws {
        let container = try container()
        try container.setIdentifierRange(10...11)
        _ = try insert(container, "a")
        _ = try insert(container, "b")
        do {
            _ = try insert(container, "c")
            Issue.record("a number beyond the range was given")
        } catch StoreError.identifiersExhausted(_, let entity, let range) {
            #expect(entity == "Author" && range == 10...11)
        }
        let context = ModelContext(container)
        #expect(throws: StoreError.self) {
            try context.batchInsert(contentsOf: [Author.Values(name: "d")])
        }
        let author = Author(name: "e")
        context.insert(author)
        #expect(throws: StoreError.self) { try context.obtainPermanentIdentifiers(for: [author]) }
        #expect(try container.integer("SELECT count(*) FROM Author") == 2)
        // The new range has further numbers after the used ones.
        try container.setIdentifierRange(10...20)
        #expect(try insert(container, "f") == 12)
        #expect(throws: StoreError.self) { try container.setIdentifierRange(0...5) }
        #expect(throws: StoreError.self) { try container.setIdentifierRange(5 ... .max) }
        #expect(try container.identifierRange() == 10...20)
    }

    @Test("no number is given twice, whatever ranges a store has", arguments: seeds())
    func neverTwice(seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        var container = try container()
        var given: Set<Int64> = []
        for step in 0..<40 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                let first = Int64.random(in: 1...60, using: &generator)
                try container.setIdentifierRange(first...first + Int64.random(in: 0...60, using: &generator))
            case 1: try container.execute("DELETE FROM Author WHERE \"id$\" % 2 = \(step % 2)")
            case 2: container = try self.container()
            case 3:
                // A row of another store.
                let row = 1_000 + Int64(step)
                var writer = ChangesetWriter()
                writer.begin("Author", keys: [1, 0])
                writer.add(.insert, [.integer(row), .text("other \(step)")])
                var changeset = Changeset(data: writer.data)
                changeset.columns = ["Author": ["id$", "name"]]
                if try container.identifierRange() != nil { try container.apply(changeset) }
            default:
                do {
                    let row = try insert(container, "\(step)")
                    try #require(given.insert(row).inserted, "\(row) at step \(step)")
                    if let range = try container.identifierRange() { #expect(range.contains(row)) }
                } catch StoreError.identifiersExhausted {}
            }
        }
    }

    @Test func rowsThatComeBackUnderOtherNumbers() throws {
        let container = try container()
        try container.setIdentifierRange(100...199)
        try container.execute("INSERT INTO Author (\"id$\", name) VALUES (5000, 'other')")
        // The row with the number 5000, which another program inserted, does not affect the range.
        #expect(try insert(container, "own") == 100)
        let context = ModelContext(container)
        context.mergePolicy = .mergeByPropertyObjectTrump
        let other = try #require(try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])).first)
        #expect(other.name == "other")
        other.name = "changed"
        try container.execute("DELETE FROM Author WHERE \"id$\" = 5000")
        try context.save()
        #expect(try container.integer("SELECT max(\"id$\") FROM Author") == 5000)
        #expect(try insert(container, "next") == 101)
    }

    @Test func severalStores() throws {
        let container = try Outpost.container(in: folder)
        try container.setIdentifierRange(40...49)
        let context = ModelContext(container)
        let memo = Memo(title: "m")
        let preference = Preference(key: "k")
        context.insert(memo)
        context.insert(preference)
        try context.save()
        #expect(memo.persistentModelID.rowID == 40 && preference.persistentModelID.rowID == 40)
        #expect(try container.stores.map { try $0.identifierRange() } == Array(repeating: 40...49, count: 3))
    }

    @Test func damagedMetadata() throws {
        let container = try container()
        try container.setIdentifierRange(1...5)
        for text in ["", "1", "5 1", "0 3", "1 9223372036854775807", "a b", "1 5\nx"] {
            try container.execute("UPDATE \"ashlar$metadata\" SET value = '\(text)' WHERE key = 'identifierRange'")
            #expect(throws: StoreError.self) { try container.identifierRange() }
            #expect(throws: StoreError.self) { try self.container() }
        }
    }
}
