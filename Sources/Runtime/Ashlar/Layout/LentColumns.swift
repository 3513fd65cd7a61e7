import AshlarSQLite
import SystemFoundation

/// The column that holds the value at an offset of a values struct.
@frozen @usableFromInline
struct LentPlace {
    /// The kinds of values that are read without the layout.
    @frozen @usableFromInline
    enum Kind: UInt8 {
        /// No value begins at the offset, or the value must be read with the layout.
        case other
        case bool, int64, double, date, string, blob
        case int64OrNil, doubleOrNil, dateOrNil, stringOrNil, blobOrNil
        case reference
    }

    @usableFromInline var kind: Kind
    /// The position of the column in the row.
    @usableFromInline var column: Int32
    /// The entity to which a reference leads.
    @usableFromInline var destination: EntityNumber
    /// The property that contains the byte; negative for none.
    var property: Int32

    /// The place of an offset at which no value begins.
    static var nothing: LentPlace {
        LentPlace(kind: .other, column: 0, destination: EntityNumber(root: 0, entity: 0), property: -1)
    }
}

extension LentPlace.Kind {
    init(_ type: StoredType) {
        self =
            switch type {
            case .bool: .bool
            case .int64: .int64
            case .double: .double
            case .date: .date
            case .string: .string
            case .data, .externalData: .blob
            case .optionalInt64: .int64OrNil
            case .optionalDouble: .doubleOrNil
            case .optionalDate: .dateOrNil
            case .optionalString: .stringOrNil
            case .optionalData, .optionalExternalData: .blobOrNil
            case .identifier: .reference
            default: .other
            }
    }
}

/// The columns of a statement's current row, found by the offsets of the values struct. The functions return nothing if
/// the value has another type, or is NULL in a required column. The caller then reads it with the layout, which throws
/// the error.
@frozen @usableFromInline
struct LentColumns {
    @usableFromInline let statement: OpaquePointer
    /// The places by offset.
    @usableFromInline let places: UnsafePointer<LentPlace>
    @usableFromInline let store: UInt32

    init(_ statement: OpaquePointer, _ places: UnsafePointer<LentPlace>, store: UInt32) {
        self.statement = statement
        self.places = places
        self.store = store
    }

    @inlinable @inline(__always)
    func int64(_ offset: Int) -> Int64? {
        let place = places[offset]
        if place.kind != .int64 { return nil }
        let value = sqlite3_column_int64(statement, place.column)
        return value == 0 && isNull(place.column) ? nil : value
    }

    @inlinable @inline(__always)
    func bool(_ offset: Int) -> Bool? {
        let place = places[offset]
        if place.kind != .bool { return nil }
        let value = sqlite3_column_int64(statement, place.column)
        return value == 0 && isNull(place.column) ? nil : value != 0
    }

    @inlinable @inline(__always)
    func double(_ offset: Int) -> Double? {
        let place = places[offset]
        if place.kind != .double { return nil }
        let value = sqlite3_column_double(statement, place.column)
        return value == 0 && isNull(place.column) ? nil : value
    }

    @inlinable @inline(__always)
    func date(_ offset: Int) -> Date? {
        let place = places[offset]
        if place.kind != .date { return nil }
        let value = sqlite3_column_double(statement, place.column)
        return value == 0 && isNull(place.column) ? nil : Date(timeIntervalSinceReferenceDate: value)
    }

    @inlinable @inline(__always)
    func int64OrNil(_ offset: Int) -> Int64?? {
        let place = places[offset]
        if place.kind != .int64OrNil { return nil }
        let value = sqlite3_column_int64(statement, place.column)
        return .some(value == 0 && isNull(place.column) ? nil : value)
    }

    @inlinable @inline(__always)
    func doubleOrNil(_ offset: Int) -> Double?? {
        let place = places[offset]
        if place.kind != .doubleOrNil { return nil }
        let value = sqlite3_column_double(statement, place.column)
        return .some(value == 0 && isNull(place.column) ? nil : value)
    }

    @inlinable @inline(__always)
    func dateOrNil(_ offset: Int) -> Date?? {
        let place = places[offset]
        if place.kind != .dateOrNil { return nil }
        let value = sqlite3_column_double(statement, place.column)
        return .some(value == 0 && isNull(place.column) ? nil : Date(timeIntervalSinceReferenceDate: value))
    }

    @inlinable @inline(__always)
    func reference(_ offset: Int) -> PersistentIdentifier?? {
        let place = places[offset]
        if place.kind != .reference { return nil }
        let value = sqlite3_column_int64(statement, place.column)
        if value > 0 { return PersistentIdentifier(rowID: value, store: store, entity: place.destination) }
        // A number below 1 is invalid. Reading it with the layout throws the error.
        return value == 0 && isNull(place.column) ? .some(nil) : nil
    }

    /// Returns whether an optional text or blob is NULL.
    @inlinable @inline(__always)
    func isNil(_ offset: Int) -> Bool {
        let place = places[offset]
        return (place.kind == .stringOrNil || place.kind == .blobOrNil) && isNull(place.column)
    }

    @inlinable @inline(__always)
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// Returns the bytes of a text as UTF-8.
    @usableFromInline @inline(never)
    func text(_ offset: Int, _ lender: Unmanaged<RowLender>) -> UnsafeBufferPointer<UInt8>? {
        let place = places[offset]
        if place.kind != .string, place.kind != .stringOrNil { return nil }
        let value = sqlite3_column_value(statement, place.column)
        guard let start = sqlite3_value_text(value) else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        return bytes.isASCII || bytes.isUTF8 ? bytes : lender._withUnsafeGuaranteedRef { $0.keepRepaired(bytes) }
    }

    /// Returns the bytes of a blob, or those that a tagged blob represents.
    @usableFromInline @inline(never)
    func blob(_ offset: Int, _ lender: Unmanaged<RowLender>) throws(RowError) -> UnsafeRawBufferPointer? {
        let place = places[offset]
        if place.kind != .blob, place.kind != .blobOrNil { return nil }
        let value = sqlite3_column_value(statement, place.column)
        guard let start = sqlite3_value_blob(value) else {
            // An empty blob has no address either.
            return sqlite3_value_type(value) == SQLITE_NULL ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let count = Int(sqlite3_value_bytes(value))
        if !TaggedBlob.isTagged(start, count) { return UnsafeRawBufferPointer(start: start, count: count) }
        let lender = lender.takeUnretainedValue()
        return lender.keep(try lender.row.taggedData(place.column, start, count))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all bytes are ASCII, as in most texts. It checks eight at a time.
    @inline(__always)
    fileprivate var isASCII: Bool {
        guard let start = UnsafeRawPointer(baseAddress) else { return true }
        var bits: UInt64 = 0
        var position = 0
        while position &+ 8 <= count {
            bits |= start.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            position &+= 8
        }
        if position < count, count >= 8 {
            // Some of these bytes are checked twice.
            bits |= start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        } else {
            while position < count {
                bits |= UInt64(self[position])
                position &+= 1
            }
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    fileprivate var isUTF8: Bool {
        if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
            return (try? UTF8Span(validating: Span(_unsafeElements: self))) != nil
        }
        return String(validating: self, as: UTF8.self) != nil
    }
}
