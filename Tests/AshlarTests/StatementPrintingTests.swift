import AshlarSQLite
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Every kind of expression in every place of a statement. A kept statement equals a newly written one.
@Suite struct StatementPrintingTests {
    @Test("A known statement has the text and values of a new one", arguments: ExpressionKind.allCases)
    func known(kind: ExpressionKind) throws {
        for place in Place.allCases {
            let known = KnownStatements()
            var found = 0
            for seed in 0..<12 {
                for expression in kind.expressions(seed) {
                    // An identifier occurs in a comparison only.
                    #expect(expression.kind == kind || kind == .identifier && expression.kind == .comparison)
                    let shape = place.shape(expression)
                    let time = FetchTime()
                    guard kind.canBeAsked else {
                        #expect(throws: FetchError.self) { try known.statement(of: shape, time) }
                        continue
                    }
                    let written = try shape.statement(time)
                    let statement = try known.statement(of: shape, time)
                    #expect(statement.text == written.text, "\(kind) \(place) \(seed)")
                    // Compared as text, because NaN does not equal itself.
                    #expect("\(statement.values)" == "\(written.values)", "\(kind) \(place) \(seed)")
                    if statement.number != nil { found += 1 }
                }
            }
            #expect(found > 0 || !kind.canBeAsked, "\(kind) \(place)")
        }
    }

    @Test("A query is taken for another only where the texts are the same") func distinct() throws {
        let time = FetchTime()
        func shapes(_ kind: ExpressionKind) -> [QueryShape] {
            (0..<3).flatMap { kind.expressions($0) }.map { Place.condition.shape($0) }
        }
        let kinds = ExpressionKind.allCases.filter(\.canBeAsked)
        let ofOthers = kinds.compactMap { shapes($0).first }
        for kind in kinds {
            let others = try (shapes(kind) + ofOthers).map { other in
                (text: try other.statement(time).text, parts: StatementParts(of: other, time).parts)
            }
            for shape in shapes(kind) {
                let own = try shape.statement(time)
                for other in others {
                    let values = StatementComparison.values(of: shape, printedAs: other.parts, time)
                    #expect((values != nil) == (own.text == other.text), "\(own.text) and \(other.text)")
                    if let values { #expect("\(values)" == "\(own.values)", "\(own.text)") }
                }
            }
        }
    }

    @Test("A statement is known again by each way to find its rows") func paths() throws {
        let known = KnownStatements()
        var found = Set<String>()
        for seed in 0..<12 {
            for path in try Place.paths(seed) {
                var shape = Place.order.shape(ExpressionKind.and.expressions(seed)[0])
                shape.path = path
                let time = FetchTime()
                let written = try shape.statement(time)
                let statement = try known.statement(of: shape, time)
                #expect(statement.text == written.text)
                #expect("\(statement.values)" == "\(written.values)", "\(written.text)")
                if statement.number != nil { found.insert(path.kind) }
            }
        }
        #expect(found.count == 8, "\(found.sorted())")
    }

    @Test("What is found by its values alone is looked up again") func plans() throws {
        let plans = RecentPlans()
        let number = Sample._ashlarEntity.number
        for seed in 0..<2 {
            var shape = Place.condition.shape(ExpressionKind.comparison.expressions(seed)[0])
            shape.path = .scan
            let statement = BoundStatement(try shape.statement(FetchTime()))
            plans.remember(statement, of: shape, number, .count, FetchTime())
            #expect(plans.statement(of: shape, number, .count, FetchTime())?.values == statement.values)
        }
    }
}

extension KnownStatements {
    /// The statement of a query, looked up or written as in a context.
    fileprivate func statement(of shape: QueryShape, _ time: FetchTime) throws -> BoundStatement {
        try recentStatement(of: shape, time) ?? olderStatement(of: shape, time) ?? newStatement(of: shape, time)
    }
}

/// The place of an expression in a statement.
private enum Place: CaseIterable {
    case condition, order, column, group

    func shape(_ expression: SQLExpression) -> QueryShape {
        let entity = Sample._ashlarEntity
        var shape = QueryShape(
            entity, columns: entity.selectedColumns, condition: nil, orders: [], limit: nil, offset: nil,
            includesSubentities: true)
        switch self {
        case .condition: shape.condition = expression
        case .order:
            shape.condition = expression
            shape.orders = [ColumnOrder(expression: expression, isAscending: false)]
            shape.limit = 5
        case .column:
            shape.projected = QueryShape.Projected(
                columns: [expression], groups: nil, having: nil, isDistinct: true, isAggregated: false)
        case .group:
            shape.projected = QueryShape.Projected(
                columns: [expression], groups: [expression, expression], having: expression, isDistinct: false,
                isAggregated: true)
            shape.offset = 3
        }
        return shape
    }

    /// Each way to find rows.
    static func paths(_ seed: Int) throws -> [AccessPath] {
        let search = try Subject.search(seed)
        return [
            .automatic, .withoutRTree, .scan, .index("a\"index"), .indexAmong("index", search), .identifiers(search),
            .candidates(search), .edges(search),
        ]
    }
}

extension AccessPath {
    /// A new kind of path does not compile without a case here, and the test fails until ``Place/paths(_:)`` has one.
    fileprivate var kind: String {
        switch self {
        case .automatic: "automatic"
        case .withoutRTree: "without R-tree"
        case .scan: "scan"
        case .index: "index"
        case .indexAmong: "index among"
        case .identifiers: "identifiers"
        case .candidates: "candidates"
        case .edges: "edges"
        }
    }
}
