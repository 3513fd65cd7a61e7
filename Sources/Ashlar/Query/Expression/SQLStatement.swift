import AshlarSQLite
import Foundation

/// Writes a statement's text, and gathers the values for its parameters.
struct SQLStatement {
    var text = ""
    var values: [SQLiteValue] = []
    /// What the statement cannot say; it must not be run then.
    var error: UnsupportedPredicate?
    /// The time that the statement is run at.
    let time: FetchTime
    /// How many collations were written that SQLite would take for those of an expression around them, too. A subquery
    /// keeps its own to itself.
    private(set) var collationCount = 0
    private var root = Scope(level: 0)
    /// The scopes of the subqueries around the place that is being written, the innermost last.
    private var scopes: [Scope] = []

    /// The joins of one `FROM` clause.
    fileprivate struct Scope {
        var level: Int
        var joins: [String] = []
        var joined: Set<String> = []

        init(level: Int) { self.level = level }
    }

    init(time: FetchTime = FetchTime()) { self.time = time }

    /// The joins that paths in conditions and orders need, each once, in the order of their first use.
    var joins: [String] { root.joins }

    /// The joins so far, after which those of another `FROM` clause are gathered.
    mutating func takeJoins() -> String {
        defer { root = Scope(level: 0) }
        return root.joins.joined()
    }

    /// The names of the first parameters, which are asked for again and again.
    private static let parameters = (1...64).map { "?\($0)" }

    mutating func parameter(_ value: SQLiteValue) -> String {
        if values.isEmpty { values.reserveCapacity(8) }
        values.append(value)
        return values.count <= Self.parameters.count ? Self.parameters[values.count - 1] : "?\(values.count)"
    }

    /// The clause that gives a part of the result; empty for all of it.
    mutating func window(limit: Int?, offset: Int?) -> String {
        if limit == nil, offset == nil { return "" }
        let text = " LIMIT " + parameter(.integer(limit.map(Int64.init) ?? -1))
        return offset.map { text + " OFFSET " + parameter(.integer(Int64($0))) } ?? text
    }

    /// Says by what collation the expression before is compared.
    mutating func collation(_ name: String) -> String {
        collationCount += 1
        return " COLLATE \(name.quotedIdentifier)"
    }

    /// Joins the rows that a path leads through; where it begins in an outer query, they are joined there.
    mutating func join(_ path: ColumnPath) {
        if path.steps.isEmpty { return }
        if path.level == 0 {
            root.join(path)
        } else if let index = scopes.lastIndex(where: { $0.level == path.level }) {
            scopes[index].join(path)
        }
    }

    /// Writes the parts of a subquery about rows of a level, and gives them with the joins that they need.
    mutating func subquery<Result>(_ level: Int, _ write: (inout SQLStatement) -> Result) -> (Result, joins: String) {
        scopes.append(Scope(level: level))
        let outerCount = collationCount
        let result = write(&self)
        collationCount = outerCount
        let scope = scopes.removeLast()
        return (result, scope.joins.joined())
    }
}

extension SQLStatement.Scope {
    fileprivate mutating func join(_ path: ColumnPath) {
        var source = path.rootAlias
        var name = source
        for step in path.steps {
            name += "." + step.relationship
            if joined.insert(name).inserted {
                let alias = name.quotedIdentifier
                let column = step.columnName.quotedIdentifier
                let condition =
                    step.column >= 0
                    ? "\(alias).\"id$\" = \(source.quotedIdentifier).\(column)"
                    : "\(alias).\(column) = \(source.quotedIdentifier).\"id$\""
                joins.append(" LEFT JOIN \(step.destinationTable.quotedIdentifier) AS \(alias) ON \(condition)")
            }
            source = name
        }
    }
}

/// The time of one fetch, which is taken when it is first asked for.
final class FetchTime {
    private(set) lazy var seconds = Date().timeIntervalSinceReferenceDate
}

extension BoundStatement {
    init(_ statement: SQLStatement) { self.init(text: statement.text, values: statement.values) }
}
