import AshlarSQLite

/// Groups of rows without duplicates, and their aggregates so far.
struct ValueGroups: Sendable {
    /// The common values of a group's rows.
    ///
    /// They are compared in the same way as in SQLite, in particular by the bytes of texts: Swift treats some texts as
    /// equal that SQLite distinguishes.
    struct Keys: Hashable, Sendable {
        let values: [SQLiteValue]

        static func == (left: Keys, right: Keys) -> Bool { order(left, right) == 0 }

        /// Returns the order of keys as in SQLite, with the first key first.
        static func order(_ left: Keys, _ right: Keys) -> Int {
            for (left, right) in zip(left.values, right.values) {
                let order = SQLiteValue.compare(left, right)
                if order != 0 { return order }
            }
            return 0
        }

        func hash(into hasher: inout Hasher) {
            for value in values {
                switch value {
                case .null: hasher.combine(0)
                // A whole number may equal a floating-point number.
                case .integer(let number): hasher.combine(Double(number))
                case .real(let number): hasher.combine(number)
                case .text(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
                case .blob(let bytes): hasher.combine(bytes)
                }
            }
        }
    }

    struct Group: Sendable {
        let keys: Keys
        fileprivate(set) var totals: [GroupAggregate.Total]
    }

    private var groups: [Group] = []
    private var positions: [Keys: Int] = [:]

    /// Returns the position of the group with some keys. If there is none, it is created with aggregates of no rows.
    mutating func position(of keys: Keys, _ totals: () -> [GroupAggregate.Total]) -> Int {
        if let position = positions[keys] { return position }
        groups.append(Group(keys: keys, totals: totals()))
        positions[keys] = groups.count - 1
        return groups.count - 1
    }

    /// Adds a total to one of the aggregates of the group at a position.
    mutating func add(_ total: GroupAggregate.Total, to aggregate: Int, at position: Int) {
        groups[position].totals[aggregate].add(total)
    }

    /// Adds a group.
    mutating func add(_ keys: Keys, _ totals: [GroupAggregate.Total]) {
        let count = groups.count
        let position = position(of: keys) { totals }
        if position == count { return }
        for (index, total) in totals.enumerated() { add(total, to: index, at: position) }
    }

    /// Adds other groups.
    mutating func add(_ other: ValueGroups) {
        for group in other.groups { add(group.keys, group.totals) }
    }

    /// Returns the groups in the order of their keys.
    func sorted() -> [Group] { groups.sorted { Keys.order($0.keys, $1.keys) < 0 } }
}
