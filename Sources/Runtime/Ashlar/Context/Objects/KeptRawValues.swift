import AshlarSQLite

/// Raw values in a row for which the program's types have no case, by the numbers of their columns.
///
/// The object has a substitute case for them. Without the raw values, an undo would write that case into the row.
struct KeptRawValues {
    let object: ManagedObject
    private(set) var values: [Int: SQLiteValue]

    /// Returns the same values for an object of a parent context.
    func of(_ other: ManagedObject) -> KeptRawValues { KeptRawValues(object: other, values: values) }

    /// Adds values of other columns.
    mutating func join(_ other: KeptRawValues) { values.merge(other.values) { known, _ in known } }
}

extension ManagedObject {
    /// Returns whether a column has the case that stands for raw values without one.
    final func isUnknown(_ column: Int) -> Bool {
        guard let unknown = layout.column(column)?.0.pointee.slot.coding?.unknownRawValue else { return false }
        return sqliteValue(column) == unknown
    }
}

extension ModelContext {
    /// Returns the raw values without a case of an object's row, in columns whose kept values have the case that stands
    /// for them; nil if there are none.
    func unknownRawValues(of object: ManagedObject, in columns: UInt64, before: KeptValues) -> KeptRawValues? {
        guard case .all(let box) = before, object.record.rowID > 0,
            object.record.state == .persisted || object.record.state == .deleted
        else { return nil }
        let layout = object.layout
        let wanted = layout.unknownColumns.filter { number in
            guard columns & ManagedObject.bit(of: number) != 0, let (column, _) = layout.column(number) else {
                return false
            }
            let value = layout.sqliteValue(column.pointee, box.values, inObject: false)
            return value == column.pointee.slot.coding?.unknownRawValue
        }
        if wanted.isEmpty { return nil }
        // An undo that is not saved yet gave the object values that its row does not have.
        let pendingValues = pending.unknownRawValues[ObjectIdentifier(object)]?.values ?? [:]
        var values = pendingValues.filter { wanted.contains($0.key) }
        do {
            let others = wanted.filter { values[$0] == nil }
            if !others.isEmpty {
                values.merge(try storedUnknownRawValues(of: object, others)) { known, _ in known }
            }
            return values.isEmpty ? nil : KeptRawValues(object: object, values: values)
        } catch {
            errors.note(error)
            return nil
        }
    }

    private func storedUnknownRawValues(of object: ManagedObject, _ columns: [Int]) throws -> [Int: SQLiteValue] {
        let (entity, layout) = (object.entity, object.layout)
        let names = columns.map { entity.columns[$0].name.quotedIdentifier }.joined(separator: ", ")
        let sql = "SELECT \(names) FROM \(entity.tableName.quotedIdentifier) WHERE \"id$\" = ?1"
        return try read("reading raw values of \(entity.name)") { connection -> [Int: SQLiteValue] in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            statement.bind(object.record.rowID, 1)
            guard try statement.step() else { return [:] }
            let row = Row(statement: statement.handle, store: 0)
            var values: [Int: SQLiteValue] = [:]
            for (position, column) in columns.enumerated() {
                let coding = layout.column(column)?.0.pointee.slot.coding
                if coding?.isUnknown(row, Int32(position)) == true { values[column] = row.value(Int32(position)) }
            }
            return values
        }
    }
}
