import AshlarSQLite

/// The errors that a context met where it could not throw them, in a getter or a setter: its next throwing call does.
///
/// No access to a property calls anything that could have another one: the context's own checks keep two threads apart.
/// Checked accesses would cost a registered look-up 4 % more instructions; see Access-checks-are-off-for-objects.md in
/// Documentation/Decisions.
final class DeferredErrors {
    /// The first error of a lazy load or a relationship since the last throwing call.
    @exclusivity(unchecked) private var first: (any Error)?
    /// The ``StoreError`` of the first value that could not be read since the last throwing call. A reference, as each
    /// fetch asks for it.
    @exclusivity(unchecked) private var invalidValue: (any Error)?
    /// Why a row was left out of what is being fetched.
    @exclusivity(unchecked) private var omission: (any Error)?
    /// All values that could not be read.
    @exclusivity(unchecked) private var unreadable: [UnreadableValue: InvalidValue] = [:]
    /// Why it is not known which stores the last save committed; nil when that is known.
    var unknownOutcome: SQLiteError?

    init() {}

    /// Keeps an error for the next throwing call, unless one waits already.
    func note(_ error: any Error) {
        if first == nil { first = error }
    }

    /// Whether an error waits that is not about a value.
    var isWaiting: Bool { first != nil }

    /// Throws what waits: the error of a value before any other, one with each call.
    func throwFirst() throws {
        if let error = invalidValue {
            invalidValue = nil
            throw error
        }
        if let error = first {
            first = nil
            throw error
        }
    }

    /// Forgets what waits, but not what is said of values.
    func discard() { first = nil }

    // MARK: Values that cannot be read

    /// A value of a row's version. The reason why it cannot be read may be another one each time.
    private struct UnreadableValue: Hashable {
        var identifier: PersistentIdentifier
        var property: String
        var version: Int64
    }

    var unreadableValues: some Collection<InvalidValue> { unreadable.values }

    /// Begins a fetch, which is yet to leave out a row.
    func beginFetch() { omission = nil }

    /// Notes a value that cannot be read. An optional one is reported once.
    func note(_ value: InvalidValue, _ error: StoreError) {
        let key = UnreadableValue(identifier: value.identifier, property: value.property, version: value.version)
        if unreadable.updateValue(value, forKey: key) == nil, invalidValue == nil { invalidValue = error }
        if value.isRequired, omission == nil { omission = error }
    }

    /// Throws the first error of a value that could not be read.
    @inline(__always)
    func throwInvalidValue() throws {
        if omission == nil, invalidValue == nil { return }
        try throwKnownInvalidValue()
    }

    @inline(never)
    private func throwKnownInvalidValue() throws {
        guard let error = omission ?? invalidValue else { return }
        (omission, invalidValue) = (nil, nil)
        throw error
    }

    /// Runs a closure that loads objects only to see to them: what cannot be read of them is no matter then.
    func ignoringInvalidValues<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = invalidValue
        defer { invalidValue = before }
        return try body()
    }
}
