import AshlarSQLite

extension ModelDescription {
    /// The derived attributes, as `Owner.total`, of which one could not hold its sum; nil for any other error.
    func overflowingAttributes(_ error: SQLiteError) -> [String]? {
        let isOverflow = error.code == SQLITE_ERROR && error.message == "integer overflow"
        // "cannot store REAL value in INTEGER column Owner.total"
        guard isOverflow || error.extendedCode == SQLITE_CONSTRAINT | (12 << 8) else { return nil }
        let place = error.message.split(separator: " ").last
        var names: [String] = []
        for entity in entities {
            for column in entity.columns where column.isDerived && column.isWholeNumber && column.entity == entity.name
            {
                // SQLite does not say whose sum it was that it could not add up.
                guard isOverflow || place == "\(entity.tableName).\(column.name)" else { continue }
                names.append("\(entity.name).\(column.property)")
            }
        }
        return names.isEmpty ? nil : names
    }
}

extension ColumnDescription {
    fileprivate var isWholeNumber: Bool {
        switch type {
        case .integer16, .integer32, .integer64: true
        default: false
        }
    }
}
