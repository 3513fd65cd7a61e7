import Ashlar
import AshlarSQLite
import Foundation
import RelationalSchema

import class RelationalSchema.Schema

/// Compares a migrated store with its contents before the migration, and with a new store.
struct MigratedStoreCheck {
    let model: TestedModel
    /// The positions of the versions that the store had and has.
    let source: Int
    let destination: Int
    /// The expected contents of the store.
    let expected: StoreContents
    /// Whether code of the author's own ran, which may add objects.
    let hasCustomSteps: Bool

    /// - Parameters:
    ///   - before: The store's contents before the migration.
    ///   - changing: The entities and properties that the author's own SQL and Swift change, besides those that are new
    ///     in their version.
    init(_ model: TestedModel, from source: Int, to destination: Int, before: StoreContents, changing: Set<String>) {
        self.model = model
        self.source = source
        self.destination = destination
        var contents = before
        var hasCustomSteps = false
        for version in (source..<destination).map({ $0 + 1 }) {
            let isCustom = model.isCustom(version)
            hasCustomSteps = hasCustomSteps || isCustom
            contents = contents.migrated(model.match(to: version), isCustom: isCustom, changing: changing)
        }
        expected = contents
        self.hasCustomSteps = hasCustomSteps
    }

    private var schema: Schema { model.schemas[destination] }

    /// Returns the problems in the store's file.
    func problems(ofStoreAt url: URL) throws -> [MigrationProblem] {
        let connection = try Connection(toWrite: url)
        var problems = try unsoundness(connection)
        // Without a sound file, no other check is possible.
        if !problems.isEmpty { return problems }
        problems += try staleness(connection)
        let found = try StoreContents(connection, schema)
        problems += try strangers(found, connection)
        problems += ContentsComparison(expected, found, allowsNewObjects: hasCustomSteps).problems
        return problems
    }

    // MARK: The file

    private func unsoundness(_ connection: Connection) throws -> [MigrationProblem] {
        var problems: [MigrationProblem] = []
        let metadata = try connection.rows("SELECT \"value\" FROM \"ashlar$metadata\" WHERE \"key\" = 'versionHash'")
        if metadata.first?.first != .text(model.descriptions[destination].versions[destination].versionHash) {
            problems.append(
                MigrationProblem("The store has another version than \(model.versionNames[destination])."))
        }
        do {
            for row in try connection.rows("PRAGMA integrity_check") where row[0] != .text("ok") {
                problems.append(MigrationProblem("SQLite finds the file damaged: \(row[0].text)."))
            }
        } catch {
            return [MigrationProblem("SQLite finds the file damaged: \(error.message).")]
        }
        for row in try connection.foreignKeyViolations() {
            problems.append(
                MigrationProblem(
                    entity: row.table, rowID: row.rowID, "A reference to \(row.parent) leads nowhere."))
        }
        problems += try connection.schemaDifferences(from: model.descriptions[destination].schema)
            .map { MigrationProblem("The store's schema is not a new store's. \($0)") }
        return problems
    }

    // MARK: Values that triggers maintain

    private func staleness(_ connection: Connection) throws -> [MigrationProblem] {
        var problems: [MigrationProblem] = []
        func find(_ entity: String, _ property: String?, _ reason: String, _ sql: String) throws {
            for row in try connection.rows(sql) {
                problems.append(
                    MigrationProblem(entity: entity, property: property, rowID: row[0].integer, reason))
            }
        }
        for column in schema.derivedColumns {
            guard let sql = column.staleRows else { continue }
            try find(column.entityName, column.attributeName, "The derived value does not match its expression.", sql)
        }
        for tree in schema.rtrees {
            try find(tree.tableName, nil, "The R-tree \(tree.name) has not the object's place.", tree.missingRows)
            try find(
                tree.tableName, nil, "The R-tree \(tree.name) has not the object's place.", tree.surplusRows)
        }
        for table in schema.fullTextTables {
            let name = SQLText.identifier(table.name)
            try find(table.tableName, nil, "The full-text index \(table.name) has not the texts.", table.missingRows)
            try find(table.tableName, nil, "The full-text index \(table.name) has not the texts.", table.surplusRows)
            do {
                try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('integrity-check')")
            } catch {
                problems.append(MigrationProblem("The full-text index \(table.name) is damaged: \(error.message)."))
            }
        }
        return problems
    }

    // MARK: Objects

    /// Rows in a table of objects that do not belong to an entity with objects.
    private func strangers(_ found: StoreContents, _ connection: Connection) throws -> [MigrationProblem] {
        var problems: [MigrationProblem] = []
        for table in schema.tables {
            guard case .objects(let root) = table.content, table.column(named: ColumnName.entity) != nil,
                let entity = schema.graph.entity(named: root)
            else { continue }
            let conditions = schema.graph.hierarchy(of: entity).filter { !$0.isAbstract }
                .compactMap { schema.storage(of: $0)?.rowCondition }
            let columns = SQLText.identifiers([ColumnName.identifier, ColumnName.entity])
            let rows = try connection.rows(
                """
                SELECT \(columns) FROM \(SQLText.identifier(table.name))
                WHERE (\((conditions.isEmpty ? ["false"] : conditions).joined(separator: " OR "))) IS NOT true
                """)
            for row in rows {
                let name = row[1] == .null ? root : row[1].text
                problems.append(
                    MigrationProblem(entity: root, rowID: row[0].integer, "Its entity \(name) has no objects."))
            }
        }
        return problems
    }
}

extension SQLiteValue {
    var text: String { if case .text(let text) = self { text } else { "" } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
