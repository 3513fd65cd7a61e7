import Ashlar
import AshlarSQLite
import Foundation
import StoreExchange
import StoreInspection

/// The changes of a store, transaction by transaction, the last first.
@_spi(Studio) public struct StoreTimeline: Sendable {
    public struct Change: Hashable, Sendable {
        /// The kind of the change.
        public enum Kind: String, Sendable {
            case insertion, update, deletion
        }

        public var kind: Kind
        /// The entity or table; its number where the history does not name it.
        public var entity: String
        /// The number of the object.
        public var row: Int64
        /// The last number of objects that were inserted together.
        public var detail: Int64?
        /// The columns that an update changed, and the tables of pairs, by name.
        public var columns: [String] = []
        /// Whether the row is an object, which there may be no more.
        public var isObject: Bool
    }

    public struct Transaction: Hashable, Sendable {
        public var number: Int64
        public var date: String
        public var author: String?
        public var contextName: String?
        public var bundle: String?
        public var process: String?
        /// The number of changed objects, each counted once.
        public var changeCount: Int64
        /// The number of these that are not among the changes.
        public var hiddenCount: Int64
        /// The first of its changes.
        public var changes: [Change]
    }

    public var transactions: [Transaction]
    /// The number that the next page begins behind; nil where there is none.
    public var next: Int64?
}

extension StoreBrowser {
    /// The numbers of transactions on a page, and of listed changes of each.
    private static let (transactionLimit, changeLimit) = (50, 20)

    /// A page of the history, the last transaction first.
    ///
    /// - Parameter number: The transaction that the page begins behind; nil for the first page.
    /// - Throws: ``BrowsingError``.
    public func timeline(before number: Int64?) throws(BrowsingError) -> StoreTimeline {
        try readObjects(doing: "reading its history") { connection in
            if try !connection.schema().hasTable("ashlar$transaction") {
                throw BrowsingError(.missing, "The store keeps no history.")
            }
            let version = try version(connection)
            let reader = try TransactionReader(connection)
            var rows = try connection.rows(
                """
                SELECT "last", "first", "timestamp", "author", "context", "bundle", "process"
                FROM main."ashlar$transaction" WHERE "last" < ?1 ORDER BY "last" DESC LIMIT \(Self.transactionLimit + 1)
                """, [.integer(number ?? .max)])
            let hasMore = rows.count > Self.transactionLimit
            if hasMore { rows.removeLast() }
            var timeline = StoreTimeline(transactions: [])
            for row in rows {
                guard case .integer(let last) = row[0], case .integer(let first) = row[1] else { continue }
                let changes = try first <= last ? reader.changes(first...last) : TransactionChanges()
                timeline.transactions.append(
                    StoreTimeline.Transaction(
                        number: last, date: Self.date(row[2]), author: Self.text(row[3]),
                        contextName: Self.text(row[4]), bundle: Self.text(row[5]), process: Self.text(row[6]),
                        changeCount: changes.count, hiddenCount: changes.count(from: Self.changeLimit),
                        changes: Self.shown(changes, version)))
            }
            if hasMore { timeline.next = timeline.transactions.last?.number }
            return timeline
        }
    }

    private static func shown(_ changes: TransactionChanges, _ version: BrowsedVersion?) -> [StoreTimeline.Change] {
        changes.changes.prefix(changeLimit).map { change in
            let kind: StoreTimeline.Change.Kind =
                switch change.kind {
                case .insertion: .insertion
                case .update: .update
                case .deletion: .deletion
                }
            let name = change.entity ?? change.table
            return StoreTimeline.Change(
                kind: kind, entity: name, row: change.row, detail: change.lastRow, columns: change.columns.sorted(),
                isObject: (try? version?.entity(name)) != nil)
        }
    }

    private static func text(_ value: SQLiteValue) -> String? {
        if case .text(let text) = value { text } else { nil }
    }

    private static func date(_ value: SQLiteValue) -> String {
        if case .date(let text) = BrowsedValue(value, length: nil, type: .date) { return text }
        return "at an unknown time"
    }
}

// MARK: Two stores

/// The differences between the rows of two stores.
@_spi(Studio) public struct StoreDifferences: Sendable {
    public struct Row: Sendable {
        public var action: String
        public var key: String
        /// The changed columns, with their values before and after.
        public var values: [(column: String, before: String, after: String)]
    }

    public struct Table: Sendable {
        public var name: String
        /// The remarks about the table as a whole.
        public var summary: String
        /// The first rows that differ.
        public var rows: [Row]
    }

    /// The tables that differ, by name.
    public var tables: [Table]
    public var sameTableCount: Int
}

extension StoreBrowser {
    /// Returns the differences from this store to another one. All rows of both are read.
    ///
    /// - Throws: ``BrowsingError``.
    public func differences(from other: URL) throws(BrowsingError) -> StoreDifferences {
        do {
            let comparison = try StoreComparison(of: url, and: other, limit: 50)
            let differing = comparison.tables.filter { !$0.isSame }
            return StoreDifferences(
                tables: differing.map(Self.table), sameTableCount: comparison.tables.count - differing.count)
        } catch {
            throw BrowsingError.of(error)
        }
    }

    private static func table(_ table: StoreComparison.Table) -> StoreDifferences.Table {
        var parts: [String] = []
        switch table.onlyIn {
        case 1: parts.append("only in this store")
        case 2: parts.append("only in the other store")
        default: break
        }
        parts.append("\(table.same) the same, \(table.changed) changed, \(table.added) added, \(table.removed) removed")
        for (columns, place) in [
            (table.columnsOnlyInFirst, "this store"), (table.columnsOnlyInSecond, "the other store"),
        ]
        where !columns.isEmpty {
            parts.append("only in \(place): \(columns.joined(separator: ", "))")
        }
        return StoreDifferences.Table(
            name: table.name, summary: parts.joined(separator: "; "),
            rows: table.rows.map { row in
                StoreDifferences.Row(
                    action: row.action.rawValue, key: row.key,
                    values: row.values.map { ($0.column, $0.before, $0.after) })
            })
    }
}
