import Foundation
import Testing

@testable import Ashlar

/// Single properties of queries; ``DifferentialTests`` compares their meaning at random.
@Suite struct QueryTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    private func counts(_ descriptor: FetchDescriptor<Sample>) throws -> [Int64] {
        let result = try context.fetch(descriptor).map(\.count)
        #expect(try context.fetchCount(descriptor) == result.count)
        #expect(try context.fetchIdentifiers(descriptor).count == result.count)
        return result
    }

    private func fill(_ count: Int64) throws {
        for index in 0..<count { context.insert(Sample(count: index, title: "\(index)")) }
        try context.save()
    }

    @Test("rows 92, 176: limit and offset") func limitAndOffset() throws {
        try fill(5)
        let all = Sample.order { $0.count.ascending }
        for isChanged in [false, true] {
            if isChanged {
                context.insert(Sample(count: 5))
                try #require(try context.fetch(Sample.where { $0.count == 0 }).first).count = 6
            }
            let expected: [Int64] = isChanged ? [1, 2, 3, 4, 5, 6] : [0, 1, 2, 3, 4]
            #expect(try counts(all) == expected)
            #expect(try counts(all.limit(2)) == Array(expected[0..<2]))
            #expect(try counts(all.limit(2).offset(1)) == Array(expected[1..<3]))
            #expect(try counts(all.offset(4)) == Array(expected[4...]))
            #expect(try counts(all.limit(0)).isEmpty && counts(all.offset(100)).isEmpty)
            #expect(try counts(all.limit(.max).offset(.max)).isEmpty)
            #expect(try counts(all.limit(-1).offset(-1)) == expected)
        }
    }

    @Test("row 121: expressions that have names") func expressionsThatHaveNames() throws {
        let context = try memoryContext()
        for count in 0..<10 { context.insert(Sample(count: Int64(count))) }
        try context.save()
        func twice(_ sample: Columns<Sample>) -> Column<Int64> { sample.count * 2 }
        func isLarge(_ sample: Columns<Sample>) -> Condition { twice(sample) > 13 }
        let found = try context.fetch(Sample.where { isLarge($0) && !(twice($0) == 16) })
        #expect(found.map(\.count).sorted() == [7, 9])
    }

    @Test("row 114: many values in a list") func manyValuesInAList() throws {
        try fill(10)
        let numbers = (5..<100_000).map { Int64($0) }
        #expect(try context.fetchCount(Sample.where { $0.count.isIn(numbers) }) == 5)
        let texts = (8..<50_000).map { "\($0)" } + ["\"quoted\"", "🙂"]
        #expect(try context.fetchCount(Sample.where { $0.title.isIn(texts) }) == 2)
        #expect(try context.fetchCount(Sample.where { !$0.title.isIn(texts + [nil]) }) == 8)
        let identifiers = try context.fetchIdentifiers(Sample.all)
        #expect(
            try context.fetchCount(Sample.where { $0.isIn(Array(repeating: identifiers, count: 5000).flatMap { $0 }) })
                == 10)
        let prices = (0..<1000).map { Decimal($0) }
        context.insert(Sample(price: Decimal(string: "12.0")))
        try context.save()
        #expect(try context.fetchCount(Sample.where { $0.price.isIn(prices) }) == 1)
    }

    /// Every kind of condition compares texts by their bytes, NUL included.
    @Test func textWithNULs() throws {
        for (index, title) in ["a\0b", "a", "a\0", "\0b", "b"].enumerated() {
            context.insert(Sample(count: Int64(index), title: title))
        }
        try context.save()
        #expect(try counts(Sample.where { $0.title.hasSuffix("b") }.order { $0.count.ascending }) == [0, 3, 4])
        #expect(try counts(Sample.where { $0.title.hasSuffix("\0b") }.order { $0.count.ascending }) == [0, 3])
        #expect(try counts(Sample.where { $0.title.hasPrefix("a\0") }.order { $0.count.ascending }) == [0, 2])
        #expect(try counts(Sample.where { $0.title.contains("\0") }.order { $0.count.ascending }) == [0, 2, 3])
        #expect(try counts(Sample.where { $0.title == "a" }) == [1])
    }

    @Test("row 35: paths") func paths() throws {
        let parent = Sample(count: 1, home: Label(name: "home"))
        let child = Sample(count: 2, parent: parent)
        context.insert(child)
        context.insert(Sample(count: 3))
        try context.save()
        #expect(try counts(Sample.where { $0.parent == parent }) == [2])
        #expect(try counts(Sample.where { $0.parent.home.name == "home" }) == [2])
        #expect(try counts(Sample.where { $0.parent == nil }.order { $0.count.ascending }) == [1, 3])
        #expect(try counts(Sample.order { $0.parent.count.descending }.limit(1)) == [2])
        #expect(try counts(Sample.where { $0.parent.home != nil }) == [2])
        // A change at the far end of a path counts, even if that object belongs to the same entity.
        parent.count = 10
        #expect(try counts(Sample.where { $0.parent.count == 10 }) == [2])
        #expect(try counts(Sample.where { $0.parent.count == 1 }) == [])
        parent.home?.name = "moved"
        #expect(try counts(Sample.where { $0.parent.home.name == "moved" }) == [2])
        context.delete(try #require(parent.home))
        #expect(try counts(Sample.where { $0.parent.home.name == "moved" }) == [])
    }

    @Test("row 101: pending changes can be left out") func pendingChangesCanBeLeftOut() throws {
        try fill(2)
        context.insert(Sample(count: 9))
        var descriptor = Sample.order { $0.count.ascending }
        #expect(try counts(descriptor) == [0, 1, 9])
        descriptor.includePendingChanges = false
        #expect(try counts(descriptor) == [0, 1])
    }

    @Test("row 118: boxes use their index") func boxesUseTheirIndex() throws {
        for index in 0..<100 {
            context.insert(Sample(count: Int64(index), latitude: Double(index), longitude: Double(-index)))
        }
        try context.save()
        let box = Sample.where { $0.byPlace(latitude: 10...12, longitude: -11 ... -10) }
        #expect(try counts(box.order { $0.count.ascending }) == [10, 11])
        #expect(try context.queryPlan(of: box.indexed(by: .byPlace)).contains { $0.contains("VIRTUAL TABLE") })
        #expect(try context.queryPlan(of: Sample.where { $0.title.hasPrefix("a") }).contains { $0.contains("byTitle") })
        // The R-tree keeps 32-bit floats, so the columns decide.
        let edge = 0.1 + 1e-12
        context.insert(Sample(count: 1000, latitude: edge, longitude: 0.1))
        try context.save()
        #expect(try counts(Sample.where { $0.byPlace(latitude: 0.1...0.1, longitude: 0.1...0.1) }) == [])
        #expect(try counts(Sample.where { $0.byPlace(latitude: edge...edge, longitude: 0.1...0.1) }) == [1000])
        let all = -Double.infinity...Double.infinity
        #expect(try context.fetchCount(Sample.where { $0.byPlace(latitude: all, longitude: all) }) == 101)
    }

    @Test func aRowThatDoesNotFitItsType() throws {
        try fill(1)
        try context.container.execute("UPDATE Sample SET mood = 'bored'")
        let other = ModelContext(context.container)
        #expect { try other.fetch(Sample.all) } throws: { error in
            guard case StoreError.invalidValue("Sample", "mood", let rowID, _) = error else { return false }
            return rowID == 1
        }
        // The property is optional: after the error, the object is fetched without a value.
        #expect(try other.fetch(Sample.all).map(\.mood) == [nil])
        #expect(throws: StoreError.self) { try other.fetchValues(Sample.all) }
        try context.container.execute("UPDATE Sample SET mood = NULL, small = 70000")
        let third = ModelContext(context.container)
        #expect(throws: StoreError.self) { try third.fetch(Sample.all) }
        #expect(try third.fetch(Sample.all).map(\.small) == [nil])
    }

    /// A getter cannot throw: the next call that can does, and nothing is saved before.
    @Test func theErrorOfALazyLoadIsThrownLater() throws {
        let child = Sample(count: 2, parent: Sample(count: 1))
        context.insert(child)
        try context.save()
        try context.container.execute("UPDATE Sample SET mood = 'bored' WHERE count = 1")
        let other = ModelContext(context.container)
        let read = try #require(try other.fetch(Sample.where { $0.count == 2 }).first)
        read.name = "changed"
        #expect(read.parent?.mood == nil)
        #expect(throws: StoreError.self) { try other.save() }
        try other.save()
        #expect(try context.container.text("SELECT group_concat(name, '') FROM Sample") == "changed")
    }
}
