import AshlarSQLite
import StoreDescription
import SystemFoundation

/// A migration without rows, in memory. It determines the effect of a migration on a store, or the reason of its
/// failure, before the store is changed.
///
/// Its database has the store's own schema, including objects that were added by hand, and executes the chain. SQLite
/// itself then determines the result for each index, trigger and view: for example, it changes their text when a table
/// or column is renamed. For a store without changes by hand, the build has already proved the result, so the chain is
/// not executed.
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

    /// The indexes, triggers and virtual tables of Ashlar that the store's version has in the current model, if they
    /// are known.
    private(set) var startObjects: SchemaCatalogue?

    private let url: URL
    private let stage: Connection
    /// An empty store of the same version without changes by hand, if the model contains the schema of its first
    /// version. It follows the chain only if the store has additional columns.
    private var reference: Connection?
    /// The indexes and triggers of a dropped table, until another table takes its name.
    private var displaced: [String: [AddedObject]] = [:]

    /// Rehearses a chain.
    ///
    /// - Throws: ``StoreError/alteredSchema(_:differences:)`` if the store's schema is not that of its version, and
    ///   ``StoreError/migrationObstructed(_:object:reason:)`` if an object that was added by hand cannot be kept.
    init(
        _ chain: MigrationChain, of url: URL, _ store: Connection, isTolerant: Bool, defersRemovals: Bool
    ) throws {
        self.chain = chain
        self.url = url
        stage = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
        // The store's schema is executed here and may come from an untrusted file: its statements must not open other
        // files.
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

    /// Returns all indexes, triggers and views of a store that were added by hand.
    static func addedObjects(_ connection: Connection) throws(SQLiteError) -> [AddedObject] {
        let schema = try connection.schema()
        return [.view, .index, .trigger].flatMap(schema.objects).compactMap { object in
            guard let sql = object.sql, let kind = AddedObject.Kind(rawValue: object.kind.rawValue),
                !object.name.contains("$")
            else { return nil }
            return AddedObject(kind: kind, name: object.name, table: object.tableName, sql: sql)
        }
    }

    // MARK: Preparing

    /// Copies the store's schema, without the triggers of the history: a migration drops them and creates them again.
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
                // A virtual table of another program whose module is missing is not copied.
                guard object.isVirtualTable, !object.name.contains("$") else { throw error }
            }
        }
    }

    /// Returns whether the store has the schema of its version, and no objects were added.
    private mutating func compareWithReference() throws -> Bool {
        guard let reference else { return false }
        let found = try SchemaCatalogue(stage)
        var expected = try SchemaCatalogue(reference)
        startObjects = expected
        // With a configuration, the store has only some entities. The chain checks whether it has their tables.
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

    // MARK: Running

    private mutating func run(defersRemovals: Bool) throws {
        var steps: [MigrationChain.Step] = []
        for (index, step) in chain.steps.enumerated() {
            let operation = step.statement.operation
            let work = StatementWork(operation)
            guard step.statement.purpose == .change else {
                // A custom statement leaves the schema as planned, but may create tables in between.
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

    // MARK: Objects that were added by hand

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

    /// Throws if a rewritten table would lose the values of a column that was added by hand.
    private func refuseAddedColumns(of table: String) throws {
        guard let reference, let known = try SchemaCatalogue(reference).tables[table] else { return }
        let columns = try SchemaCatalogue(stage).tables[table]?.columns ?? [:]
        let added = columns.keys.filter { known.columns[$0] == nil && !$0.contains("$") }
        if let column = added.min() {
            throw StoreError.migrationObstructed(
                url, object: "the column \(table).\(column)", reason: "its table is written anew or removed")
        }
    }

    /// Checks each view and trigger alone, because SQLite reports their errors only when they are used.
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
                // Renaming a table checks the whole schema.
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
