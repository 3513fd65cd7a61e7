import Synchronization

/// What is known of the sizes of a store's R-trees and of their tables, to choose among ways to find rows.
///
/// It is estimated from samples, and anew when the table has grown or shrunk or after some hundred uses.
final class StoreStatistics: Sendable {
    private let known = Mutex<[String: Entry]>([:])

    private struct Entry {
        var statistics: RTreeStatistics
        var uses: Int
    }

    /// The statistics of an R-tree and its table.
    ///
    /// Throws an ``SQLiteError`` where there is no such R-tree.
    func statistics(
        of index: IndexDescription, _ table: String, greatestRowID greatest: Int64, _ connection: Connection
    ) throws(SQLiteError) -> RTreeStatistics {
        let entry = known.withLock { entries -> RTreeStatistics? in
            guard let entry = entries[index.storeName], entry.uses < 500,
                entry.statistics.isCurrent(greatestRowID: greatest)
            else { return nil }
            entries[index.storeName]?.uses += 1
            return entry.statistics
        }
        if let entry { return entry }
        let statistics = try RTreeStatistics(of: index, table, greatestRowID: greatest, connection)
        known.withLock { $0[index.storeName] = Entry(statistics: statistics, uses: 0) }
        return statistics
    }
}

/// The sizes of an R-tree and of its table.
struct RTreeStatistics: Sendable {
    /// About how many rows the table has.
    private(set) var rowCount = 0.0
    /// How many cells a node has on average.
    private(set) var cellsPerNode = 1.0
    /// The indexes of the table that there are.
    private(set) var indexNames: Set<String> = []
    private let greatestRowID: Int64

    private static let sampleCount = 32

    fileprivate init(
        of index: IndexDescription, _ table: String, greatestRowID: Int64, _ connection: Connection
    ) throws(SQLiteError) {
        self.greatestRowID = greatestRowID
        rowCount = try Self.rowCount(table, upTo: greatestRowID, connection)
        cellsPerNode = try Self.cellsPerNode(index, connection)
        let names = try connection.rows("SELECT \"name\" FROM pragma_index_list(?1)", [.text(table)])
        for row in names { if case .text(let name)? = row.first { indexNames.insert(name) } }
    }

    /// Whether the table is about as large as it was.
    fileprivate func isCurrent(greatestRowID now: Int64) -> Bool {
        let change = now.subtractingReportingOverflow(greatestRowID)
        return !change.overflow && change.partialValue.magnitude <= greatestRowID.magnitude / 8
    }

    /// The number of rows, of the distances between neighbours at some places.
    private static func rowCount(
        _ table: String, upTo greatest: Int64, _ connection: Connection
    ) throws(SQLiteError) -> Double {
        let table = table.quotedIdentifier
        guard let least = try connection.integer("SELECT min(\"id$\") FROM \(table)") else { return 0 }
        let range = Double(greatest) - Double(least)
        var density = 0.0
        for place in 0..<sampleCount {
            let rowID = least + Int64(range * (Double(place) + 0.5) / Double(sampleCount))
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
