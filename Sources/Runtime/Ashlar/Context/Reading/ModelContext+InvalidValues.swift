import AshlarSQLite

/// A value in the store that its property's type does not allow.
///
/// For example, a transformer cannot decode it, no case has its raw value, or the file of a large value is missing.
/// ``ModelContext/invalidValues`` lists them.
///
///     for value in context.invalidValues {
///         print(value.entity, value.property, value.identifier, value.expected)
///     }
public struct InvalidValue: Sendable, Hashable {
    /// The object whose row holds the value.
    public var identifier: PersistentIdentifier
    /// The name of the entity that declares the property.
    public var entity: String
    /// The property's name in the model.
    public var property: String
    /// A description of the expected content of the column, and the reason why the value is invalid.
    public var expected: String
    /// The row's version when it was read.
    var version: Int64
    /// Whether the property requires a value, so that no object could be created from the row.
    var isRequired: Bool
}

extension ModelContext {
    /// The values that this context could not read, by entity, row and property.
    ///
    /// The call that reads such a value throws ``StoreError/invalidValue(entity:property:rowID:expected:)``. If a
    /// relationship was loaded, whose getter cannot throw, the context's next throwing call throws it.
    ///
    ///     for value in context.invalidValues {
    ///         print(value.entity, value.property, value.identifier, value.expected)
    ///     }
    ///
    /// For an optional property, the error is thrown once for each version of a row. Afterwards the object is available
    /// with nil, and the stored value stays until the property is set and saved. For a required property, each fetch of
    /// the row throws, and relationships leave the object out. To repair it, use a batch update or a batch deletion, or
    /// delete its owner. For enumerations with future cases, set `ashlar.unknownValue` in the model.
    public var invalidValues: [InvalidValue] {
        let present = errors.unreadableValues.filter { value in
            guard let version = registry.object(value.identifier)?.record.version else { return true }
            return value.isRequired ? version < value.version : version == value.version
        }
        return present.sorted {
            ($0.entity, $0.identifier.rowID, $0.property) < ($1.entity, $1.identifier.rowID, $1.property)
        }
    }

    /// Reads a row again, with NULL in place of optional values that cannot be read, which are recorded. Returns nil if
    /// other values cannot be read either.
    ///
    /// The row comes from the same connection, whose statement is still running, and therefore from the same state of
    /// the store.
    @inline(never)
    func readAround<Result>(
        _ firstError: RowError, _ row: Row, _ entity: EntityDescription, _ body: (Row) throws(RowError) -> Result
    ) throws -> Result? {
        let rowID = row.rowID
        let version = row.version
        guard let database = DatabaseHandle(of: row.statement)?.pointer else { return nil }
        var error = firstError
        var omitted: Set<Int> = []
        while true {
            let index = Int(error.column) - entity.firstColumn
            let canBeOmitted =
                entity.columns.indices.contains(index) && entity.columns[index].isOptional
                && omitted.insert(index).inserted
            noteInvalidValue(error, entity, rowID: rowID, version: version, isRequired: !canBeOmitted)
            if !canBeOmitted { return nil }
            let statement = try Statement(entity.selectOneStatement(omitting: omitted), database: database)
            statement.bind(rowID, 1)
            guard try statement.step() else { return nil }
            do throws(RowError) {
                return try body(Row(statement: statement.handle, store: row.store))
            } catch let next {
                error = next
            }
        }
    }

    private func noteInvalidValue(
        _ error: RowError, _ entity: EntityDescription, rowID: Int64, version: Int64, isRequired: Bool
    ) {
        let storeError = Self.storeError(error, entity, rowID: rowID)
        guard case .invalidValue(let entityName, let property, _, let expected) = storeError else { return }
        let value = InvalidValue(
            identifier: PersistentIdentifier(
                rowID: rowID, store: container.storeNumber(of: entity.number.root), entity: entity.number),
            entity: entityName, property: property, expected: expected, version: version, isRequired: isRequired)
        errors.note(value, storeError)
    }
}

extension EntityDescription {
    /// Returns the statement that reads a row by its identifier with NULL in place of some columns.
    fileprivate func selectOneStatement(omitting omitted: Set<Int>) -> String {
        var terms = ["\"id$\"", "\"version$\""] + (hasDiscriminator ? ["\"entity$\""] : [])
        terms += columns.enumerated().map { omitted.contains($0) ? "NULL" : $1.name.quotedIdentifier }
        return "SELECT \(terms.joined(separator: ", ")) FROM \(tableName.quotedIdentifier) WHERE \"id$\" = ?1"
    }
}
