import AshlarSQLite
import Containers

/// The numbers that a save gives to new rows.
extension PendingSave {
    /// Gives the inserted objects the next rowids of their tables. The transaction keeps other processes away.
    ///
    /// Where stores have ranges of identifiers, the greatest of each table is given.
    func assignRowIDs(_ connection: Connection) throws -> [UInt16: Int64]? {
        permanentRowIDs = PermanentRowIDs(for: inserts)
        var next: [UInt16: Int64] = [:]
        var root: UInt16?
        var rowID: Int64 = 0
        var position = 0
        while position < inserts.count {
            let object = inserts[position]
            position &+= 1
            // A row that someone deleted comes back under its identifier.
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

    /// The greatest rowids of tables after the insertions, which must be in the ranges of their stores.
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

    /// Rows that came back under their identifiers may have been another store's, and raised what SQLite keeps.
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
