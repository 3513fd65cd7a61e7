@_spi(Generated) @testable import Ashlar

/// A query of the golden file.
struct RecordedQuery {
    let name: String
    let text: String
    let constructs: Set<QueryConstruct>

    init<Model>(_ name: String, _ descriptor: FetchDescriptor<Model>, _ path: AccessPath = .automatic) throws {
        self.name = name
        text = try descriptor.statement(
            selecting: "1", limit: descriptor.fetchLimit, offset: descriptor.fetchOffset, path: path
        ).text
        constructs = QueryConstruct.all(in: descriptor.expressions).union([.path(path)])
    }

    init<Model, Output>(_ name: String, _ projection: Projection<Model, Output>) throws {
        self.name = name
        let shape = projection.shape
        text = try shape.statement(time: FetchTime()).text
        let having = shape.having.map { [$0.expression] } ?? []
        constructs = QueryConstruct.all(
            in: shape.columns + (shape.groups ?? []) + having + shape.descriptor.expressions)
    }
}

extension FetchDescriptor {
    fileprivate var expressions: [SQLExpression] {
        (condition.map { [$0.expression] } ?? []) + sortOrders.map(\.expression)
    }
}

/// A part of a query that has SQL of its own.
///
/// The switches have no default, so that a new case does not compile until it has a name here. Every name must occur
/// in the golden file.
struct QueryConstruct: Hashable {
    let name: String

    private init(_ kind: String, _ operation: String = "") { name = operation.isEmpty ? kind : "\(kind) \(operation)" }

    /// All constructs.
    static let all: Set<QueryConstruct> = {
        let plain = [
            "value", "null", "now", "column", "isIn", "and", "or", "not", "conditional", "coalesce", "any", "box",
            "isEntity", "matches", "path automatic", "path without R-tree", "path scan", "path index",
            "path index among",
            "path identifiers", "path candidates", "path edges", "any searched", "element first", "element last",
            "element at", "fullTextValue rank",
            "fullTextValue highlight", "fullTextValue snippet",
        ]
        var all = Set(plain.map { QueryConstruct($0) })
        for function in ScalarFunction.allCases { all.insert(QueryConstruct("function", function.rawValue)) }
        for comparison in SQLExpression.Comparison.allCases {
            all.insert(QueryConstruct("comparison", comparison.rawValue))
        }
        for comparison in SQLExpression.TextComparison.allCases {
            all.insert(QueryConstruct("text", comparison.rawValue))
            all.insert(QueryConstruct("folded text", comparison.rawValue))
        }
        for operation in SQLExpression.Arithmetic.allCases {
            all.insert(QueryConstruct("arithmetic", operation.rawValue))
        }
        for aggregate in SQLExpression.Aggregate.allCases {
            all.insert(QueryConstruct("aggregate", aggregate.rawValue))
            all.insert(QueryConstruct("groupAggregate", aggregate.rawValue))
        }
        return all
    }()

    static func path(_ path: AccessPath) -> QueryConstruct {
        switch path {
        case .automatic: QueryConstruct("path", "automatic")
        case .scan: QueryConstruct("path", "scan")
        case .withoutRTree: QueryConstruct("path", "without R-tree")
        case .index: QueryConstruct("path", "index")
        case .indexAmong: QueryConstruct("path", "index among")
        case .identifiers: QueryConstruct("path", "identifiers")
        case .candidates: QueryConstruct("path", "candidates")
        case .edges: QueryConstruct("path", "edges")
        }
    }

    static func all(in expressions: [SQLExpression]) -> Set<QueryConstruct> {
        var found: Set<QueryConstruct> = []
        for expression in expressions { add(expression, to: &found) }
        return found
    }

    private static func add(_ expression: SQLExpression, to found: inout Set<QueryConstruct>) {
        func note(_ kind: String, _ operation: String = "", _ parts: [SQLExpression] = [], _ rows: RelatedRows? = nil) {
            found.insert(QueryConstruct(kind, operation))
            for part in parts + (rows?.filter.map { [$0] } ?? []) { add(part, to: &found) }
        }
        switch expression {
        case .value(let value): note(value.isNull ? "null" : "value")
        case .identifier: note("value")
        case .now: note("now")
        case .column: note("column")
        case .comparison(let left, let comparison, let right): note("comparison", comparison.rawValue, [left, right])
        case .text(let text, let comparison, let pattern, let options):
            note(options.isEmpty ? "text" : "folded text", comparison.rawValue, [text, pattern])
        case .isIn(let term, _), .isOneOf(let term, _, _): note("isIn", "", [term])
        case .and(let terms): note("and", "", terms)
        case .or(let terms): note("or", "", terms)
        case .not(let term): note("not", "", [term])
        case .arithmetic(let left, let operation, let right): note("arithmetic", operation.rawValue, [left, right])
        case .function(let function, let arguments): note("function", function.rawValue, arguments)
        case .conditional(let test, let first, let second): note("conditional", "", [test, first, second])
        case .coalesce(let first, let second): note("coalesce", "", [first, second])
        case .any(let rows, let condition): note("any", rows.search == nil ? "" : "searched", [condition], rows)
        case .aggregate(let aggregate, let rows, let value): note("aggregate", aggregate.rawValue, [value], rows)
        case .groupAggregate(let aggregate, let value, _):
            note("groupAggregate", aggregate.rawValue, value.map { [$0] } ?? [])
        case .element(let rows, let position, let value):
            switch position {
            case .first: note("element", "first", [value], rows)
            case .last: note("element", "last", [value], rows)
            case .at: note("element", "at", [value], rows)
            }
        case .isEntity: note("isEntity")
        case .box: note("box")
        case .matches: note("matches")
        case .fullTextValue(_, _, let value):
            switch value {
            case .rank: note("fullTextValue", "rank")
            case .highlight: note("fullTextValue", "highlight")
            case .snippet: note("fullTextValue", "snippet")
            }
        // These have no SQL: a statement with them is an error.
        case .fullText, .unsupported: break
        }
    }
}
