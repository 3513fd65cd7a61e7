import AshlarSQLite
import SystemFoundation

/// The comparisons of values in memory for conditions and saves.
extension ValueSlot {
    /// Returns the value in the form in which SQLite stores it; NULL if conditions cannot use it.
    func sqliteValue(_ address: UnsafeRawPointer) -> SQLiteValue {
        switch type {
        case .bool: SQLiteValue(address.value(Bool.self))
        case .int16: SQLiteValue(address.value(Int16.self))
        case .int32: SQLiteValue(address.value(Int32.self))
        case .int64: SQLiteValue(address.value(Int64.self))
        case .double: SQLiteValue(address.value(Double.self))
        case .float: SQLiteValue(address.value(Float.self))
        case .date: SQLiteValue(address.value(Date.self))
        case .string: SQLiteValue(address.value(String.self))
        case .data, .externalData: SQLiteValue(address.value(Data.self))
        case .uuid: SQLiteValue(address.value(UUID.self))
        case .url: SQLiteValue(address.value(URL.self))
        case .decimal: SQLiteValue(address.value(Decimal.self))
        case .optionalBool: SQLiteValue(address.value(Bool?.self))
        case .optionalInt16: SQLiteValue(address.value(Int16?.self))
        case .optionalInt32: SQLiteValue(address.value(Int32?.self))
        case .optionalInt64: SQLiteValue(address.value(Int64?.self))
        case .optionalDouble: SQLiteValue(address.value(Double?.self))
        case .optionalFloat: SQLiteValue(address.value(Float?.self))
        case .optionalDate: SQLiteValue(address.value(Date?.self))
        case .optionalString: SQLiteValue(address.value(String?.self))
        case .optionalData, .optionalExternalData: SQLiteValue(address.value(Data?.self))
        case .optionalUUID: SQLiteValue(address.value(UUID?.self))
        case .optionalURL: SQLiteValue(address.value(URL?.self))
        case .optionalDecimal: SQLiteValue(address.value(Decimal?.self))
        case .identifier: SQLiteValue(address.value(PersistentIdentifier?.self))
        case .coded: coding?.sqliteValue(at: address) ?? .null
        }
    }

    /// Returns whether the value is NaN, which the store could keep only as NULL.
    func isNotANumber(_ address: UnsafeRawPointer) -> Bool {
        switch type {
        case .double: address.value(Double.self).isNaN
        case .float: address.value(Float.self).isNaN
        case .date: address.value(Date.self).timeIntervalSinceReferenceDate.isNaN
        case .decimal: address.value(Decimal.self).isNaN
        case .optionalDouble: address.value(Double?.self)?.isNaN == true
        case .optionalFloat: address.value(Float?.self)?.isNaN == true
        case .optionalDate: address.value(Date?.self)?.timeIntervalSinceReferenceDate.isNaN == true
        case .optionalDecimal: address.value(Decimal?.self)?.isNaN == true
        case .coded: isRawValue && sqliteValue(address).isNull && coding?.isNil(at: address) != true
        default: false
        }
    }

    /// Returns whether a value must be written because it differs from the previous one.
    ///
    /// NaN does not equal itself, but replacing NaN by NaN does not count as a change.
    func differs(_ address: UnsafeRawPointer, from other: UnsafeRawPointer) -> Bool {
        // Values with the same bytes are the same: texts and objects because the bytes refer to the same memory. Most
        // values are compared with copies of themselves.
        memcmp(address, other, size) != 0 && differs(address, fromOtherBytes: other)
    }

    /// Returns whether two values with different bytes differ.
    @inline(__always)
    func differs(_ address: UnsafeRawPointer, fromOtherBytes other: UnsafeRawPointer) -> Bool {
        switch type {
        // Different bytes of these types mean different values.
        case .int16, .int32, .int64, .bool, .uuid: return true
        default: break
        }
        return isUnequal(address, other) && !(isNotANumber(address) && isNotANumber(other))
    }

    @inline(__always)
    private func isUnequal(_ address: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
        switch type {
        case .bool: address.value(Bool.self) != other.value(Bool.self)
        case .int16: address.value(Int16.self) != other.value(Int16.self)
        case .int32: address.value(Int32.self) != other.value(Int32.self)
        case .int64: address.value(Int64.self) != other.value(Int64.self)
        case .double: address.value(Double.self) != other.value(Double.self)
        case .float: address.value(Float.self) != other.value(Float.self)
        case .date: address.value(Date.self) != other.value(Date.self)
        case .string: Self.differ(address.value(String.self), other.value(String.self))
        case .data, .externalData: address.value(Data.self) != other.value(Data.self)
        case .uuid: address.value(UUID.self) != other.value(UUID.self)
        case .url: address.value(URL.self) != other.value(URL.self)
        case .decimal: address.value(Decimal.self) != other.value(Decimal.self)
        case .optionalBool: address.value(Bool?.self) != other.value(Bool?.self)
        case .optionalInt16: address.value(Int16?.self) != other.value(Int16?.self)
        case .optionalInt32: address.value(Int32?.self) != other.value(Int32?.self)
        case .optionalInt64: address.value(Int64?.self) != other.value(Int64?.self)
        case .optionalDouble: address.value(Double?.self) != other.value(Double?.self)
        case .optionalFloat: address.value(Float?.self) != other.value(Float?.self)
        case .optionalDate: address.value(Date?.self) != other.value(Date?.self)
        case .optionalString: Self.differ(address.value(String?.self), other.value(String?.self))
        case .optionalData, .optionalExternalData: address.value(Data?.self) != other.value(Data?.self)
        case .optionalUUID: address.value(UUID?.self) != other.value(UUID?.self)
        case .optionalURL: address.value(URL?.self) != other.value(URL?.self)
        case .optionalDecimal: address.value(Decimal?.self) != other.value(Decimal?.self)
        case .identifier: address.value(PersistentIdentifier?.self) != other.value(PersistentIdentifier?.self)
        case .coded: coding?.isEqual(address, other) == false
        }
    }

    /// Swift considers strings equal whose accents are composed differently, but the store keeps their bytes.
    private static func differ(_ left: String, _ right: String) -> Bool {
        let differs = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count, let first = left.baseAddress, let other = right.baseAddress
                else { return left.count != right.count }
                return memcmp(first, other, left.count) != 0
            }
        }
        // Strings in storage of the system may have no contiguous bytes.
        return differs.flatMap { $0 } ?? !left.utf8.elementsEqual(right.utf8)
    }

    private static func differ(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left != nil || right != nil }
        return differ(left, right)
    }
}

extension StoredType {
    /// Whether a value of the type may be NaN.
    var mayBeNotANumber: Bool {
        switch self {
        case .double, .float, .date, .decimal, .optionalDouble, .optionalFloat, .optionalDate, .optionalDecimal, .coded:
            true
        default: false
        }
    }

    /// Whether every value of the type except NaN can be stored, and is read back unchanged.
    var isUnconverted: Bool {
        switch self {
        case .bool, .int16, .int32, .int64, .double, .float, .date, .string, .uuid, .optionalBool, .optionalInt16,
            .optionalInt32, .optionalInt64, .optionalDouble, .optionalFloat, .optionalDate, .optionalString,
            .optionalUUID:
            true
        default: false
        }
    }
}
