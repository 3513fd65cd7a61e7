import Ashlar
import AshlarSQLite
import Foundation

/// Gives new objects numbers of the range that the store has by now, and updates the references to them.
struct Renumbering {
    private let model: ChangedTables
    private let tables: SyncedTables
    private let connection: Connection
    private let url: URL
    /// The objects that have another number now.
    private(set) var numbers: [(table: String, old: Int64, new: Int64)] = []
    private var current: [String: [Int64: Int64]] = [:]

    init(_ model: ChangedTables, _ tables: SyncedTables, _ connection: Connection, _ url: URL) {
        self.url = url
        self.model = model
        self.tables = tables
        self.connection = connection
    }

    /// Returns whether a new object needs another number before it is sent: it has one that no log gave.
    static func isNeeded(_ change: RowChange) -> Bool {
        guard change.operation == .insert, !change.table.isPairs else { return false }
        return !SyncIdentifiers.leased.contains(change.key.first)
    }

    /// The changes with other numbers for the objects that need them, or for all new objects.
    ///
    /// - Parameter range: The numbers that the store gives.
    mutating func renumber(_ changes: [RowChange], into range: ClosedRange<Int64>, all: Bool) throws -> [RowChange] {
        for change in changes where change.operation == .insert && !change.table.isPairs {
            if !Self.isNeeded(change) {
                if !all { continue }
                // The copy that this store was has sent it.
                let values = change.values.map { $0 ?? .null }
                if let stored = try change.table.row(change.key, connection),
                    try ShadowTables.update(change.table, change.key, from: stored, to: values, connection) == nil
                {
                    continue
                }
            }
            let new = try next(change.table.name, range)
            current[change.table.name, default: [:]][change.key.first] = new
            numbers.append((change.table.name, change.key.first, new))
        }
        if numbers.isEmpty { return changes }
        return changes.map(renumbered)
    }

    private var marks: [String: Int64] = [:]

    private mutating func next(_ table: String, _ range: ClosedRange<Int64>) throws -> Int64 {
        var mark = marks[table]
        if mark == nil {
            mark = try connection.integer("SELECT \"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = ?1", [.text(table)])
        }
        let last = mark.flatMap { $0 >= range.lowerBound - 1 ? $0 : nil } ?? range.lowerBound - 1
        guard last < range.upperBound else {
            throw StoreError.identifiersExhausted(url, entity: model.root(of: table)?.name ?? table, range)
        }
        marks[table] = last + 1
        return last + 1
    }

    private func renumbered(_ change: RowChange) -> RowChange {
        var change = change
        let table = change.table
        if table.isPairs {
            guard let pairs = model.tracked[table.name]?.pairs, let second = change.key.second else { return change }
            let ends = [pairs.source.entity.tableName, pairs.target.entity.tableName]
            change.key = RowKey(
                first: number(change.key.first, ends[0]), second: number(second, ends[1]))
        } else {
            change.key.first = number(change.key.first, table.name)
            for reference in model.references where reference.table == table.name && !change.values.isEmpty {
                guard let position = table.stored.columns.firstIndex(of: reference.column),
                    case .integer(let row)? = change.values[position]
                else { continue }
                change.values[position] = .integer(number(row, model.table(ofRoot: reference.destination)))
            }
        }
        if !change.values.isEmpty {
            for (index, position) in table.keyPositions.enumerated() where change.values[position] != nil {
                change.values[position] = .integer(index == 0 ? change.key.first : change.key.second ?? 0)
            }
        }
        return change
    }

    private func number(_ row: Int64, _ table: String) -> Int64 { current[table]?[row] ?? row }
}
