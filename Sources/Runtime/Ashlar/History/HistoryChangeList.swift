/// Combines the changes of a transaction into one change for each object.
struct HistoryChangeList {
    private let transactionNumber: Int64
    private let storeNumber: UInt32
    private var list: [PersistentHistoryChange?] = []
    /// The positions of the changes of rows that were written one by one.
    private var positions: [RowKey: Int] = [:]
    /// The positions of the changes of rows that were inserted together.
    private var ranges: [(root: UInt16, rows: ClosedRange<Int64>, start: Int)] = []
    /// The sets of properties, which many updates share.
    private var sets: [SetKey: Set<String>] = [:]

    private struct SetKey: Hashable {
        var entity: Int64
        var bits: Int64
    }

    init(transactionNumber: Int64, storeNumber: UInt32) {
        self.transactionNumber = transactionNumber
        self.storeNumber = storeNumber
    }

    var changes: [PersistentHistoryChange] { list.compactMap { $0 } }

    mutating func insert(_ change: Int64, _ entity: EntitySchema, _ rows: ClosedRange<Int64>) {
        if rows.count == 1 {
            let key = RowKey(root: entity.number.root, rowID: rows.lowerBound)
            if let position = position(key), let known = list[position] {
                if known.changeType == .delete {
                    // The row was deleted and inserted again, so that all its properties may have changed.
                    list[position] = makeChange(known.changeID, .update, entity, rows.lowerBound)
                    list[position]?.updatedProperties = entity.storedProperties
                } else {
                    // Insertions of a batch are recorded after the changes of triggers to its rows.
                    list[position] = makeChange(known.changeID, .insert, entity, rows.lowerBound)
                }
                return
            }
            positions[key] = list.count
        } else {
            if !positions.isEmpty { forgetUpdates(of: entity.number.root, rows) }
            ranges.append((entity.number.root, rows, list.count))
            list.reserveCapacity(list.count + rows.count)
        }
        for row in rows { list.append(makeChange(change, .insert, entity, row)) }
    }

    /// Removes the changes of triggers to rows of a batch, whose insertion is recorded now.
    private mutating func forgetUpdates(of root: UInt16, _ rows: ClosedRange<Int64>) {
        for (key, position) in positions where key.root == root && rows.contains(key.rowID) {
            list[position] = nil
            positions[key] = nil
        }
    }

    mutating func update(_ change: Int64, _ entity: EntitySchema, _ rowID: Int64, _ properties: Set<String>) {
        let key = RowKey(root: entity.number.root, rowID: rowID)
        guard let position = position(key), let known = list[position] else {
            positions[key] = list.count
            list.append(makeChange(change, .update, entity, rowID))
            list[list.count - 1]?.updatedProperties = properties
            return
        }
        if known.changeType == .update { list[position]?.updatedProperties.formUnion(properties) }
    }

    mutating func delete(
        _ change: Int64, _ entity: EntitySchema, _ rowID: Int64, _ tombstone: PersistentHistoryTombstone
    ) {
        let key = RowKey(root: entity.number.root, rowID: rowID)
        var deletion = makeChange(change, .delete, entity, rowID)
        deletion.tombstone = tombstone
        guard let position = position(key) else {
            positions[key] = list.count
            return list.append(deletion)
        }
        if let known = list[position], known.changeType == .insert {
            // The object existed only within the transaction.
            list[position] = nil
            positions[key] = nil
        } else {
            deletion.changeID = list[position]?.changeID ?? change
            list[position] = deletion
        }
    }

    /// Returns the names of the properties that the bits of a change represent.
    mutating func names(_ properties: [String], _ bits: Int64, of entity: Int64) -> Set<String> {
        let key = SetKey(entity: entity, bits: bits)
        if let known = sets[key] { return known }
        let names = Set(properties.indices.filter { bits & (1 << Int64($0)) != 0 }.map { properties[$0] })
        sets[key] = names
        return names
    }

    private func position(_ key: RowKey) -> Int? {
        if let position = positions[key] { return position }
        for range in ranges where range.root == key.root && range.rows.contains(key.rowID) {
            return range.start + Int(key.rowID - range.rows.lowerBound)
        }
        return nil
    }

    private func makeChange(
        _ change: Int64, _ type: PersistentHistoryChange.ChangeType, _ entity: EntitySchema, _ rowID: Int64
    ) -> PersistentHistoryChange {
        PersistentHistoryChange(
            changeID: change, transactionNumber: transactionNumber, changeType: type,
            changedObjectID: PersistentIdentifier(rowID: rowID, store: storeNumber, entity: entity.number),
            updatedProperties: [], tombstone: nil)
    }
}

extension EntitySchema {
    /// The names of all properties that have a column in the rows of objects.
    fileprivate var storedProperties: Set<String> {
        Set(columns.map { String($0.property.prefix { $0 != "." }) })
    }
}
