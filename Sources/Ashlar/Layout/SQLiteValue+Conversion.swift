import AshlarSQLite
public import Foundation

/// Every type that a column can hold, as SQLite stores it; nil is NULL.
extension SQLiteValue {
    public init(_ value: Int16?) { self = value.map { .integer(Int64($0)) } ?? .null }
    public init(_ value: Int32?) { self = value.map { .integer(Int64($0)) } ?? .null }
    public init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    public init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
    public init(_ value: String?) { self = value.map { .text($0) } ?? .null }
    public init(_ value: Data?) { self = value.map { .blob($0) } ?? .null }
    public init(_ value: UUID?) { self = value.map { .blob(withUnsafeBytes(of: $0.uuid) { Data($0) }) } ?? .null }
    public init(_ value: URL?) { self = value.map { .text($0.absoluteString) } ?? .null }
    public init(_ value: Decimal?) { self = value.flatMap { $0.isNaN ? nil : .text(DecimalText.text($0)) } ?? .null }
    public init(_ value: PersistentIdentifier?) { self = value.map { .integer($0.rowID) } ?? .null }
    public init(_ value: Float?) { self.init(value.map { Double($0) }) }
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
