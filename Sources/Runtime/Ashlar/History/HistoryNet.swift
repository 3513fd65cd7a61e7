/// The combined effect of a part of a store's history on rows: the affected rows, the inserted ones, and the changed
/// columns.
package struct HistoryNet {
    struct Row {
        /// Whether the row did not exist before.
        var isNew: Bool
        /// The changed columns; nil if all columns may have changed.
        var columns: Set<String>?
    }

    /// The key of a row: the number of an object, or both numbers of a pair.
    package struct Key: Hashable, Comparable {
        package var first: Int64
        package var second: Int64?

        package static func < (left: Key, right: Key) -> Bool {
            (left.first, left.second ?? 0) < (right.first, right.second ?? 0)
        }
    }

    package init() {}

    private(set) var rows: [String: [Key: Row]] = [:]

    mutating func insert(_ table: String, _ key: Key) {
        // The row was deleted before and exists again. A row that was only updated belongs to a batch, whose insertions
        // are recorded after the changes of triggers to its rows.
        if let known = rows[table]?[key], known.columns == nil { return }
        rows[table, default: [:]][key] = Row(isNew: true, columns: nil)
    }

    mutating func update(_ table: String, _ key: Key, _ columns: Set<String>) {
        if rows[table]?[key] == nil { rows[table, default: [:]][key] = Row(isNew: false, columns: []) }
        rows[table]?[key]?.columns?.formUnion(columns)
    }

    mutating func delete(_ table: String, _ key: Key) {
        if rows[table]?[key] == nil { rows[table, default: [:]][key] = Row(isNew: false, columns: nil) }
        rows[table]?[key]?.columns = nil
    }
}
