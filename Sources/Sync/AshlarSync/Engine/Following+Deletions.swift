import Ashlar
import AshlarSQLite

/// Deletions that removed other objects, and may be denied as a whole.
extension Following {
    /// The deletions that belong together because one removed the other by the rules of the model. Each object has the
    /// objects that its deletion removed, and those whose deletion removed it.
    func deletedTogether(
        _ changes: [RowChange]
    ) -> [ChangesetApplication.DeletedRow: [ChangesetApplication.DeletedRow]] {
        typealias Object = ChangesetApplication.DeletedRow
        var deleted: Set<Object> = []
        for change in changes where change.operation == .delete && !change.table.isPairs {
            deleted.insert(Object(table: change.table.name, row: change.key.first))
        }
        var together: [Object: [Object]] = [:]
        if deleted.count < 2 { return together }
        func join(_ first: Object, _ second: Object) {
            guard first != second, deleted.contains(first), deleted.contains(second) else { return }
            together[first, default: []].append(second)
            together[second, default: []].append(first)
        }
        for change in changes where change.operation == .delete && !change.old.isEmpty {
            if let pairs = model.tracked[change.table.name]?.pairs {
                guard pairs.takesAlong, let second = change.key.second else { continue }
                join(
                    Object(table: pairs.source.entity.tableName, row: change.key.first),
                    Object(table: pairs.target.entity.tableName, row: second))
                continue
            }
            for reference in model.references where reference.table == change.table.name {
                guard reference.takesAlong || reference.isTakenAlong,
                    let position = change.table.stored.columns.firstIndex(of: reference.column),
                    case .integer(let row) = change.old[position]
                else { continue }
                join(
                    Object(table: change.table.name, row: change.key.first),
                    Object(table: model.table(ofRoot: reference.destination), row: row))
            }
        }
        return together
    }

    /// Restores references to objects whose deletion was denied.
    func putBack(_ changes: [RowChange], keeping kept: Set<ChangesetApplication.DeletedRow>) throws {
        if kept.isEmpty { return }
        func isKept(_ table: String, _ row: Int64) -> Bool {
            kept.contains(ChangesetApplication.DeletedRow(table: table, row: row))
        }
        for change in changes {
            if let pairs = model.tracked[change.table.name]?.pairs {
                guard change.operation == .delete, !change.old.isEmpty, let second = change.key.second,
                    isKept(pairs.source.entity.tableName, change.key.first)
                        || isKept(pairs.target.entity.tableName, second),
                    try change.table.row(change.key, connection) == nil,
                    try hasRow(pairs.source.entity.tableName, change.key.first),
                    try hasRow(pairs.target.entity.tableName, second)
                else { continue }
                try change.table.insert(change.old.map { $0 }, connection)
                note(RowChange(table: change.table, operation: .insert, key: change.key, values: change.old.map { $0 }))
                continue
            }
            guard change.operation == .update, let now = try change.table.row(change.key, connection) else { continue }
            var values = [SQLiteValue?](repeating: nil, count: now.count)
            for reference in model.references where reference.table == change.table.name {
                guard let position = change.table.stored.columns.firstIndex(of: reference.column),
                    change.values[position] == .null, now[position] == .null,
                    case .integer(let row) = change.old[position],
                    isKept(model.table(ofRoot: reference.destination), row)
                else { continue }
                values[position] = change.old[position]
            }
            if values.allSatisfy({ $0 == nil }) { continue }
            // The update violates a constraint if another object has taken the place meanwhile.
            let error = try refusal { [connection] () throws(SQLiteError) in
                try change.table.update(change.key, values, connection)
            }
            if error == nil {
                note(RowChange(table: change.table, operation: .update, key: change.key, values: values))
            }
        }
    }

    private func hasRow(_ table: String, _ row: Int64) throws -> Bool {
        guard let table = tables.byName[table] else { return false }
        return try table.row(RowKey(first: row), connection) != nil
    }
}
