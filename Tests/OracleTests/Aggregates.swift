import Ashlar
import Foundation
import Testing

/// An aggregate, and its result in plain Swift for the same objects.
struct AggregateCase: Sendable, CustomTestStringConvertible {
    var name: String
    var check: @Sendable (StockRoom, ModelContext, Comment) throws -> Void

    var testDescription: String { name }

    init<Value: Answerable & Sendable, Result: Answerable>(
        _ name: String, _ column: @escaping @Sendable (Columns<Thing>) -> Column<Value>,
        answer: @escaping @Sendable ([Subject]) -> Result?
    ) {
        self.name = "aggregate: " + name
        check = { room, context, comment in
            for path in Path.allCases {
                let comment: Comment = "\(name), \(path), \(comment)"
                let things = room.things
                let column = { (thing: Columns<Thing>) in column(path.columns(thing)) }
                let answer = { (things: [Plain]) in Answer.of(answer(things.map(path.subject))) }
                // Aggregates over all objects
                let whole = try context.fetch(Thing.all.select { column($0).optional })
                #expect(whole.map { Answer.of($0) } == [answer(things)], comment)
                let some = try context.fetch(Thing.where { $0.number > 3 }.select { column($0).optional })
                #expect(some.map { Answer.of($0) } == [answer(things.filter { $0.number > 3 })], comment)
                let none = try context.fetch(Thing.where { $0.number < 0 }.select { column($0).optional })
                #expect(none.map { Answer.of($0) } == [answer([])], comment)
                // Aggregates over groups, in their order and with a condition
                let groups = Thing.all.group { $0.kind }
                let rows: [(Kind, Value?)] = try context.fetch(groups.select { ($0.kind, column($0).optional) })
                let byKind = Dictionary(grouping: things, by: \.kind).mapValues(answer)
                #expect(
                    Dictionary(rows.map { ($0.0, Answer.of($0.1)) }) { first, _ in first } == byKind, comment)
                let ordered = try context.fetch(
                    groups.order { column($0).descending }.select { column($0).optional })
                #expect(ordered.map { Answer.of($0) } == byKind.values.sorted { $0 > $1 }, comment)
                for value in ordered {
                    let found = try context.fetch(
                        groups.having { column($0).optional == value }.select { $0.kind })
                    #expect(Set(found) == Set(byKind.filter { $0.value == .of(value) }.keys), comment)
                }
            }
        }
    }

    static let all: [AggregateCase] = [
        AggregateCase("count") { _ in
            .count
        } answer: {
            $0.count
        },
        AggregateCase("count of values") {
            .count($0.small)
        } answer: {
            $0.count { $0.object?.small != nil }
        },
        AggregateCase("count of distinct") {
            .count($0.name, distinct: true)
        } answer: {
            Set($0.map { Answer.of($0.object?.name) }.filter { !$0.isNull }).count
        },
        AggregateCase("sum") {
            .sum($0.width)
        } answer: {
            $0.reduce(Int64(0)) { $0 + Int64($1.object?.width ?? 0) }
        },
        AggregateCase("sum of decimals") {
            .sum($0.cost)
        } answer: {
            $0.reduce(Decimal()) { $0 + ($1.object?.cost ?? 0) }
        },
        AggregateCase("sum of distinct") {
            .sum($0.width, distinct: true)
        } answer: {
            Set($0.compactMap { $0.object?.width }).reduce(Int64(0)) { $0 + Int64($1) }
        },
        AggregateCase("average") {
            .average($0.width)
        } answer: {
            mean($0.compactMap { $0.object?.width })
        },
        AggregateCase("average of distinct") {
            .average($0.width, distinct: true)
        } answer: {
            mean(Set($0.compactMap { $0.object?.width }))
        },
        AggregateCase("minimum") {
            .minimum($0.name)
        } answer: {
            $0.compactMap { $0.object?.name.answer }.min()
        },
        AggregateCase("minimum of optional") {
            .minimum($0.due)
        } answer: {
            $0.compactMap { $0.object?.due }.min()
        },
        AggregateCase("maximum") {
            .maximum($0.price)
        } answer: {
            $0.compactMap { $0.object?.price }.max()
        },
        AggregateCase("maximum of optional") {
            .maximum($0.note)
        } answer: {
            $0.compactMap { $0.object?.note?.answer }.max()
        },
    ]

    private static func mean(_ widths: some Collection<Int32>) -> Double? {
        widths.isEmpty ? nil : Double(widths.reduce(0) { $0 + Int($1) }) / Double(widths.count)
    }
}
