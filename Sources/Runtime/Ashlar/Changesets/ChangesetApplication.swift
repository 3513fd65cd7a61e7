import AshlarSQLite
import SystemFoundation

/// Applies a changeset within one transaction.
///
/// Rows are written before others are deleted, because deletions may cascade to rows that refer to the deleted ones.
/// Changes that violate a constraint are tried again after the deletions, which may have released unique values. The
/// remaining ones are then settled as conflicts.
package final class ChangesetApplication {
    package typealias Resolver = (ChangesetConflict) throws -> ChangesetConflict.Resolution

    package struct Change {
        package var table: StoredTable
        package var operation: ChangesetConflict.Operation
        package var key: [SQLiteValue]
        /// The earlier values of the columns, as far as the changeset contains them.
        package var old: [String: SQLiteValue]
        package var new: [String: SQLiteValue]

        package init(
            table: StoredTable, operation: ChangesetConflict.Operation, key: [SQLiteValue], old: [String: SQLiteValue],
            new: [String: SQLiteValue]
        ) {
            self.table = table
            self.operation = operation
            self.key = key
            self.old = old
            self.new = new
        }

        /// The number of the object; nil for a pair.
        package var row: Int64? {
            if key.count == 1, case .integer(let row) = key[0] { row } else { nil }
        }
    }

    /// An object to be deleted.
    package struct DeletedRow: Hashable {
        package var table: String
        package var row: Int64

        package init(table: String, row: Int64) { (self.table, self.row) = (table, row) }
    }

    /// The result of writing a change.
    enum Outcome {
        case done
        /// A constraint refused the change.
        case refused(SQLiteError)
    }

    let container: ModelContainer
    let connection: Connection
    private let own: HistoryNet
    private let isAnswered: Bool
    private let resolve: Resolver
    package let tables: ChangedTables
    package let merger: ObjectMerger
    /// The objects that belong to the same deletion, by tables and rows. If one of them must not be deleted, the others
    /// are kept too.
    package var deletedTogether: [DeletedRow: [DeletedRow]]?
    /// The objects that are not deleted because others need them.
    package private(set) var keptRows: Set<DeletedRow> = []
    /// The rows that the changeset deletes, by table.
    private var deletedRows: [String: Set<Int64>] = [:]
    package private(set) var inserted: [PersistentIdentifier] = []
    package private(set) var updated: [PersistentIdentifier] = []
    package private(set) var deleted: [PersistentIdentifier] = []

    /// - Parameter isAnswered: Whether an answer follows that reports omitted changes. Then the deletion of a missing row
    ///   does not conflict.
    package init(
        _ container: ModelContainer, _ connection: Connection, own: HistoryNet, isAnswered: Bool = false,
        _ resolve: @escaping Resolver
    ) {
        self.isAnswered = isAnswered
        self.container = container
        self.connection = connection
        self.own = own
        self.resolve = resolve
        tables = ChangedTables(container.model, connection)
        merger = ObjectMerger(tables)
    }

    func apply(_ changeset: Changeset) throws { try apply(tables.changes(of: changeset)) }

    /// Applies changes that are valid in this store.
    package func apply(_ changes: [Change]) throws {
        let marks = try KeptIdentifierMarks(tables.objectTables, connection, in: container.stores[0].schemaName)
        // All deletions are checked before anything changes, because one may cascade to the row of another.
        let deletions = try changes.filter { try $0.operation == .delete && mayDelete($0) }
        for change in deletions {
            if let row = change.row { deletedRows[change.table.name, default: []].insert(row) }
        }
        var refused: [Change] = []
        var written: [Change] = []
        for change in changes where change.operation != .delete {
            guard let wanted = try settled(change) else { continue }
            written.append(wanted)
            if case .refused = try write(wanted) { refused.append(wanted) }
        }
        // Pairs come first, because the remaining ones may prevent the deletion of an object.
        for change in deletions where change.row == nil { try delete(change) }
        if deletedTogether != nil { try keepDeniedRows(deletions) }
        for change in deletions where change.row != nil { try delete(change) }
        try settleRefused(refused)
        try settleSharedReferences(of: written)
        try settleReferences()
        try marks?.restore(connection)
        try noteMerged()
    }

    // MARK: Writing

    private func mayDelete(_ change: Change) throws -> Bool {
        guard let stored = try change.table.values(of: change.key, connection) else {
            if !isAnswered { _ = try settle(.notFound, change, stored: nil) }
            return false
        }
        let told = Set(change.old.keys)
        let holdsOther = change.table.columns.contains { told.contains($0) && isOther($0, change, stored) }
        guard holdsOther || ownRow(change) != nil else { return true }
        return try settle(.data, change, stored: stored) == .replace
    }

    /// Settles the conflicts of a change with the store. Returns the change to write; nil if there is none.
    private func settled(_ change: Change) throws -> Change? {
        guard let stored = try change.table.values(of: change.key, connection) else {
            if change.operation == .insert { return change }
            _ = try settle(.notFound, change, stored: nil)
            return nil
        }
        var change = change
        if change.operation == .insert {
            // Inserting an identical row again does not conflict.
            let isSame = change.table.columns.allSatisfy {
                !change.table.isWritable($0) || change.new[$0] == stored[$0]
            }
            if isSame { return nil }
            if try settle(.conflict, change, stored: stored) != .replace { return nil }
            change.operation = .update
            return change
        }
        let disputed = disputedColumns(change, stored)
        if !disputed.isEmpty, try settle(.data, change, stored: stored) != .replace {
            for name in disputed { change.new[name] = nil }
        }
        return change.new.keys.contains(where: change.table.isWritable) ? change : nil
    }

    /// Writes a change, and reports whether a constraint refused it.
    func write(_ change: Change) throws -> Outcome {
        let error = try refusal { () throws(SQLiteError) in
            if change.operation == .insert {
                try change.table.insert(change.new, connection)
            } else {
                try change.table.update(change.key, change.new, connection)
            }
        }
        if let error { return .refused(error) }
        try note(change, as: change.operation)
        return .done
    }

    private func delete(_ change: Change) throws {
        if let row = change.row, keptRows.contains(DeletedRow(table: change.table.name, row: row)) { return }
        if let row = change.row, try isDenied(row, change.table) {
            let stored = try change.table.values(of: change.key, connection)
            if try settle(.constraint, change, stored: stored) != .replace { return }
        }
        try change.table.delete(change.key, connection)
        try note(change, as: .delete)
    }

    /// Finds the objects that must not be deleted, and keeps those that were deleted together with them.
    private func keepDeniedRows(_ deletions: [Change]) throws {
        var changes: [DeletedRow: Change] = [:]
        for change in deletions {
            if let row = change.row { changes[DeletedRow(table: change.table.name, row: row)] = change }
        }
        var deletedAnyway: Set<DeletedRow> = []
        func keep(_ object: DeletedRow) throws {
            guard let change = changes[object], !keptRows.contains(object), !deletedAnyway.contains(object) else {
                return
            }
            let stored = try change.table.values(of: change.key, connection)
            if stored == nil { return }
            if try settle(.constraint, change, stored: stored) == .replace {
                deletedAnyway.insert(object)
                return
            }
            keptRows.insert(object)
            deletedRows[object.table]?.remove(object.row)
            for other in deletedTogether?[object] ?? [] { try keep(other) }
        }
        // A kept object may need others that were to be deleted.
        var count = -1
        while count != keptRows.count {
            count = keptRows.count
            for change in deletions {
                guard let row = change.row else { continue }
                let object = DeletedRow(table: change.table.name, row: row)
                if keptRows.contains(object) || deletedAnyway.contains(object) { continue }
                var seen: Set<DeletedRow> = []
                if try isDenied(row, change.table) || takesDeniedAlong(object, &seen) { try keep(object) }
            }
        }
    }

    /// Returns whether the deletion of an object would cascade to one that must not be deleted.
    private func takesDeniedAlong(_ object: DeletedRow, _ seen: inout Set<DeletedRow>) throws -> Bool {
        guard seen.insert(object).inserted, let root = tables.root(of: object.table)?.number.root else { return false }
        for reference in tables.references where reference.destination == root && reference.isTakenAlong {
            let table = try tables.shape(reference.table)
            let rows = try connection.rows(
                "SELECT \"id$\" FROM \(reference.table.quotedIdentifier) "
                    + "WHERE \(reference.column.quotedIdentifier) = ?1", [.integer(object.row)])
            for row in rows.map({ $0[0].storedInteger }) {
                let other = DeletedRow(table: reference.table, row: row)
                if try keptRows.contains(other) || isDenied(row, table, goingAlong: seen)
                    || takesDeniedAlong(other, &seen)
                {
                    return true
                }
            }
        }
        return false
    }

    /// Returns whether an object that is kept refers to a row, and so prevents its deletion by the rules of the model.
    ///
    /// - Parameter others: Objects that are deleted together with the row.
    private func isDenied(_ row: Int64, _ table: StoredTable, goingAlong others: Set<DeletedRow> = []) throws -> Bool {
        guard let root = tables.root(of: table.name)?.number.root else { return false }
        func stays(_ table: String, _ row: Int64) -> Bool {
            deletedRows[table]?.contains(row) != true && !others.contains(DeletedRow(table: table, row: row))
        }
        for reference in tables.references where reference.destination == root && reference.denies {
            let rows = try connection.rows(
                "SELECT \"id$\" FROM \(reference.table.quotedIdentifier) "
                    + "WHERE \(reference.column.quotedIdentifier) = ?1", [.integer(row)])
            let isHeld = rows.contains {
                let holder = $0[0].storedInteger
                return stays(reference.table, holder) && !(reference.table == table.name && holder == row)
            }
            if isHeld { return true }
        }
        for entity in container.model.entitySchemas where entity.tableName == table.name {
            for (number, relationship) in entity.relationships.numbered {
                guard relationship.deletionRule == .deny,
                    case .joinTable(let name, let own, let other, _) = relationship.storage,
                    let destination = container.model.destination(of: entity, number)
                else { continue }
                let rows = try connection.rows(
                    "SELECT \(other.quotedIdentifier) FROM \(name.quotedIdentifier) "
                        + "WHERE \(own.quotedIdentifier) = ?1", [.integer(row)])
                if rows.contains(where: { stays(destination.tableName, $0[0].storedInteger) }) { return true }
            }
        }
        return false
    }

    /// Returns whether the store's value of a column differs from the earlier value in the changeset.
    private func isOther(_ column: String, _ change: Change, _ stored: [String: SQLiteValue]) -> Bool {
        guard change.table.isWritable(column), let old = change.old[column] else { return false }
        return old != stored[column]
    }

    /// Returns the columns that this store changed too.
    private func disputedColumns(_ change: Change, _ stored: [String: SQLiteValue]) -> [String] {
        let told = change.table.columns.filter { change.new[$0] != nil && change.table.isWritable($0) }
        let others = told.filter { isOther($0, change, stored) }
        guard let row = ownRow(change) else { return others }
        guard let columns = row.columns else { return told }
        return told.filter { others.contains($0) || columns.contains($0) }
    }

    /// Returns this store's change of the same row.
    private func ownRow(_ change: Change) -> HistoryNet.Row? {
        guard let key = change.historyKey else { return nil }
        return own.rows[change.table.name]?[key]
    }

    // MARK: Conflicts

    func settle(
        _ kind: ChangesetConflict.Kind, _ change: Change, stored: [String: SQLiteValue]?, other: Int64? = nil
    ) throws -> ChangesetConflict.Resolution {
        var conflict = try conflict(kind, change, stored: stored)
        conflict.otherIdentifier = try other.flatMap { try tables.identifier(change.table.name, $0, container) }
        return try resolution(of: conflict)
    }

    func conflict(
        _ kind: ChangesetConflict.Kind, _ change: Change, stored: [String: SQLiteValue]? = nil
    ) throws -> ChangesetConflict {
        ChangesetConflict(
            kind: kind, operation: change.operation, table: change.table.name, identifier: try identifier(change),
            values: change.operation == .delete ? change.old : change.new, storedValues: stored ?? [:])
    }

    func resolution(of conflict: ChangesetConflict) throws -> ChangesetConflict.Resolution {
        let resolution = try resolve(conflict)
        switch (resolution, conflict.kind) {
        case (.abort, _): throw ChangesetError.aborted(conflict)
        case (.replace, .data), (.replace, .conflict), (.omit, _): break
        case (.replace, .constraint) where conflict.operation == .delete: break
        case (.merge, .constraint) where conflict.otherIdentifier?.entityName == conflict.identifier?.entityName:
            if conflict.otherIdentifier == nil { throw ChangesetError.cannotMerge(conflict) }
        case (.merge, _): throw ChangesetError.cannotMerge(conflict)
        case (.replace, _): throw ChangesetError.cannotReplace(conflict)
        }
        return resolution
    }

    // MARK: Notifications

    func identifier(_ change: Change) throws -> PersistentIdentifier? {
        guard let row = change.row, let root = tables.root(of: change.table.name) else { return nil }
        var discriminator = change.new["entity$"] ?? change.old["entity$"]
        if discriminator == nil {
            discriminator = try change.table.values(of: change.key, connection)?["entity$"]
        }
        let entity = tables.entity(of: change.table.name, discriminator) ?? root
        return identifier(row, entity)
    }

    private func identifier(_ row: Int64, _ entity: EntitySchema) -> PersistentIdentifier {
        PersistentIdentifier(
            rowID: row, store: container.storeNumber(of: entity.number.root), entity: entity.number)
    }

    func note(_ change: Change, as operation: ChangesetConflict.Operation) throws {
        if let identifier = try identifier(change) {
            switch operation {
            case .insert: inserted.append(identifier)
            case .update: updated.append(identifier)
            case .delete: deleted.append(identifier)
            }
        } else if let pairs = tables.tracked[change.table.name]?.pairs {
            for (end, value) in zip([pairs.source, pairs.target], change.key) {
                if case .integer(let row) = value { updated.append(identifier(row, end.entity)) }
            }
        }
    }

    func noteDeletion(_ row: Int64, _ table: String) {
        if let root = tables.root(of: table) { deleted.append(identifier(row, root)) }
    }

    func noteUpdate(_ row: Int64, _ table: String) {
        if let root = tables.root(of: table) { updated.append(identifier(row, root)) }
    }

    private func noteMerged() throws {
        for (table, row) in merger.updated { noteUpdate(row, table) }
        for (table, row, _) in merger.deleted { noteDeletion(row, table) }
    }
}

extension ChangesetApplication.Change {
    /// The key of the row in the history; nil if the key is not made of integers.
    var historyKey: HistoryNet.Key? {
        guard case .integer(let first)? = key.first else { return nil }
        guard key.count > 1 else { return HistoryNet.Key(first: first) }
        guard case .integer(let second) = key[1] else { return nil }
        return HistoryNet.Key(first: first, second: second)
    }
}
