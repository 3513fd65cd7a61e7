import AshlarSQLite
import CPrefetch

/// Deletions of rows, many with one statement if their rowids are close to each other.
extension PendingSave {
    /// Deletes the rows of deleted objects, and collects those whose rows differ from the versions that the context
    /// read.
    ///
    /// Members are deleted before their owners, so that the search for remaining members finds only those that the save
    /// does not delete.
    func deleteAll(_ connection: Connection) throws {
        let owners = deletes.filter { $0.traits.pointee.hasDependentMembers }
        if owners.isEmpty { return try deleteAll(deletes, connection) }
        if owners.count < deletes.count {
            try deleteAll(deletes.filter { !$0.traits.pointee.hasDependentMembers }, connection)
        }
        // If there are conflicts, the transaction is not committed, so new members do not matter yet.
        if conflicting.isEmpty { try findNewMembers(of: owners, connection) }
        try deleteAll(owners, connection)
    }

    /// Deletes cascaded rows before their owners, because SQLite's own cascades are limited in depth.
    private func deleteAll(_ deletes: [ManagedObject], _ connection: Connection) throws {
        var end = deletes.count
        while end > 0 {
            let entity = deletes[end - 1].entity
            var start = end - 1
            while start > 0, deletes[start - 1].entity === entity { start -= 1 }
            try delete(deletes[start..<end], entity, connection)
            end = start
        }
    }

    private func delete(
        _ objects: ArraySlice<ManagedObject>, _ entity: EntityDescription, _ connection: Connection
    ) throws {
        guard objects.count >= connection.state.leastPendingRows, entity.schema.externalColumns.isEmpty,
            !entity.schema.mayReferToItself,
            // With triggers, SQLite keeps the rows that a statement changes until it ends, which costs more than one
            // statement for several rows gains.
            connection.state.history == nil, container.model.rootsWithDerivedColumns.isEmpty
        else { return try deleteOneByOne(objects.reversed(), connection) }
        // A statement deletes rows of one version; most rows that were never changed share theirs.
        let rows = DeletedRow.sorted(objects)
        var start = 0
        while start < rows.count {
            var end = start + 1
            while end < rows.count, end - start < PreparedDeletion.greatestCount,
                rows[end].version == rows[start].version
            {
                end += 1
            }
            if try end - start < connection.state.leastPendingRows || !deleteRows(rows[start..<end], entity, connection)
            {
                try deleteOneByOne(rows[start..<end].map(\.object), connection)
            }
            start = end
        }
    }

    private func deleteOneByOne(_ objects: some Sequence<ManagedObject>, _ connection: Connection) throws {
        for object in objects where try !delete(object, connection) { conflicting.append(object) }
    }

    /// Returns false if the row has another version. A row that no longer exists counts as deleted.
    private func delete(_ object: ManagedObject, _ connection: Connection) throws -> Bool {
        let entity = object.entity
        try retireExternalData(entity, rowID: object.record.rowID, connection)
        let statement = try preparedDeletion(entity).statementOfOne(connection)
        statement.bind(object.record.rowID, 1)
        statement.bind(object.record.version, 2)
        try run(statement, object)
        return try connection.changes == 1 || version(of: entity, object.record.rowID, connection) == nil
    }

    private func preparedDeletion(_ entity: EntityDescription) -> PreparedDeletion {
        if let last = lastDeletion, last.entity === entity { return last }
        let prepared = PreparedDeletion(entity)
        lastDeletion = prepared
        return prepared
    }

    /// Deletes rows of one version together. Returns false if none was deleted; deleting one by one then shows which of
    /// them was refused.
    private func deleteRows(
        _ rows: ArraySlice<DeletedRow>, _ entity: EntityDescription, _ connection: Connection
    ) throws -> Bool {
        guard let first = rows.first, let last = rows.last else { return true }
        let statement = try preparedDeletion(entity).statementOfRows(connection)
        statement.bind(first.version, 1)
        var position: Int32 = 2
        var index = rows.startIndex
        while index < rows.endIndex {
            statement.bind(rows[index].rowID, position)
            index &+= 1
            position &+= 1
        }
        // A rowid that occurs twice deletes one row.
        while position < PreparedDeletion.greatestCount + 2 {
            statement.bind(last.rowID, position)
            position += 1
        }
        guard try runForRows(statement, connection) else { return false }
        if connection.changes == rows.count { return true }
        for row in rows where try version(of: entity, row.rowID, connection) != nil { conflicting.append(row.object) }
        return true
    }
}

/// The statements that delete rows of an entity.
final class PreparedDeletion {
    let entity: EntityDescription
    private var statementOfOne: Statement?
    private var statementOfRows: Statement?

    /// The largest number of rows that one statement deletes.
    static let greatestCount = 64

    init(_ entity: EntityDescription) { self.entity = entity }

    /// Returns the statement that deletes a row by its identifier and version.
    func statementOfOne(_ connection: Connection) throws(SQLiteError) -> Statement {
        if let statementOfOne { return statementOfOne }
        let statement = try connection.statement(
            "DELETE FROM \(entity.tableName.quotedIdentifier) WHERE \"id$\" = ?1 AND \"version$\" = ?2")
        statementOfOne = statement
        return statement
    }

    /// Returns the statement that deletes rows of one version by as many identifiers as it takes.
    func statementOfRows(_ connection: Connection) throws(SQLiteError) -> Statement {
        if let statementOfRows { return statementOfRows }
        let rows = (2..<Self.greatestCount + 2).map { "?\($0)" }.joined(separator: ", ")
        let table = entity.tableName.quotedIdentifier
        let statement = try connection.statement(
            "DELETE FROM \(table) WHERE \"id$\" IN (\(rows)) AND \"version$\" = ?1")
        statementOfRows = statement
        return statement
    }
}

/// A row to be deleted. Sorting these avoids reading objects, which are scattered over the memory.
private struct DeletedRow {
    let rowID: Int64
    let version: Int64
    /// The object, which the save retains.
    unowned(unsafe) let object: ManagedObject

    init(_ object: ManagedObject) {
        (rowID, version, self.object) = (object.record.rowID, object.record.version, object)
    }

    /// Returns the rows of objects, sorted by version and rowid, which they usually already are.
    static func sorted(_ objects: ArraySlice<ManagedObject>) -> [DeletedRow] {
        var rows: [DeletedRow] = []
        rows.reserveCapacity(objects.count)
        var isSorted = true
        objects.withUnsafeBufferPointer { objects in
            var index = 0
            while index < objects.count {
                CPrefetchAhead(objects.baseAddress, MemoryLayout<ManagedObject>.stride, index, objects.count)
                rows.append(DeletedRow(objects[index]))
                if index > 0, !rows[index &- 1].isBefore(rows[index]) { isSorted = false }
                index &+= 1
            }
        }
        return isSorted ? rows : rows.sorted { $0.isBefore($1) }
    }

    private func isBefore(_ other: DeletedRow) -> Bool {
        version == other.version ? rowID < other.rowID : version < other.version
    }
}
