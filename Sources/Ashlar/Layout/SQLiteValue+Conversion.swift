import AshlarSQLite
public import SystemFoundation

/// Every type that a column can hold, as SQLite stores it; nil is NULL.
extension SQLiteValue {
    /// A whole number.
    public init(_ value: Int16?) { self = value.map { .integer(Int64($0)) } ?? .null }
    /// A whole number.
    public init(_ value: Int32?) { self = value.map { .integer(Int64($0)) } ?? .null }
    /// A whole number.
    public init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    /// A Boolean, as 0 or 1.
    public init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
    /// A text.
    public init(_ value: String?) { self = value.map { .text($0) } ?? .null }
    /// Bytes.
    public init(_ value: Data?) { self = value.map { .blob($0) } ?? .null }
    /// A UUID, as its 16 bytes.
    public init(_ value: UUID?) { self = value.map { .blob(withUnsafeBytes(of: $0.uuid) { Data($0) }) } ?? .null }
    /// A URL, as its text.
    public init(_ value: URL?) { self = value.map { .text($0.absoluteString) } ?? .null }
    /// A decimal number, as its exact digits; NULL for one that is not a number.
    public init(_ value: Decimal?) { self = value.flatMap { $0.isNaN ? nil : .text(DecimalText.text($0)) } ?? .null }
    /// An object's identifier, as the number of its row.
    public init(_ value: PersistentIdentifier?) { self = value.map { .integer($0.rowID) } ?? .null }
    /// A floating-point number.
    public init(_ value: Float?) { self.init(value.map { Double($0) }) }
    /// A date, as seconds since 2001-01-01 UTC.
    public init(_ value: Date?) { self.init(value.map { $0.timeIntervalSinceReferenceDate }) }

    /// A number; NULL stands for one that is not a number too, as SQLite stores it.
    public init(_ value: Double?) {
        guard let value, !value.isNaN else {
            self = .null
            return
        }
        self = .real(value)
    }

    /// A number that somebody names, which is told from nil where it is none.
    init(named value: Decimal) { self = value.isNaN ? .real(.nan) : SQLiteValue(value) }
}
