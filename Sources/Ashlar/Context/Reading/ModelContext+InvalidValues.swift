import AshlarSQLite

/// A value in the store that is none of its property's type: bytes that a transformer does not understand, a raw value
/// that no case has, a large value whose file is missing.
public struct InvalidValue: Sendable, Hashable {
    /// The object whose row holds it.
    public var identifier: PersistentIdentifier
    /// The entity that declares the property.
    public var entity: String
    /// The property's name in the model.
    public var property: String
    /// What the column should hold, and why it does not.
    public var expected: String
    /// The row's version when it was read.
    var version: Int64
    /// Whether the property needs a value, so that no object could be made of the row.
    var isRequired: Bool
}

extension ModelContext {
    /// The values that this context could not read, by entity, row and property.
    ///
    /// Each is an error of the call that meets it, ``StoreError/invalidValue(entity:property:rowID:expected:)``, and of the
    /// next throwing call where a relationship was loaded, whose getter cannot throw.
    ///
    /// Where the property is optional that is told once for each version of a row: afterwards the object is there, and the
    /// property is nil; what the store holds stays as it is until the property is set to another value and saved. Where it
    /// is required no value could stand for it: each fetch of the row throws, and relationships leave its object out. Leave
    /// the row out by a condition, mend it with a batch update, delete it with a batch deletion, or delete its owner. For
    /// an enumeration that other programs may know more cases of, give the attribute `ashlar.unknownValue` in the model.
    public var invalidValues: [InvalidValue] {
        let present = errors.unreadableValues.filter { value in
            guard let version = registry.object(value.identifier)?.record.version else { return true }
            return value.isRequired ? version < value.version : version == value.version
        }
        return present.sorted {
            ($0.entity, $0.identifier.rowID, $0.property) < ($1.entity, $1.identifier.rowID, $1.property)
        }
    }

    /// Reads a row again, with NULL in the place of the optional values that cannot be read; nil when it cannot be read
    /// even so. Each such value is noted.
    ///
    /// The row comes from the same connection, whose statement is under way, and so from the same state of the store.
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
    /// The statement that reads the row of an identifier with NULL in the place of some columns.
    fileprivate func selectOneStatement(omitting omitted: Set<Int>) -> String {
        var terms = ["\"id$\"", "\"version$\""] + (hasDiscriminator ? ["\"entity$\""] : [])
        terms += columns.enumerated().map { omitted.contains($0) ? "NULL" : $1.name.quotedIdentifier }
        return "SELECT \(terms.joined(separator: ", ")) FROM \(tableName.quotedIdentifier) WHERE \"id$\" = ?1"
    }
}
