import AshlarSQLite
import Containers

/// Copies of objects in no context, for comparing and combining values of one row.
extension ModelContext {
    /// Returns a copy of a stored row, of the row's class; nil if the row does not exist.
    ///
    /// The given columns have the values of other objects, or given values, instead of the row's, so any combination
    /// can be made without code for each column. The copy's record has the row's version.
    func storedCopy(
        of rowID: Int64, like object: ManagedObject, keeping columns: [Int: ManagedObject], values: [Int: SQLiteValue]
    ) throws -> ManagedObject? {
        if let parent { return try storedCopy(of: rowID, like: object, keeping: columns, in: parent) }
        let columns = columns.filter { values[$0.key] == nil }
        let entity = object.entity
        let table = entity.tableName.quotedIdentifier
        var terms = ["\"id$\"", "\"version$\""] + (entity.hasDiscriminator ? ["\"entity$\""] : [])
        terms += entity.columns.enumerated().map { index, column in
            columns[index] == nil && values[index] == nil ? column.name.quotedIdentifier : "?\(index + 2)"
        }
        let sql = "SELECT \(terms.joined(separator: ", ")) FROM \(table) WHERE \"id$\" = ?1"
        let isWhole = columns.isEmpty && values.isEmpty
        return try copy(entity, isWhole ? entity.selectOneStatement : sql, rowID, columns, values)
    }

    /// Returns the copy for a child context, where the parent's object stands for the stored row.
    private func storedCopy(
        of rowID: Int64, like object: ManagedObject, keeping columns: [Int: ManagedObject], in parent: ModelContext
    ) throws -> ManagedObject? {
        let identifier = PersistentIdentifier(
            rowID: rowID, store: container.storeNumber(of: object.rootNumber), entity: object.entity.number)
        guard let other = try parentObject(identifier, parent) else { return nil }
        var sources = columns
        for column in other.entity.ownColumns where sources[column] == nil { sources[column] = other }
        let copy = try composedCopy(like: other, sources)
        copy.record.version = other.record.version
        return copy
    }

    /// Returns a copy of an object whose given columns have the values of the given objects. Derived columns have the
    /// object's own values; all others are nil.
    func composedCopy(like object: ManagedObject, _ columns: [Int: ManagedObject]) throws -> ManagedObject {
        let entity = object.entity
        var terms = ["?1", "0"]
        if entity.hasDiscriminator {
            terms.append(entity.discriminator.map(\.quotedLiteral) ?? "NULL")
        }
        terms += entity.columns.enumerated().map { index, column in
            columns[index] == nil && !column.isDerived ? "NULL" : "?\(index + 2)"
        }
        let sql = "SELECT \(terms.joined(separator: ", "))"
        var derived: [Int: SQLiteValue] = [:]
        for (index, column) in entity.columns.enumerated() where column.isDerived {
            derived[index] = object.sqliteValue(index)
        }
        return try copy(entity, sql, object.record.rowID, columns, derived) ?? object
    }

    /// Returns the object of a row that a statement reads, with the values of objects or other values in some columns.
    private func copy(
        _ entity: EntityDescription, _ sql: String, _ rowID: Int64, _ columns: [Int: ManagedObject],
        _ values: [Int: SQLiteValue]
    ) throws -> ManagedObject? {
        try read("reading \(entity.name) anew") { connection -> ManagedObject? in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            statement.bind(rowID, 1)
            for (column, source) in columns {
                source.bind(column, to: statement, Int32(column + 2))
                if let error = statement.bindingError { throw SaveError.conversion(source.identifier, error) }
            }
            for (index, value) in values { statement.bind(value, Int32(index + 2)) }
            guard try statement.step() else { return nil }
            let store = container.storeNumber(of: entity.number.root)
            // Values of unsaved objects may be among the row's values.
            let row = Row(statement: statement.handle, store: store, namesUnsaved: !columns.isEmpty)
            let copy: ManagedObject
            do throws(RowError) {
                // The root's class determines the class of the row.
                copy = try container.model.entity(entity.number.root).modelClass.object(at: row)
            } catch {
                throw Self.storeError(error, entity, rowID: rowID)
            }
            copy.record.rowID = rowID
            copy.record.version = statement.integer(1)
            copy.record.storeNumber = store
            return copy
        }
    }

    /// Returns copies of stored rows by the numbers of their tables, reading each table with one statement. Rows that
    /// do not exist or cannot be read are missing.
    func storedCopies(of rows: [RowKey]) throws -> [UInt16: IdentityMap] {
        if rows.count < 2 { return [:] }
        var result: [UInt16: IdentityMap] = [:]
        for (root, rows) in Dictionary(grouping: rows, by: \.root).sorted(by: { $0.key < $1.key }) {
            result[root] = try storedCopies(of: RowIDList.sorted(rows.map(\.rowID)), container.model.entity(root))
        }
        return result
    }

    private func storedCopies(of rowIDs: [Int64], _ entity: EntityDescription) throws -> IdentityMap {
        let store = container.storeNumber(of: entity.number.root)
        let copies = IdentityMap(storeNumber: store)
        copies.reserve(rowIDs.count)
        try read("reading \(entity.name) anew") { connection in
            let statement = try connection.statementForMany(entity)
            defer { statement.reset() }
            statement.bind(.text(RowIDList.json(rowIDs)), 1)
            let row = Row(statement: statement.handle, store: store)
            try ObjectMaker.withTemporary(entity) { maker in
                while try statement.step() {
                    let rowID = row.rowID
                    // Rows that cannot be read are skipped; reading such a row individually reports the reason.
                    guard !copies.contains(rowID), let copy = try? maker.retainedObject(at: row) else { continue }
                    copy._withUnsafeGuaranteedRef {
                        $0.record.rowID = rowID
                        $0.record.version = row.version
                    }
                    copies.insert(retained: copy, rowID: rowID)
                }
            }
        }
        return copies
    }

    /// Returns the row that has an object's values in the columns of a uniqueness constraint.
    func row(with columns: [Int], of object: ManagedObject) throws -> Int64? {
        let entity = object.entity
        let terms = columns.enumerated().map { index, column in
            "\(entity.columns[column].name.quotedIdentifier) = ?\(index + 1)"
        }
        let sql =
            "SELECT \"id$\" FROM \(entity.tableName.quotedIdentifier) WHERE \(terms.joined(separator: " AND ")) LIMIT 1"
        return try read("looking for unique values of \(entity.name)") { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            for (index, column) in columns.enumerated() {
                object.bind(column, to: statement, Int32(index + 1))
            }
            return try statement.step() ? statement.integer(0) : nil
        }
    }

    /// Returns a copy of an object with its present values, in no context.
    func copy(of object: ManagedObject) -> ManagedObject {
        let copy = type(of: object).object(of: object.snapshot())
        copy.record.rowID = object.record.rowID
        copy.record.storeNumber = container.storeNumber(of: object.rootNumber)
        return copy
    }

    /// Returns the columns of an object whose values differ from those of another object of the same class.
    func columns(of object: ManagedObject, changedSince other: ManagedObject?) throws -> Set<Int> {
        guard let other else { return Set(object.entity.ownColumns) }
        let mask = object.changes(since: other.snapshot(), in: .max)
        return Set(
            try object.entity.ownColumns.filter { column in
                guard mask & ManagedObject.bit(of: column) != 0 else { return false }
                // The last bit stands for several columns.
                return try column < 63 || storedValue(column, of: object) != storedValue(column, of: other)
            })
    }

    /// Returns the store's form of a column's value, even of one that only a transformer or encoder can produce.
    func storedValue(_ column: Int, of object: ManagedObject) throws -> SQLiteValue {
        let known = object.sqliteValue(column)
        if !known.isNull { return known }
        return try read("comparing \(object.entity.name)") { connection in
            let statement = try connection.statement("SELECT ?1")
            defer { statement.reset() }
            object.bind(column, to: statement, 1)
            if let error = statement.bindingError { throw SaveError.conversion(object.identifier, error) }
            guard try statement.step() else { return .null }
            return Row(statement: statement.handle, store: 0).value(0)
        }
    }
}
