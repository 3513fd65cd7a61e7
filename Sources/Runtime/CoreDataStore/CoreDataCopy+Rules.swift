import SQLQuoting
import StoreDescription

extension CoreDataCopy {
    /// The condition on a value, and its replacement.
    struct Rule {
        /// The column of the old store.
        var column: String
        /// Whether the value is allowed.
        var condition: String
        /// The part of the condition that the new table does not check itself; nil if it checks all. The table refuses
        /// NULL for a required value, and values of another type. It converts values that it accepts.
        var guardCondition: String?
        /// The new store's value for a valid value.
        var value: String
        /// The new store's value for an invalid value that is repaired.
        var fallback = "NULL"
        /// Whether a row without an allowed value can only be left out.
        var excludesRow = false
    }

    /// The rule for an attribute's values; nil if the store has no column of it.
    func rule(
        _ attribute: StoredEntity.Attribute, _ type: ColumnLine.AttributeType, of entity: StoredEntity,
        in table: CoreDataLayout.EntityTable
    ) -> Rule? {
        guard let column = table.columns[CoreDataLayout.Property(entity.name, attribute.keyPath)] else { return nil }
        let value = "s.\(quoted(column))"
        let allowed = attribute.isExternal ? externalCondition(value) : condition(type, value)
        // NULL is tested first, which needs no function of ours.
        let condition = attribute.isOptional ? "\(value) IS NULL OR \(allowed)" : allowed
        var rule = Rule(
            column: column, condition: condition,
            guardCondition: attribute.isExternal ? condition : guardCondition(type, value, attribute, of: entity),
            value: attribute.isExternal ? externalValue(value) : converted(type, value))
        if !attribute.isOptional {
            if let literal = defaults[table.entities.first?.table ?? ""]?[attribute.column] {
                rule.fallback = literal
            } else {
                rule.excludesRow = true
            }
        }
        return rule
    }

    /// Whether a value that is not NULL has a type.
    private func condition(_ type: ColumnLine.AttributeType, _ value: String) -> String {
        switch type {
        case .integer16: "typeof(\(value)) = 'integer' AND \(value) BETWEEN -32768 AND 32767"
        case .integer32: "typeof(\(value)) = 'integer' AND \(value) BETWEEN -2147483648 AND 2147483647"
        case .integer64: "typeof(\(value)) = 'integer'"
        case .boolean: "typeof(\(value)) = 'integer' AND \(value) IN (0, 1)"
        case .double, .float, .date: "typeof(\(value)) IN ('real', 'integer')"
        case .decimal: "\(Function.decimal.rawValue)(\(value)) IS NOT NULL"
        case .string: "typeof(\(value)) = 'text'"
        case .uri: "typeof(\(value)) = 'text' AND \(Function.isURI.rawValue)(\(value))"
        case .uuid: "typeof(\(value)) = 'blob' AND length(\(value)) = 16"
        case .binary, .transformable: "typeof(\(value)) = 'blob'"
        }
    }

    /// The part of a condition that a column of the type does not check. The smaller condition halves the time of a
    /// copy.
    private func guardCondition(
        _ type: ColumnLine.AttributeType, _ value: String, _ attribute: StoredEntity.Attribute, of entity: StoredEntity
    ) -> String? {
        // Only the columns of the root's own attributes may be required.
        let mayBeNull = attribute.isOptional || entity.parent == nil
        let open: String?
        switch type {
        case .integer16: open = "\(value) BETWEEN -32768 AND 32767"
        case .integer32: open = "\(value) BETWEEN -2147483648 AND 2147483647"
        case .boolean: open = "\(value) IN (0, 1)"
        case .uuid: open = "length(\(value)) = 16"
        case .decimal, .uri: open = condition(type, value)
        case .integer64, .double, .float, .date, .string, .binary, .transformable: open = nil
        }
        guard let open else { return mayBeNull ? nil : "\(value) IS NOT NULL" }
        return mayBeNull ? "\(value) IS NULL OR \(open)" : open
    }

    private func converted(_ type: ColumnLine.AttributeType, _ value: String) -> String {
        switch type {
        case .decimal: "\(Function.decimal.rawValue)(\(value))"
        case .binary, .transformable: blob(value)
        default: value
        }
    }

    /// Bytes that begin like one of our references to a file must not become a reference.
    private func blob(_ value: String) -> String {
        "CASE WHEN substr(\(value), 1, 7) = x'6173686c617224' THEN \(Function.blob.rawValue)(\(value)) ELSE \(value) END"
    }

    // A value that may be in a file begins with a byte in Core Data: 1 before the value itself, 2 before the file's
    // name.

    private func externalCondition(_ value: String) -> String {
        "typeof(\(value)) = 'blob' AND (substr(\(value), 1, 1) IN (x'', x'01') OR \(Function.hasFile.rawValue)(\(value)))"
    }

    private func externalValue(_ value: String) -> String {
        "CASE WHEN \(value) IS NULL THEN NULL WHEN substr(\(value), 1, 1) = x'02' THEN \(Function.file.rawValue)(\(value)) "
            + "ELSE \(blob("substr(\(value), 2)")) END"
    }

    /// The rule for the column of a to-one relationship. Its destination is checked after the copy.
    func rule(
        _ relationship: StoredEntity.Relationship, of entity: StoredEntity, in table: CoreDataLayout.EntityTable
    ) -> Rule? {
        guard let column = table.columns[CoreDataLayout.Property(entity.name, relationship.name)] else { return nil }
        let value = "s.\(quoted(column))"
        let found = exists(column, in: relationship.destination)
        var rule = Rule(
            column: column, condition: relationship.isOptional ? "\(value) IS NULL OR \(found)" : found,
            guardCondition: relationship.isOptional ? nil : "\(value) IS NOT NULL", value: value)
        rule.excludesRow = !relationship.isOptional
        return rule
    }
}
