import AshlarSQLite
public import SystemFoundation

/// Functions that bind converted values and optional ones.
@_spi(Generated) extension Statement {
    /// Binds an integer.
    @inlinable @inline(__always)
    public func bind(_ value: Int16, _ position: Int32) { bind(Int64(value), position) }

    /// Binds an integer.
    @inlinable @inline(__always)
    public func bind(_ value: Int32, _ position: Int32) { bind(Int64(value), position) }

    /// Binds a boolean as 0 or 1.
    @inlinable @inline(__always)
    public func bind(_ value: Bool, _ position: Int32) { bind(value ? 1 as Int64 : 0, position) }

    /// Binds a number in single precision.
    @inlinable @inline(__always)
    public func bind(_ value: Float, _ position: Int32) { bind(Double(value), position) }

    /// Binds a date as seconds since 2001-01-01 UTC.
    @inlinable @inline(__always)
    public func bind(_ value: Date, _ position: Int32) { bind(value.timeIntervalSinceReferenceDate, position) }

    /// Binds a decimal number as text. NaN becomes NULL, as for binary numbers.
    public func bind(_ value: Decimal, _ position: Int32) {
        if value.isNaN { bindNull(position) } else { bind(DecimalText.text(value), position) }
    }

    /// Binds a URL as text.
    public func bind(_ value: URL, _ position: Int32) { bind(value.absoluteString, position) }

    /// Binds the bytes that a transformer returns for a value. Running the statement throws an error of the
    /// transformer.
    public func bind<Transformer: AttributeTransformer>(
        _ value: Transformer.Value?, _ position: Int32, by transformer: Transformer.Type
    ) {
        convert(value, position) { bind(try Transformer.data(from: $0), position) }
    }

    /// Binds a value as JSON. Running the statement throws an error of the encoder.
    public func bindCoded(_ value: (some Codable)?, _ position: Int32) {
        convert(value, position) { bind(try Self.json($0), position) }
    }

    /// Binds a value as JSON in text. Running the statement throws an error of the encoder.
    public func bindCodedText(_ value: (some Codable)?, _ position: Int32) {
        convert(value, position) { bind(String(decoding: try Self.json($0), as: UTF8.self), position) }
    }

    /// Binds a blob that may be stored in a file beside the store, or NULL. Running the statement throws an error of
    /// writing the file.
    public func bindExternal(_ value: Data?, _ position: Int32) {
        convert(value, position) { value in
            guard let externalData, let reference = try externalData.write(value) else { return bind(value, position) }
            reference.withUnsafeBytes { bindBytes($0, position) }
        }
    }

    private static func json(_ value: some Codable) throws -> Data {
        let encoder = JSONEncoder()
        // The same value always gives the same bytes, so that an unchanged one is not written again.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    private func convert<Value>(_ value: Value?, _ position: Int32, _ bind: (Value) throws -> Void) {
        guard let value else { return bindNull(position) }
        do {
            try bind(value)
        } catch {
            bindNull(position)
            bindingError = bindingError ?? error
        }
    }

    // MARK: Optional values

    /// Binds an integer, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: Int16?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds an integer, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: Int32?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds an integer, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: Int64?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds a boolean, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: Bool?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds a number, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: Double?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds a number, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: Float?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds a date, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: Date?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds text, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: String?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds a blob, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: Data?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds a UUID, or NULL.
    @inlinable @inline(__always)
    public func bind(_ value: UUID?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds a decimal number, or NULL.
    public func bind(_ value: Decimal?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }

    /// Binds a URL, or NULL.
    public func bind(_ value: URL?, _ position: Int32) {
        if let value { bind(value, position) } else { bindNull(position) }
    }
}
