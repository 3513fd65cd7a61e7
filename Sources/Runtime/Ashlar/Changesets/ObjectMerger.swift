import AshlarSQLite

/// Merges two rows of a table into one. The row with the smaller number stays, references to the other lead to it, and
/// the values are combined.
///
/// This may give other objects the same unique values, or the same reference where only one is allowed. Those are
/// merged too. A merge requires a transaction that checks foreign keys at its end.
package final class ObjectMerger {
    let tables: ChangedTables
    private let connection: Connection
    /// The rows that do not stay when they are merged, even if their numbers are smaller, by table.
    package var yieldingRows: [String: Set<Int64>] = [:]
    /// A closure that returns the values of a property's columns when two objects are merged, from those of the
    /// preferred and of the other object. If it returns nil, the preferred object's value is kept, or the other's if the
    /// preferred one has none.
    package var combining:
        (
            (
                _ table: String, _ row: Int64, _ property: String, _ preferred: [String: SQLiteValue],
                _ other: [String: SQLiteValue]
            ) -> [String: SQLiteValue]?
        )?
    /// The numbers of the rows into which others were merged, by table and former number.
    package private(set) var aliases: [String: [Int64: Int64]] = [:]
    package private(set) var updated: [(table: String, row: Int64)] = []
    package private(set) var deleted: [(table: String, row: Int64, entity: EntitySchema?)] = []
    /// The dropped values of merged rows, by table and the number of the deleted row.
    package private(set) var lostValues: [String: [Int64: [String: SQLiteValue]]] = [:]

    init(_ tables: ChangedTables) {
        self.tables = tables
        connection = tables.connection
    }

    /// Returns the present number of a row.
    package func current(_ table: String, _ row: Int64) -> Int64 {
        var row = row
        while let other = aliases[table]?[row] { row = other }
        return row
    }

    /// Returns which of two rows stays, and which one is deleted.
    private func order(_ table: String, _ first: Int64, _ second: Int64) -> (kept: Int64, lost: Int64) {
        let (less, greater) = (min(first, second), max(first, second))
        let yields = yieldingRows[table] ?? []
        return yields.contains(less) && !yields.contains(greater) ? (greater, less) : (less, greater)
    }

    /// Returns values with the present numbers of the rows that they refer to.
    func currentReferences(_ values: [String: SQLiteValue], _ table: StoredTable) -> [String: SQLiteValue] {
        if aliases.isEmpty { return values }
        var values = values
        for reference in tables.references where reference.table == table.name {
            guard case .integer(let row)? = values[reference.column] else { continue }
            values[reference.column] = .integer(
                current(tables.model.entitySchema(reference.destination).tableName, row))
        }
        return values
    }

    /// Returns whether two rows exist and belong to one entity.
    func canMerge(_ table: StoredTable, _ first: Int64, _ second: Int64) throws -> Bool {
        guard first != second, let one = try table.values(of: [.integer(first)], connection),
            let other = try table.values(of: [.integer(second)], connection)
        else { return false }
        return one["entity$"] == other["entity$"]
    }

    /// Merges two rows of one entity, and returns the one that stays.
    ///
    /// - Parameters:
    ///   - preferred: The row whose values are kept. Missing values are taken from the other row.
    ///   - wanted: Values of one of the two rows, which has placeholders for them.
    @discardableResult
    func merge(
        _ table: StoredTable, _ first: Int64, _ second: Int64, preferring preferred: Int64,
        with wanted: (row: Int64, values: [String: SQLiteValue])? = nil
    ) throws -> Int64 {
        let (kept, lost) = order(table.name, first, second)
        guard var keptValues = try table.values(of: [.integer(kept)], connection),
            var lostValues = try table.values(of: [.integer(lost)], connection)
        else { return kept }
        // The values that the deletion of the other row releases, so that no third row can have them.
        var known: [String: SQLiteValue] = [:]
        if let wanted, wanted.row == kept {
            for name in wanted.values.keys { known[name] = lostValues[name] }
            keptValues.merge(wanted.values) { $1 }
        } else if let wanted {
            lostValues.merge(wanted.values) { $1 }
        }
        let isKeptPreferred = preferred == kept
        var merged = merge(
            table, kept, isKeptPreferred ? keptValues : lostValues, isKeptPreferred ? lostValues : keptValues)
        referToOne(&merged, table, kept, lost, keptValues, lostValues)
        try freeUniqueValues(of: lost, lostValues, table)
        aliases[table.name, default: [:]][lost] = kept
        try moveReferences(to: table, from: lost, to: kept)
        try movePairs(of: table, from: lost, to: kept)
        deleted.append((table.name, lost, tables.entity(of: table.name, lostValues["entity$"])))
        self.lostValues[table.name, default: [:]][lost] = isKeptPreferred ? lostValues : keptValues
        try table.delete([.integer(lost)], connection)
        // A nested merge may have merged the row that stays here into another.
        let row = current(table.name, kept)
        guard let now = try table.values(of: [.integer(row)], connection) else { return row }
        keptValues = now
        try write(currentReferences(merged, table), over: keptValues, or: known, table, row)
        updated.append((table.name, row))
        return row
    }

    /// Returns the values of one row, and those of the other for properties that are nil in the first. The columns of a
    /// property stay together.
    private func merge(
        _ table: StoredTable, _ row: Int64, _ values: [String: SQLiteValue], _ others: [String: SQLiteValue]
    ) -> [String: SQLiteValue] {
        var groups: [String: [String]] = [:]
        for column in tables.tracked[table.name]?.columns ?? [] where table.isWritable(column.name) {
            groups[column.property, default: []].append(column.name)
        }
        var merged: [String: SQLiteValue] = [:]
        for (property, names) in groups {
            let isThere = names.contains { values[$0]?.isNull == false }
            for name in names { merged[name] = isThere ? values[name] : others[name] }
            let columns = Set(names)
            let both = combining?(
                table.name, row, property, values.filter { columns.contains($0.key) },
                others.filter { columns.contains($0.key) })
            for name in names { merged[name] = both?[name] ?? merged[name] }
        }
        return merged
    }

    /// Sets references between the two rows to NULL, unless one referred to itself or the reference is required.
    private func referToOne(
        _ merged: inout [String: SQLiteValue], _ table: StoredTable, _ kept: Int64, _ lost: Int64,
        _ keptValues: [String: SQLiteValue], _ lostValues: [String: SQLiteValue]
    ) {
        guard let root = tables.root(of: table.name)?.number.root else { return }
        for reference in tables.references where reference.table == table.name && reference.destination == root {
            guard case .integer(let target)? = merged[reference.column], target == kept || target == lost else {
                continue
            }
            let isOwn =
                keptValues[reference.column] == .integer(kept) || lostValues[reference.column] == .integer(lost)
            merged[reference.column] = isOwn || reference.isRequired ? .integer(kept) : .null
        }
    }

    private func freeUniqueValues(
        of row: Int64, _ values: [String: SQLiteValue], _ table: StoredTable
    ) throws(SQLiteError) {
        var placeholders: [String: SQLiteValue] = [:]
        for name in tables.uniqueColumns(of: table.name) {
            if let value = values[name] { placeholders[name] = ChangedTables.placeholder(for: value, row) }
        }
        try table.update([.integer(row)], placeholders, connection)
    }

    /// Writes values except unique ones that a third row has.
    private func write(
        _ values: [String: SQLiteValue], over stored: [String: SQLiteValue], or known: [String: SQLiteValue],
        _ table: StoredTable, _ row: Int64
    ) throws(SQLiteError) {
        var changed: [String: SQLiteValue] = [:]
        for (name, value) in values where stored[name] != value { changed[name] = value }
        if changed.isEmpty { return }
        let error = try refusal { () throws(SQLiteError) in try table.update([.integer(row)], changed, connection) }
        if error == nil { return }
        for name in tables.uniqueColumns(of: table.name) { changed[name] = known[name] }
        try table.update([.integer(row)], changed, connection)
    }

    // MARK: References to the row

    private func moveReferences(to table: StoredTable, from lost: Int64, to kept: Int64) throws {
        guard let root = tables.root(of: table.name)?.number.root else { return }
        for reference in tables.references where reference.destination == root {
            let holder = try tables.shape(reference.table)
            let rows = try connection.rows(
                "SELECT \"id$\" FROM \(holder.name.quotedIdentifier) WHERE \(reference.column.quotedIdentifier) = ?1 "
                    + "ORDER BY \"id$\"", [.integer(lost)])
            for row in rows.map({ $0[0].storedInteger }) {
                // References of the two rows themselves are merged with their values.
                if holder.name == table.name, row == lost || row == kept { continue }
                try move(reference, of: row, in: holder, to: current(table.name, kept))
            }
        }
    }

    private func move(
        _ reference: StoredReference, of row: Int64, in holder: StoredTable, to kept: Int64
    ) throws {
        // A row that was merged with another does not exist any more.
        guard let values = try holder.values(of: [.integer(row)], connection) else { return }
        let column = reference.column
        if reference.isOneToOne, let other = try other(than: row, in: holder, column, kept) {
            // Another row refers to it already. If the reference is required, the two rows are merged.
            if !reference.isRequired { return try set(.null, column, of: row, in: holder) }
            return try mergeOrDelete(other, row, holder)
        }
        var wanted = values
        wanted[column] = .integer(kept)
        if tables.uniqueColumns(of: holder.name).contains(column),
            let other = try tables.rival(of: row, in: holder, wanted)
        {
            return try mergeOrDelete(other, row, holder)
        }
        try set(.integer(kept), column, of: row, in: holder)
    }

    private func other(
        than row: Int64, in holder: StoredTable, _ column: String, _ target: Int64
    ) throws(SQLiteError) -> Int64? {
        try connection.integer(
            "SELECT \"id$\" FROM \(holder.name.quotedIdentifier) WHERE \(column.quotedIdentifier) = ?1 AND \"id$\" <> ?2",
            [.integer(target), .integer(row)])
    }

    private func mergeOrDelete(_ row: Int64, _ other: Int64, _ table: StoredTable) throws {
        if try canMerge(table, row, other) {
            try merge(table, row, other, preferring: row)
        } else {
            deleted.append((table.name, other, nil))
            try table.delete([.integer(other)], connection)
        }
    }

    private func set(_ value: SQLiteValue, _ column: String, of row: Int64, in table: StoredTable) throws(SQLiteError) {
        try table.update([.integer(row)], [column: value], connection)
        updated.append((table.name, row))
    }

    /// Moves pairs to the row that stays. The history identifies a pair by both its ends, so each is deleted and
    /// inserted again.
    private func movePairs(of table: StoredTable, from lost: Int64, to kept: Int64) throws {
        guard let root = tables.root(of: table.name)?.number.root else { return }
        for pairs in tables.pairs {
            let shape = try tables.shape(pairs.tableName)
            for (own, end, otherEnd) in [
                ("source$", pairs.source, pairs.target), ("target$", pairs.target, pairs.source),
            ] where end.entity.number.root == root {
                let other = own == "source$" ? "target$" : "source$"
                let names = shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
                let rows = try connection.rows(
                    "SELECT \(names) FROM \(shape.name.quotedIdentifier) WHERE \(own.quotedIdentifier) = ?1",
                    [.integer(lost)])
                for row in rows {
                    var values = Dictionary(zip(shape.columns, row), uniquingKeysWith: { first, _ in first })
                    let key = shape.key(values)
                    try shape.delete(key, connection)
                    let target = values[other]?.storedInteger ?? 0
                    let isPairOfBoth = otherEnd.entity.number.root == root && (target == lost || target == kept)
                    values[own] = .integer(kept)
                    let isThere = try shape.row(shape.key(values), connection) != nil
                    if !isPairOfBoth, !isThere { try shape.insert(values, connection) }
                    if let name = tables.root(ofEntity: otherEnd.entity), !isPairOfBoth {
                        updated.append((name, target))
                    }
                }
            }
        }
    }
}

extension ChangedTables {
    /// Returns the table of an entity's objects.
    func root(ofEntity entity: EntitySchema) -> String? { tracked[entity.tableName]?.name }
}
