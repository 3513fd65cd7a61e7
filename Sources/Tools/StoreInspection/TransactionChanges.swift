import AshlarSQLite

/// The changes of one transaction of a store's history, folded as the API folds them: an object has one change, however often
/// its row was written.
///
/// No model is needed. The objects at both ends of a pair count as changed, since the tables do not say which end has a
/// relationship.
package struct TransactionChanges {
    package enum Kind: Int64, Sendable {
        case insertion, update, deletion
    }

    package struct Change: Sendable {
        package var kind: Kind
        package var table: String
        /// The name of the entity; nil if the history does not have it.
        package var entity: String?
        package var row: Int64
        /// The last number of objects that were inserted together.
        package var lastRow: Int64?
        /// The columns of the row that an update changed, and the tables of pairs.
        package var columns: Set<String> = []

        /// The number of objects.
        package var count: Int64 {
            let (distance, overflows) = (lastRow ?? row).subtractingReportingOverflow(row)
            return overflows || distance == .max ? .max : distance + 1
        }
    }

    private struct Key: Hashable {
        var table: String
        var row: Int64
    }

    /// The changes of a transaction that changed nothing.
    package init() {}

    private var list: [Change?] = []
    private var positions: [Key: Int] = [:]
    private var ranges: [(table: String, rows: ClosedRange<Int64>)] = []
    /// Objects of the ranges that were deleted again.
    private var gone: Set<Key> = []

    /// The changes in the order in which objects were first changed.
    package var changes: [Change] { list.compactMap(\.self) }

    /// The number of changed objects; the greatest possible number if a damaged history has more.
    package var count: Int64 { Self.sum(list) - Int64(gone.count) }

    private static func sum(_ changes: [Change?]) -> Int64 {
        changes.reduce(0) { sum, change in
            let (result, overflows) = sum.addingReportingOverflow(change?.count ?? 0)
            return overflows ? .max : result
        }
    }

    /// The changes from a position on, counted.
    package func count(from position: Int) -> Int64 { Self.sum(Array(changes.dropFirst(position))) }

    private func kind(_ key: Key) -> Kind? {
        if let position = positions[key] { return list[position]?.kind }
        if gone.contains(key) { return nil }
        return ranges.contains { $0.table == key.table && $0.rows.contains(key.row) } ? .insertion : nil
    }

    private mutating func set(_ change: Change) {
        let key = Key(table: change.table, row: change.row)
        if let position = positions[key] {
            list[position] = change
        } else {
            positions[key] = list.count
            list.append(change)
        }
    }

    fileprivate mutating func insert(_ change: Change, through last: Int64) {
        var change = change
        if last > change.row {
            let rows = change.row...last
            for (key, position) in positions where key.table == change.table && rows.contains(key.row) {
                (list[position], positions[key]) = (nil, nil)
            }
            ranges.append((change.table, rows))
            change.lastRow = last
            return list.append(change)
        }
        // A row that was deleted came back.
        if kind(Key(table: change.table, row: change.row)) == .deletion { change.kind = .update }
        set(change)
    }

    fileprivate mutating func update(_ change: Change) {
        let key = Key(table: change.table, row: change.row)
        switch kind(key) {
        case nil: set(change)
        case .update: if let position = positions[key] { list[position]?.columns.formUnion(change.columns) }
        case .insertion, .deletion: break
        }
    }

    fileprivate mutating func delete(_ change: Change) {
        let key = Key(table: change.table, row: change.row)
        guard kind(key) == .insertion else { return set(change) }
        // No other connection ever saw the row.
        if let position = positions[key] {
            (list[position], positions[key]) = (nil, nil)
        } else {
            gone.insert(key)
        }
    }
}

/// Reads the changes of a store's history, transaction by transaction.
package struct TransactionReader {
    /// The meaning of an entity's number in the history.
    private struct Meaning {
        var table: String
        var entity: String?
        var columns: [Int: String] = [:]
        /// Of a table of pairs, the tables of the objects at both ends, and the ends that have an order.
        var ends: [(table: String, isOrdered: Bool)] = []
    }

    private let connection: Connection
    private var meanings: [Int64: Meaning] = [:]

    /// Reads the entities that the numbers stand for.
    package init(_ connection: Connection) throws {
        self.connection = connection
        let rows = try connection.rows(
            "SELECT \"number\", \"table\", \"entity\", \"group\" FROM main.\"ashlar$historyEntity\"")
        for row in rows {
            guard case .integer(let number) = row[0], case .text(let table) = row[1], case .integer(let group) = row[3]
            else { continue }
            var meaning = Meaning(table: table)
            if case .text(let entity) = row[2] { meaning.entity = entity }
            let columns = try connection.rows(
                "SELECT \"position\", \"name\" FROM main.\"ashlar$historyColumn\" WHERE \"table\" = ?1", [.text(table)])
            for column in columns {
                guard case .integer(let position) = column[0], case .text(let name) = column[1] else { continue }
                let (bit, isTooGreat) = position.subtractingReportingOverflow(group &* 62)
                if !isTooGreat, (0..<62).contains(bit) { meaning.columns[Int(bit)] = name }
            }
            meaning.ends = try Self.ends(of: table, connection)
            meanings[number] = meaning
        }
    }

    /// The tables that both columns of a table of pairs refer to; none of any other table.
    private static func ends(of table: String, _ connection: Connection) throws -> [(table: String, isOrdered: Bool)] {
        let schema = try connection.schema()
        let keys = try schema.foreignKeys(of: table)
        let columns = try schema.columns(of: table)
        return [("source$", "target$order"), ("target$", "source$order")].compactMap { column, order in
            guard let key = keys.first(where: { $0.column == column }) else { return nil }
            // The place of one end's object among those of the other.
            return (key.table, columns.contains { $0.name == order })
        }
    }

    /// The changes whose numbers are in a range.
    package func changes(_ numbers: ClosedRange<Int64>) throws -> TransactionChanges {
        var result = TransactionChanges()
        let statement = try connection.statement(
            """
            SELECT "entity", "row", "kind", "detail" FROM main."ashlar$change"
            WHERE "number" BETWEEN ?1 AND ?2 ORDER BY "number"
            """)
        defer { statement.reset() }
        statement.bind([.integer(numbers.lowerBound), .integer(numbers.upperBound)])
        while try statement.step() {
            let row = statement.values
            guard case .integer(let number) = row[0], case .integer(let object) = row[1],
                case .integer(let code) = row[2],
                let kind = TransactionChanges.Kind(rawValue: code)
            else { continue }
            var detail: Int64?
            if case .integer(let found) = row[3] { detail = found }
            add(kind, object, detail, meanings[number] ?? Meaning(table: "entity \(number)"), to: &result)
        }
        return result
    }

    private func add(
        _ kind: TransactionChanges.Kind, _ row: Int64, _ detail: Int64?, _ meaning: Meaning,
        to result: inout TransactionChanges
    ) {
        if meaning.ends.count == 2, let detail {
            for (end, object) in zip(meaning.ends, [row, detail]) where kind != .update || end.isOrdered {
                result.update(
                    TransactionChanges.Change(kind: .update, table: end.table, row: object, columns: [meaning.table]))
            }
            return
        }
        var change = TransactionChanges.Change(kind: kind, table: meaning.table, entity: meaning.entity, row: row)
        switch kind {
        case .insertion: result.insert(change, through: detail ?? row)
        case .deletion: result.delete(change)
        case .update:
            change.columns = Set(meaning.columns.filter { (detail ?? 0) & (1 << Int64($0.key)) != 0 }.values)
            result.update(change)
        }
    }

    /// The numbers of transactions and of their changes, without those of transactions that were purged.
    package func counts() throws -> (transactions: Int64, changes: Int64) {
        let purged = try connection.integer("SELECT max(\"purged\") FROM main.\"ashlar$historyState\"") ?? 0
        var bounds = try connection.rows(
            "SELECT \"first\", \"last\" FROM main.\"ashlar$transaction\" WHERE \"last\" > ?1 ORDER BY \"last\"",
            [.integer(purged)])
        // Changes of other programs belong to no transaction until the history is read.
        bounds += try connection.rows(
            """
            SELECT min("number"), max("number") FROM main."ashlar$change"
            WHERE "number" > coalesce((SELECT max("last") FROM main."ashlar$transaction"), 0) HAVING count(*) > 0
            """)
        var result = (transactions: Int64(0), changes: Int64(0))
        for row in bounds {
            guard case .integer(let first) = row[0], case .integer(let last) = row[1] else { continue }
            let start = max(first, purged &+ 1)
            guard start <= last else { continue }
            let (changes, overflows) = result.changes.addingReportingOverflow(try self.changes(start...last).count)
            if changes != result.changes { result = (result.transactions + 1, overflows ? .max : changes) }
        }
        return result
    }
}
