import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Values, groups and aggregates in place of objects.
@Suite struct ProjectionTests {
    let context: ModelContext
    private let days = [0, 86400, 172_800].map { Date(timeIntervalSinceReferenceDate: $0) }

    init() throws {
        context = try memoryContext()
        for index in 0..<9 {
            let sample = Sample(name: "n\(index)")
            sample.count = Int64(index)
            sample.day = days[index % 3]
            sample.price = index < 6 ? Decimal(index) + 0.5 : nil
            sample.title = index < 2 ? "t" : nil
            context.insert(sample)
        }
        try context.save()
    }

    /// Reading with a closure for each column of each row would take half as long again.
    @Test func columnsAreReadWithoutClosures() {
        let several = Article.select { ($0.body, $0.likes, $0.title) }
        #expect(several.values?.readings.map(\.type) == [.optionalString, .int64, .string])
        let one = Article.select(\.title)
        #expect(one.values?.readings.map(\.type) == [.string])
        // A computed value needs a more careful read than a column.
        #expect(Article.select { ($0.likes + 1, $0.title) }.values?.readings.map(\.type) == [.coded, .string])
    }

    @Test("rows 94, 95, 99: values have their types") func valuesHaveTheirTypes() throws {
        let names: [String] = try context.fetch(
            Sample.where { $0.count < 2 }.order { $0.count.ascending }.select { $0.name })
        #expect(names == ["n0", "n1"])
        let rows: [(String, Int64, Date?, Decimal?)] = try context.fetch(
            Sample.order { $0.count.descending }.select { ($0.name, $0.count, $0.day, $0.price) }.limit(1).offset(3))
        #expect(rows.count == 1 && rows[0] == ("n5", 5, days[2], 5.5))
        let computed = try context.fetch(
            Sample.select { ($0.count * 2, $0.title ?? "none") }.order { $0.count.descending })
        #expect(computed.first?.0 == 16 && computed.first?.1 == "none")
        let identifiers = try context.fetch(Sample.select { $0.persistentModelID })
        #expect(try Set(identifiers) == Set(context.fetchIdentifiers(Sample.all).map(Optional.some)))
    }

    @Test("rows 97, 98: groups are aggregated") func groupsAreAggregated() throws {
        let perDay: [(Date?, Int, Int64, Decimal?, Double?)] = try context.fetch(
            Sample.group { $0.day }.select { ($0.day, .count, .sum($0.count), .maximum($0.price), .average($0.count)) }
                .order { $0.day.ascending })
        #expect(perDay.map(\.0) == days && perDay.map(\.1) == [3, 3, 3] && perDay.map(\.2) == [9, 12, 15])
        #expect(perDay.map(\.3) == [3.5, 4.5, 5.5] && perDay.map(\.4) == [3, 4, 5])
        let many = try context.fetch(
            Sample.group { $0.title }.having { _ in .count > 2 }.select { ($0.title, .count, .count($0.price)) })
        #expect(many.count == 1 && many[0] == (nil, 7, 4))
        let ordered = try context.fetch(
            Sample.group { $0.title }.order { _ in .ascending(.count) }.select { _ in .count })
        #expect(ordered == [2, 7])
        let days: [Int] = try context.fetch(Sample.select { .count($0.day, distinct: true) })
        #expect(days == [3])
    }

    @Test("row 100: nothing is aggregated too") func nothingIsAggregatedToo() throws {
        let none = Sample.where { $0.count > 100 }
        let row = try context.fetch(none.select { (.count, .sum($0.price), .average($0.price), .minimum($0.name)) })
        #expect(row.count == 1 && row[0] == (0, 0, nil, nil))
        #expect(try context.fetch(none.group { $0.day }.select { _ in .count }).isEmpty)
        context.insert(Label(name: "x"))
        let parents = try context.fetch(none.select { (.count($0.parent.name), .count) })
        #expect(parents[0] == (0, 0))
    }

    @Test("row 96: distinct values come once") func distinctValuesComeOnce() throws {
        let all = try context.fetch(Sample.select { $0.day }.distinct().order { $0.day.descending })
        #expect(all == days.reversed())
        #expect(throws: FetchError.orderNotSelected(entity: "Sample")) {
            try context.fetch(Sample.select { $0.day }.distinct().order { $0.name.ascending })
        }
    }

    @Test func whatDiffersInAGroupIsRefused() throws {
        #expect(throws: FetchError.notGrouped(entity: "Sample", value: "name")) {
            try context.fetch(Sample.group { $0.day }.select { ($0.day, $0.name) })
        }
        #expect(throws: FetchError.notGrouped(entity: "Sample", value: "count")) {
            try context.fetch(Sample.select { ($0.count, .count) })
        }
        #expect(throws: FetchError.notGrouped(entity: "Sample", value: "A value")) {
            try context.fetch(Sample.group { $0.day }.having { $0.count > 1 }.select { _ in .count })
        }
        #expect(try context.fetch(Sample.group { $0.count }.select { $0.count * 2 + 1 }).count == 9)
    }

    @Test func aValueOfAnotherTypeIsAnError() throws {
        let message = "A fetch of Sample selects value 1, which in one row is not an integer."
        let error = #expect(throws: StoreError.self) { try context.fetch(Sample.select { $0.count / 0 }) }
        #expect(error.map { "\($0)" } == message)
        try context.fetch(Sample.all)[0].name = "changed"
        let pending = #expect(throws: StoreError.self) { try context.fetch(Sample.select { $0.count / 0 }) }
        #expect(pending.map { "\($0)" } == message)
    }

    @Test func unsavedChangesCount() throws {
        let first = try #require(try context.fetchFirst(Sample.where { $0.name == "n0" }))
        first.count = 100
        context.delete(try #require(try context.fetchFirst(Sample.where { $0.name == "n1" })))
        let new = Sample(name: "new")
        context.insert(new)
        let sum = Sample.select { (.count, .sum($0.count), .maximum($0.count)) }
        #expect(try context.fetch(sum)[0] == (9, 135, 100))
        #expect(try ModelContext(context.container).fetch(sum)[0] == (9, 36, 8))
        #expect(
            try context.fetch(Sample.where { $0.name == "new" }.select { $0.persistentModelID }) == [
                new.persistentModelID
            ])
        var saved = Sample.all
        saved.includePendingChanges = false
        #expect(try context.fetch(saved.select { _ in .count }) == [9])
        let child = ModelContext(parent: context)
        #expect(try child.fetch(sum)[0] == (9, 135, 100))
    }

    /// Each dictionary has the values of its object, and no keys of nil values.
    @Test(arguments: seeds()) func dictionariesAreWhatObjectsHave(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = try memoryContext()
        for number in 0..<30 {
            let sample = Sample(count: Int64(number), name: "n\(number)")
            if random.oneIn(2) { sample.small = Int16(number) }
            if random.oneIn(2) { sample.title = "t\(number)" }
            if random.oneIn(2) { sample.weight = Double(number) / 4 }
            if random.oneIn(3) { sample.bytes = Data([UInt8(number)]) }
            context.insert(sample)
        }
        if Bool.random(using: &random) { try context.save() }
        let names = ["small", "count", "title", "name", "weight", "bytes"].shuffled(using: &random)
        let properties = names.map { DictionaryProperty<Sample>.property($0) }
        let rows = try context.fetchDictionaries(Sample.order { $0.count.ascending }, properties: properties)
        let samples = try context.fetch(Sample.order { $0.count.ascending })
        #expect(rows.count == 30)
        for (row, sample) in zip(rows, samples) {
            #expect(row["small"] as? Int16 == sample.small && row["title"] as? String == sample.title)
            #expect(row["count"] as? Int64 == sample.count && row["name"] as? String == sample.name)
            #expect(row["weight"] as? Double == sample.weight && row["bytes"] as? Data == sample.bytes)
            let absent: [Any?] = [sample.small, sample.title, sample.weight, sample.bytes]
            #expect(row.count == 6 - absent.count { $0 == nil })
            #expect(Set(row.keys).isSubset(of: names))
        }
    }

    @Test func dictionariesHaveNames() throws {
        let rows = try context.fetchDictionaries(
            Sample.order { $0.day.ascending },
            properties: ["day", .value("posts") { _ in .count }, .aggregate(.sum, "count", as: "total")],
            groupBy: ["day"],
            having: Condition(
                .comparison(.groupAggregate(.count, nil, isDistinct: false), .greater, .value(.integer(2)))))
        #expect(rows.map { $0["total"] as? Int64 } == [9, 12, 15])
        #expect(rows[1]["day"] as? Date == Date(timeIntervalSinceReferenceDate: 86400) && rows[1]["posts"] as? Int == 3)
        let all = try context.fetchDictionaries(Sample.where { $0.name == "n4" })
        #expect(all.count == 1 && all[0]["price"] as? Decimal == 4.5 && all[0]["title"] == nil)
        #expect(all[0]["place.city"] == nil && all[0]["parent"] == nil)
        try context.fetch(Sample.where { $0.name == "n3" })[0].title = "changed"
        let again = try context.fetchDictionaries(Sample.where { $0.name == "n4" })
        #expect(again.map { "\($0.sorted { $0.key < $1.key })" } == all.map { "\($0.sorted { $0.key < $1.key })" })
        #expect(try context.fetchDictionaries(Sample.all, properties: ["parent.home.name"], distinct: true).count == 1)
        #expect(throws: FetchError.unknownProperty(entity: "Sample", property: "children")) {
            try context.fetchDictionaries(Sample.all, properties: ["children"])
        }
        #expect(throws: FetchError.duplicateName(entity: "Sample", name: "day")) {
            try context.fetchDictionaries(Sample.all, properties: ["day", "day"])
        }
    }
}
