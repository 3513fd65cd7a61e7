import AshlarSQLite
public import SystemFoundation

/// Values that are stored in another form than their own: decimals, URLs, raw values, transformed and coded values.
@_spi(Generated) extension Row {
    /// The decimal number in a column, stored as text so that it comes back exact.
    public func decimal(_ column: Int32) throws(RowError) -> Decimal {
        guard let value = try optionalDecimal(column) else {
            throw RowError(column: column, expected: "a decimal number")
        }
        return value
    }

    /// The decimal number in a column; nil when it is NULL.
    public func optionalDecimal(_ column: Int32) throws(RowError) -> Decimal? {
        guard let text = optionalString(column) else { return nil }
        guard let value = Decimal(string: text, locale: DecimalText.locale) else {
            throw RowError(column: column, expected: "a decimal number")
        }
        return value
    }

    /// Returns a column's value of any type.
    func value(_ column: Int32) -> SQLiteValue { SQLiteValue(column, of: statement) }

    /// The URL in a column.
    public func url(_ column: Int32) throws(RowError) -> URL {
        guard let value = try optionalURL(column) else { throw RowError(column: column, expected: "a URL") }
        return value
    }

    /// The URL in a column; nil when it is NULL.
    public func optionalURL(_ column: Int32) throws(RowError) -> URL? {
        guard let text = optionalString(column) else { return nil }
        guard let value = URL(string: text) else { throw RowError(column: column, expected: "a URL") }
        return value
    }

    /// The case, or other value, whose raw value a column holds.
    @inlinable @inline(__always)
    public func rawRepresentable<Value: RawRepresentable>(
        _ column: Int32, _ rawValue: Value.RawValue, as type: Value.Type = Value.self
    ) throws(RowError) -> Value {
        guard let value = Value(rawValue: rawValue) else {
            throw RowError(column: column, expected: "a raw value of \(Value.self) (it holds \(rawValue))")
        }
        return value
    }

    /// The case, or other value, whose raw value a column holds; nil when it is NULL.
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

    /// The case, or other value, whose raw value a column holds; another where there is none.
    @inlinable @inline(__always)
    public func rawRepresentable<Value: RawRepresentable>(
        _ column: Int32, _ rawValue: Value.RawValue, orUnknown unknown: Value
    ) -> Value {
        Value(rawValue: rawValue) ?? unknown
    }

    /// The case, or other value, whose raw value a column holds; another where there is none, and nil when it is NULL.
    @inlinable @inline(__always)
    public func rawRepresentable<Value: RawRepresentable>(
        _ column: Int32, _ rawValue: Value.RawValue?, orUnknown unknown: Value
    ) -> Value? {
        rawValue.map { Value(rawValue: $0) ?? unknown }
    }

    /// The value that a transformer makes of the blob in a column.
    public func transformed<Transformer: AttributeTransformer>(
        _ column: Int32, by transformer: Transformer.Type
    ) throws(RowError) -> Transformer.Value {
        guard let value = try optionalTransformed(column, by: transformer) else {
            throw RowError(column: column, expected: "a value of \(Transformer.self)")
        }
        return value
    }

    /// The value that a transformer makes of the blob in a column; nil when it is NULL.
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

    /// The value that is coded as JSON in a column.
    public func coded<Value: Codable>(_ column: Int32, as type: Value.Type = Value.self) throws(RowError) -> Value {
        guard let value = try optionalCoded(column, as: type) else {
            throw RowError(column: column, expected: "JSON of \(Value.self)")
        }
        return value
    }

    /// The value that is coded as JSON in a column; nil when it is NULL.
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
