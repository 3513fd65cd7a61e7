import AshlarSQLite
public import SystemFoundation

/// An error for a value that is not a number, which the store could keep only as NULL.
@_spi(Generated) public struct NotANumber: Error, Sendable, CustomStringConvertible {
    public var description: String { "a value is not a number (NaN), which the store cannot keep" }
}

/// Functions that bind required attributes whose columns may still be NULL: those of a subentity are NULL in rows of
/// other entities, and parts of an optional composite are NULL if it is nil.
///
/// For a value that is not a number (NaN), running the statement throws an error.
@_spi(Generated) extension Statement {
    /// Makes the statement fail when it runs, because a value is NaN.
    func refuseNaN() { bindingError = bindingError ?? NotANumber() }

    /// Binds a number, or NULL if the value is absent.
    public func bindRequired(_ value: Double?, _ position: Int32) {
        if value?.isNaN == true { refuseNaN() }
        bind(value, position)
    }

    /// Binds a number, or NULL if the value is absent.
    public func bindRequired(_ value: Float?, _ position: Int32) {
        bindRequired(value.map { Double($0) }, position)
    }

    /// Binds a date, or NULL if the value is absent.
    public func bindRequired(_ value: Date?, _ position: Int32) {
        bindRequired(value?.timeIntervalSinceReferenceDate, position)
    }

    /// Binds a decimal number, or NULL if the value is absent.
    public func bindRequired(_ value: Decimal?, _ position: Int32) {
        if value?.isNaN == true { refuseNaN() }
        bind(value, position)
    }
}
