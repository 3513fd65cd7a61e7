import AshlarSQLite
public import SystemFoundation

/// Conversions of all types of columns to the form in which SQLite stores them; nil becomes NULL.
extension SQLiteValue {
    /// Creates a whole number, or NULL for nil.
    public init(_ value: Int16?) { self = value.map { .integer(Int64($0)) } ?? .null }
    /// Creates a whole number, or NULL for nil.
    public init(_ value: Int32?) { self = value.map { .integer(Int64($0)) } ?? .null }
    /// Creates a whole number, or NULL for nil.
    ///
    ///     let value = SQLiteValue(post.likes)
    public init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    /// Creates a Boolean as 0 or 1, or NULL for nil.
    ///
    ///     let value = SQLiteValue(post.isRead)
    public init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
    /// Creates a text, or NULL for nil.
    ///
    ///     let value = SQLiteValue(post.title)
    public init(_ value: String?) { self = value.map { .text($0) } ?? .null }
    /// Creates a blob, or NULL for nil.
    ///
    ///     let value = SQLiteValue(post.image)
    public init(_ value: Data?) { self = value.map { .blob($0) } ?? .null }
    /// Creates a UUID as its 16 bytes, or NULL for nil.
    ///
    ///     let value = SQLiteValue(UUID())
    public init(_ value: UUID?) { self = value.map { .blob(withUnsafeBytes(of: $0.uuid) { Data($0) }) } ?? .null }
    /// Creates a URL as its text, or NULL for nil.
    ///
    ///     let value = SQLiteValue(post.address)
    public init(_ value: URL?) { self = value.map { .text($0.absoluteString) } ?? .null }
    /// Creates a decimal number as its exact digits, or NULL for nil and for NaN.
    public init(_ value: Decimal?) { self = value.flatMap { $0.isNaN ? nil : .text(DecimalText.text($0)) } ?? .null }
    /// Creates an object's identifier as the number of its row, or NULL for nil.
    ///
    ///     let value = SQLiteValue(identifier)
    public init(_ value: PersistentIdentifier?) { self = value.map { .integer($0.rowID) } ?? .null }
    /// Creates a floating-point number, or NULL for nil.
    public init(_ value: Float?) { self.init(value.map { Double($0) }) }
    /// Creates a date as the seconds since 2001-01-01 UTC, or NULL for nil.
    ///
    ///     let value = SQLiteValue(post.timestamp)
    public init(_ value: Date?) { self.init(value.map { $0.timeIntervalSinceReferenceDate }) }

    /// Creates a floating-point number, or NULL for nil and for NaN.
    ///
    ///     let value = SQLiteValue(post.latitude)
    public init(_ value: Double?) {
        guard let value, !value.isNaN else {
            self = .null
            return
        }
        self = .real(value)
    }

    /// Creates the value of a number in a condition, which differs from nil even for NaN.
    init(named value: Decimal) { self = value.isNaN ? .real(.nan) : SQLiteValue(value) }
}
