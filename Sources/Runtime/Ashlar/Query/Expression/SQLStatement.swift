import AshlarSQLite
import SystemFoundation

/// Writes a statement's text, and gathers the values for its parameters.
struct SQLStatement: SQLWriter {
    var text = ""
    var values: [SQLiteValue] = []
    /// The error of a statement that must not be executed.
    private(set) var error: FetchError?
    let time: FetchTime
    var collationCount = 0
    /// The table of the rows that are asked for; nil where that needs no check.
    var table: String?
    private var root = Scope(level: 0)
    /// The scopes of the subqueries around the place that is being written, the innermost last.
    private var scopes: [Scope] = []

    /// The joins of one `FROM` clause.
    fileprivate struct Scope {
        var level: Int
        /// Where they go.
        var position: Int?
        var joins: [String] = []
        var joined: Set<String> = []

        init(level: Int) { self.level = level }
    }

    init(time: FetchTime) { self.time = time }

    /// The names of the first parameters, which are asked for again and again.
    private static let parameters = (1...64).map { "?\($0)" }

    private static func parameter(_ number: Int) -> String {
        number <= parameters.count ? parameters[number - 1] : "?\(number)"
    }

    /// A parameter for a value, which is not written.
    mutating func parameter(_ value: SQLiteValue) -> String {
        if values.isEmpty { values.reserveCapacity(8) }
        values.append(value)
        return Self.parameter(values.count)
    }

    /// Returns the written part as a text of its own.
    mutating func written(_ write: (inout SQLStatement) -> Void) -> String {
        let outer = text
        text = ""
        write(&self)
        defer { text = outer }
        return text
    }

    /// The joins so far, after which those of another `FROM` clause are gathered.
    mutating func takeJoins() -> String {
        defer { root = Scope(level: 0) }
        return root.joins.joined()
    }

    /// Puts the joins of the outermost `FROM` clause to where they go.
    mutating func finish() {
        insertJoins(of: root)
        if values.count > Self.greatestValueCount { error = error ?? .tooManyValues }
    }

    /// The most values of a statement, which each SQLite allows.
    static let greatestValueCount = 32_766
}

extension FetchError {
    /// What stands for a statement with too many values.
    static let tooManyValues = FetchError.unsupportedPredicate(
        entity: "", construct: "A condition with more than \(SQLStatement.greatestValueCount) values",
        reason: "SQLite does not take more in one statement",
        hint: "look for one of many values with isIn(_:), whose list counts as one value from 500 on")
}

extension SQLStatement {
    var isFinished: Bool { false }
    var position: SQLPosition { SQLPosition(byte: text.utf8.count) }

    mutating func write(_ text: String) {
        self.text += text
    }

    mutating func write(name: String) {
        text += name.quotedIdentifier
    }

    mutating func write(_ column: ColumnReference) {
        if let error = mismatch(of: column.path) { return fail(error) }
        join(column.path)
        text += column.sql
    }

    mutating func write(row path: ColumnPath) {
        if let error = mismatch(of: path) { return fail(error) }
        join(path)
        text += path.alias.quotedIdentifier
    }

    /// The error of a path that begins at the table of another entity than the one that is asked for.
    private func mismatch(of path: ColumnPath) -> FetchError? {
        guard let table, path.level == 0, path.table != table else { return nil }
        return .entityMismatch(entity: table, other: path.table)
    }

    @discardableResult mutating func bind(_ value: SQLiteValue) -> Int {
        text += parameter(value)
        return values.count
    }

    mutating func bind(list values: [SQLiteValue]) {
        for index in values.indices {
            if index > 0 { text += ", " }
            text += parameter(values[index])
        }
    }

    mutating func write(parameter number: Int) {
        text += Self.parameter(number)
    }

    mutating func writeAgain(from start: SQLPosition, to end: SQLPosition) {
        let bytes = text.utf8
        let first = bytes.index(bytes.startIndex, offsetBy: start.byte)
        text += String(text[first..<bytes.index(first, offsetBy: end.byte - start.byte)])
    }

    mutating func fail(_ error: FetchError) {
        self.error = self.error ?? error
        write("NULL")
    }
}

// MARK: Joins

extension SQLStatement {
    mutating func writeJoins() {
        if scopes.isEmpty {
            root.position = text.utf8.count
        } else {
            scopes[scopes.count - 1].position = text.utf8.count
        }
    }

    mutating func beginSubquery(level: Int) {
        scopes.append(Scope(level: level))
    }

    mutating func endSubquery() {
        if let scope = scopes.popLast() { insertJoins(of: scope) }
    }

    private mutating func insertJoins(of scope: Scope) {
        guard let position = scope.position, !scope.joins.isEmpty else { return }
        text.insert(contentsOf: scope.joins.joined(), at: text.utf8.index(text.startIndex, offsetBy: position))
    }

    /// Joins the rows that a path leads through; where it begins in an outer query, they are joined there.
    private mutating func join(_ path: ColumnPath) {
        if path.steps.isEmpty { return }
        if path.level == 0 {
            root.join(path)
        } else if let index = scopes.lastIndex(where: { $0.level == path.level }) {
            scopes[index].join(path)
        }
    }
}

extension SQLStatement.Scope {
    fileprivate mutating func join(_ path: ColumnPath) {
        var source = path.rootAlias
        var name = source
        for step in path.steps {
            name += "." + step.name
            if joined.insert(name).inserted {
                let alias = name.quotedIdentifier
                let column = step.columnName.quotedIdentifier
                var condition =
                    step.column >= 0
                    ? "\(alias).\"id$\" = \(source.quotedIdentifier).\(column)"
                    : "\(alias).\(column) = \(source.quotedIdentifier).\"id$\""
                if let cast = step.cast { condition += " AND " + cast.sql(ofRow: source) }
                joins.append(" LEFT JOIN \(step.destinationTable.quotedIdentifier) AS \(alias) ON \(condition)")
            }
            source = name
        }
    }
}

/// Texts of expressions for statements that are put together by hand.
extension SQLExpression {
    /// The expression as SQL. A condition may be NULL where it does not hold.
    func sql(_ statement: inout SQLStatement) -> String { statement.written { write(to: &$0) } }

    /// The expression as SQL with a value that a condition has too: 1 or 0, never NULL.
    func valueSQL(_ statement: inout SQLStatement) -> String { statement.written { writeValue(to: &$0) } }
}

/// The values that are fixed for one fetch: its time, which is taken when it is first read, and its store.
final class FetchTime {
    /// The number by which the process knows the store that has the fetched entity, and all that its relationships lead
    /// to; identifiers of other stores name none of its rows. 0 for statements without identifiers.
    let store: UInt32
    private(set) lazy var seconds = Date().timeIntervalSinceReferenceDate

    init(store: UInt32) { self.store = store }

    convenience init(_ entity: EntityDescription, in container: ModelContainer) {
        self.init(store: container.storeNumber(of: entity.number.root))
    }
}

extension BoundStatement {
    init(_ statement: SQLStatement) { self.init(text: statement.text, values: statement.values) }
}
