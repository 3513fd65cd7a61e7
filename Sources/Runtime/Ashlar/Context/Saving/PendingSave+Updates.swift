import AshlarSQLite
import CPrefetch
import Containers

/// Changes of rows, many with one statement if their rowids are close to each other.
extension PendingSave {
    /// Writes the changes that change references, or those that do not, and collects the objects whose rows differ from
    /// the versions that the context read.
    func write(_ updates: [Update], ofReferences: Bool, _ connection: Connection) throws {
        try updates.withUnsafeBufferPointer { updates in
            var index = 0
            while index < updates.count {
                if (updates[index].mask & updates[index].traits.pointee.referenceMask != 0) != ofReferences {
                    index &+= 1
                    continue
                }
                let end = Self.endOfRows(from: index, updates)
                let rows = UnsafeBufferPointer(rebasing: updates[index..<end])
                if ofReferences { notePartners(of: rows.lazy.map(\.object), rows[0].entity, rows[0].mask) }
                if try rows.count < connection.state.leastPendingRows || !writeRows(rows, connection) {
                    for update in rows where try !write(update, connection) { conflicting.append(update.object) }
                }
                index = end
            }
        }
    }

    /// Returns the end of the changes that one statement can write.
    private static func endOfRows(from start: Int, _ updates: UnsafeBufferPointer<Update>) -> Int {
        let (traits, mask) = (updates[start].traits, updates[start].mask)
        var rowID = updates[start].rowID
        var end = start &+ 1
        while end < updates.count, end &- start < PendingRows.greatestCount {
            let next = updates[end].rowID
            guard updates[end].traits == traits, updates[end].mask == mask,
                next > rowID, next &- rowID <= PendingRows.greatestGap
            else { break }
            rowID = next
            end &+= 1
        }
        return end
    }

    /// Returns false if the row was deleted or has another version.
    private func write(_ update: Update, _ connection: Connection) throws -> Bool {
        let object = update.object
        try retireExternalData(update.entity, rowID: update.rowID, columns: update.mask, connection)
        let prepared = preparedUpdate(update.entity, update.mask)
        let statement = try prepared.statementOfOne(connection) { statement in
            statement.permanentRowIDs = permanentRowIDs
            container.setExternalData(of: statement, update.entity, connection)
        }
        statement.bind(update.rowID, 1)
        statement.bind(update.version, 2)
        var position: Int32 = 3
        for column in prepared.columns {
            object.bind(column, to: statement, position)
            position += 1
        }
        do {
            try run(statement, object)
        } catch SaveError.notUnique(let object, let properties, let values) {
            let columns = update.entity.columns.filter { properties.contains($0.property) }
            collisions = Set(columns.map { "\(update.entity.tableName).\($0.name)" })
            throw SaveError.notUnique(object, properties: properties, values: values)
        }
        return connection.changes == 1
    }

    /// Writes changes of the same columns together. Returns false if nothing was written; writing one by one then shows
    /// which of them was refused.
    private func writeRows(_ updates: UnsafeBufferPointer<Update>, _ connection: Connection) throws -> Bool {
        let (first, last) = (updates[0], updates[updates.count - 1])
        // Changes of an index are scattered: SQLite would keep a page for each row until the statement ends.
        guard first.mask & first.entity.indexedMask == 0, container.model.rootsWithDerivedColumns.isEmpty,
            // If values are logged, they must be in parameters.
            !surroundings.store.showsValues
        else { return false }
        let prepared = preparedUpdate(first.entity, first.mask)
        guard let columns = prepared.pendingColumns else { return false }
        let rows = try connection.pendingRows()
        rows.begin(columns, permanentRowIDs)
        defer { rows.end() }
        var index = 0
        while index < updates.count {
            CPrefetchObject(Unmanaged.passUnretained(updates[index].object).toOpaque())
            index &+= 1
        }
        index = 0
        while index < updates.count {
            let update = updates[index]
            index &+= 1
            rows.append(PendingRows.Row(rowID: update.rowID, version: update.version, object: update.object))
        }
        let statement = try prepared.statementOfRows(connection)
        statement.bind(first.rowID, 1)
        statement.bind(last.rowID, 2)
        guard try runForRows(statement, connection) else { return false }
        if rows.foundCount == updates.count, connection.changes == updates.count { return true }
        let keepsAll = rows.foundCount == connection.changes
        for row in rows.rows {
            // A trigger may have left rows unchanged, or deleted them.
            let isWritten =
                try row.isFound
                && (keepsAll || version(of: row.object.entity, row.rowID, connection) == row.version &+ 1)
            if !isWritten { conflicting.append(row.object) }
        }
        return true
    }

    private func preparedUpdate(_ entity: EntityDescription, _ mask: UInt64) -> PreparedUpdate {
        if let last = lastUpdate, last.entity === entity, last.mask == mask { return last }
        lastUpdate?.end()
        let prepared = PreparedUpdate(entity, mask)
        lastUpdate = prepared
        return prepared
    }
}

/// The statements that set some columns of an entity's rows.
final class PreparedUpdate {
    let entity: EntityDescription
    /// The bits of the columns.
    let mask: UInt64
    let columns: [Int]
    /// The columns, if one statement can set them in several rows.
    let pendingColumns: [PendingRows.Column]?
    private var statementOfOne: Statement?
    private var statementOfRows: Statement?

    init(_ entity: EntityDescription, _ mask: UInt64) {
        (self.entity, self.mask) = (entity, mask)
        columns = entity.ownColumns.filter { mask & ManagedObject.bit(of: $0) != 0 }
        pendingColumns = PendingRows.columns(columns, entity.layout)
    }

    /// Returns the statement that sets the columns of a row by its identifier and version. A closure prepares it once.
    func statementOfOne(_ connection: Connection, _ prepare: (Statement) -> Void) throws(SQLiteError) -> Statement {
        if let statementOfOne { return statementOfOne }
        let text = Self.text(entity, columns) { "?\($0 + 3)" }
        let statement = try connection.statement(text + " WHERE \"id$\" = ?1 AND \"version$\" = ?2")
        prepare(statement)
        statementOfOne = statement
        return statement
    }

    /// Returns the statement that sets the columns of ``PendingRows``.
    func statementOfRows(_ connection: Connection) throws(SQLiteError) -> Statement {
        if let statementOfRows { return statementOfRows }
        let text = Self.text(entity, columns) { "ashlar_pending_value(\"id$\", \($0))" }
        let statement = try connection.statement(text + PendingRows.condition)
        statementOfRows = statement
        return statement
    }

    /// Releases the save from the statements.
    func end() { statementOfOne?.permanentRowIDs = PermanentRowIDs() }

    private static func text(_ entity: EntityDescription, _ columns: [Int], _ value: (Int) -> String) -> String {
        var text = "UPDATE \(entity.tableName.quotedIdentifier) SET \"version$\" = \"version$\" + 1"
        for (index, column) in columns.enumerated() {
            text += ", \(entity.columns[column].name.quotedIdentifier) = \(value(index))"
        }
        return text
    }
}
