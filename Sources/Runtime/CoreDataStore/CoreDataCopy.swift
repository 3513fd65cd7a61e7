import AshlarSQLite
import SQLQuoting
import StoreDescription

/// The statements that copy a store of Core Data's into an empty store of the same version of its model.
///
/// A connection has the new store as `main` and the old one attached. Each table is one `INSERT … SELECT`, in which
/// every invalid value and reference calls a function that ends the statement. So valid data is read once. Only then
/// are the same conditions evaluated one by one, to find the problems row by row.
package struct CoreDataCopy: Sendable {
    /// The repair of data that violates the model.
    package enum Remedy: Sendable, Hashable {
        /// The copy ends.
        case refuse
        /// An invalid value becomes nil or the model's default; if neither is possible, the row is left out.
        case repair
    }

    /// The name of the old store on the connection.
    package static let sourceName = "coredata"
    /// The table of rows that are not copied: the name of their table, and `Z_PK`.
    package static let excludedTable = "temp.\"ashlar$excluded\""
    /// The functions that the statements call beside SQLite's.
    package enum Function: String, Sendable, CaseIterable {
        /// Ends the statement.
        case failure = "ashlar_import_failure"
        /// A number as the text of a decimal number; NULL for other values.
        case decimal = "ashlar_import_decimal"
        /// Whether a text is a URI.
        case isURI = "ashlar_import_is_uri"
        /// Bytes as a blob of ours that has them as its value.
        case blob = "ashlar_import_blob"
        /// Whether bytes of Core Data's name an existing file.
        case hasFile = "ashlar_import_has_file"
        /// Brings the file that bytes of Core Data's name, and gives the blob of ours that names it.
        case file = "ashlar_import_file"
    }

    package let layout: CoreDataLayout
    package let joinTables: [CoreDataLayout.JoinTable]
    package let remedy: Remedy
    /// The defaults of the new store's columns as SQL, by the names of table and column.
    let defaults: [String: [String: String]]

    /// Makes the copy of a store of a layout.
    package init(
        layout: CoreDataLayout, joinTables: [CoreDataLayout.JoinTable], remedy: Remedy,
        defaults: [String: [String: String]]
    ) {
        (self.layout, self.joinTables, self.remedy) = (layout, joinTables, remedy)
        self.defaults = defaults
    }

    /// A statement with the tables that it fills and reads.
    package struct Statement: Sendable, Hashable {
        /// The table that is filled.
        package var table: String
        /// The table that is read.
        package var source: String
        package var sql: String
    }

    /// The statements, which may be run in any order.
    package var statements: [Statement] {
        layout.tables.compactMap(objects) + joinTables.compactMap(pairs) + pairsWithoutInverse
    }

    /// The query for the number of objects of each entity in a table.
    package func counting(_ table: CoreDataLayout.EntityTable) -> String {
        let condition = remedy == .repair ? " WHERE \(isKept(table.name, "s.\"Z_PK\""))" : ""
        return "SELECT s.\"Z_ENT\", count(*) FROM \(source(table.name)) AS s\(condition) GROUP BY 1"
    }

    /// The query for derived values that differ between the old store and the new one: an object's number, and the old
    /// value. Nil if the old store has no column for them.
    package func comparingDerived(
        _ attribute: StoredEntity.Attribute, of entity: StoredEntity, in table: CoreDataLayout.EntityTable
    ) -> String? {
        guard let column = table.columns[CoreDataLayout.Property(entity.name, attribute.keyPath)],
            let target = table.entities.first?.table
        else { return nil }
        let value =
            attribute.type == .decimal
            ? "\(Function.decimal.rawValue)(s.\(quoted(column)))" : "s.\(quoted(column))"
        return """
            SELECT s."Z_PK", s.\(quoted(column)) FROM main.\(quoted(target)) AS m
            JOIN \(source(table.name)) AS s ON s."Z_PK" = m."id$"
            WHERE \(isOf(entity)) AND m.\(quoted(attribute.column)) IS NOT \(value)
            """
    }

    // MARK: Objects

    private func objects(_ table: CoreDataLayout.EntityTable) -> Statement? {
        guard let target = table.entities.first?.table else { return nil }
        var columns = ["id$", "version$"]
        var values = ["s.\"Z_PK\"", rowVersion(table)]
        if table.entities.count > 1 {
            columns.append("entity$")
            let names = table.entities.filter { $0.parent != nil && !$0.isAbstract }.compactMap { entity in
                layout.numbers[entity.name].map { "WHEN \($0) THEN \(SQLQuotation.literal(entity.name))" }
            }
            values.append(names.isEmpty ? "NULL" : "CASE s.\"Z_ENT\" \(names.joined(separator: " ")) END")
        }
        for (column, value) in self.values(table) {
            columns.append(column)
            values.append(value)
        }
        let list = columns.map(SQLQuotation.identifier).joined(separator: ", ")
        var sql = """
            INSERT INTO main.\(SQLQuotation.identifier(target)) (\(list))
            SELECT \(values.joined(separator: ",\n    "))
            FROM \(source(table.name)) AS s
            """
        if remedy == .repair { sql += "\nWHERE \(isKept(table.name, "s.\"Z_PK\""))" }
        return Statement(table: target, source: table.name, sql: sql)
    }

    /// The count of writes; the statement ends at a row of no entity that the model has.
    private func rowVersion(_ table: CoreDataLayout.EntityTable) -> String {
        let version =
            "CASE WHEN typeof(s.\"Z_OPT\") = 'integer' AND s.\"Z_OPT\" BETWEEN 1 AND 1000000000 THEN s.\"Z_OPT\" ELSE 1 END"
        if remedy == .repair { return version }
        return "CASE WHEN \(rowCondition(table)) THEN \(version) ELSE \(failure) END"
    }

    /// Returns the condition under which a row is an object.
    func rowCondition(_ table: CoreDataLayout.EntityTable) -> String {
        let numbers = layout.objectNumbers(of: table.root)
        return "s.\"Z_PK\" > 0 AND s.\"Z_ENT\" IN (\(list(numbers)))"
    }

    /// The columns of our table with the expressions that they are filled from.
    private func values(_ table: CoreDataLayout.EntityTable) -> [(column: String, value: String)] {
        var result: [(String, String)] = []
        for entity in table.entities {
            for attribute in entity.attributes where !attribute.isDerived {
                guard let type = attribute.type else {
                    result.append((attribute.column, presence(attribute, of: entity, in: table)))
                    continue
                }
                guard let rule = rule(attribute, type, of: entity, in: table) else { continue }
                result.append((attribute.column, value(rule, entity, in: table)))
            }
            for relationship in entity.relationships where !relationship.isToMany {
                guard case .column(let column) = relationship.storage,
                    let rule = rule(relationship, of: entity, in: table)
                else { continue }
                result.append((column, value(rule, entity, in: table)))
                if let (position, order) = order(relationship, of: entity, in: table) {
                    result.append((order, position))
                }
            }
        }
        return result
    }

    /// The position of an object among those of its owner.
    private func order(
        _ relationship: StoredEntity.Relationship, of entity: StoredEntity, in table: CoreDataLayout.EntityTable
    ) -> (value: String, column: String)? {
        let property = CoreDataLayout.Property(entity.name, relationship.name)
        guard let position = table.orderColumns[property], let reference = table.columns[property],
            let inverse = layout.inverse(of: relationship)?.relationship,
            case .inverseColumn(_, let order?) = inverse.storage
        else { return nil }
        return ("CASE WHEN s.\(quoted(reference)) IS NOT NULL THEN \(self.position(position)) END", order)
    }

    /// A position, which only determines an order; NULL if it is not an integer.
    func position(_ column: String) -> String {
        "CASE WHEN typeof(s.\(quoted(column))) = 'integer' THEN s.\(quoted(column)) END"
    }

    private func value(_ rule: Rule, _ entity: StoredEntity, in table: CoreDataLayout.EntityTable) -> String {
        let value =
            switch remedy {
            case .repair: "CASE WHEN \(rule.condition) THEN \(rule.value) ELSE \(rule.fallback) END"
            case .refuse:
                rule.guardCondition.map { "CASE WHEN \($0) THEN \(rule.value) ELSE \(failure) END" } ?? rule.value
            }
        if entity.parent == nil { return value }
        // A row of another entity may have any value in the column, which is ignored.
        return "CASE WHEN \(isOf(entity)) THEN \(value) END"
    }

    /// Whether an optional composite exists. Core Data does not store this, so it exists if it has a value.
    private func presence(
        _ attribute: StoredEntity.Attribute, of entity: StoredEntity, in table: CoreDataLayout.EntityTable
    ) -> String {
        let leaves = entity.attributes.filter { leaf in
            leaf.type != nil && leaf.path.count > attribute.path.count && leaf.path.starts(with: attribute.path)
        }
        let columns = leaves.compactMap { table.columns[CoreDataLayout.Property(entity.name, $0.keyPath)] }
        if columns.isEmpty { return "NULL" }
        var condition = columns.map { "s.\(quoted($0)) IS NOT NULL" }.joined(separator: " OR ")
        if entity.parent != nil { condition = "\(isOf(entity)) AND (\(condition))" }
        return "CASE WHEN \(condition) THEN 1 END"
    }

    // MARK: Parts of statements

    var failure: String { "\(Function.failure.rawValue)()" }

    func quoted(_ name: String) -> String { SQLQuotation.identifier(name) }

    func source(_ table: String) -> String { "\(Self.sourceName).\(SQLQuotation.identifier(table))" }

    func list(_ numbers: [Int64]) -> String { numbers.map(String.init).joined(separator: ", ") }

    /// Whether a row is an object of an entity or of one below it.
    func isOf(_ entity: StoredEntity) -> String {
        "s.\"Z_ENT\" IN (\(list(layout.objectNumbers(of: entity.name))))"
    }

    /// Whether a row is copied.
    func isKept(_ table: String, _ key: String) -> String {
        "NOT EXISTS (SELECT 1 FROM \(Self.excludedTable) AS e WHERE e.\"table\" = \(SQLQuotation.literal(table))"
            + " AND e.\"key\" = \(key))"
    }

    /// Whether a column leads to an object of an entity or of one below it.
    func exists(_ column: String, in entity: String) -> String {
        guard let table = layout.table(ofEntity: entity) else { return "false" }
        var condition = "d.\"Z_PK\" = s.\(quoted(column))"
        // The entity of each row of the table is checked elsewhere, once for each row.
        if remedy == .repair || entity != table.root {
            condition += " AND d.\"Z_ENT\" IN (\(list(layout.objectNumbers(of: entity))))"
        }
        if remedy == .repair { condition += " AND \(isKept(table.name, "d.\"Z_PK\""))" }
        return "EXISTS (SELECT 1 FROM \(source(table.name)) AS d WHERE \(condition))"
    }
}
