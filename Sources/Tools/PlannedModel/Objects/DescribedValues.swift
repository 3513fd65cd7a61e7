@_spi(Generated) import Ashlar
import AshlarSQLite
import Foundation
import StoreDescription

/// The values struct of an entity without attributes.
struct NoValues: EntityValues {
    typealias _AshlarModel = UnknownObject
}

/// The values struct of an entity with one property more than another one has.
///
/// Swift lays out the properties of a nested struct as if they stood in its place, so that a chain of these structs has
/// the memory layout of the struct that the generator would write. Only the runtime uses such values, by their layout.
struct MoreValues<Front: EntityValues, Last: Sendable>: EntityValues {
    typealias _AshlarModel = UnknownObject

    var front: Front
    var last: Last
}

/// A type that an attribute's column is read as.
protocol ColumnValue: Sendable {
    /// Makes the value from its stored form; nil if the column cannot have it.
    init?(stored: SQLiteValue)
}

/// The operations on a property whose type is known only at run time.
struct DescribedType: Sendable {
    let size: Int
    let alignment: Int
    /// Ends the value at an address.
    let destroy: @Sendable (UnsafeMutableRawPointer) -> Void
    private let make: @Sendable (SQLiteValue, UnsafeMutableRawPointer) -> Bool
    /// The values struct with such a property behind those of another.
    let appended: @Sendable (any EntityValues.Type) -> any EntityValues.Type

    /// The type of a column, as the runtime has it.
    init(_ line: ColumnLine) {
        switch line.content {
        case .reference:
            // Only the runtime sets relationships.
            self.init(PersistentIdentifier?.self) { _ in nil }
        case .attribute(let type):
            self =
                switch type {
                case .boolean: Self.type(Bool.self, line.isOptional)
                case .integer16: Self.type(Int16.self, line.isOptional)
                case .integer32: Self.type(Int32.self, line.isOptional)
                case .integer64: Self.type(Int64.self, line.isOptional)
                case .double: Self.type(Double.self, line.isOptional)
                case .float: Self.type(Float.self, line.isOptional)
                case .date: Self.type(Date.self, line.isOptional)
                case .string: Self.type(String.self, line.isOptional)
                case .binary, .transformable: Self.type(Data.self, line.isOptional)
                case .uuid: Self.type(UUID.self, line.isOptional)
                case .uri: Self.type(URL.self, line.isOptional)
                case .decimal: Self.type(Decimal.self, line.isOptional)
                }
        }
    }

    private static func type<Value: ColumnValue>(_ type: Value.Type, _ isOptional: Bool) -> DescribedType {
        if !isOptional { return DescribedType(type) { Value(stored: $0) } }
        return DescribedType(Value?.self) { stored in
            stored.isNull ? .some(nil) : Value(stored: stored).map { .some($0) }
        }
    }

    private init<Value: Sendable>(_ type: Value.Type, _ make: @escaping @Sendable (SQLiteValue) -> Value?) {
        size = MemoryLayout<Value>.size
        alignment = MemoryLayout<Value>.alignment
        destroy = { $0.assumingMemoryBound(to: Value.self).deinitialize(count: 1) }
        self.make = { stored, address in
            guard let value = make(stored) else { return false }
            address.assumingMemoryBound(to: Value.self).initialize(to: value)
            return true
        }
        appended = { Self.append(Value.self, to: $0) }
    }

    /// Makes the value of a column at an uninitialized address; returns false if the property has no such value.
    func initialize(_ address: UnsafeMutableRawPointer, to stored: SQLiteValue) -> Bool { make(stored, address) }

    /// The offset of such a property after others of some size.
    func offset(behind size: Int) -> Int { (size + alignment - 1) / alignment * alignment }

    private static func append<Front: EntityValues, Last: Sendable>(
        _ type: Last.Type, to front: Front.Type
    ) -> any EntityValues.Type {
        MoreValues<Front, Last>.self
    }
}

// MARK: How columns have values

extension Bool: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .integer(let number) = stored, (0...1).contains(number) else { return nil }
        self = number == 1
    }
}

extension ColumnValue where Self: FixedWidthInteger {
    init?(stored: SQLiteValue) {
        guard case .integer(let number) = stored else { return nil }
        self.init(exactly: number)
    }
}

extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}

extension Double: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .real(let number) = stored else { return nil }
        self = number
    }
}

extension Float: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .real(let number) = stored else { return nil }
        self.init(number)
    }
}

extension Date: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .real(let number) = stored else { return nil }
        self.init(timeIntervalSinceReferenceDate: number)
    }
}

extension String: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .text(let text) = stored else { return nil }
        self = text
    }
}

extension Data: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .blob(let bytes) = stored else { return nil }
        self = bytes
    }
}

extension UUID: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .blob(let bytes) = stored, bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension URL: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(string: text)
    }
}

extension Decimal: ColumnValue {
    init?(stored: SQLiteValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }
}
