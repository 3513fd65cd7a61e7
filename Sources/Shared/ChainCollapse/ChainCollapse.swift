import StoreDescription

/// Makes the migrations of a chain of versions rewrite each table once, and not once for each version.
///
/// The statements of the versions are processed in order. An effect on all rows of a table, such as dropping a column
/// or copying the rows into a table of another form, is deferred, in terms of the present rows. When the chain ends, or
/// another statement needs the rows, one copy does everything.
///
/// The operation of a statement is known from its value. Its expressions are parsed to express them in terms of other
/// rows, and so are the texts of a store's tables. A chain with a statement written by hand is left as it is. The same
/// applies to the statements on tables with fewer than two rewrites ahead, generated columns, triggers, views, or
/// indexes that were added by hand.
public struct ChainCollapse {
    /// An entry of `sqlite_schema`.
    public struct SchemaObject: Sendable, Hashable {
        public var type: String
        public var name: String
        public var tableName: String
        public var sql: String

        public init(type: String, name: String, tableName: String, sql: String) {
            self.type = type
            self.name = name
            self.tableName = tableName
            self.sql = sql
        }
    }

    /// A statement to run.
    package struct Statement: Sendable, Hashable {
        package var operation: MigrationOperation
        /// The position of the statement of the chain that it is, or that it is run for; it never decreases.
        package var origin: Int
        /// Whether it is that statement itself, possibly on other tables, and not one before it.
        package var isOrigin: Bool

        package var sql: String { operation.sql }

        package init(_ operation: MigrationOperation, origin: Int, isOrigin: Bool = true) {
            self.operation = operation
            self.origin = origin
            self.isOrigin = isOrigin
        }
    }

    /// The statements that have the same result as a chain's on a store.
    ///
    /// - Parameters:
    ///   - chain: the statements of all migrations, in order. A query among them is still one.
    ///   - schema: all entries of the store's `sqlite_schema` that have a text.
    package static func statements(of chain: [MigrationOperation], on schema: [SchemaObject]) -> [Statement] {
        let unchanged = chain.enumerated().map { Statement($1, origin: $0) }
        if chain.contains(where: { if case .other = $0 { true } else { false } }) { return unchanged }
        let tokens = chain.map { SQLToken.all(in: $0.sql) }
        // The savings are only known after all statements have been processed.
        var trial = ChainCollapse(chain, tokens, schema, deferred: nil)
        trial.run()
        let worthwhile = Set(trial.costs.filter { $0.value >= 2 * Cost.rewrite }.keys)
        if worthwhile.isEmpty || trial.isMisunderstood { return unchanged }
        var collapse = ChainCollapse(chain, tokens, schema, deferred: worthwhile)
        collapse.run()
        return collapse.isMisunderstood ? unchanged : collapse.output
    }

    /// The time from one point at which a table's deferred changes are made to the next.
    struct Period: Hashable {
        var tableName: SQLName
        var start: Int
    }

    /// The cost of statements without deferral.
    enum Cost {
        static let rewrite = 8
        /// Some versions of SQLite read all rows of a table to which a column is added.
        static let addition = 1
    }

    /// A table that is made to replace another, with the rows of that one.
    struct Replacement {
        var definition: TableDefinition
        var values: [SQLName: [SQLToken]]
        var condition: [SQLToken]?
    }

    let chain: [MigrationOperation]
    let tokens: [[SQLToken]]
    /// The periods in which changes of a table are deferred; nil for all.
    let deferred: Set<Period>?
    /// The tables by their names, as they are by now.
    var tables: [SQLName: PendingTable] = [:]
    var periods: [Int: Period] = [:]
    /// The cost of the statements of each period.
    var costs: [Period: Int] = [:]
    /// The tables that a trigger, a view or an index added by hand uses, by the names of these.
    var ties: [SQLName: Set<Int>] = [:]
    /// By the tables whose place they take.
    var replacements: [SQLName: Replacement] = [:]
    /// Tables whose replacement has come, but not its new name.
    var replaced: Set<SQLName> = []
    /// The statements that are a part of such a replacement.
    var skipped: Set<Int> = []
    /// Whether there was a statement that plans do not have in its place.
    var isMisunderstood = false
    /// The position of the statement that is processed.
    var position = 0
    var output: [Statement] = []
    private var identityCount = 0

    private init(
        _ chain: [MigrationOperation], _ tokens: [[SQLToken]], _ schema: [SchemaObject], deferred: Set<Period>?
    ) {
        self.chain = chain
        self.tokens = tokens
        self.deferred = deferred
        for object in schema where object.type == "table" { addTable(SQLToken.all(in: object.sql)) }
        for object in schema where object.type == "index" {
            // A name with a dollar sign is Ashlar's.
            if object.name.contains("$") {
                tables[SQLName(object.tableName)]?.addIndex(
                    PendingTable.Index(name: object.name, sql: object.sql, isMade: true))
            } else if let table = tables[SQLName(object.tableName)] {
                ties[SQLName(object.name)] = [table.identity]
            }
        }
        for object in schema where object.type == "trigger" || object.type == "view" {
            tie(object.name, SQLToken.all(in: object.sql))
        }
    }

    private mutating func run() {
        for index in tokens.indices where !skipped.contains(index) {
            position = index
            handle(chain[index], tokens[index])
        }
        for name in tables.keys.sorted() { settle(name) }
    }

    mutating func addTable(_ tokens: [SQLToken]) {
        guard let definition = TableDefinition(tokens) else { return }
        let name = SQLName(definition.name)
        tables[name] = PendingTable(definition, identity: identityCount)
        periods[identityCount] = Period(tableName: name, start: position)
        identityCount += 1
    }

    /// Records that an object uses the tables that its text names, with quotation marks or without.
    mutating func tie(_ name: String, _ tokens: [SQLToken]) {
        let texts = tokens.flatMap { token in
            token.kind == .word ? token.text.split(separator: ".").map(String.init) : [token.content]
        }
        let names = Set(texts.map { SQLName($0) })
        ties[SQLName(name)] = Set(names.compactMap { tables[$0]?.identity })
    }

    /// Returns whether changes of a table are deferred.
    func isDeferred(_ name: SQLName) -> Bool {
        guard let table = tables[name], !table.definition.columns.contains(where: \.isGenerated),
            !ties.values.contains(where: { $0.contains(table.identity) }), let period = periods[table.identity]
        else { return false }
        return deferred?.contains(period) ?? true
    }

    mutating func charge(_ cost: Int, _ name: SQLName) {
        guard let table = tables[name], let period = periods[table.identity] else { return }
        costs[period, default: 0] += cost
    }

    mutating func emit(_ operation: MigrationOperation, isOrigin: Bool = false) {
        output.append(Statement(operation, origin: position, isOrigin: isOrigin))
    }

    /// Runs the statement as it is.
    mutating func pass() { emit(chain[position], isOrigin: true) }

    /// Makes the deferred changes of a table.
    mutating func settle(_ name: SQLName) {
        guard let table = tables[name] else { return }
        for operation in table.operations { emit(operation) }
        tables[name]?.settle()
        periods[table.identity] = Period(tableName: name, start: position)
    }

    /// The tables that a statement names.
    func names(in tokens: [SQLToken]) -> [SQLName] {
        Set(tokens.filter { $0.kind == .name }.map { SQLName($0.content) }).filter { tables[$0] != nil }.sorted()
    }

    /// Runs a statement that may read or write all the tables that it names.
    mutating func passSettled(_ tokens: [SQLToken]) {
        for name in names(in: tokens) { settle(name) }
        pass()
    }
}
