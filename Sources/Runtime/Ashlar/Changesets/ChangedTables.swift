import AshlarSQLite
import SystemFoundation

/// The tables of a model, with the information that is needed to apply changes to their rows.
package final class ChangedTables {
    package let model: ModelDescription
    package let connection: Connection
    package let tracked: [String: TrackedTable]
    package let references: [StoredReference]
    /// The columns whose large values are in separate files, by table.
    package let externalColumns: [String: Set<String>]
    private let externalTables: Set<String>
    private var shapes: [String: StoredTable] = [:]
    private var uniqueColumnsOfTables: [String: Set<String>] = [:]

    package init(_ model: ModelDescription, _ connection: Connection) {
        self.model = model
        self.connection = connection
        tracked = Dictionary(
            TrackedTable.tables(of: model).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        references = StoredReference.references(of: model)
        var externalColumns: [String: Set<String>] = [:]
        for entity in model.entitySchemas where !entity.externalColumns.isEmpty {
            externalColumns[entity.tableName, default: []].formUnion(
                entity.externalColumns.map { entity.columns[$0].name })
        }
        self.externalColumns = externalColumns
        externalTables = Set(externalColumns.keys)
            .union(model.entities.filter { !$0.loggedColumns.isEmpty }.map(\.tableName))
    }

    /// Returns a table with the columns of the store. Throws ``ChangesetError/otherTable(_:)`` if the model has no such
    /// table.
    package func shape(_ name: String) throws -> StoredTable {
        if let known = shapes[name] { return known }
        guard let table = tracked[name] else { throw ChangesetError.otherTable(name) }
        let shape = try StoredTable(table, connection)
        shapes[name] = shape
        return shape
    }

    /// Returns whether rows of a table may have values in separate files.
    package func hasExternalValues(_ table: String) -> Bool { externalTables.contains(table) }

    /// The names of the tables that contain objects.
    package var objectTables: [String] {
        tracked.values.filter { $0.pairs == nil }.map(\.name).sorted()
    }

    /// The relationships that are stored in join tables, by table name.
    var pairs: [PairedRelationship] {
        tracked.values.compactMap(\.pairs).sorted { $0.tableName < $1.tableName }
    }

    /// Returns the root entity of a table's objects.
    package func root(of table: String) -> EntitySchema? {
        guard case .objects(let entities)? = tracked[table]?.content else { return nil }
        return entities.first.map { model.entitySchema($0.entity.number.root) }
    }

    /// Returns the entity of a row by its discriminator; nil if the table has no such entity.
    package func entity(of table: String, _ discriminator: SQLiteValue?) -> EntitySchema? {
        guard case .objects(let entities)? = tracked[table]?.content else { return nil }
        let name: String?
        switch discriminator {
        case .text(let text): name = text
        case .null, nil: name = nil
        default: return nil
        }
        return entities.first { $0.discriminator == name }?.entity
    }

    /// Returns the columns of a table's uniqueness constraints.
    package func uniqueColumns(of table: String) -> Set<String> {
        if let known = uniqueColumnsOfTables[table] { return known }
        var names: Set<String> = []
        for constraint in uniquenessConstraints(of: table) { names.formUnion(constraint) }
        uniqueColumnsOfTables[table] = names
        return names
    }

    /// Returns the columns of each uniqueness constraint of the entities in a table.
    func uniquenessConstraints(of table: String) -> [[String]] {
        guard case .objects(let entities)? = tracked[table]?.content else { return [] }
        var found: [[String]] = []
        for (_, entity) in entities {
            for constraint in entity.uniquenessConstraints {
                let names = constraint.map { entity.columns[$0].name }
                if !found.contains(names) { found.append(names) }
            }
        }
        return found
    }

    /// Returns another row that has the values of a row in a uniqueness constraint of the table.
    func rival(
        of row: Int64, in table: StoredTable, _ values: [String: SQLiteValue]
    ) throws(SQLiteError) -> Int64? {
        for names in uniquenessConstraints(of: table.name) {
            let wanted = names.map { values[$0] ?? .null }
            if wanted.contains(where: \.isNull) { continue }
            let condition = names.enumerated().map { "\($1.quotedIdentifier) = ?\($0 + 2)" }.joined(separator: " AND ")
            let found = try connection.integer(
                "SELECT \"id$\" FROM \(table.name.quotedIdentifier) WHERE \"id$\" <> ?1 AND \(condition)",
                [.integer(row)] + wanted)
            if let found { return found }
        }
        return nil
    }

    /// Returns a value that replaces a unique one while another row may have it.
    package static func placeholder(for value: SQLiteValue, _ row: Int64) -> SQLiteValue {
        switch value {
        case .integer: .integer(-.max + row)
        case .real: .real(-1e290 * Double(row))
        case .text: .text("\u{1}ashlar$\(row)")
        case .blob: .blob(Data("\u{1}ashlar$\(row)".utf8))
        case .null: .null
        }
    }

    /// Returns whether pairs in a join table prevent the deletion of objects in another table.
    package func deniesDeletion(of table: String, with pairs: String) -> Bool {
        model.entitySchemas.contains { entity in
            entity.tableName == table
                && entity.relationships.contains { relationship in
                    guard case .joinTable(let name, _, _, _) = relationship.storage else { return false }
                    return name == pairs && relationship.deletionRule == .deny
                }
        }
    }

    /// Returns the table of a root entity's objects.
    package func table(ofRoot number: UInt16) -> String { model.entitySchema(number).tableName }

    /// Returns the identifier of a row whose discriminator is known, if its table has one.
    package func identifier(
        _ table: String, _ row: Int64, discriminator: SQLiteValue?, _ container: ModelContainer
    ) -> PersistentIdentifier? {
        guard let root = root(of: table) else { return nil }
        let entity = entity(of: table, discriminator) ?? root
        return PersistentIdentifier(
            rowID: row, store: container.storeNumber(of: root.number.root), entity: entity.number)
    }

    /// Returns the name of an object's table.
    package func tableName(of identifier: PersistentIdentifier) -> String {
        model.entitySchema(identifier.number.root).tableName
    }

    /// Returns the identifier of another row of an object's entity.
    package func identifier(_ row: Int64, like identifier: PersistentIdentifier) -> PersistentIdentifier {
        PersistentIdentifier(rowID: row, store: identifier.store, entity: identifier.number)
    }

    func identifier(_ table: String, _ row: Int64, _ container: ModelContainer) throws -> PersistentIdentifier? {
        guard let root = root(of: table) else { return nil }
        let stored = try shape(table).values(of: [.integer(row)], connection)
        let entity = entity(of: table, stored?["entity$"]) ?? root
        return PersistentIdentifier(
            rowID: row, store: container.storeNumber(of: root.number.root), entity: entity.number)
    }
}

extension TrackedTable {
    /// The relationship that the table stores; nil for a table of objects.
    package var pairs: PairedRelationship? {
        if case .pairs(let pairs) = content { pairs } else { nil }
    }
}

/// Runs a statement. Returns the error if a constraint refused it, or nil.
package func refusal(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) -> SQLiteError? {
    do {
        try body()
        return nil
    } catch {
        guard error.code == SQLITE_CONSTRAINT else { throw error }
        return error
    }
}

extension StoredTable {
    /// Returns the store's values of a row, by columns; nil if there is none.
    package func values(of key: [SQLiteValue], _ connection: Connection) throws(SQLiteError) -> [String: SQLiteValue]? {
        guard let row = try row(key, connection) else { return nil }
        var values: [String: SQLiteValue] = [:]
        for (name, value) in zip(columns, row) { values[name] = value }
        return values
    }

    /// Returns whether changes may set a column: it is not part of the key, not the version, and not derived.
    package func isWritable(_ column: String) -> Bool {
        column != "version$" && !derived.contains(column) && !keyNames.contains(column)
    }
}
