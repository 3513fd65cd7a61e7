import AshlarSQLite
import SystemFoundation

/// Makes a store hold the entities of its configuration if it was created for another configuration.
///
/// No object is lost. Tables of new entities are created, and empty tables of removed entities are dropped.
struct StoreSettlement {
    let content: StoreContent
    let url: URL
    let connection: Connection
    let options: MigrationOptions

    /// Throws if a store has objects of entities that belong in another store. It is called before the migration.
    func refuseForeignObjects(_ metadata: StoreMetadata) throws {
        if content.isWhole { return }
        guard let position = content.position(of: metadata) else { return }
        let later = content.model.versions[(position + 1)...]
        let foreign = PartialMigrationChain.trace(content.foreignEntityNames, back: later)[0]
        try refuseObjects(of: metadata.entityNames.intersection(foreign))
    }

    /// Returns the metadata of a store that holds the right entities. The store must have the current version.
    func settle(_ metadata: StoreMetadata, isWritable: Bool) throws -> StoreMetadata {
        if content.model.parts.isEmpty { return metadata }
        let held = metadata.entityNames
        if held.isEmpty || held == content.entityNames { return metadata }
        guard isWritable else {
            throw StoreError.readOnly(url, reason: "it was made for another configuration and would have to be changed")
        }
        defer { connection.forgetStatements() }
        return try connection.transaction { try settle() }
    }

    private func settle() throws -> StoreMetadata {
        // Another process may have done it while this one waited.
        guard var metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
        let held = metadata.entityNames
        if held == content.entityNames { return metadata }
        var (added, removed): ([String], [String]) = ([], [])
        for part in content.model.parts {
            let isHeld = !held.isDisjoint(with: part.entities)
            let isWanted = !content.entityNames.isDisjoint(with: part.entities)
            if isWanted, !isHeld {
                for statement in content.model.schema(of: part) { try connection.execute(statement) }
                added += part.entities
            } else if isHeld, !isWanted {
                try refuseObjects(of: Set(part.entities))
                try drop(part)
                removed += part.entities
            }
        }
        if let version = content.model.currentVersion {
            metadata.entityHashes = version.entityHashes(of: content.entityNames)
        }
        let changes = [("with", added), ("without", removed)].filter { !$0.1.isEmpty }
        try MigrationLedger(connection: connection, program: options.program).add(
            .schemaUpdate, to: metadata,
            detail: changes.map { "\($0) \($1.joined(separator: ", "))" }.joined(separator: "; "))
        try metadata.write(to: connection)
        return metadata
    }

    /// Throws if a table of some entities has a row.
    private func refuseObjects(of entityNames: Set<String>) throws {
        let schema = try connection.schema()
        let found = try entityNames.sorted().filter { name in
            guard schema.hasTable(name) else { return false }
            return try connection.integer("SELECT 1 FROM \(name.quotedIdentifier) LIMIT 1") != nil
        }
        if !found.isEmpty { throw StoreError.objectsOfOtherStore(url, entities: found) }
    }

    /// Drops the empty tables of a part. Their greatest rowids stay recorded, in case the tables are created again.
    private func drop(_ part: ModelDescription.Part) throws {
        let catalogue = try SchemaCatalogue(of: Array(content.model.schema(of: part)))
        let trees = catalogue.objects.filter { $0.value.kind == .virtualTable }.keys
        for name in trees.sorted() + catalogue.tables.keys.sorted() {
            let mark = try connection.integer(
                "SELECT \"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = ?1", [.text(name)])
            // A prepared statement would keep its table from being dropped.
            connection.forgetStatements()
            try connection.execute("DROP TABLE IF EXISTS \(name.quotedIdentifier)")
            guard let mark else { continue }
            let insertion = try connection.statement(
                "INSERT INTO \"sqlite_sequence\" (\"name\", \"seq\") VALUES (?1, ?2)")
            insertion.bind(name, 1)
            insertion.bind(mark, 2)
            try insertion.run()
        }
    }
}
