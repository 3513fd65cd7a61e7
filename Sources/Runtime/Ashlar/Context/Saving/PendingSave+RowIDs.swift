import AshlarSQLite
import Containers

/// The rowids of new rows.
extension PendingSave {
    /// Assigns the next rowids of their tables to the inserted objects. The transaction excludes other processes.
    ///
    /// Returns the greatest rowid of each table if stores have ranges of identifiers.
    func assignRowIDs(_ connection: Connection) throws -> [UInt16: Int64]? {
        permanentRowIDs = PermanentRowIDs(for: inserts)
        var next: [UInt16: Int64] = [:]
        var root: UInt16?
        var rowID: Int64 = 0
        var position = 0
        while position < inserts.count {
            let object = inserts[position]
            position &+= 1
            // A row that others deleted is inserted again under its identifier.
            if object.record.rowID > 0 {
                permanentRowIDs[object.record.rowID] = object.record.rowID
                continue
            }
            let entity = object.entity
            if entity.number.root != root {
                if let root { next[root] = rowID }
                root = entity.number.root
                if let known = next[entity.number.root] {
                    rowID = known
                } else {
                    rowID = try connection.lastRowID(of: entity.schema, in: container)
                }
            }
            rowID = try NextRowIDs.number(after: rowID)
            permanentRowIDs[object.record.rowID] = rowID
        }
        if !hasGatheredUpdates {
            for update in updates {
                if let row = update.adopted { permanentRowIDs[update.object.record.rowID] = row.rowID }
            }
        }
        for (rowID, object) in replacements {
            permanentRowIDs[rowID] = permanentRowIDs[object.record.rowID] ?? object.record.rowID
        }
        if connection.state.identifierRanges.isEmpty { return nil }
        if let root { next[root] = rowID }
        return try marks(next, connection)
    }

    /// Returns the greatest rowids of tables after the insertions, which must be in the ranges of their stores.
    private func marks(_ next: [UInt16: Int64], _ connection: Connection) throws -> [UInt16: Int64] {
        var marks = next
        for object in inserts {
            let root = object.rootNumber
            if marks[root] == nil { marks[root] = try connection.lastRowID(of: object.entity.schema, in: container) }
            if let last = next[root] {
                try connection.requireIdentifiers(through: last, of: object.entity.schema, in: container)
            }
        }
        return marks
    }

    /// Restores SQLite's greatest rowids: rows that were inserted again under identifiers of another store may have
    /// raised them.
    func restore(_ marks: [UInt16: Int64], _ connection: Connection) throws {
        for (root, mark) in marks {
            let schema = container.schemaName(of: root)
            guard let range = connection.state.identifierRanges[schema] else { continue }
            let table = container.model.entity(root).tableName
            let last = try connection.integer(container.lastRowIDQuery(of: root), [.text(table)]) ?? 0
            if !range.hasMark(last) { try connection.setLastRowID(mark, of: table, in: schema) }
        }
    }
}
