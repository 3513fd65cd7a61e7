import AshlarSQLite
import Synchronization

/// The known sizes of a store's R-trees and their tables, for choosing an access path.
///
/// The sizes are estimated from samples. They are estimated again when the tree or the table has grown or shrunk, or
/// after some hundred uses.
final class StoreStatistics: Sendable {
    let recentPlans = RecentPlans()
    private let known = Mutex<[String: Entry]>([:])
    /// The numbers of rows of tables, and how often each was used.
    private let rowCounts = Mutex<[String: (count: Double, uses: Int)]>([:])

    /// Returns the approximate number of rows of a table.
    func rowCount(of table: String, _ connection: Connection) throws(SQLiteError) -> Double {
        let known = rowCounts.withLock { counts -> Double? in
            guard let entry = counts[table], entry.uses < 100 else { return nil }
            counts[table]?.uses += 1
            return entry.count
        }
        if let known { return known }
        let count = try RTreeStatistics.rowCount(table, connection)
        rowCounts.withLock { $0[table] = (count, 0) }
        return count
    }

    /// Removes all statistics. This is necessary if a known index is missing in the store.
    func forget() {
        known.withLock { $0 = [:] }
        rowCounts.withLock { $0 = [:] }
        recentPlans.forget()
    }

    private struct Entry {
        var statistics: RTreeStatistics
        var uses: Int
    }

    /// Returns the statistics of an R-tree, whose root was read, and of its table.
    ///
    /// - Throws: ``SQLiteError`` if there is no such R-tree.
    func statistics(
        of index: IndexDescription, _ table: String, root: RTreeNode, _ connection: Connection
    ) throws(SQLiteError) -> RTreeStatistics {
        let (entry, uses) = known.withLock { entries -> (RTreeStatistics?, Int) in
            guard let entry = entries[index.storeName], entry.uses < 500, entry.statistics.isOf(root) else {
                return (nil, 0)
            }
            entries[index.storeName]?.uses += 1
            return (entry.statistics, entry.uses)
        }
        // Rows that are not in the tree do not change its root. A statement is needed to detect them.
        if let entry {
            let isCurrent = uses % 16 == 15 ? try entry.isCurrent(table, connection) : true
            if isCurrent { return entry }
        }
        let statistics = try RTreeStatistics(of: index, table, root: root, connection)
        known.withLock { $0[index.storeName] = Entry(statistics: statistics, uses: 0) }
        return statistics
    }
}

/// The sizes of an R-tree and of its table.
struct RTreeStatistics: Sendable {
    /// The approximate number of rows in the table.
    private(set) var rowCount = 0.0
    /// The average number of cells in a node.
    private(set) var cellsPerNode = 1.0
    /// The names of the table's indexes.
    private(set) var indexNames: Set<String> = []
    private let greatestRowID: Int64
    private let rootDepth: Int
    private let rootCount: Int

    private static let sampleCount = 32

    fileprivate init(
        of index: IndexDescription, _ table: String, root: RTreeNode, _ connection: Connection
    ) throws(SQLiteError) {
        rootDepth = root.depth
        rootCount = root.count
        greatestRowID = try Self.greatestRowID(table, connection)
        rowCount = try Self.rowCount(table, upTo: greatestRowID, connection)
        cellsPerNode = try Self.cellsPerNode(index, connection)
        indexNames = Set(try connection.schema(holding: table).indexes(of: table).map(\.name))
    }

    /// Returns whether the size of the tree is about the same.
    fileprivate func isOf(_ root: RTreeNode) -> Bool { root.depth == rootDepth && root.count == rootCount }

    /// Returns whether the size of the table is about the same.
    fileprivate func isCurrent(_ table: String, _ connection: Connection) throws(SQLiteError) -> Bool {
        let change = try Self.greatestRowID(table, connection).subtractingReportingOverflow(greatestRowID)
        return !change.overflow && change.partialValue.magnitude <= greatestRowID.magnitude / 8
    }

    private static func greatestRowID(_ table: String, _ connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.integer("SELECT max(\"id$\") FROM \(table.quotedIdentifier)") ?? 0
    }

    fileprivate static func rowCount(_ table: String, _ connection: Connection) throws(SQLiteError) -> Double {
        try rowCount(table, upTo: greatestRowID(table, connection), connection)
    }

    /// Returns the number of rows, estimated from the distances between neighbours at some places.
    private static func rowCount(
        _ table: String, upTo greatest: Int64, _ connection: Connection
    ) throws(SQLiteError) -> Double {
        let table = table.quotedIdentifier
        guard let least = try connection.integer("SELECT min(\"id$\") FROM \(table)") else { return 0 }
        let range = Double(greatest) - Double(least)
        var density = 0.0
        for place in 0..<sampleCount {
            let share = range * (Double(place) + 0.5) / Double(sampleCount)
            let rowID = Int64(exactly: (Double(least) + share).rounded()) ?? greatest
            let neighbours = try connection.rows(
                """
                SELECT (SELECT max("id$") FROM \(table) WHERE "id$" <= ?1),
                    (SELECT min("id$") FROM \(table) WHERE "id$" > ?1)
                """, [.integer(rowID)])
            guard case .integer(let before)? = neighbours.first?.first else { continue }
            guard case .integer(let after)? = neighbours.first?.last else {
                density += 1
                continue
            }
            density += 1 / (Double(after) - Double(before))
        }
        return 1 + range * density / Double(sampleCount)
    }

    private static func cellsPerNode(_ index: IndexDescription, _ connection: Connection) throws(SQLiteError) -> Double
    {
        let nodes = (index.storeName + "_node").quotedIdentifier
        let greatest = try connection.integer("SELECT max(\"nodeno\") FROM \(nodes)") ?? 1
        var cells = 0.0
        for place in 1...Int64(sampleCount) {
            let counts = try connection.rows(
                "SELECT substr(\"data\", 3, 2) FROM \(nodes) WHERE \"nodeno\" >= ?1 ORDER BY \"nodeno\" LIMIT 1",
                [.integer(max(1, greatest / Int64(sampleCount) * place))])
            guard case .blob(let bytes)? = counts.first?.first, bytes.count == 2 else { continue }
            cells += Double(bytes[bytes.startIndex]) * 256 + Double(bytes[bytes.startIndex + 1])
        }
        return max(1, cells / Double(sampleCount))
    }
}
