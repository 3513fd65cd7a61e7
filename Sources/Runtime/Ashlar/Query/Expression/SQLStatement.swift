import AshlarSQLite
import SystemFoundation

/// Writes a statement's text, and collects the values of its parameters.
struct SQLStatement: SQLWriter {
    var text = ""
    var values: [SQLiteValue] = []
    /// The error of a statement that must not be executed.
    private(set) var error: FetchError?
    let time: FetchTime
    var collationCount = 0
    /// The table of the fetched rows; nil if paths need no check.
    var table: String?
    private var root = Scope(level: 0)
    /// The scopes of the subqueries around the place that is being written, the innermost last.
    private var scopes: [Scope] = []

    /// The joins of one `FROM` clause.
    fileprivate struct Scope {
        var level: Int
        /// The position in the text at which to insert them.
        var position: Int?
        var joins: [String] = []
        var joined: Set<String> = []

        init(level: Int) { self.level = level }
    }

    init(time: FetchTime) { self.time = time }

    /// The names of the first parameters, which are used often.
    private static let parameters = (1...64).map { "?\($0)" }

    private static func parameter(_ number: Int) -> String {
        number <= parameters.count ? parameters[number - 1] : "?\(number)"
    }

    /// Returns a parameter for a value, without writing it.
    mutating func parameter(_ value: SQLiteValue) -> String {
        if values.isEmpty { values.reserveCapacity(8) }
        values.append(value)
        return Self.parameter(values.count)
    }

    /// Returns the text that a closure writes.
    mutating func written(_ write: (inout SQLStatement) -> Void) -> String {
        let outer = text
        text = ""
        write(&self)
        defer { text = outer }
        return text
    }

    /// Returns the joins so far. Those of another `FROM` clause are collected after that.
    mutating func takeJoins() -> String {
        defer { root = Scope(level: 0) }
        return root.joins.joined()
    }

    /// Inserts the joins of the outermost `FROM` clause.
    mutating func finish() {
        insertJoins(of: root)
        if values.count > Self.greatestValueCount { error = error ?? .tooManyValues }
    }

    /// The maximum number of values in a statement, which every SQLite allows.
    static let greatestValueCount = 32_766
}

extension FetchError {
    /// The error for a statement with too many values.
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

    /// Returns the error of a path that begins at the table of another entity than the fetched one.
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

    /// Joins the rows that a path leads through. If it begins in an outer query, they are joined there.
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

/// Texts of expressions for statements that are composed of texts.
extension SQLExpression {
    /// Returns the expression as SQL. A condition that does not hold may be NULL.
    func sql(_ statement: inout SQLStatement) -> String { statement.written { write(to: &$0) } }

    /// Returns the expression as SQL with a value that is never NULL for a condition, but 1 or 0.
    func valueSQL(_ statement: inout SQLStatement) -> String { statement.written { writeValue(to: &$0) } }
}

/// The values that are fixed for one fetch: its time, which is taken when it is first read, and its store.
final class FetchTime {
    /// The process's number for the store of the fetched entity and of all related entities. Identifiers of other
    /// stores match none of its rows. It is 0 for statements without identifiers.
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
