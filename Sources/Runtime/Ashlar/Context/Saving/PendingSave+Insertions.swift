import AshlarSQLite
import Containers

/// Insertions of rows, several with one statement.
extension PendingSave {
    /// Inserts the rows of new objects.
    func insertAll(_ connection: Connection) throws {
        // Groups by entity, in the order of insertion; usually there is one group.
        var groups: [(entity: EntityDescription, objects: [ManagedObject])] = []
        var last = -1
        var position = 0
        while position < inserts.count {
            let object = inserts[position]
            position &+= 1
            let entity = object.entity
            if last < 0 || groups[last].entity !== entity {
                last = groups.firstIndex { $0.entity === entity } ?? groups.count
                if last == groups.count { groups.append((entity, [])) }
            }
            groups[last].objects.append(object)
        }
        for (entity, objects) in groups {
            try insert(objects[...], entity, connection)
            notePartners(of: objects, entity, .max)
        }
        if !returned.isEmpty { try writeVersionsOfReturned(connection) }
    }

    private func writeVersionsOfReturned(_ connection: Connection) throws {
        for object in inserts {
            guard let version = returned[ObjectIdentifier(object)] else { continue }
            let table = object.entity.tableName.quotedIdentifier
            let statement = try connection.statement("UPDATE \(table) SET \"version$\" = ?2 WHERE \"id$\" = ?1")
            statement.bind(object.record.rowID, 1)
            statement.bind(version, 2)
            try run(statement, object)
        }
    }

    /// Inserts several rows with one statement, which costs less than one statement for each row.
    private func insert(
        _ objects: ArraySlice<ManagedObject>, _ entity: EntityDescription, _ connection: Connection
    ) throws {
        let rowsPerStatement = entity.rowsPerInsertion
        let texts = (
            one: entity.insertStatement(rows: 1),
            several: objects.count < rowsPerStatement
                ? "" : try entity.insertStatement(rows: rowsPerStatement, on: connection, in: container)
        )
        var rest = objects
        while !rest.isEmpty {
            let rows = rest.count >= rowsPerStatement ? rowsPerStatement : 1
            let chunk = rest.prefix(rows)
            rest = rest.dropFirst(rows)
            do {
                try insertRows(chunk, entity, rows == 1 ? texts.one : texts.several, connection)
            } catch is UnattributedConversionError where rows > 1 {
                try insertOneByOne(chunk, entity, texts.one, connection)
            } catch let error as SaveError where rows > 1 && error.isConstraint {
                let inserted = connection.changes
                // A trigger may have rolled back the transaction; further writes would then be committed.
                if connection.isInAutocommit { throw error }
                try insertOneByOne(chunk.dropFirst(inserted), entity, texts.one, connection)
                // The changes that belong to the rows before the refused one were lost with it.
                if inserted > 0 { throw error }
            }
        }
    }

    /// Inserts rows one by one, to find the object that was refused.
    private func insertOneByOne(
        _ objects: ArraySlice<ManagedObject>, _ entity: EntityDescription, _ sql: String, _ connection: Connection
    ) throws {
        for object in objects { try insertRows([object], entity, sql, connection) }
    }

    private func insertRows(
        _ objects: ArraySlice<ManagedObject>, _ entity: EntityDescription, _ sql: String, _ connection: Connection
    ) throws {
        let statement = try connection.statement(sql)
        statement.permanentRowIDs = permanentRowIDs
        container.setExternalData(of: statement, entity, connection)
        defer { statement.permanentRowIDs = PermanentRowIDs() }
        let width = Int32(entity.insertedColumnCount)
        var base: Int32 = 0
        var position = objects.startIndex
        while position < objects.endIndex {
            let object = objects[position]
            position &+= 1
            statement.base = base
            base += width
            statement.bind(permanentRowIDs[object.record.rowID] ?? 0, 1)
            if entity.hasDiscriminator {
                statement.bind(entity.discriminator, 2)
                statement.base += 2
            } else {
                statement.base += 1
            }
            object.bind(to: statement)
        }
        statement.base = 0
        try run(statement, objects.count == 1 ? objects.first : nil)
    }
}
