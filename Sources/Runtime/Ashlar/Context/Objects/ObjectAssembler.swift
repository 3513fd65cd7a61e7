package import AshlarSQLite
import SystemFoundation

/// Creates objects of any entity from the values of their columns, for tools that read the model at run time.
///
/// Values are decoded as those of a row, so the program's own types decode enumerations, JSON and the bytes of
/// transformers.
package final class ObjectAssembler {
    /// A value that a property cannot have.
    package struct UnsuitableValue: Error {
        package var property: String
        package var expected: String
    }

    package let context: ModelContext
    private let connection: Connection
    private var defaults: [String: [SQLiteValue]] = [:]

    package init(_ context: ModelContext) throws {
        self.context = context
        connection = try Connection(
            opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
    }

    /// Returns the initial values of an entity's columns: the model's defaults, and NULL.
    package func defaultValues(of entity: EntityDescription) throws -> [SQLiteValue] {
        if let known = defaults[entity.name] { return known }
        let found = try context.container.read("reading defaults") { reader in
            try reader.schema(holding: entity.tableName).columns(of: entity.tableName)
        }
        var literals: [String: String] = [:]
        for column in found { literals[column.name] = column.defaultValue }
        let values = try entity.columns.map { column -> SQLiteValue in
            if let literal = literals[column.name] {
                return try connection.rows("SELECT \(literal)").first?.first ?? .null
            }
            return column.isDerived && !column.isOptional ? Self.zero(of: column.type) : .null
        }
        defaults[entity.name] = values
        return values
    }

    /// Returns the value of a derived attribute until the store computes it.
    private static func zero(of type: AttributeType?) -> SQLiteValue {
        switch type {
        case .double, .float, .date: .real(0)
        case .string, .uri: .text("")
        case .decimal: .text("0")
        case .uuid: .blob(Data(count: 16))
        case .binary, .transformable: .blob(Data())
        case .integer16, .integer32, .integer64, .boolean, nil: .integer(0)
        }
    }

    /// Inserts a new object, without relationships.
    ///
    /// - Parameter values: The values of the columns, in the order of ``EntityDescription/columns``; references are
    ///   ignored.
    /// - Throws: ``UnsuitableValue``, or the reason why the context refuses the object.
    package func insert(_ entity: EntityDescription, _ values: [SQLiteValue]) throws -> ManagedObject {
        var row: [SQLiteValue] = [.integer(0), .integer(1)]
        if entity.hasDiscriminator { row.append(entity.discriminator.map { .text($0) } ?? .null) }
        let first = row.count
        for (column, value) in zip(entity.columns, values) { row.append(column.destination == nil ? value : .null) }
        let statement = try connection.statement(
            "SELECT " + row.indices.map { "?\($0 + 1)" }.joined(separator: ", "))
        defer { statement.reset() }
        statement.bind(row)
        _ = try statement.step()
        let extent = entity.layout.extent
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, extent.size), alignment: extent.alignment)
        defer { memory.deallocate() }
        do throws(RowError) {
            try entity.layout.decode(Row(statement: statement.handle, store: 0), into: memory)
        } catch {
            let position = Int(error.column) - first
            let property = entity.columns.indices.contains(position) ? entity.columns[position].property : ""
            throw UnsuitableValue(property: property, expected: error.expected)
        }
        let object = entity.modelClass._ashlarObject(taking: memory)
        context.insertObject(object)
        try context.errors.throwFirst()
        return object
    }

    /// Sets a to-one relationship.
    package func setTarget(_ target: ManagedObject?, of object: ManagedObject, _ relationship: Int) {
        object._ashlarSetToOne(RelationshipNumber(relationship), target)
    }

    /// Sets a to-many relationship.
    package func setMembers(_ members: [ManagedObject], of object: ManagedObject, _ relationship: Int) {
        object.setMembers(members, RelationshipNumber(relationship))
    }
}

extension EntityDescription {
    /// The positions of the columns of each uniqueness constraint.
    package var uniqueColumns: [[Int]] { schema.uniquenessConstraints }

    /// Returns whether a column is a reference to another object.
    package func isReference(_ column: Int) -> Bool { columns[column].destination != nil }
}

extension RelationshipDescription {
    /// The position of the inverse among the relationships of the destination.
    package var inversePosition: Int? { inverse?.position }
}

extension ValidationRule {
    /// Returns the rule that a value breaks; nil if it satisfies this one.
    package func brokenRule(by value: SQLiteValue, isDecimal: Bool) -> ValidationFailure.Rule? {
        broken(by: value, isDecimal: isDecimal)
    }
}
