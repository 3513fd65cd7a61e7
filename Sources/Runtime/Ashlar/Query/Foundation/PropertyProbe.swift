import AshlarSQLite
import Synchronization
import SystemFoundation

/// Finds the property that a key path reads if generated code does not have the key path, such as one through a
/// protocol's requirement: `\Model.createdDate` in code that is generic over `Model`.
///
/// Swift distinguishes two such key paths, but does not report their names. Both are read from two objects with values
/// that no program uses. The property is the one that was read and has the result's value in both.
struct PropertyProbe {
    private let entity: EntityDescription
    private let objects: [ManagedObject]

    /// Creates the objects; nil if there is no known value for the type of a required attribute.
    private init?(_ entity: EntityDescription) {
        guard
            let connection = try? Connection(
                opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY),
            let first = Self.object(of: entity, 0, connection), let second = Self.object(of: entity, 1, connection)
        else { return nil }
        self.entity = entity
        objects = [first, second]
    }

    /// The names that have been found.
    private static let known = Mutex(PropertyKeyPaths())

    /// Returns the name of the attribute that a key path reads; nil if it reads none, or computes a value from it.
    ///
    /// - Parameter suffixes: The parts that may follow the attribute in the key path.
    static func name(of keyPath: AnyKeyPath, in entity: EntityDescription, before suffixes: [AnyKeyPath] = [])
        -> String?
    {
        // Unsafe, because AnyKeyPath is not Sendable. A key path of properties captures no value, so it is immutable.
        nonisolated(unsafe) let found = keyPath
        if let name = known.withLock({ $0[found] }) { return name }
        guard let name = PropertyProbe(entity)?.name(of: keyPath, suffixes) else { return nil }
        known.withLock { $0.add(unvalued: found, name) }
        return name
    }

    private func name(of keyPath: AnyKeyPath, _ suffixes: [AnyKeyPath]) -> String? {
        var names: Set<String> = []
        var values: [Any] = []
        for object in objects {
            let accesses = AccessedColumns()
            object.record.isObserved = true
            defer { object.record.isObserved = false }
            guard
                let value = AccessedColumns.$current.withValue(
                    accesses, operation: { (object as Any)[keyPath: keyPath] })
            else { return nil }
            values.append(value)
            for column in accesses.columns { names.insert(entity.columns[column].property) }
        }
        guard names.count == 1, let name = names.first,
            let property = entity.modelClass._ashlarKeyPaths.keyPath(of: name)
        else { return nil }
        let ends = suffixes.isEmpty ? [property] : suffixes.compactMap { property.appending(path: $0) }
        guard let end = ends.first(where: { type(of: $0).valueType == type(of: keyPath).valueType }) else { return nil }
        let isSame = zip(objects, values).allSatisfy { object, value in
            (object as Any)[keyPath: end].map { Self.isEqual(value, $0) } ?? false
        }
        return isSame ? name : nil
    }

    private static func isEqual(_ left: Any, _ right: Any) -> Bool {
        func isEqual<Value: Equatable>(_ left: Value) -> Bool { right as? Value == left }
        guard let left = left as? any Equatable else { return false }
        return isEqual(left)
    }

    // MARK: Objects

    /// Returns an object outside any context, whose attributes have values that differ from those computed from them.
    private static func object(of entity: EntityDescription, _ number: Int, _ connection: Connection) -> ManagedObject?
    {
        var row: [SQLiteValue] = [.integer(1), .integer(1)]
        if entity.hasDiscriminator { row.append(entity.discriminator.map { .text($0) } ?? .null) }
        let first = row.count
        var candidates = entity.columns.indices.map { Self.candidates(entity, $0, number) }
        row += candidates.map { $0.first ?? .null }
        let extent = entity.layout.extent
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, extent.size), alignment: extent.alignment)
        defer { memory.deallocate() }
        guard
            let statement = try? connection.statement(
                "SELECT " + row.indices.map { "?\($0 + 1)" }.joined(separator: ", "))
        else { return nil }
        defer { statement.reset() }
        while true {
            statement.rewind()
            statement.bind(row)
            guard (try? statement.step()) == true else { return nil }
            do throws(RowError) {
                try entity.layout.decode(Row(statement: statement.handle, store: 0), into: memory)
                return entity.modelClass._ashlarObject(taking: memory)
            } catch {
                // The next value that the type may have.
                let column = Int(error.column) - first
                guard candidates.indices.contains(column), candidates[column].count > 1 else { return nil }
                candidates[column].removeFirst()
                row[Int(error.column)] = candidates[column][0]
            }
        }
    }

    private static func candidates(_ entity: EntityDescription, _ column: Int, _ number: Int) -> [SQLiteValue] {
        let description = entity.columns[column]
        // An optional composite is nil.
        let isAbsent =
            description.name.hasSuffix("$$present") || description.isOptional && description.property.contains(".")
        guard let type = description.type, !isAbsent else { return [.null] }
        var values = [value(of: type, number)]
        if let coding = entity.layout.column(column)?.0.pointee.slot.coding { values += cases(coding, number) }
        if description.isOptional { values.append(.null) }
        let texts = ["{}", "[]", "0", "\"\"", "true"]
        return values + texts.map { .text($0) } + texts.map { .blob(Data($0.utf8)) }
    }

    private static func value(of type: AttributeType, _ number: Int) -> SQLiteValue {
        let isFirst = number == 0
        switch type {
        case .boolean: return .integer(isFirst ? 1 : 0)
        case .integer16, .integer32, .integer64: return .integer(isFirst ? 7919 : -104)
        case .double, .float, .date: return .real(isFirst ? 7919.25 : -104.5)
        case .decimal: return DecimalNumber.value(.real(isFirst ? 7919.25 : -104.5))
        case .string: return .text(isFirst ? " Äb7 \n" : "ß-Q'\t9")
        case .uuid: return .blob(Data(repeating: isFirst ? 7 : 104, count: 16))
        case .uri: return .text(isFirst ? "https://a.example/B?7" : "https://c.example/d#9")
        case .binary, .transformable: return .blob(Data(isFirst ? [7, 0, 104] : [9]))
        }
    }

    /// Returns the cases of an enumeration in their stored form.
    private static func cases(_ coding: any ValueCoding.Type, _ number: Int) -> [SQLiteValue] {
        func values<Coding: ValueCoding>(_ coding: Coding.Type) -> [SQLiteValue] {
            func all<Cases: CaseIterable>(_ type: Cases.Type) -> [SQLiteValue] {
                type.allCases.compactMap { ($0 as? Coding.Value).map { Coding.sqliteValue($0) } }
            }
            guard let type = Coding.Value.self as? any CaseIterable.Type else { return [] }
            return all(type)
        }
        let cases = values(coding)
        return number == 0 ? cases : cases.reversed()
    }
}

/// The columns that are read from an object outside any context, recorded while a task observes them.
final class AccessedColumns: Sendable {
    @TaskLocal static var current: AccessedColumns?

    private let list = Mutex<[Int]>([])

    var columns: [Int] { list.withLock { $0 } }

    func add(_ column: Int) { list.withLock { $0.append(column) } }
}
