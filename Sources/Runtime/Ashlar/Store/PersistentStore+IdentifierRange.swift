import AshlarSQLite

extension PersistentStore {
    /// Returns the range of row numbers that the store gives to inserted objects, or nil if it has none.
    ///
    /// Without a range, an object gets the number after the greatest that its table ever had.
    ///
    ///     if let range = try store.identifierRange() { print(range.count) }
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func identifierRange() throws -> ClosedRange<Int64>? {
        try read("reading the range of identifiers") { try StoreMetadata.identifierRange($0, in: schemaName)?.numbers }
    }

    /// Sets the range of row numbers that the store gives to objects inserted from now on.
    ///
    /// Stores that exchange changes each need a range of their own, because otherwise two objects get the same number.
    ///
    ///     try store.setIdentifierRange(1_000_000_000...1_999_999_999)
    ///
    /// The range is kept in the store and applies to all its tables: to saves, batch operations and reserved
    /// identifiers. Rows from other stores keep their numbers. No number is used twice, even if a range is set again
    /// later. When all are used, saves throw ``StoreError/identifiersExhausted(_:entity:_:)``.
    ///
    /// A copy of a store has the same range: give it another one. Set the range before other processes open the store,
    /// because they read its end when they open it. A program that inserts rows with SQLite must use numbers of the
    /// range, and update `sqlite_sequence`.
    ///
    /// - Parameter range: Numbers from 1 to 2⁶².
    /// - Throws: ``StoreError/invalidIdentifierRange(_:_:)``, or another ``StoreError`` if the store cannot be written.
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
        // A table without any row so far has no mark.
        var marks: [String: Int64] = [:]
        for row in try connection.rows("SELECT \"name\", \"seq\" FROM \(schemaName).\"sqlite_sequence\"") {
            marks[row[0].storedText] = row[1].storedInteger
        }
        let given = marks.values.filter { old?.hasMark($0) ?? true }.max()
        let isSameStart = old?.numbers.lowerBound == range.lowerBound
        // With the same start, numbers beyond the new end would be given again if the range is extended later.
        if let given, !isSameStart || given > range.upperBound {
            new.noteUse(from: old?.numbers.lowerBound ?? 1, through: min(given, IdentifierRange.limit))
        }
        let schema = try connection.schema(of: schemaName)
        for table in schema.objects(.table).filter({ !$0.isVirtualTable }).map(\.name)
        where try schema.columns(of: table).contains(where: \.isAutoincrement) {
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
