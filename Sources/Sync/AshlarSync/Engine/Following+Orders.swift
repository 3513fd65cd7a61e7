import Ashlar
import AshlarSQLite

extension Following {
    /// Gives separate positions to members that two stores put into the same place.
    ///
    /// Both stores computed the middle between the same neighbors. The member that comes later in the log moves.
    ///
    /// - Parameters:
    ///   - changes: The changes of this store that were reapplied.
    ///   - merger: The objects that were merged.
    func separateMembers(_ changes: [RowChange], _ merger: ObjectMerger) throws {
        let merged = Set(merger.aliases.flatMap { table, rows in rows.keys.map { merger.current(table, $0) } })
        for order in StoredOrder.orders(of: container.model) {
            guard let table = tables.byName[order.table],
                let owner = table.stored.columns.firstIndex(of: order.owner),
                let position = table.stored.columns.firstIndex(of: order.position)
            else { continue }
            var owners = merged
            let ownerInKey = table.keyPositions.firstIndex(of: owner)
            for change in changes where change.table.name == table.name {
                guard change.operation != .delete, change.values[owner] != nil || change.values[position] != nil else {
                    continue
                }
                if let ownerInKey {
                    if case .integer(let found) = change.key.values[ownerInKey] { owners.insert(found) }
                    continue
                }
                let key = RowKey(first: merger.current(table.name, change.key.first))
                if case .integer(let found)? = try table.row(key, connection)?[owner] { owners.insert(found) }
            }
            for owner in owners.sorted() {
                for key in try order.separate(owner, connection) {
                    let parts = Dictionary(zip(order.keys, key.map(\.storedInteger)), uniquingKeysWith: { $1 })
                    let names = table.stored.keyNames
                    let row = RowKey(first: parts[names[0]] ?? 0, second: names.count > 1 ? parts[names[1]] : nil)
                    guard let values = try table.row(row, connection) else { continue }
                    note(RowChange(table: table, operation: .update, key: row, values: values))
                }
            }
        }
    }
}
