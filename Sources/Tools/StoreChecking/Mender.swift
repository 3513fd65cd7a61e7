import Ashlar
import AshlarSQLite
import RelationalSchema

/// Makes repairs, in an order in which none undoes another.
package final class Mender {
    private let model: CheckedModel
    private let connection: Connection
    private let mendings: Set<Mending>
    /// SQLite's reasons for repairs that failed.
    private(set) var refusals: [Mending: Set<String>] = [:]

    init(_ model: CheckedModel, _ connection: Connection, _ mendings: [Mending]) {
        (self.model, self.connection, self.mendings) = (model, connection, Set(mendings))
    }

    private var identifier: String { SQLText.identifier(ColumnName.identifier) }

    func run() throws {
        if mendings.contains(.makeObjects) { try makeObjects() }
        try each { if case .reindex(let name) = $0 { "REINDEX \(SQLText.identifier(name))" } else { nil } }
        try each(clearing)
        try each(addingPairs)
        try each(renumbering)
        for case .noteRowNumbers(let table) in sorted { try noteRowNumbers(table) }
        for table in model.schema.letterTables where mendings.contains(.fillLetters(table.name)) {
            try trying(.fillLetters(table.name)) {
                try connection.execute("DELETE FROM \(SQLText.identifier(table.name))")
                try connection.execute(table.filling)
            }
        }
        // Values may be derived from those that were repaired.
        for column in model.schema.derivedColumns { try derive(column) }
        for contents in model.schema.virtualTableContents where mendings.contains(.fill(contents.name)) {
            try fill(contents.name)
        }
        if mendings.contains(.makeHistoryTriggers) {
            try trying(.makeHistoryTriggers) { try HistoryCheck(model.description, connection).mend() }
        }
    }

    private var sorted: [Mending] { mendings.sorted { "\($0)" < "\($1)" } }

    private func each(_ statement: (Mending) -> String?) throws {
        for mending in sorted {
            if let sql = statement(mending) { try trying(mending) { try connection.execute(sql) } }
        }
    }

    /// Runs a closure, and undoes its changes if the rows or the tables do not allow them: the next check finds the
    /// problem again.
    private func trying(_ mending: Mending, _ body: () throws -> Void) throws {
        try connection.execute("SAVEPOINT \"mending\"")
        do {
            try body()
        } catch let error as SQLiteError
            where [SQLITE_CONSTRAINT, SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_MISMATCH].contains(error.code)
        {
            try connection.execute("ROLLBACK TO \"mending\"")
            refusals[mending, default: []].insert(error.message)
        }
        try connection.execute("RELEASE \"mending\"")
    }

    // MARK: Schema

    private func makeObjects() throws {
        let differences = try connection.differences(from: model.schema.statements).filter { $0.object != nil }
        for isVirtual in [false, true] {
            for difference in differences where difference.kind == .other || difference.kind == .left {
                guard let name = difference.object, let kind = difference.objectKind,
                    (kind == .virtualTable) == isVirtual
                else { continue }
                try trying(.makeObjects) {
                    if isVirtual { return try drop(name) }
                    try connection.execute("DROP \(kind == .index ? "INDEX" : "TRIGGER") \(SQLText.identifier(name))")
                }
            }
        }
        let contents = Dictionary(model.schema.virtualTableContents.map { ($0.name, $0) }) { first, _ in first }
        for kind in [SchemaDifference.ObjectKind.virtualTable, .index, .trigger] {
            for difference in differences where difference.objectKind == kind {
                guard let sql = difference.definition, let name = difference.object else { continue }
                try trying(.makeObjects) {
                    try connection.execute(sql)
                    if let contents = contents[name] { try connection.execute(contents.filling) }
                }
            }
        }
        connection.forgetStatements()
    }

    private func drop(_ name: String) throws {
        connection.forgetStatements()
        if model.schema.fullTextTables.contains(where: { $0.name == name }) {
            try connection.dropFullTextTable(name)
        } else {
            try connection.execute("DROP TABLE \(SQLText.identifier(name))")
        }
    }

    /// Makes a virtual table anew: SQLite's own ways to empty one read data that may be damaged.
    private func fill(_ name: String) throws {
        guard let contents = model.schema.virtualTableContents.first(where: { $0.name == name }) else { return }
        let definition =
            model.schema.rtrees.first { $0.name == name }?.definition
            ?? model.schema.fullTextTables.first { $0.name == name }?.definition
        guard let definition else { return }
        try trying(.fill(name)) {
            try drop(name)
            try connection.execute(definition)
            try connection.execute(contents.filling)
        }
    }

    // MARK: Rows

    private func clearing(_ mending: Mending) -> String? {
        switch mending {
        case .clearReferences(let table, let column, let destination):
            let (name, value) = (SQLText.identifier(table), SQLText.identifier(column))
            return """
                UPDATE \(name) SET \(value) = NULL WHERE \(value) IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM \(SQLText.identifier(destination)) AS d WHERE d.\(identifier) = \(name).\(value))
                """
        case .clearSharedReferences(let table, let column, let isOwnInverse):
            let rows = OneToOneReference.surplusRows(ofTable: table, column: column, isOwnInverse: isOwnInverse)
            return """
                UPDATE \(SQLText.identifier(table)) SET \(SQLText.identifier(column)) = NULL
                WHERE \(identifier) IN (SELECT \(identifier) FROM (\(rows)))
                """
        case .removePairs(let table, let column, let destination):
            let name = SQLText.identifier(table)
            return """
                DELETE FROM \(name) WHERE NOT EXISTS (
                    SELECT 1 FROM \(SQLText.identifier(destination)) AS d
                    WHERE d.\(identifier) = \(name).\(SQLText.identifier(column)))
                """
        default: return nil
        }
    }

    private func addingPairs(_ mending: Mending) -> String? {
        guard case .addPairs(let table, let order) = mending else { return nil }
        let name = SQLText.identifier(table)
        let (source, target) = (SQLText.identifier(ColumnName.source), SQLText.identifier(ColumnName.target))
        var columns = [source, target]
        var values = ["p.\(target)", "p.\(source)"]
        if let order {
            // Behind those that the object leads to already.
            let position = SQLText.identifier(order)
            columns.append(position)
            values.append(
                """
                coalesce((SELECT max(o.\(position)) FROM \(name) AS o WHERE o.\(source) = p.\(target)), 0)
                    + row_number() OVER (PARTITION BY p.\(target) ORDER BY p.\(source)) * \(OrderKeys.distance)
                """)
        }
        return """
            INSERT INTO \(name) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))
            FROM \(name) AS p WHERE NOT EXISTS (
                SELECT 1 FROM \(name) AS q WHERE q.\(source) = p.\(target) AND q.\(target) = p.\(source))
            """
    }

    private func renumbering(_ mending: Mending) -> String? {
        guard case .renumber(let table, let owner, let order, let key) = mending else { return nil }
        return Self.renumbering(table, owner: owner, order: order, key: key, isMissingLast: false)
    }

    /// The statement that gives new positions to all members of each owner that has members without a position, or with
    /// the same one.
    ///
    /// - Parameter isMissingLast: Whether members without a position come after the others, and not before them.
    package static func renumbering(
        _ table: String, owner: String, order: String, key: [String], isMissingLast: Bool
    ) -> String {
        let name = SQLText.identifier(table)
        let (own, position) = (SQLText.identifier(owner), SQLText.identifier(order))
        let keys = key.map { SQLText.identifier($0) }.joined(separator: ", ")
        let same = key.map { "\(name).\(SQLText.identifier($0)) = n.\(SQLText.identifier($0))" }
        return """
            UPDATE \(name) SET \(position) = n."position" FROM (
                SELECT \(keys), row_number() OVER (
                    PARTITION BY \(own) ORDER BY \(isMissingLast ? "\(position) IS NULL, " : "")\(position), \(keys)
                ) * \(OrderKeys.distance) AS "position"
                FROM \(name) WHERE \(own) IN (
                    SELECT \(own) FROM \(name) WHERE \(own) IS NOT NULL GROUP BY 1
                    HAVING count(DISTINCT \(position)) < count(*))) AS n
            WHERE \(same.joined(separator: " AND "))
            """
    }

    private func noteRowNumbers(_ table: String) throws {
        try trying(.noteRowNumbers(table: table)) {
            let greatest = "(SELECT max(\(identifier)) FROM \(SQLText.identifier(table)))"
            let name = SQLText.literal(table)
            try connection.execute("UPDATE \"sqlite_sequence\" SET \"seq\" = \(greatest) WHERE \"name\" = \(name)")
            if connection.changes > 0 { return }
            try connection.execute("INSERT INTO \"sqlite_sequence\" (\"name\", \"seq\") VALUES (\(name), \(greatest))")
        }
    }

    private func derive(_ column: DerivedColumn) throws {
        // A generated column is computed when it is read, and the time when a row was written does not follow from
        // other values.
        if column.isTime || column.triggers.isEmpty { return }
        try trying(.derive(table: column.tableName, column: column.columnName)) {
            let name = SQLText.identifier(column.columnName)
            try connection.execute(
                """
                UPDATE \(SQLText.identifier(column.tableName)) SET \(name) = \(column.value)
                WHERE \(name) COLLATE BINARY IS NOT \(column.value)
                """)
        }
    }
}
