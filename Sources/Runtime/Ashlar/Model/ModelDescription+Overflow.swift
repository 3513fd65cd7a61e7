import AshlarSQLite
import StoreDescription

extension ModelDescription {
    /// Returns the derived attributes, such as `Owner.total`, that may have caused an overflow of a sum; nil for other
    /// errors.
    func overflowingAttributes(_ error: SQLiteError) -> [String]? {
        guard error.isOverflow else { return nil }
        let names = entities.flatMap { entity in
            entity.columns.filter { column in
                column.isDerived && column.isWholeNumber && column.entity == entity.name
                    && error.mayBeAbout(column.name, of: entity.tableName)
            }.map { "\(entity.name).\($0.property)" }
        }
        return names.isEmpty ? nil : names
    }
}

extension Sequence<StoredEntity> {
    /// Returns the derived attributes of a version of the model that may have caused an overflow of a sum.
    package func overflowingAttributes(_ error: SQLiteError) -> [String]? {
        guard error.isOverflow else { return nil }
        let names = flatMap { entity in
            entity.attributes.filter { attribute in
                attribute.isDerived && attribute.isWholeNumber
                    && error.mayBeAbout(attribute.column, of: entity.table)
            }.map { "\(entity.name).\($0.keyPath)" }
        }
        return names.isEmpty ? nil : names
    }
}

extension SQLiteError {
    /// Whether a sum exceeded 64 bits, or a column of whole numbers received another value.
    fileprivate var isOverflow: Bool { isUnplacedOverflow || extendedCode == SQLITE_CONSTRAINT | (12 << 8) }

    /// Whether a sum exceeded 64 bits. SQLite does not report which one.
    private var isUnplacedOverflow: Bool { code == SQLITE_ERROR && message == "integer overflow" }

    fileprivate func mayBeAbout(_ column: String, of table: String) -> Bool {
        // "cannot store REAL value in INTEGER column Owner.total"
        isUnplacedOverflow || message.hasSuffix(" column \(table).\(column)")
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

extension StoredEntity.Attribute {
    fileprivate var isWholeNumber: Bool {
        switch type {
        case .integer16, .integer32, .integer64: true
        default: false
        }
    }
}
