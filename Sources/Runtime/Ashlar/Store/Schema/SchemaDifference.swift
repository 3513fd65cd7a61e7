import AshlarSQLite

/// One thing in which a store's schema is not its model's.
package struct SchemaDifference: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A table or a column is other than any version of the model would have it.
        case altered
        /// A table has other defaults or foreign keys.
        case otherRules
        /// An index, a trigger or a virtual table is not there.
        case missing
        /// One is there in another form.
        case other
        /// One is there that the model does not have.
        case left
    }

    /// The kind of an object that holds no data of its own.
    package enum ObjectKind: String, Sendable, Hashable {
        case virtualTable, index, trigger
    }

    package var kind: Kind
    /// The message for people.
    package var text: String
    /// The table that it is about, or that the object belongs to.
    package var table: String
    /// The object; nil of a table or a column.
    package var object: String?
    package var objectKind: ObjectKind?
    /// The statement by which the model makes the object.
    package var definition: String?
}

extension Connection {
    /// In what the schema is other than a model's statements make it. What someone added by hand is no difference, as
    /// opening a store keeps it.
    ///
    /// - Parameter schema: The statements that make an empty store.
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
                    kind: .left, text: "The \(object.kind.words) \(name) is none of the model's.", table: object.table,
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

    /// Remembers the schema as one that was compared with the model's. The caller has a transaction.
    package mutating func rememberSchema(of connection: Connection) throws(SQLiteError) {
        try writeSchemaVersion(to: connection)
    }
}

extension StoreMetadata {
    /// Whether new objects get numbers of a range of the store's own only, whatever others are in it.
    package var hasIdentifierRange: Bool { identifierRange != nil }
}
