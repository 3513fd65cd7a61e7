import AshlarSQLite
public import SystemFoundation

/// Functions that read converted values: decimals, URLs, raw values, transformed and coded values.
@_spi(Generated) extension Row {
    /// Returns the decimal number in a column, which is stored as text to keep it exact.
    public func decimal(_ column: Int32) throws(RowError) -> Decimal {
        guard let value = try optionalDecimal(column) else {
            throw RowError(column: column, expected: "a decimal number")
        }
        return value
    }

    /// Returns the decimal number in a column; nil if the column is NULL.
    public func optionalDecimal(_ column: Int32) throws(RowError) -> Decimal? {
        guard let text = optionalString(column) else { return nil }
        guard let value = Decimal(string: text, locale: DecimalText.locale) else {
            throw RowError(column: column, expected: "a decimal number")
        }
        return value
    }

    /// Returns a column's value of any type.
    func value(_ column: Int32) -> SQLiteValue { SQLiteValue(column, of: statement) }

    /// Returns the URL in a column.
    public func url(_ column: Int32) throws(RowError) -> URL {
        guard let value = try optionalURL(column) else { throw RowError(column: column, expected: "a URL") }
        return value
    }

    /// Returns the URL in a column; nil if the column is NULL.
    public func optionalURL(_ column: Int32) throws(RowError) -> URL? {
        guard let text = optionalString(column) else { return nil }
        guard let value = URL(string: text) else { throw RowError(column: column, expected: "a URL") }
        return value
    }

    /// Returns the value of a type for the raw value in a column.
    @inlinable @inline(__always)
    public func rawRepresentable<Value: RawRepresentable>(
        _ column: Int32, _ rawValue: Value.RawValue, as type: Value.Type = Value.self
    ) throws(RowError) -> Value {
        guard let value = Value(rawValue: rawValue) else {
            throw RowError(column: column, expected: "a raw value of \(Value.self) (it holds \(rawValue))")
        }
        return value
    }

    /// Returns the value of a type for the raw value in a column; nil if the column is NULL.
    @inlinable @inline(__always)
    public func rawRepresentable<Value: RawRepresentable>(
        _ column: Int32, _ rawValue: Value.RawValue?, as type: Value.Type = Value.self
    ) throws(RowError) -> Value? {
        guard let rawValue else { return nil }
        guard let value = Value(rawValue: rawValue) else {
            throw RowError(column: column, expected: "a raw value of \(Value.self) (it holds \(rawValue))")
        }
        return value
    }

    /// Returns the value of a type for the raw value in a column, or another value if the type has none for it.
    @inlinable @inline(__always)
    public func rawRepresentable<Value: RawRepresentable>(
        _ column: Int32, _ rawValue: Value.RawValue, orUnknown unknown: Value
    ) -> Value {
        Value(rawValue: rawValue) ?? unknown
    }

    /// Returns the value of a type for the raw value in a column, or another value if the type has none for it; nil if
    /// the column is NULL.
    @inlinable @inline(__always)
    public func rawRepresentable<Value: RawRepresentable>(
        _ column: Int32, _ rawValue: Value.RawValue?, orUnknown unknown: Value
    ) -> Value? {
        rawValue.map { Value(rawValue: $0) ?? unknown }
    }

    /// Returns the value that a transformer creates from the blob in a column.
    public func transformed<Transformer: AttributeTransformer>(
        _ column: Int32, by transformer: Transformer.Type
    ) throws(RowError) -> Transformer.Value {
        guard let value = try optionalTransformed(column, by: transformer) else {
            throw RowError(column: column, expected: "a value of \(Transformer.self)")
        }
        return value
    }

    /// Returns the value that a transformer creates from the blob in a column; nil if the column is NULL.
    public func optionalTransformed<Transformer: AttributeTransformer>(
        _ column: Int32, by transformer: Transformer.Type
    ) throws(RowError) -> Transformer.Value? {
        guard let data = try optionalData(column) else { return nil }
        do {
            return try Transformer.value(from: data)
        } catch {
            throw RowError(column: column, expected: "a value that \(Transformer.self) can read (\(error))")
        }
    }

    /// Returns the value that a column holds as JSON.
    public func coded<Value: Codable>(_ column: Int32, as type: Value.Type = Value.self) throws(RowError) -> Value {
        guard let value = try optionalCoded(column, as: type) else {
            throw RowError(column: column, expected: "JSON of \(Value.self)")
        }
        return value
    }

    /// Returns the value that a column holds as JSON; nil if the column is NULL.
    public func optionalCoded<Value: Codable>(
        _ column: Int32, as type: Value.Type = Value.self
    ) throws(RowError) -> Value? {
        guard let data = try optionalData(column) else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            throw RowError(column: column, expected: "JSON of \(Value.self) (\(error))")
        }
    }
}
