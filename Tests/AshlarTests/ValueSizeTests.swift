import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// Values above SQLite's limit, normally a billion bytes. The limit here is small, so that tests can make such
/// values.
@Suite struct ValueSizeTests {
    private static let limit = 3000
    private let large = Data(repeating: 1, count: 4000)

    private func container() throws -> ModelContainer {
        let container = try memoryContainer(AtticModel.self)
        try container.pool.write { _ = sqlite3_limit($0.database, SQLITE_LIMIT_LENGTH, Int32(Self.limit)) }
        return container
    }

    private func isTooLarge(_ error: any Error, _ object: Item?, _ property: String?) -> Bool {
        guard case SaveError.valueTooLarge(let found, let entity, property, Self.limit) = error else { return false }
        return found == object?.persistentModelID && (object == nil || entity == "Item")
            && "\(error)".contains("\(Self.limit)")
    }

    @Test("a value that is too large is refused by an insertion", arguments: [1, 5, 100], ["scan", "name", "photo"])
    func insertions(_ count: Int, _ property: String) throws {
        let context = ModelContext(try container())
        let items = (0..<count).map { Item(counts: [], name: "\($0)") }
        for item in items { context.insert(item) }
        let item = items[count / 2]
        switch property {
        case "scan": item.scan = large
        case "photo": item.photo = large
        default: item.name = String(repeating: "x", count: 4000)
        }
        #expect { try context.save() } throws: { isTooLarge($0, item, property) }
        #expect(try context.container.integer("SELECT count(*) FROM Item") == 0)
        #expect(item.scan == (property == "scan" ? large : nil))
        (item.scan, item.photo, item.name) = (nil, nil, "fits")
        try context.save()
        #expect(try context.container.integer("SELECT count(*) FROM Item") == Int64(count))
    }

    @Test("a value that is too large is refused by an update", arguments: [1, 40], ["scan", "name"])
    func updates(_ count: Int, _ property: String) throws {
        let context = ModelContext(try container())
        let items = (0..<count).map { Item(counts: [], name: "\($0)", scan: Data([1])) }
        for item in items { context.insert(item) }
        try context.save()
        for item in items {
            if property == "scan" { item.scan = Data([2]) } else { item.name += " new" }
        }
        let item = items[count / 2]
        if property == "scan" { item.scan = large } else { item.name = String(repeating: "é", count: 2000) }
        #expect { try context.save() } throws: { isTooLarge($0, item, property) }
        #expect(try context.container.integer("SELECT count(*) FROM Item WHERE scan = X'01'") == Int64(count))
        #expect(try context.container.integer("SELECT count(*) FROM Item WHERE name LIKE '% new'") == 0)
        if property == "scan" { item.scan = nil } else { item.name = "fits" }
        try context.save()
    }

    @Test func aRowThatIsTooLargeAltogether() throws {
        let context = ModelContext(try container())
        let half = Data(repeating: 1, count: 2000)
        let item = Item(counts: [], name: "a", photo: half, scan: half)
        context.insert(item)
        #expect { try context.save() } throws: { isTooLarge($0, item, nil) }
        item.photo = nil
        try context.save()
    }

    @Test("a value that is too large is refused by a batch", arguments: [1, 100])
    func batchInsertions(_ count: Int) throws {
        let context = ModelContext(try container())
        var values = (0..<count).map { Item.Values(counts: [], name: "\($0)") }
        values[count / 2].scan = large
        #expect {
            try context.batchInsert(contentsOf: values)
        } throws: {
            guard case BatchError.valueTooLarge("Item", "scan", count / 2, Self.limit) = $0 else { return false }
            return true
        }
        #expect(try context.fetchCount(Item.all) == 0)
        #expect(throws: BatchError.self) {
            try context.batchUpdate(Item.all) { $0.name = String(repeating: "x", count: 4000) }
        }
    }

    @Test func argumentsOfQueries() throws {
        let context = ModelContext(try container())
        context.insert(Item(counts: [], name: "a"))
        try context.save()
        let text = String(repeating: "x", count: 4000)
        #expect(throws: StoreError.self) { try context.fetch(Item.where { $0.name != text }) }
        #expect(throws: StoreError.self) { try context.fetchValues(Item.where { $0.name != text }) }
        #expect(throws: StoreError.self) { try context.fetchCount(Item.where { $0.name != text }) }
        #expect(throws: StoreError.self) { try context.container.setMetadata(.string(text), forKey: "key") }
        // The statements can be used again.
        #expect(try context.fetchCount(Item.where { $0.name != "b" }) == 1)
        #expect(try context.fetchValues(Item.where { $0.name != "b" }).count == 1)
    }
}
