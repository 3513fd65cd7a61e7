import AshlarSQLite

/// A difference between a store's schema and its model's.
package struct SchemaDifference: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A table or a column differs from every version of the model.
        case altered
        /// A table has other defaults or foreign keys.
        case otherRules
        /// An index, a trigger or a virtual table is missing.
        case missing
        /// An index, a trigger or a virtual table has another definition.
        case other
        /// The store has an index, a trigger or a virtual table that the model does not have.
        case left
    }

    /// The kind of an object that holds no data of its own.
    package enum ObjectKind: String, Sendable, Hashable {
        case virtualTable, index, trigger
    }

    package var kind: Kind
    /// The message to show.
    package var text: String
    /// The table that differs, or that the object belongs to.
    package var table: String
    /// The object's name; nil for a table or a column.
    package var object: String?
    package var objectKind: ObjectKind?
    /// The statement that creates the object in the model's schema.
    package var definition: String?
}

extension Connection {
    /// Returns the differences between the schema and that of a model. Objects that were added by hand do not count,
    /// because opening a store keeps them.
    ///
    /// - Parameter schema: The statements that create an empty store.
    package func differences(from schema: [String]) throws(SQLiteError) -> [SchemaDifference] {
        let comparison = SchemaComparison(
            found: try SchemaCatalogue(self), expected: try SchemaCatalogue(of: schema))
        var result = comparison.alterations.map { SchemaDifference(kind: .altered, text: $0, table: "") }
        result += comparison.tablesToRebuild.map {
            SchemaDifference(kind: .otherRules, text: "The table \($0) has other defaults or foreign keys.", table: $0)
        }
        for (name, object) in comparison.expected.objects {
            let found = comparison.found.objects[name]
            if found == object { continue }
            result.append(
                SchemaDifference(
                    kind: found == nil ? .missing : .other,
                    text: "The \(object.kind.words) \(name) is \(found == nil ? "missing" : "another one").",
                    table: object.table, object: name, objectKind: object.kind.told, definition: object.sql))
        }
        for (name, object) in comparison.found.objects
        where comparison.expected.objects[name] == nil && SchemaComparison.isOurs(name) {
            result.append(
                SchemaDifference(
                    kind: .left, text: "The \(object.kind.words) \(name) is not in the model.", table: object.table,
                    object: name, objectKind: object.kind.told))
        }
        return result.sorted { ($0.text, $0.table) < ($1.text, $1.table) }
    }
}

extension SchemaCatalogue.Object.Kind {
    fileprivate var words: String {
        switch self {
        case .virtualTable: "virtual table"
        case .index: "index"
        case .trigger: "trigger"
        }
    }

    fileprivate var told: SchemaDifference.ObjectKind {
        switch self {
        case .virtualTable: .virtualTable
        case .index: .index
        case .trigger: .trigger
        }
    }
}

extension StoreMetadata {
    /// Returns whether the schema is the one that was last compared with the model's.
    package func knowsSchema(of connection: Connection) throws(SQLiteError) -> Bool {
        try connection.integer("PRAGMA main.schema_version") == schemaVersion
    }

    /// Records the current schema as one that was compared with the model's. The caller has a transaction.
    package mutating func rememberSchema(of connection: Connection) throws(SQLiteError) {
        try writeSchemaVersion(to: connection)
    }
}

extension StoreMetadata {
    /// Whether new objects get only numbers of the store's own range.
    package var hasIdentifierRange: Bool { identifierRange != nil }
}
