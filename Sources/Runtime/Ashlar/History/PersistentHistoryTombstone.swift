import AshlarSQLite
import SystemFoundation

/// The values of a deleted object that the history keeps.
///
/// They belong to attributes that the model marks with "Preserve After Deletion". Values in separate files are not
/// kept.
///
///     for change in transaction.changes { print(change.tombstone?["address"] as? URL as Any) }
///
/// Core Data's counterpart is the `tombstone` dictionary.
public struct PersistentHistoryTombstone: Sendable, Hashable {
    /// The values of the columns by the names of attributes, and by key paths for composites: `home.street`.
    private var stored: [String: SQLiteValue] = [:]
    private var types: [String: AttributeType] = [:]

    mutating func set(_ value: SQLiteValue, of column: ColumnDescription) {
        if value.isNull { return }
        stored[column.property] = value
        types[column.property] = column.type
    }

    /// The names of the attributes that have a value.
    public var properties: [String] { stored.keys.sorted() }

    /// The value of an attribute; nil if it was nil or is not kept.
    ///
    /// Integers are `Int16`, `Int32` or `Int64` according to the model. Decimals are `Decimal`, dates `Date`, UUIDs
    /// `UUID`, URIs `URL`, and transformed values the stored `Data`.
    public subscript(property: String) -> (any Sendable)? {
        stored[property].flatMap { Self.value($0, types[property]) }
    }

    /// Returns the value of an attribute with a type; nil if it was nil, is not kept, or has another type.
    ///
    /// Enumerations and other types are created from their raw values.
    ///
    ///     for change in transaction.changes {
    ///         if let address: URL = change.tombstone?.value(of: "address") { forget(address) }
    ///     }
    ///
    /// - Parameters:
    ///   - property: The attribute's name in the model.
    ///   - type: The type of the result.
    public func value<Value>(of property: String, as type: Value.Type = Value.self) -> Value? {
        guard let value = self[property] else { return nil }
        if let value = value as? Value { return value }
        if let integer = value as? any BinaryInteger, let integerType = Value.self as? any BinaryInteger.Type {
            return integerType.init(truncatingIfNeeded: integer) as? Value
        }
        if let number = value as? Double, Value.self == Float.self { return Float(number) as? Value }
        guard let rawType = Value.self as? any RawRepresentable.Type else { return nil }
        return raw(rawType, property) as? Value
    }

    private func raw<Raw: RawRepresentable>(_ type: Raw.Type, _ property: String) -> Raw? {
        value(of: property, as: Raw.RawValue.self).flatMap { Raw(rawValue: $0) }
    }

    private static func value(_ value: SQLiteValue, _ type: AttributeType?) -> (any Sendable)? {
        switch (value, type) {
        case (.integer(let value), .boolean): value != 0
        case (.integer(let value), .integer16): Int16(exactly: value)
        case (.integer(let value), .integer32): Int32(exactly: value)
        case (.integer(let value), _): value
        case (.real(let value), .date): Date(timeIntervalSinceReferenceDate: value)
        case (.real(let value), .float): Float(value)
        case (.real(let value), _): value
        case (.text(let value), .decimal): Decimal(string: value, locale: DecimalText.locale)
        case (.text(let value), .uri): URL(string: value)
        case (.text(let value), _): value
        case (.blob(let value), .uuid): UUID(bytes: value)
        case (.blob(let value), _): TaggedBlob.content(of: value)
        case (.null, _): nil
        }
    }
}

extension UUID {
    /// Creates the UUID of 16 bytes; nil for another number of bytes.
    fileprivate init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension TaggedBlob {
    /// Returns the bytes that a blob in a row represents, without its tag.
    fileprivate static func content(of blob: Data) -> Data {
        blob.count > 16 && blob.starts(with: inlineTag) ? Data(blob.dropFirst(inlineTag.count)) : blob
    }
}
