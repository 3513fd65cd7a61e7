import AshlarCoreData
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// The SQL of each construct, recorded in `Golden/Queries.txt`, so that a review shows each change.
///
/// `ASHLAR_UPDATE_GOLDEN=1 swift test --filter QueryTextTests` writes the file anew.
@Suite struct QueryTextTests {
    @Test func textIsAsCommitted() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/Queries.txt")
        let text = try queries().map { "\($0.name): \($0.text)" }.joined(separator: "\n\n") + "\n"
        if ProcessInfo.processInfo.environment["ASHLAR_UPDATE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: file)
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == text, "set ASHLAR_UPDATE_GOLDEN=1 and look at the diff")
    }

    /// If no query of the file had a construct, changes of its SQL would go unnoticed.
    @Test func everyConstructIsThere() throws {
        let found = try queries().reduce(into: Set<QueryConstruct>()) { $0.formUnion($1.constructs) }
        let missing = Set(QueryConstruct.all).subtracting(found).map(\.name).sorted()
        #expect(missing.isEmpty, "add a query with each to this test: \(missing.joined(separator: ", "))")
        #expect(found.isSubset(of: QueryConstruct.all))
    }

    private func queries() throws -> [RecordedQuery] {
        try general() + functions() + trees() + searches() + paths()
    }

    private func general() throws -> [RecordedQuery] {
        let numbers = (0..<600).map { Int64($0) }
        let weights = (0..<600).map { Optional(Double($0)) }
        let typed: [(String, FetchDescriptor<Sample>)] = [
            ("comparisons", Sample.where { $0.count > 1 && $0.title == nil && $0.title != "a" || !($0.weight < 2) }),
            ("columns", Sample.where { $0.title == $0.name && $0.count < $0.parent.count }),
            ("decimals", Sample.where { $0.price > 1 && $0.price + 1 == 2 && $0.price * 2 < $0.parent.price }),
            ("arithmetic", Sample.where { ($0.count + 1) * 2 > 3 - $0.count && $0.weight.rounded(.down) == 1 }),
            ("text", Sample.where { $0.name.hasPrefix("a") && $0.name.hasSuffix("b") && $0.name.contains("c") }),
            ("text with options", Sample.where { $0.name.contains("É", options: [.caseInsensitive]) }),
            (
                "like",
                Sample.where {
                    $0.name.isLike("a*") && $0.name.matches("[ab]+")
                        && $0.name.isEqual(to: "É", options: .localizedStandard)
                }
            ),
            ("lists", Sample.where { $0.count.isIn([1, 2]) && $0.title.isIn(["a", nil]) && $0.price.isIn([1]) }),
            ("long lists", Sample.where { $0.count.isIn(numbers) && $0.weight.isIn(weights) }),
            (
                "conditional",
                Sample.where { ($0.flag.isTrue).then($0.count, else: 0) > 1 && ($0.title ?? $0.name) == "a" }
            ),
            ("dates", Sample.where { $0.day.addingTimeInterval(1).timeIntervalSince($0.parent.day) == 1 }),
            ("paths", Sample.where { $0.parent.home.name == "a" && $0.parent.parent != nil && $0.parent == $0 }),
            ("any", Sample.where { $0.children.contains { $0.count == 1 } }),
            ("all", Sample.where { $0.children.allSatisfy { $0.count == 1 } && $0.children.isEmpty }),
            (
                "correlated",
                Sample.where { outer in
                    outer.children.contains { inner in
                        inner.parent.name == "a" && inner.children.contains { $0.count == outer.parent.count }
                    }
                }
            ),
            (
                "aggregates",
                Sample.where {
                    $0.children.count > 1 && $0.children.sum { $0.price } > 1 && $0.children.max { $0.price } == 1
                        && $0.parent.children.filter { $0.flag.isTrue }.count == 0
                }
            ),
            (
                "orders",
                Sample.order { $0.children.count.descending }.order { ($0.price * 2).ascending }.limit(3).offset(1)
            ),
        ]
        let page = Sample()
        let node: [(String, FetchDescriptor<Node>)] = [
            ("many to many", Node.where { $0.targets.contains { $0.name == "a" } && $0.sources.count == 1 }),
            ("its own inverse", Node.where { $0.friends.contains { $0.friends.count == 2 } && $0.spouse.name == "b" }),
            ("ordered", try FetchDescriptor<Node>(format: "ranking[FIRST].name == 'a' AND ranking[2].name == 'b'")),
        ]
        let others = try [
            RecordedQuery("one to one", Person.where { $0.passport == nil }),
            RecordedQuery("entities", Vehicle.where { $0.is(Car.self) && $0.as(Car.self).doors > 3 }),
            RecordedQuery(
                "casts",
                Vehicle.where {
                    $0.as(Car.self).doors != 3 && $0.as(Truck.self).driver.name == "a"
                        && $0.as(Car.self).cargo.count == 0
                }
                .order { $0.as(Truck.self).load }),
            RecordedQuery("relationship of a hierarchy", Person.where { $0.vehicles.contains { $0.is(Truck.self) } }),
        ]
        let projections = try [
            RecordedQuery(
                "values", Sample.where { $0.flag.isTrue }.select { ($0.name, $0.parent.price, $0.count + 1) }),
            RecordedQuery("distinct", Sample.select { $0.price }.distinct().order { $0.price.descending }.limit(3)),
            RecordedQuery(
                "groups",
                Sample.where { $0.count > 1 }.group { ($0.day, $0.home.persistentModelID) }
                    .having { _ in .count > 2 }
                    .select {
                        ($0.day, .count, .count($0.title, distinct: true), .sum($0.price), .maximum($0.price))
                    }
                    .order { _ in .descending(.count) }.offset(1)),
            RecordedQuery("aggregates of all", Sample.select { (.average($0.weight), .minimum($0.day)) }),
            RecordedQuery(
                "page",
                Sample.order { $0.count.ascending }.order { $0.title.descending }.page(after: page).limit(2)),
            RecordedQuery("page of the descending", Sample.order { $0.count.descending }.page(after: page)),
        ]
        return try typed.map { try RecordedQuery($0.0, $0.1) } + node.map { try RecordedQuery($0.0, $0.1) } + others
            + projections
    }

    private let count = SQLExpression.column(
        ColumnReference(path: ColumnPath(table: "Sample"), column: 2, name: "count"))

    private func condition(_ name: String, _ expression: SQLExpression) throws -> RecordedQuery {
        try RecordedQuery(name, Sample.where { _ in Condition(expression) })
    }

    /// Each function and operator.
    private func functions() throws -> [RecordedQuery] {
        let one = SQLExpression.value(.integer(1))
        let text = SQLExpression.value(.text("a"))
        var queries = try ScalarFunction.allCases.map { function in
            try condition("function \(function.rawValue)", .comparison(.function(function, [count]), .greater, one))
        }
        queries += try SQLExpression.Comparison.allCases.flatMap { comparison in
            try [
                condition("comparison \(comparison.rawValue)", .comparison(count, comparison, one)),
                condition("comparison \(comparison.rawValue) NULL", .comparison(count, comparison, .value(.null))),
            ]
        }
        queries += try SQLExpression.TextComparison.allCases.flatMap { comparison in
            try [
                condition("text \(comparison.rawValue)", .text(count, comparison, text, [])),
                condition("text \(comparison.rawValue) of a column", .text(count, comparison, count, [])),
                condition("text \(comparison.rawValue) folded", .text(count, comparison, text, .caseInsensitive)),
            ]
        }
        queries += try SQLExpression.Arithmetic.allCases.map { operation in
            try condition(
                "arithmetic \(operation.rawValue)", .comparison(.arithmetic(count, operation, one), .less, one))
        }
        return queries
    }

    /// Expressions that the queries above do not contain.
    private func trees() throws -> [RecordedQuery] {
        var queries = try SQLExpression.Aggregate.allCases.map { aggregate in
            try RecordedQuery(
                "aggregate \(aggregate.rawValue)",
                Sample.where {
                    let value = $0.children._ashlarAggregate(aggregate) { $0.weight._ashlarExpression }
                    return Condition(.comparison(value, .greater, .value(.integer(1))))
                })
        }
        queries += try [
            RecordedQuery(
                "aggregates of groups",
                Sample.select {
                    (.count($0.weight), .sum($0.weight), .average($0.weight), .minimum($0.weight), .maximum($0.weight))
                }),
            condition("now", .comparison(count, .less, .now)),
            condition("nothing", .or([.and([]), .or([])])),
            RecordedQuery("last", FetchDescriptor<Node>(format: "ranking[LAST].name == 'a'")),
        ]
        var cars = Car.where { $0.doors > 3 }
        queries.append(try RecordedQuery("an entity below", cars))
        cars.includesSubentities = false
        queries.append(try RecordedQuery("an entity alone", cars))
        return queries
    }

    private func searches() throws -> [RecordedQuery] {
        let query = FullTextQuery("great wall")
        return try [
            RecordedQuery("full text", Tome.where { $0.search.matches(query) && !$0.parts.matches("end") }),
            RecordedQuery("rank", Tome.order { $0.search.rank(of: query).ascending }),
            RecordedQuery(
                "parts of texts",
                Tome.where { $0.search.matches(query) }.select {
                    (
                        $0.search.highlight($0.text, of: query), $0.search.snippet(of: query),
                        $0.search.snippet($0.text, of: query, terms: 3)
                    )
                }),
        ]
    }

    /// A descriptor whose related rows an R-tree finds.
    private func searched(_ descriptor: FetchDescriptor<Country>) throws -> FetchDescriptor<Country> {
        let condition = try #require(descriptor.condition).expression
        let planner = RelatedSearchPlanner(
            condition, of: Country._ashlarEntity, orders: [], .rows(limit: nil), FetchTime())
        var result = descriptor
        result.condition = Condition(planner.plan(condition) { _, _ in true })
        return result
    }

    /// Each way to find rows.
    private func paths() throws -> [RecordedQuery] {
        let sites = Site.where { $0.inTwo(x: 1...2, y: 3...4) && $0.rank > 5 }.order { $0.rank.descending }.limit(7)
        let box = Site.where { $0.x >= 1 && $0.x < 2 && $0.y <= 4 && $0.y > 3 }
        let columns = BoundedColumns(try #require(box.condition).expression, time: FetchTime())
        let rtree = try #require(Site._ashlarEntity.schema.rtrees.first { $0.index.name == "inTwo" })
        let search = try #require(BoxSearch(rtree, columns))
        return try [
            RecordedQuery("box within a condition", Site.where { $0.inTwo(x: 1...2, y: 3...4) || $0.rank > 5 }),
            RecordedQuery("scan", sites, .scan),
            RecordedQuery("index", sites, .index("index$Site$byRank")),
            RecordedQuery("index among", sites, .indexAmong("index$Site$byRank", search)),
            RecordedQuery("without R-tree", sites, .withoutRTree),
            RecordedQuery(
                "related rows, searched", searched(Country.where { $0.sites.contains { $0.x > 1 && $0.y < 2 } })),
            RecordedQuery(
                "linked rows, searched",
                searched(Country.where { $0.events.filter { $0.bySpan(start: 1...2, end: 3...4) }.count > 0 })),
            RecordedQuery("identifiers", box, .identifiers(search)),
            RecordedQuery("candidates", box, .candidates(search)),
            RecordedQuery("edges", box, .edges(search)),
        ]
    }
}
