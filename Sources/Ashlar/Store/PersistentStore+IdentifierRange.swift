import AshlarSQLite

extension PersistentStore {
    /// The numbers that objects get which are inserted into this store; nil where it was given none, and each object
    /// gets the number after the greatest that its table ever had.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func identifierRange() throws -> ClosedRange<Int64>? {
        try read("reading the range of identifiers") { try StoreMetadata.identifierRange($0, in: schemaName)?.numbers }
    }

    /// Gives the store numbers of its own, which the objects get that are inserted into it from now on.
    ///
    ///     try store.setIdentifierRange(1_000_000_000...1_999_999_999)
    ///
    /// Stores that exchange changes each need a range of their own, else two objects get one number. The range is kept in
    /// the store and holds for all its tables: for saves, batch operations and identifiers that are obtained before a
    /// save. Rows that come from other stores keep their numbers, and do not change which number is next. No number is
    /// given twice, not even when a store gets another range and then the first again. When all are used, saves throw
    /// ``StoreError/identifiersExhausted(_:entity:_:)``. To set the range that a store has does nothing.
    ///
    /// A copy of a store has its range: give it another one. Set the range before other processes open the store, as they
    /// learn where it ends when they open it. A program that inserts rows with SQLite alone must give them numbers of the
    /// range itself, and raise `sqlite_sequence` with them.
    ///
    /// - Parameter range: Numbers from 1 to 2⁶².
    /// - Throws: ``StoreError/invalidIdentifierRange(_:_:)``, or another ``StoreError`` when the store cannot be written.
    public func setIdentifierRange(_ range: ClosedRange<Int64>) throws {
        guard range.lowerBound >= 1, range.upperBound <= IdentifierRange.limit else {
            throw StoreError.invalidIdentifierRange(url, range)
        }
        try write("setting the range of identifiers") { connection in
            let stored = try connection.transaction(writing: self) { try setIdentifierRange(range, connection) }
            connection.state.identifierRanges[schemaName] = stored
        }
    }

    private func setIdentifierRange(_ range: ClosedRange<Int64>, _ connection: Connection) throws -> IdentifierRange {
        let old = try StoreMetadata.identifierRange(connection, in: schemaName)
        if let old, old.numbers == range { return old }
        var new = IdentifierRange(numbers: range, used: old?.used ?? [])
        // A table that has yet to get its first row has no mark.
        var marks: [String: Int64] = [:]
        for row in try connection.rows("SELECT \"name\", \"seq\" FROM \(schemaName).\"sqlite_sequence\"") {
            marks[row[0].storedText] = row[1].storedInteger
        }
        let given = marks.values.filter { old?.hasMark($0) ?? true }.max()
        let isSameStart = old?.numbers.lowerBound == range.lowerBound
        // Numbers above a range that begins alike come again when it is made longer.
        if let given, !isSameStart || given > range.upperBound {
            new.noteUse(from: old?.numbers.lowerBound ?? 1, through: min(given, IdentifierRange.limit))
        }
        let tables = try connection.rows(
            "SELECT \"name\" FROM \(schemaName).\"sqlite_schema\" WHERE \"type\" = 'table' "
                + "AND \"sql\" LIKE '%AUTOINCREMENT%'")
        for table in tables.map({ $0[0].storedText }) {
            var mark = try connection.greatestNumber(in: new, of: table)
            if isSameStart, let old, let known = marks[table], old.hasMark(known) {
                mark = max(mark, min(known, range.upperBound))
            }
            try connection.setLastRowID(mark, of: table, in: schemaName)
        }
        try StoreMetadata.set(new, connection, in: schemaName)
        return new
    }
}
