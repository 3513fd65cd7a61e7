import AshlarSQLite
public import Foundation
import RelationalSchema

/// Rows of a store, from which the number of different values in its columns is estimated.
///
/// The store is only read. When the statistics of a table are first used, some thousand of its rows, spread over all of
/// it, are copied into memory.
public final class StoreSample {
    /// The reason why a store cannot be read.
    public enum Failure: Error, Sendable, Hashable {
        case unreadable(String, reason: String)
    }

    /// The greatest number of rows of a table that are copied.
    private static let size = 5000

    private let connection: Connection
    private var counts: [String: Int] = [:]
    private var copied: Set<String> = []
    private var groups: [String: Int] = [:]

    /// Opens a store for reading.
    public init(ofStoreAt url: URL) throws(Failure) {
        do throws(SQLiteError) {
            connection = try Connection(
                opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_URI)
            try connection.addMissingCollations(StoreSample.compare)
        } catch {
            throw .unreadable(url.path, reason: error.message)
        }
        do {
            try run("ATTACH \(SQLText.literal(Self.address(of: url))) AS store")
            try planning { () throws(SQLiteError) in try connection.beginReading("store") }
        } catch {
            throw .unreadable(url.path, reason: error.message)
        }
    }

    /// Values of columns with one of Ashlar's collations are compared byte by byte here, which also distinguishes equal
    /// from different ones.
    private static let compare: Connection.TextComparison = { _, leftCount, left, rightCount, right in
        let first = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let second = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        return first.lexicographicallyPrecedes(second) ? -1 : second.lexicographicallyPrecedes(first) ? 1 : 0
    }

    /// The store as SQLite's URI, in a way that leaves no files beside it.
    private static func address(of url: URL) -> String {
        // A store without a log is not being written; one with a log is read with it.
        let log = try? FileManager.default.attributesOfItem(atPath: url.path + "-wal")
        let hasLog = (log?[.size] as? Int ?? 0) > 0
        let path = url.path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
        return "file:\(path)?mode=ro\(hasLog ? "" : "&immutable=1")"
    }

    // MARK: Numbers

    /// The number of rows of a table; 0 for one that the store does not have.
    func rowCount(of table: String) -> Int {
        if let known = counts[table] { return known }
        let count = try? integer("SELECT count(*) FROM store.\(SQLText.identifier(table))")
        counts[table] = count ?? 0
        return count ?? 0
    }

    /// The estimated number of different combinations of values that the rows of a table have in some columns; nil for
    /// columns that the store does not have.
    func groupCount(of table: Table, _ columnNames: [String]) -> Int? {
        let key = "\(table.name).\(columnNames.joined(separator: "."))"
        if let known = groups[key] { return known }
        guard let count = try? estimate(table, columnNames) else { return nil }
        groups[key] = count
        return count
    }

    /// The estimator of Haas and Stokes. Values that occur once in a sample are likely to have others like them outside
    /// of it; values that occur often are not.
    private func estimate(_ table: Table, _ columnNames: [String]) throws(PlannerFailure) -> Int {
        try copy(table)
        let columns = SQLText.identifiers(columnNames)
        let name = "main.\(SQLText.identifier(table.name))"
        let rows = Double(try integer("SELECT count(*) FROM \(name)"))
        let total = Double(rowCount(of: table.name))
        if rows == 0 { return 1 }
        let grouped = "SELECT count(*) AS \"n\" FROM \(name) GROUP BY \(columns)"
        let different = Double(try integer("SELECT count(*) FROM (\(grouped))"))
        let once = Double(try integer("SELECT count(*) FROM (\(grouped)) WHERE \"n\" = 1"))
        let estimate = rows * different / (rows - once + once * rows / max(total, rows))
        return max(1, Int(min(max(total, rows), estimate)))
    }

    /// Copies rows of a table, all of a small one, else such as lie at equal distances.
    private func copy(_ table: Table) throws(PlannerFailure) {
        guard copied.insert(table.name).inserted else { return }
        let source = "store.\(SQLText.identifier(table.name))"
        let identifier = SQLText.identifier(ColumnName.identifier)
        let known = try planning { () throws(SQLiteError) in
            try connection.schema(of: "store").columns(of: table.name).map(\.name)
        }
        let columns = table.columns.map(\.name).filter(known.contains)
        let values = columns.map { name in
            let column = SQLText.identifier(name)
            // The beginning of a long value suffices to distinguish it from others.
            return "CASE WHEN typeof(\(column)) IN ('text', 'blob') THEN substr(\(column), 1, 200) "
                + "ELSE \(column) END AS \(column)"
        }
        var selection = "SELECT \(values.joined(separator: ", ")) FROM \(source)"
        if rowCount(of: table.name) > 2 * Self.size {
            let hasIdentifier = table.columns.contains(where: \.isIdentifier)
            if hasIdentifier {
                let first = try integer("SELECT min(\(identifier)) FROM \(source)")
                let last = try integer("SELECT max(\(identifier)) FROM \(source)")
                let step = max(1, (last - first) / Self.size)
                // Not the same place of each part, since values may come back at equal distances.
                let place = "\(first) + \"n\" * \(step) + ((\"n\" * \"n\" * 7 + \"n\" * 48271) / 64) % \(step)"
                selection += """
                     WHERE \(identifier) IN (
                        WITH RECURSIVE "parts" ("n") AS (
                            SELECT 0 UNION ALL SELECT "n" + 1 FROM "parts" WHERE "n" < \(Self.size - 1)
                        )
                        SELECT (SELECT \(identifier) FROM \(source) WHERE \(identifier) >= \(place)
                            ORDER BY \(identifier) LIMIT 1) FROM "parts")
                    """
            } else {
                selection += " LIMIT \(Self.size)"
            }
        }
        try run("CREATE TABLE main.\(SQLText.identifier(table.name)) AS \(selection)")
    }

    // MARK: Statements

    private func run(_ sql: String) throws(PlannerFailure) {
        try planning { () throws(SQLiteError) in try connection.execute(sql) }
    }

    private func integer(_ sql: String) throws(PlannerFailure) -> Int {
        try planning { () throws(SQLiteError) in Int(try connection.integer(sql) ?? 0) }
    }
}

extension StoreSample.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read as a store: \(reason)"
        }
    }
}

/// The statistics of a store, with guesses for those that it lacks.
struct SampledStatistics: TableStatistics {
    private let sample: StoreSample
    private let assumed: AssumedStatistics
    private let tables: [String: Table]

    var areMeasured: Bool { true }

    init(_ sample: StoreSample, _ schema: Schema) {
        self.sample = sample
        assumed = AssumedStatistics(schema)
        tables = Dictionary(schema.tables.map { ($0.name, $0) }) { first, _ in first }
    }

    func rowCount(of table: String) -> Int { sample.rowCount(of: table) }

    func groupCount(of table: String, _ columnNames: [String]) -> Int {
        tables[table].flatMap { sample.groupCount(of: $0, columnNames) } ?? assumed.groupCount(of: table, columnNames)
    }
}
