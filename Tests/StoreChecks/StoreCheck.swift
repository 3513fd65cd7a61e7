import AshlarSQLite
import DataModel
import Foundation
import ModelFormat
import RelationalSchema
import StoreChecking

import class RelationalSchema.Schema

@_spi(Generated) @testable import Ashlar

/// A difference between a store's values and those that were saved.
struct Difference: Error, CustomStringConvertible {
    var description: String

    init(_ object: ManagedObject, _ text: String) { description = "\(object.entity.name): \(text)" }
    init(_ description: String) { self.description = description }
}

/// Makes a store of a model, and compares it with the values that were given to its objects.
///
/// Fills it with random legal objects of every entity, saves, changes half of them, and saves again. Then compares every
/// value and relationship with those that another context and plain SQL read.
///
/// - Returns: The number of objects.
public func checkStore(of model: any ManagedObjectModel.Type, modelPath: String, seed: UInt64) throws -> Int {
    let description = model.modelDescription
    let graph = try modelGraph(of: model, modelPath: modelPath)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try ModelContainer(for: model, at: folder.appendingPathComponent("store"))
    var store = RandomStore(container, description, graph, seed: seed)
    for entity in description.entities where !entity.isAbstract {
        for _ in 0..<3 { _ = try store.insertObject(of: entity) }
    }
    try store.relateAll()
    try store.context.save()
    try StoreCheck(store).run()
    for index in stride(from: 0, to: store.all.count, by: 2) { try store.change(index) }
    try store.context.save()
    try StoreCheck(store).run()
    return store.all.count
}

/// The model that code was generated from.
func modelGraph(of model: any ManagedObjectModel.Type, modelPath: String) throws -> ModelGraph {
    let version = model.modelDescription.currentVersion?.name
    guard
        let read = ModelReader(currentVersionName: version).read(atPath: modelPath).model?.versions
            .first(where: { $0.name == version })
    else { throw Difference("\(modelPath) has no version \(version ?? "")") }
    return ModelGraph(read)
}

extension RandomStore {
    /// Throws unless SQLite finds the pages, the indexes and the references sound, and the data obeys the model.
    func checkSoundness() throws {
        let problems = try container.read("the store is checked") { connection in
            try (connection.text("PRAGMA integrity_check"), connection.text("PRAGMA foreign_key_check"))
        }
        if problems.0 != "ok" || problems.1 != nil { throw Difference("the store is not sound: \(problems)") }
        let version = description.currentVersion
        let checker = StoreChecker(
            CheckedModel(
                Schema(graph), description: description, versionHash: version?.versionHash ?? "",
                schemaHash: version?.schemaHash ?? ""))
        let result = try container.read("the store is checked") {
            try checker.check($0, container.configuration.url, files: [])
        }
        if !result.findings.isEmpty { throw Difference("the store does not keep its model's promises: \(result)") }
    }
}

/// Compares a saved store with the objects that were saved.
private struct StoreCheck {
    let store: RandomStore
    let other: ModelContext

    init(_ store: RandomStore) {
        self.store = store
        other = ModelContext(store.container)
    }

    func run() throws {
        for entity in store.description.entities {
            guard let type = entity.modelClass as? any PersistentModel.Type else { continue }
            try compareCounts(type, store.objects(of: entity.name).count)
        }
        for filled in store.all {
            try compareColumns(filled)
            try compareObjects(filled)
        }
        try store.checkSoundness()
    }

    private func compareCounts<Model: PersistentModel>(_ type: Model.Type, _ count: Int) throws {
        let found = (try other.fetch(Model.all).count, try other.fetchCount(Model.all))
        if found != (count, count) { throw Difference("\(type): \(count) objects became \(found)") }
    }

    /// Compares the columns, as plain SQL reads them, with the values that the object was made with.
    private func compareColumns(_ filled: RandomStore.Filled) throws {
        let entity = filled.object.entity
        let columns = entity.ownColumns.filter { isGiven(entity.columns[$0], entity) }
        if columns.isEmpty { return }
        let names = columns.map { entity.columns[$0].name.quotedIdentifier }.joined(separator: ", ")
        let sql = "SELECT \(names) FROM \(entity.tableName.quotedIdentifier) WHERE \"id$\" = ?1"
        let found = try store.container.read("columns are read") { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            statement.bind(SQLiteValue.integer(filled.object.record.rowID), 1)
            guard try statement.step() else { throw Difference(filled.object, "its row is not there") }
            return columns.indices.map { value(statement, Int32($0)) }
        }
        for (position, column) in columns.enumerated() where found[position] != filled.values[column] {
            let name = entity.columns[column].name
            throw Difference(filled.object, "\(name) \(filled.values[column]) became \(found[position]) in the store")
        }
    }

    /// Whether the column's value was set when the object was made, unlike references and derived values.
    private func isGiven(_ column: ColumnDescription, _ entity: EntityDescription) -> Bool {
        guard let modelled = store.graph.entity(named: entity.name) else { return false }
        let name = column.property.split(separator: ".").first.map(String.init) ?? ""
        guard let attribute = store.graph.attribute(named: name, of: modelled) else { return false }
        return attribute.derivationExpression == nil
    }

    private func value(_ statement: Statement, _ column: Int32) -> SQLiteValue {
        let row = Row(statement: statement.handle, store: 0)
        return switch sqlite3_column_type(statement.handle, column) {
        case SQLITE_INTEGER: .integer(row.optionalInt64(column) ?? 0)
        case SQLITE_FLOAT: .real(row.optionalDouble(column) ?? 0)
        case SQLITE_TEXT: .text(row.optionalString(column) ?? "")
        case SQLITE_BLOB: .blob(bytes(statement, column))
        default: .null
        }
    }

    private func bytes(_ statement: Statement, _ column: Int32) -> Data {
        guard let address = sqlite3_column_blob(statement.handle, column) else { return Data() }
        return Data(bytes: address, count: Int(sqlite3_column_bytes(statement.handle, column)))
    }

    /// Compares the object that another context fetches with the saved one.
    private func compareObjects(_ filled: RandomStore.Filled) throws {
        let object = filled.object
        guard let read = try other.existingObject(object.identifier), type(of: read) == type(of: object)
        else { throw Difference(object, "it is not there, or of another class") }
        let changes = read.changes(since: object.snapshot(), in: .max)
        if changes != 0 { throw Difference(object, "the columns of the bits \(String(changes, radix: 2)) differ") }
        for (column, described) in object.entity.columns.enumerated()
        where read.sqliteValue(column) != object.sqliteValue(column) {
            throw Difference(object, "\(described.name) differs")
        }
        for (number, relationship) in object.entity.relationships.numbered {
            let pair =
                relationship.isToMany
                ? (object.memberObjects(number), read.memberObjects(number))
                : (context(object, number), context(read, number))
            var (saved, found) = (pair.0.map(\.identifier), pair.1.map(\.identifier))
            if !relationship.isOrdered { (saved, found) = (saved.sorted(), found.sorted()) }
            if saved != found { throw Difference(object, "\(relationship.name) \(saved) became \(found)") }
        }
    }

    private func context(_ object: ManagedObject, _ number: RelationshipNumber) -> [ManagedObject] {
        object.record.context?.toOne(object, number).map { [$0] } ?? []
    }
}
