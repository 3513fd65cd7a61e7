import AshlarSQLite
public import SystemFoundation

/// A value that is not a number, which the store could keep only as NULL.
@_spi(Generated) public struct NotANumber: Error, Sendable, CustomStringConvertible {
    public var description: String { "a value is not a number (NaN), which the store cannot keep" }
}

/// Values of required attributes whose columns may be NULL all the same: those of a sub-entity are so in the rows of
/// other entities, and leaves of an optional composite where it is nil.
///
/// A value that is not a number is an error when the statement runs.
@_spi(Generated) extension Statement {
    /// Lets the run of the statement fail because a number is none.
    func refuseNaN() { bindingError = bindingError ?? NotANumber() }

    /// Binds a number, or NULL for what is not there.
    public func bindRequired(_ value: Double?, _ position: Int32) {
        if value?.isNaN == true { refuseNaN() }
        bind(value, position)
    }

    /// Binds a number, or NULL for what is not there.
    public func bindRequired(_ value: Float?, _ position: Int32) {
        bindRequired(value.map { Double($0) }, position)
    }

    /// Binds a date, or NULL for what is not there.
    public func bindRequired(_ value: Date?, _ position: Int32) {
        bindRequired(value?.timeIntervalSinceReferenceDate, position)
    }

    /// Binds a decimal number, or NULL for what is not there.
    public func bindRequired(_ value: Decimal?, _ position: Int32) {
        if value?.isNaN == true { refuseNaN() }
        bind(value, position)
    }
}
