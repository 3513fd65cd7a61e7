import AshlarSQLite

extension ModelContext {
    /// Updates registered objects whose values differ from the rows of a statement although their versions are the
    /// same.
    func compareRegistered(_ statement: Statement, _ entity: EntityDescription) throws {
        guard let map = registry.knownMap(for: entity.number.root) else { return }
        statement.reset()
        let row = Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root))
        while try statement.step() {
            let version = statement.integer(1)
            guard let known = map[statement.integer(0)], known.record.version == version,
                known.record.state == .persisted, !known.record.isListed || known.keepsRow, known.differs(from: row)
            else { continue }
            _ = try refresh(known, row, version, entity)
        }
    }
}

extension ManagedObject {
    /// Returns whether a row of the object's class has other values. A row that cannot be read counts as having the
    /// same values.
    final func differs(from row: Row) -> Bool {
        let layout = layout
        let box = try? ValuesBox.make(layout) { (values) throws(RowError) in try layout.decode(row, into: values) }
        return box.map { changes(since: $0, in: .max) != 0 } ?? false
    }
}
