import AshlarSQLite
import StoreDescription
import SystemFoundation

/// A migration without rows, in memory. It determines the effect of a migration on a store, or the reason of its
/// failure, before the store is changed.
///
/// Its database has the store's own schema, with all that someone added by hand, and the chain is run on it. SQLite
/// itself then says what becomes of each index, trigger and view: names in them follow what is renamed. Of a store that
/// nobody changed by hand nothing can be learned that the build did not prove, so that the chain is not run.
struct MigrationRehearsal {
    /// An index, a trigger or a view that someone added by hand.
    struct AddedObject: Hashable {
        enum Kind: String { case view, index, trigger }

        var kind: Kind
        var name: String
        var table: String
        var sql: String

        /// The definition that creates it.
        var definition: StoredDefinition {
            let kind: StoredDefinition.Kind =
                switch kind {
                case .view: .view
                case .index: .index
                case .trigger: .trigger
                }
            return StoredDefinition(kind: kind, name: name, sql: sql)
        }
    }

    /// The executed chain, with the deviations for this store.
    private(set) var chain: MigrationChain
    /// The objects that were added by hand, as they are after the migration, in the order of their creation.
    private(set) var addedObjects: [AddedObject] = []

    /// The indexes, triggers and virtual tables of ours that the store's version has by now, where that is known.
    private(set) var startObjects: SchemaCatalogue?

    private let url: URL
    private let stage: Connection
    /// A store without changes by hand, if the model contains the schema of its first version. It follows the chain
    /// only if the store has additional columns.
    private var reference: Connection?
    /// The objects of a dropped table, until another takes its name.
    private var displaced: [String: [AddedObject]] = [:]

    /// Runs a chain. Throws ``StoreError/alteredSchema(_:differences:)`` for a store that is not what its version says,
    /// and ``StoreError/migrationObstructed(_:object:reason:)`` for what someone added that could not be kept.
    init(
        _ chain: MigrationChain, of url: URL, _ store: Connection, isTolerant: Bool, defersRemovals: Bool
    ) throws {
        self.chain = chain
        self.url = url
        stage = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
        // What the store says is run here, whoever wrote it: no file may come in, whatever path or URI it has.
        stage.limit(SQLITE_LIMIT_ATTACHED, 0)
        stage.install(.confined())
        reference = try chain.model.emptyStore(ofVersionAt: chain.start, fillsOwnTables: false)
        try copySchema(of: store)
        let isUntouched = try compareWithReference()
        if isUntouched, !isTolerant, !defersRemovals, !chain.hasCustomStatements { return }
        if isTolerant { try SchemaUpdater(model: chain.model, url: url, connection: stage).dropObjects() }
        try run(defersRemovals: defersRemovals)
        try refuseDisplaced()
        try refuseBroken()
        let alterations = SchemaComparison(
            found: try SchemaCatalogue(stage), expected: try SchemaCatalogue(of: chain.model.schema)
        ).alterations
        if !alterations.isEmpty { throw StoreError.alteredSchema(url, differences: alterations) }
        addedObjects = try Self.addedObjects(stage)
    }

    /// All indexes, triggers and views that someone added by hand to a store.
    static func addedObjects(_ connection: Connection) throws(SQLiteError) -> [AddedObject] {
        let schema = try connection.schema()
        return [.view, .index, .trigger].flatMap(schema.objects).compactMap { object in
            guard let sql = object.sql, let kind = AddedObject.Kind(rawValue: object.kind.rawValue),
                !object.name.contains("$")
            else { return nil }
            return AddedObject(kind: kind, name: object.name, table: object.tableName, sql: sql)
        }
    }

    // MARK: The stage

    /// The triggers of the history take no part: a migration drops them, and makes them anew.
    private func copySchema(of store: Connection) throws {
        for object in try store.schema().definedObjects() {
            if object.kind == .trigger, object.name.hasPrefix("ashlar$") { continue }
            guard let sql = object.sql,
                let kind = object.isVirtualTable
                    ? .virtualTable : StoredDefinition.Kind(rawValue: object.kind.rawValue)
            else { continue }
            do {
                try stage.make(StoredDefinition(kind: kind, name: object.name, sql: sql), of: url)
            } catch let error as SQLiteError {
                // A virtual table of another program, of a module that only it has, takes no part.
                guard object.isVirtualTable, !object.name.contains("$") else { throw error }
            }
        }
    }

    /// Returns whether the store is what its version says, and nothing was added to it.
    private mutating func compareWithReference() throws -> Bool {
        guard let reference else { return false }
        let found = try SchemaCatalogue(stage)
        var expected = try SchemaCatalogue(reference)
        startObjects = expected
        // A configuration gives the store some entities only. Whether it has the tables of these, the chain finds out.
        if chain.model.heldEntityNames != nil {
            expected.tables = expected.tables.filter { found.tables[$0.key] != nil }
        }
        let alterations = SchemaComparison(found: found, expected: expected).alterations
        if !alterations.isEmpty { throw StoreError.alteredSchema(url, differences: alterations) }
        let hasAddedColumns = expected.tables.contains { name, table in
            found.tables[name]?.columns.keys.contains { table.columns[$0] == nil } ?? false
        }
        if !hasAddedColumns { self.reference = nil }
        return try chain.model.heldEntityNames == nil && found.withoutRuntimeTables == expected.withoutRuntimeTables
            && Self.addedObjects(stage).isEmpty
    }

    // MARK: The run

    private mutating func run(defersRemovals: Bool) throws {
        var steps: [MigrationChain.Step] = []
        for (index, step) in chain.steps.enumerated() {
            let operation = step.statement.operation
            let work = StatementWork(operation)
            guard step.statement.purpose == .change else {
                // What a person wrote leaves the schema as it was planned, but may make tables for a while.
                if step.statement.purpose == .custom { try run(operation, work) }
                steps.append(step)
                continue
            }
            let isReplaced = chain.replacesTable(droppedBy: index)
            var operations = [operation]
            if defersRemovals, !isReplaced {
                operations = try DeferredRemoval.replacement(of: operation, stage) ?? operations
            }
            if work.action == .dropTable {
                try refuseAddedColumns(of: work.table)
                displace(work.table)
            }
            for operation in operations {
                if !operation.fillsOwnTable { try run(operation, work) }
                steps.append(
                    MigrationChain.Step(
                        version: step.version, statement: ModelDescription.MigrationStatement(operation)))
            }
            if !operation.fillsOwnTable { try reference?.execute(operation.sql) }
            if case .renameTable(let name) = work.action { try restore(name) }
        }
        chain.steps = steps
    }

    private func run(_ operation: MigrationOperation, _ work: StatementWork) throws {
        let sql = operation.sql
        do {
            try stage.execute(sql, asReplacement: work.isReplacement)
        } catch {
            let added = try Self.addedObjects(stage).first { error.message.hasPrefix("error in \($0.kind) \($0.name)") }
            if let added { throw obstructed(added, error.message) }
            let isTable = work.action == .changeSchema && error.message.contains("already")
            let table = try addedTables().first { isTable && error.message.contains($0) }
            if let table {
                throw StoreError.migrationObstructed(url, object: "the table \(table)", reason: error.message)
            }
            throw StoreError.alteredSchema(url, differences: ["\(error.message): \(sql)"])
        }
    }

    private func addedTables() throws(SQLiteError) -> [String] {
        try stage.schema().objects(.table).map(\.name).filter { !$0.contains("$") }
    }

    // MARK: What was added by hand

    private mutating func displace(_ table: String) {
        let added = (try? Self.addedObjects(stage)) ?? []
        displaced[table] = added.filter { $0.kind != .view && $0.table == table }
    }

    private mutating func restore(_ table: String) throws {
        for object in displaced.removeValue(forKey: table) ?? [] {
            do {
                try stage.make(object.definition, of: url)
            } catch let error as SQLiteError {
                throw obstructed(object, error.message)
            }
        }
    }

    private func refuseDisplaced() throws {
        if let object = displaced.values.joined().min(by: { $0.name < $1.name }) {
            throw obstructed(object, "its table \(object.table) is removed")
        }
    }

    /// The rows' values in columns that someone added would be lost with a table that is written anew.
    private func refuseAddedColumns(of table: String) throws {
        guard let reference, let known = try SchemaCatalogue(reference).tables[table] else { return }
        let columns = try SchemaCatalogue(stage).tables[table]?.columns ?? [:]
        let added = columns.keys.filter { known.columns[$0] == nil && !$0.contains("$") }
        if let column = added.min() {
            throw StoreError.migrationObstructed(
                url, object: "the column \(table).\(column)", reason: "its table is written anew or removed")
        }
    }

    /// Looks at each view and trigger alone: SQLite notices what is wrong with them only when they are used.
    private func refuseBroken() throws {
        let objects = try Self.addedObjects(stage)
        for object in objects.reversed() where object.kind == .trigger {
            try stage.execute("DROP TRIGGER \(object.name.quotedIdentifier)")
        }
        for object in objects where object.kind == .view {
            do {
                _ = try Statement("SELECT * FROM \(object.name.quotedIdentifier)", database: stage.database)
            } catch {
                throw obstructed(object, error.message)
            }
        }
        for object in objects where object.kind == .trigger {
            do {
                try stage.make(object.definition, of: url)
                // A rename looks at the whole schema.
                try stage.execute("ALTER TABLE \"ashlar$metadata\" RENAME TO \"ashlar$probe\"")
                try stage.execute("ALTER TABLE \"ashlar$probe\" RENAME TO \"ashlar$metadata\"")
            } catch let error as SQLiteError {
                throw obstructed(object, error.message)
            }
        }
    }

    private func obstructed(_ object: AddedObject, _ reason: String) -> StoreError {
        .migrationObstructed(url, object: "the \(object.kind) \(object.name)", reason: reason)
    }
}
