import AshlarSQLite

/// A check of the row numbers in a store's history, which the author of the file may have changed.
///
/// A change may represent a range of rows that were inserted together. A range is expanded into one change for each
/// row, so that a single altered number could exhaust the memory.
final class HistoryRows {
    /// The number of rows in ranges that is accepted without counting the rows of the tables.
    private static let believedCount: Int64 = 1 << 20

    private let reader: HistoryReader
    private var count: Int64 = 0
    /// The maximum number of rows; nil until it is needed.
    private var limit: Int64?

    init(_ reader: HistoryReader) { self.reader = reader }

    /// Returns the number of a row. Throws ``HistoryError/damaged(_:change:reason:)``.
    func row(_ number: Int64?, _ change: Int64) throws -> Int64 {
        guard let number, number > 0 else { throw damaged(change, "it names the row \(number ?? 0)") }
        return number
    }

    /// Returns the numbers of rows that were inserted together. Throws ``HistoryError/damaged(_:change:reason:)``.
    func range(_ first: Int64?, _ last: Int64?, _ change: Int64) throws -> ClosedRange<Int64> {
        let first = try row(first, change)
        guard let last else { return first...first }
        if last < first { throw damaged(change, "its rows end at \(last), before the first, \(first)") }
        // Both are positive.
        let (total, overflows) = count.addingReportingOverflow(last - first)
        count = total
        if overflows || count > Self.believedCount, try overflows || count > greatestCount() {
            throw damaged(change, "it lists rows \(first) to \(last), more than there were")
        }
        return first...last
    }

    /// Returns the maximum number of rows, from those that exist and those that changes record.
    private func greatestCount() throws -> Int64 {
        if let limit { return limit }
        let rows = try reader.trackedRowCount() + Self.believedCount
        limit = rows
        return rows
    }

    /// The entities of deleted rows in tables with several entities, from the records of their deletions.
    private var deletedEntities: [RowKey: EntitySchema]?

    /// Returns the entity of a deleted row; nil if the history does not record its deletion.
    func entity(ofDeleted rowID: Int64, below entity: EntitySchema) throws -> EntitySchema? {
        let known = try deletedEntities ?? reader.deletedEntities()
        deletedEntities = known
        return known[RowKey(root: entity.number.root, rowID: rowID)]
    }

    private func damaged(_ change: Int64, _ reason: String) -> HistoryError {
        .damaged(reader.store.url, change: change, reason: reason)
    }
}

extension HistoryReader {
    /// Returns the entities of deleted rows in tables with several entities.
    fileprivate func deletedEntities() throws -> [RowKey: EntitySchema] {
        var found: [Int64: EntitySchema] = [:]
        for (number, meaning) in entities.meanings {
            if case .objects(let entity, _) = meaning, entity.hasDiscriminator { found[number] = entity }
        }
        let numbers = found.keys.sorted().map(String.init).joined(separator: ", ")
        let rows = try connection.rows(
            """
            SELECT "entity", "row" FROM \(store.schemaName)."ashlar$change"
            WHERE "kind" = \(RecordedKind.deletion.rawValue) AND "entity" IN (\(numbers))
            """)
        var result: [RowKey: EntitySchema] = [:]
        for row in rows {
            guard case .integer(let number) = row[0], case .integer(let rowID) = row[1], let entity = found[number]
            else { continue }
            result[RowKey(root: entity.number.root, rowID: rowID)] = entity
        }
        return result
    }

    /// Returns the number of rows in the tracked tables plus the number of changes.
    fileprivate func trackedRowCount() throws -> Int64 {
        var count = try connection.integer("SELECT count(*) FROM \(store.schemaName).\"ashlar$change\"") ?? 0
        for table in TrackedTable.tables(of: model) where store.entityNames.contains(where: table.holds) {
            count += try connection.integer("SELECT count(*) FROM \(table.name.quotedIdentifier)") ?? 0
        }
        return count
    }
}

extension TrackedTable {
    /// Returns whether the table contains objects of an entity.
    fileprivate func holds(_ entityName: String) -> Bool {
        if case .objects(let entities) = content { entities.contains { $0.entity.name == entityName } } else { false }
    }
}
