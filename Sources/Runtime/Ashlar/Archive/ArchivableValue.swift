public import SystemFoundation

/// A type whose values can be stored in a keyed archive of Core Data, by the built-in transformer.
///
/// Numbers, strings, dates, data, URLs, UUIDs, and arrays, sets and dictionaries of them conform. For your own types,
/// write an ``AttributeTransformer`` or adopt `Codable`.
public protocol ArchivableValue: Sendable, Hashable, Codable {
    /// The value in the form in which an archive stores it.
    var archivedValue: ArchivedValue { get }

    /// Creates a value from a value of an archive.
    ///
    /// - Throws: ``ArchiveError/unexpectedValue(found:expected:)`` if the archived value has another type.
    init(archivedValue: ArchivedValue) throws(ArchiveError)
}

extension ArchivedValue: ArchivableValue {
    public var archivedValue: ArchivedValue { self }
    public init(archivedValue: ArchivedValue) { self = archivedValue }
}

extension Bool: ArchivableValue {
    public var archivedValue: ArchivedValue { .boolean(self) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        switch archivedValue {
        case .boolean(let value): self = value
        case .integer(0): self = false
        case .integer(1): self = true
        default: throw .unexpectedValue(found: archivedValue.kind, expected: "a boolean")
        }
    }
}

/// Numbers are converted as `NSNumber` converts them, if the conversion is exact.
extension ArchivableValue where Self: FixedWidthInteger {
    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        let exact: Self? =
            switch archivedValue {
            case .integer(let value): Self(exactly: value)
            case .real(let value): Self(exactly: value)
            case .boolean(let value): value ? 1 : 0
            default: nil
            }
        guard let exact else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "an integer from \(Self.min) to \(Self.max)")
        }
        self = exact
    }
}

extension Int: ArchivableValue { public var archivedValue: ArchivedValue { .integer(Int64(self)) } }
extension Int64: ArchivableValue { public var archivedValue: ArchivedValue { .integer(self) } }
extension Int32: ArchivableValue { public var archivedValue: ArchivedValue { .integer(Int64(self)) } }
extension Int16: ArchivableValue { public var archivedValue: ArchivedValue { .integer(Int64(self)) } }

extension Double: ArchivableValue {
    public var archivedValue: ArchivedValue { .real(self) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        switch archivedValue {
        case .real(let value):
            self = value
        case .integer(let value):
            guard let exact = Double(exactly: value) else { fallthrough }
            self = exact
        default:
            throw .unexpectedValue(found: archivedValue.kind, expected: "a number")
        }
    }
}

extension Float: ArchivableValue {
    public var archivedValue: ArchivedValue { .real(Double(self)) }
    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        self = Float(try Double(archivedValue: archivedValue))
    }
}

extension String: ArchivableValue {
    public var archivedValue: ArchivedValue { .string(self) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        guard case .string(let value) = archivedValue else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "a string")
        }
        self = value
    }
}

extension Data: ArchivableValue {
    public var archivedValue: ArchivedValue { .data(self) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        guard case .data(let value) = archivedValue else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "data")
        }
        self = value
    }
}

extension Date: ArchivableValue {
    public var archivedValue: ArchivedValue { .date(self) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        guard case .date(let value) = archivedValue else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "a date")
        }
        self = value
    }
}

extension URL: ArchivableValue {
    public var archivedValue: ArchivedValue { .url(self) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        guard case .url(let value) = archivedValue else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "a URL")
        }
        self = value
    }
}

extension UUID: ArchivableValue {
    public var archivedValue: ArchivedValue { .uuid(self) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        guard case .uuid(let value) = archivedValue else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "a UUID")
        }
        self = value
    }
}

extension Array: ArchivableValue where Element: ArchivableValue {
    public var archivedValue: ArchivedValue { .array(map(\.archivedValue)) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        guard case .array(let values) = archivedValue else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "an array")
        }
        self = try values.map { (value) throws(ArchiveError) in try Element(archivedValue: value) }
    }
}

extension Set: ArchivableValue where Element: ArchivableValue {
    public var archivedValue: ArchivedValue { .set(Set<ArchivedValue>(map(\.archivedValue))) }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        guard case .set(let values) = archivedValue else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "a set")
        }
        self.init(try values.map { (value) throws(ArchiveError) in try Element(archivedValue: value) })
    }
}

extension Dictionary: ArchivableValue where Key: ArchivableValue, Value: ArchivableValue {
    public var archivedValue: ArchivedValue {
        .dictionary(
            [ArchivedValue: ArchivedValue](map { ($0.key.archivedValue, $0.value.archivedValue) }) { _, last in last })
    }

    public init(archivedValue: ArchivedValue) throws(ArchiveError) {
        guard case .dictionary(let values) = archivedValue else {
            throw .unexpectedValue(found: archivedValue.kind, expected: "a dictionary")
        }
        self.init(minimumCapacity: values.count)
        for (key, value) in values { self[try Key(archivedValue: key)] = try Value(archivedValue: value) }
    }
}

/// A type of values that Ashlar archives itself, in the same way in every program.
protocol BuiltInArchivableValue: ArchivableValue {}

extension ArchivedValue: BuiltInArchivableValue {}
extension Bool: BuiltInArchivableValue {}
extension Int: BuiltInArchivableValue {}
extension Int64: BuiltInArchivableValue {}
extension Int32: BuiltInArchivableValue {}
extension Int16: BuiltInArchivableValue {}
extension Double: BuiltInArchivableValue {}
extension Float: BuiltInArchivableValue {}
extension String: BuiltInArchivableValue {}
extension Data: BuiltInArchivableValue {}
extension Date: BuiltInArchivableValue {}
extension URL: BuiltInArchivableValue {}
extension UUID: BuiltInArchivableValue {}
extension Array: BuiltInArchivableValue where Element: BuiltInArchivableValue {}
extension Set: BuiltInArchivableValue where Element: BuiltInArchivableValue {}
extension Dictionary: BuiltInArchivableValue where Key: BuiltInArchivableValue, Value: BuiltInArchivableValue {}
