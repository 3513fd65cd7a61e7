import Ashlar
import AshlarSQLite
import DataModel
import Foundation
import RelationalSchema

import class RelationalSchema.Schema

/// A version of a model, as a store of it is checked.
package struct CheckedModel: Sendable {
    let schema: Schema
    /// The entities as the runtime describes them.
    let description: ModelDescription
    let versionHash: String
    let schemaHash: String

    /// - Parameters:
    ///   - schema: The version's schema.
    ///   - description: The entities of the schema, described without classes.
    package init(_ schema: Schema, description: ModelDescription, versionHash: String, schemaHash: String) {
        (self.schema, self.description) = (schema, description)
        (self.versionHash, self.schemaHash) = (versionHash, schemaHash)
    }
}

/// A store that is being checked, in one transaction, with the facts about it and the findings.
final class CheckedStore {
    let model: CheckedModel
    let connection: Connection
    /// The path of the store, which need not be that of the file that is read.
    let path: String
    let metadata: StoreMetadata
    /// The existing tables that are as the model has them.
    var usableTables: Set<String> = []
    /// The existing virtual tables that are as the model has them.
    var usableVirtualTables: Set<String> = []
    /// The existing indexes that are as the model has them, and whose content is right.
    var usableIndexes: Set<String> = []
    /// The statements that create the schema of the store's entities.
    let statements: [String]
    let heldEntities: Set<String>
    /// The files of large values that were there before the first row was read.
    let fileNames: Set<String>
    /// Those of them that no row refers to; nil until that is known.
    var unusedFiles: Set<String>?
    /// Whether no other connection can write meanwhile.
    let isLocked: Bool
    /// The rows to check, by their tables; nil if all are checked.
    var scope: [String: LoadedRows]?
    private(set) var findings: [StoreFinding] = []
    /// The parts that were not checked, with the reasons.
    private(set) var notes: [String] = []

    var schema: Schema { model.schema }
    var graph: ModelGraph { model.schema.graph }

    init(
        _ model: CheckedModel, _ connection: Connection, path: String, _ metadata: StoreMetadata, files: Set<String>,
        isLocked: Bool
    ) {
        self.isLocked = isLocked
        (self.model, self.connection, self.path, self.metadata) = (model, connection, path, metadata)
        fileNames = files
        let all = Set(model.schema.graph.model.entities.map(\.name))
        let held = metadata.entityNames
        if held.isEmpty || held.isSuperset(of: all) {
            heldEntities = all
            statements = model.schema.statements
        } else {
            let (texts, parts) = model.schema.dividedStatements
            let other = parts.filter { held.isDisjoint(with: $0.entityNames) }
            let left = Set(other.flatMap { Array($0.statements) })
            heldEntities = all.subtracting(other.flatMap(\.entityNames))
            statements = texts.enumerated().filter { !left.contains($0.offset) }.map(\.element)
        }
    }

    /// The entities that the store holds, by name.
    var entities: [Entity] { graph.entitiesByName.filter { heldEntities.contains($0.name) } }

    func add(_ finding: StoreFinding) { findings.append(finding) }

    func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }

    /// The condition on a row's number that it may be in the scope.
    func isInScope(_ number: String, of table: String) -> String {
        guard let scope else { return "true" }
        guard let rows = scope[table], let bounds = rows.bounds else { return "false" }
        return "\(number) BETWEEN \(bounds.lowerBound) AND \(bounds.upperBound)"
    }

    /// Adds a finding if a query for the numbers of rows returns any.
    func find(_ finding: StoreFinding, isFiltered: Bool = false, _ sql: String) throws(SQLiteError) {
        var tally = Tally()
        let statement = try connection.prepare(sql)
        while try statement.step() {
            let row = statement.int64(0)
            // Rows outside the scope may lie between its rows, and are not checked now.
            if isFiltered, let table = finding.table, let rows = scope?[table], let row, rows.object(of: row) == nil {
                continue
            }
            tally.add(row)
        }
        if let found = tally.added(to: finding) { add(found) }
    }

    /// Adds a finding about rows, unless there are none.
    func find(_ finding: StoreFinding, rows: [Int64?]) {
        var tally = Tally()
        for row in rows { tally.add(row) }
        if let found = tally.added(to: finding) { add(found) }
    }
}

/// Counts rows, and keeps the numbers of the first.
struct Tally {
    private var rows: [Int64] = []
    private var count = 0

    mutating func add(_ row: Int64?) {
        count += 1
        if let row, rows.count < StoreFinding.greatestRowCount { rows.append(row) }
    }

    func added(to finding: StoreFinding) -> StoreFinding? {
        if count == 0 { return nil }
        var finding = finding
        finding.rows = rows.sorted()
        finding.count = count
        return finding
    }
}

extension CheckedStore {
    /// The condition that a row of a table, called by a name, belongs to an entity or to one below it.
    func isKind(of entity: Entity, _ row: String) -> String {
        guard let storage = schema.storage(of: entity), storage.hasDiscriminator, storage.rootName != entity.name
        else { return "true" }
        let names = graph.hierarchy(of: entity).map(\.name)
        return "\(row).\(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(names)))"
    }

    /// Returns whether every row of an entity's table belongs to the entity or to one below it.
    func hasWholeTable(_ entity: Entity) -> Bool { isKind(of: entity, "t") == "true" }
}

/// A step of the check of a store.
protocol StoreCheckStep {
    /// The subject of the check, for the message that it could not be done.
    var subject: String { get }

    func run(_ store: CheckedStore) throws
}
