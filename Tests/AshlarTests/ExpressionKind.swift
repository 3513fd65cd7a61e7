import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// The kinds of expressions. If a kind is added, the compiler requires it in ``SQLExpression/kind``.
enum ExpressionKind: CaseIterable {
    case value, identifier, column, now, comparison, text, isIn, isOneOf, and, or, not, arithmetic, function,
        conditional, coalesce, any,
        aggregate, groupAggregate, element, isEntity, box, fullText, matches, fullTextValue, unsupported

    /// Whether a statement can contain an expression of this kind.
    var canBeAsked: Bool { self != .fullText && self != .unsupported }
}

extension SQLExpression {
    var kind: ExpressionKind {
        switch self {
        case .value: .value
        case .identifier: .identifier
        case .column: .column
        case .now: .now
        case .comparison: .comparison
        case .text: .text
        case .isIn: .isIn
        case .isOneOf: .isOneOf
        case .and: .and
        case .or: .or
        case .not: .not
        case .arithmetic: .arithmetic
        case .function: .function
        case .conditional: .conditional
        case .coalesce: .coalesce
        case .any: .any
        case .aggregate: .aggregate
        case .groupAggregate: .groupAggregate
        case .element: .element
        case .isEntity: .isEntity
        case .box: .box
        case .fullText: .fullText
        case .matches: .matches
        case .fullTextValue: .fullTextValue
        case .unsupported: .unsupported
        }
    }
}

/// The columns, rows and indexes to which the expressions of a test refer.
enum Subject {
    static let path = ColumnPath(table: Sample._ashlarEntity.tableName)

    static func reference(_ name: String, _ path: ColumnPath = path) -> ColumnReference {
        let columns = Sample._ashlarEntity.columns
        return ColumnReference(
            path: path, column: columns.firstIndex { $0.name == name } ?? 0, name: name, isDecimal: name == "price")
    }

    static func column(_ name: String, _ path: ColumnPath = path) -> SQLExpression { .column(reference(name, path)) }

    /// A column of the row to which `parent` leads.
    static func parent(_ name: String) -> SQLExpression {
        let table = Sample._ashlarEntity.tableName
        let step = ColumnPath.Step("parent", column: 0, columnName: "parent", destinationTable: table)
        return column(name, path.following(step))
    }

    /// A search for rows in a box of latitudes and longitudes.
    static func search(_ seed: Int) throws -> BoxSearch {
        let number = SQLExpression.value(.real(Double(seed)))
        let (x, y) = (column("latitude"), column("longitude"))
        let condition = SQLExpression.and([
            .comparison(x, seed % 2 == 0 ? .less : .lessOrEqual, number), .comparison(y, .greater, number),
            // The R-tree rounds bounds beyond 53 bits and so cannot prove a match.
            .comparison(x, .greater, .value(.real(seed % 3 == 0 ? -1e300 : -100))),
        ])
        let columns = BoundedColumns(condition, time: FetchTime())
        return try #require(BoxSearch.best(Sample._ashlarEntity.schema.rtrees, columns))
    }

    static let fullText = FullTextReference(
        path: path,
        index: FullTextDescription("search", tableName: "search$", columns: [0], columnNames: ["name"], options: []))

    /// The rows of a relationship that pass a filter.
    static func rows(_ filter: SQLExpression?) -> RelatedRows {
        let entity = Sample._ashlarEntity
        let number = entity.relationships.firstNumber { $0.name == "children" } ?? 0
        return RelatedRows(
            owner: path, source: entity.relationships[number].rows(number, to: entity), level: 1, filter: filter)
    }
}

extension ExpressionKind {
    /// Returns expressions of the kind. A number varies their values and forms.
    func expressions(_ seed: Int) -> [SQLExpression] {
        let values: [SQLiteValue] = [
            .integer(Int64(seed)), .text("a\(seed)"), .null, .real(.nan), .real(Double(seed) / 3), .text(""),
            .text("\u{10FFFF}"), .blob(Data([UInt8(seed)])), .integer(.min), .text("é\0"),
        ]
        let given = values[seed % values.count]
        let value = SQLExpression.value(given)
        let (name, count, price) = (Subject.column("name"), Subject.column("count"), Subject.column("price"))
        let inner = Subject.column("count", Subject.rows(nil).element)
        let condition = SQLExpression.comparison(inner, .greater, value)
        let test = SQLExpression.comparison(count, seed % 2 == 0 ? .equal : .less, value)
        let query = FullTextQuery("term\(seed)")
        let identifiers = (0..<3).map { number in
            PersistentIdentifier(
                rowID: Int64(seed + number), store: UInt32(number),
                entity: EntityNumber(root: UInt16(seed % 2), entity: 0))
        }
        switch self {
        case .value: return [value]
        case .identifier:
            return [
                .comparison(count, .equal, .identifier(identifiers[0], root: 0)), .identifier(identifiers[1], root: 1),
            ]
        case .column: return [name, Subject.parent("name"), price]
        case .now: return [.now]
        case .comparison:
            return SQLExpression.Comparison.allCases.flatMap { comparison -> [SQLExpression] in
                [(name, value), (value, count), (price, value), (value, value), (Subject.parent("price"), count)].map {
                    .comparison($0, comparison, $1)
                }
            }
        case .text:
            return SQLExpression.TextComparison.allCases.flatMap { comparison -> [SQLExpression] in
                [TextOptions(), .caseInsensitive, .localizedStandard].flatMap { options -> [SQLExpression] in
                    [.text(name, comparison, value, options), .text(name, comparison, Subject.parent("name"), options)]
                }
            }
        case .isIn:
            let list = (0..<seed % 4).map { SQLiteValue.integer(Int64($0)) }
            let long = (0..<500 + seed % 2).map { SQLiteValue.integer(Int64($0)) }
            return [
                .isIn(count, list), .isIn(price, list + [given]), .isIn(Subject.parent("count"), list + [.null]),
                .isIn(count, long), .isIn(.arithmetic(count, .add, value), long + [given, .null]), .isIn(name, []),
            ]
        case .isOneOf:
            let some = Array(identifiers.prefix(seed % 3)) + (seed % 2 == 0 ? [nil] : [])
            return [.isOneOf(count, some, root: 0), .isOneOf(Subject.parent("count"), identifiers + [nil], root: 1)]
        case .and:
            return [.and([test, .comparison(count, .less, .now)]), .and([]), .and([test, .and([test]), value])]
        case .or: return [.or([test, .isIn(count, [given])]), .or([]), .or(Array(repeating: test, count: 401))]
        case .not: return [.not(test), .not(value)]
        case .arithmetic:
            return SQLExpression.Arithmetic.allCases.flatMap { operation -> [SQLExpression] in
                [.arithmetic(count, operation, value), .arithmetic(price, operation, value)]
            }
        case .function:
            return ScalarFunction.allCases.map { .function($0, [value, price, test]) }
        case .conditional: return [.conditional(test, value, count), .conditional(test, price, value)]
        case .coalesce: return [.coalesce(name, value), .coalesce(.coalesce(price, value), count)]
        case .any:
            var searched = Subject.rows(condition)
            if let search = try? Subject.search(seed) { searched.search = .rtree(search) }
            return [
                .any(Subject.rows(nil), condition), .any(Subject.rows(condition), .alwaysTrue),
                .any(searched, condition),
                .any(searched, .alwaysTrue),
                .any(Subject.rows(nil), .comparison(inner, .equal, Subject.parent("count"))),
            ]
        case .aggregate:
            return SQLExpression.Aggregate.allCases.flatMap { aggregate -> [SQLExpression] in
                let decimal = Subject.column("price", Subject.rows(nil).element)
                return [
                    .aggregate(aggregate, Subject.rows(condition), .arithmetic(inner, .add, value)),
                    .aggregate(aggregate, Subject.rows(nil), decimal),
                ]
            }
        case .groupAggregate:
            return SQLExpression.Aggregate.allCases.flatMap { aggregate -> [SQLExpression] in
                [
                    .groupAggregate(aggregate, nil, isDistinct: false),
                    .groupAggregate(aggregate, price, isDistinct: seed % 2 == 0),
                    .groupAggregate(aggregate, .arithmetic(count, .add, value), isDistinct: true),
                ]
            }
        case .element:
            return [.first, .last, .at(seed), .at(0), .at(-1)].map {
                .element(Subject.rows(condition), $0, .arithmetic(inner, .multiply, value))
            }
        case .isEntity:
            return [
                .isEntity(Subject.path, []), .isEntity(Subject.path, [nil]), .isEntity(Subject.path, ["a\(seed)"]),
                .isEntity(Subject.path, [nil, "a\(seed)", "b"]),
            ]
        case .box:
            let index = RTreeReference(
                table: "byPlace", columns: [Subject.reference("latitude"), Subject.reference("longitude")])
            let bound = Double(seed)
            return [
                .box(index, [-bound...bound, 0...bound]), .box(index, [-1e300...bound, 0...1e300]),
                .box(RTreeReference(table: "empty", columns: []), []),
            ]
        case .fullText: return [.fullText(Subject.fullText)]
        case .matches: return [.matches(Subject.fullText, query)]
        case .fullTextValue:
            return [
                .fullTextValue(Subject.fullText, query, .rank),
                .fullTextValue(Subject.fullText, query, .highlight(column: 0, opening: "<\(seed)", closing: ">")),
                .fullTextValue(
                    Subject.fullText, query,
                    .snippet(column: nil, opening: "<\(seed)", closing: ">", ellipsis: "…", terms: 1 + seed % 2)),
            ]
        case .unsupported:
            let error = FetchError.unsupportedPredicate(
                entity: "Sample", construct: "\(seed)", reason: "it is a test", hint: nil)
            return [.unsupported(error)]
        }
    }
}
