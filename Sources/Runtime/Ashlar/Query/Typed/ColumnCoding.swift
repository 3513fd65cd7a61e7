import AshlarSQLite
public import SystemFoundation

/// The conversion between a Swift type and its stored form in a column.
@_spi(Generated) public struct ColumnCoding<Value>: Sendable {
    let encode: @Sendable (Value) -> SQLiteValue
    /// Reads the value at a position of a row.
    let decode: @Sendable (Row, Int32) throws(RowError) -> Value
    /// The type that a column stores unchanged, which a loop over many rows reads without calling a closure; nil for
    /// other types.
    let stored: StoredType?
    /// Returns the expression of an identifier, whose row depends on the fetched store; nil for other types.
    let identify: (@Sendable (Value) -> ColumnTree)?

    /// Creates a coding from the conversions to a stored value and back.
    public init(
        encode: @escaping @Sendable (Value) -> SQLiteValue,
        decode: @escaping @Sendable (Row, Int32) throws(RowError) -> Value
    ) {
        self.init(encode: encode, decode: decode, stored: nil)
    }

    init(
        encode: @escaping @Sendable (Value) -> SQLiteValue,
        decode: @escaping @Sendable (Row, Int32) throws(RowError) -> Value, stored: StoredType?,
        identify: (@Sendable (Value) -> ColumnTree)? = nil
    ) {
        self.identify = identify
        self.encode = encode
        self.decode = decode
        self.stored = stored
    }

    /// The coding of the optional type; nil is NULL.
    public var optional: ColumnCoding<Value?> {
        let (encode, decode) = (encode, decode)
        var optionalIdentify: (@Sendable (Value?) -> ColumnTree)?
        if let identify { optionalIdentify = { $0.map(identify) ?? ColumnTree(value: .null) } }
        return ColumnCoding<Value?>(
            encode: { $0.map(encode) ?? .null },
            decode: { row, column throws(RowError) in row.isNull(column) ? nil : try decode(row, column) },
            stored: stored?.optional,
            identify: optionalIdentify)
    }

    /// Returns the coding of the wrapped type.
    func unwrapped<Wrapped>() -> ColumnCoding<Wrapped> where Value == Wrapped? {
        let (encode, decode) = (encode, decode)
        var unwrappedIdentify: (@Sendable (Wrapped) -> ColumnTree)?
        if let identify { unwrappedIdentify = { identify($0) } }
        return ColumnCoding<Wrapped>(
            encode: { encode($0) },
            decode: { row, column throws(RowError) in
                guard let value = try decode(row, column) else { throw RowError(column: column, expected: "a value") }
                return value
            }, stored: nil, identify: unwrappedIdentify)
    }
}

@_spi(Generated) extension ColumnCoding where Value: RawRepresentable & SendableMetatype, Value.RawValue: Sendable {
    /// Returns the coding of a type by its raw values.
    public static func rawValue(_ coding: ColumnCoding<Value.RawValue>) -> ColumnCoding<Value> {
        let (encode, decode) = (coding.encode, coding.decode)
        return ColumnCoding<Value>(
            encode: { encode($0.rawValue) },
            decode: { row, column throws(RowError) in try row.rawRepresentable(column, try decode(row, column)) })
    }
}

@_spi(Generated) extension ColumnCoding where Value: RawRepresentable & SendableMetatype, Value.RawValue: Sendable {
    /// Returns the coding of a type by its raw values, with a case for unknown raw values.
    public static func rawValue<Unknown: UnknownRawValue>(
        _ coding: ColumnCoding<Value.RawValue>, orUnknown unknown: Unknown.Type
    ) -> ColumnCoding<Value> where Unknown.Value == Value {
        let (encode, decode) = (coding.encode, coding.decode)
        return ColumnCoding<Value>(
            encode: { encode($0.rawValue) },
            decode: { row, column throws(RowError) in
                Value(rawValue: try decode(row, column)) ?? Unknown._ashlarUnknown
            })
    }
}

@_spi(Generated) extension ColumnCoding where Value == Int16 {
    public static var int16: Self {
        Self(
            encode: { SQLiteValue($0) }, decode: { row, column throws(RowError) in try row.integer(column) },
            stored: .int16)
    }
}

@_spi(Generated) extension ColumnCoding where Value == Int32 {
    public static var int32: Self {
        Self(
            encode: { SQLiteValue($0) }, decode: { row, column throws(RowError) in try row.integer(column) },
            stored: .int32)
    }
}

@_spi(Generated) extension ColumnCoding where Value == Int64 {
    public static var int64: Self {
        Self(
            encode: { SQLiteValue($0) }, decode: { row, column throws(RowError) in try row.computedInteger(column) },
            stored: .int64)
    }
}

@_spi(Generated) extension ColumnCoding where Value == Int {
    public static var int: Self {
        Self(
            encode: { .integer(Int64($0)) },
            decode: { row, column throws(RowError) in
                guard let value = Int(exactly: try row.computedInteger(column)) else {
                    throw RowError(column: column, expected: "an integer from \(Int.min) to \(Int.max)")
                }
                return value
            })
    }
}

@_spi(Generated) extension ColumnCoding where Value == Bool {
    public static var bool: Self {
        Self(
            encode: { SQLiteValue($0) }, decode: { row, column throws(RowError) in try row.bool(column) }, stored: .bool
        )
    }
}

@_spi(Generated) extension ColumnCoding where Value == Double {
    public static var double: Self {
        Self(encode: { .real($0) }, decode: { row, column throws(RowError) in try row.double(column) }, stored: .double)
    }
}

@_spi(Generated) extension ColumnCoding where Value == Float {
    public static var float: Self {
        Self(
            encode: { .real(Double($0)) }, decode: { row, column throws(RowError) in try row.float(column) },
            stored: .float)
    }
}

@_spi(Generated) extension ColumnCoding where Value == String {
    public static var string: Self {
        Self(
            encode: { SQLiteValue($0) }, decode: { row, column throws(RowError) in try row.string(column) },
            stored: .string)
    }
}

@_spi(Generated) extension ColumnCoding where Value == Date {
    public static var date: Self {
        Self(
            encode: { .real($0.timeIntervalSinceReferenceDate) },
            decode: { row, column throws(RowError) in try row.date(column) }, stored: .date)
    }
}

@_spi(Generated) extension ColumnCoding where Value == Data {
    public static var data: Self {
        Self(
            encode: { SQLiteValue($0) }, decode: { row, column throws(RowError) in try row.data(column) }, stored: .data
        )
    }
}

@_spi(Generated) extension ColumnCoding where Value == UUID {
    public static var uuid: Self {
        Self(
            encode: { SQLiteValue($0) }, decode: { row, column throws(RowError) in try row.uuid(column) }, stored: .uuid
        )
    }
}

@_spi(Generated) extension ColumnCoding where Value == URL {
    public static var url: Self {
        Self(encode: { SQLiteValue($0) }, decode: { row, column throws(RowError) in try row.url(column) }, stored: .url)
    }
}

@_spi(Generated) extension ColumnCoding where Value == Decimal {
    public static var decimal: Self {
        Self(
            encode: { SQLiteValue(named: $0) }, decode: { row, column throws(RowError) in try row.decimal(column) },
            stored: .decimal)
    }
}

@_spi(Generated) extension ColumnCoding where Value == ExternalValue? {
    public static var external: Self {
        Self(
            encode: { _ in .null },
            decode: { row, column throws(RowError) in
                if row.isNull(column) { return nil }
                throw RowError(column: column, expected: "a value that can be selected, as it may be in a file,")
            })
    }
}

/// A value that may be stored in a file beside the store, where SQLite cannot read it.
///
/// A condition can only compare it with nil.
public enum ExternalValue: Sendable {}
