import AshlarSQLite

/// The errors that a context found where it could not throw them, in a getter or a setter. Its next throwing call
/// throws them.
///
/// No property access here calls code that could access the property again. The context's own checks keep two threads
/// apart. Checked accesses would cost a registered look-up 4 % more instructions; see
/// Access-checks-are-off-for-objects.md in Documentation/Decisions.
final class DeferredErrors {
    /// The first error of a lazy load or a relationship since the last throwing call.
    @exclusivity(unchecked) private var first: (any Error)?
    /// The ``StoreError`` of the first value that could not be read since the last throwing call. It is a reference,
    /// because each fetch tests it.
    @exclusivity(unchecked) private var invalidValue: (any Error)?
    /// The reason why the present fetch left out a row.
    @exclusivity(unchecked) private var omission: (any Error)?
    /// All values that could not be read.
    @exclusivity(unchecked) private var unreadable: [UnreadableValue: InvalidValue] = [:]
    /// The error after which it is unknown which stores the last save committed; nil if that is known.
    var unknownOutcome: SQLiteError?

    init() {}

    /// Keeps an error for the next throwing call, unless one is already waiting.
    func note(_ error: any Error) {
        if first == nil { first = error }
    }

    /// Whether an error is waiting that is not about a value.
    var isWaiting: Bool { first != nil }

    /// Throws one of the waiting errors; that of a value comes first.
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

    /// Discards the waiting error, but not the errors of values.
    func discard() { first = nil }

    // MARK: Values that cannot be read

    /// A value in a version of a row. The reason why it cannot be read may differ each time.
    private struct UnreadableValue: Hashable {
        var identifier: PersistentIdentifier
        var property: String
        var version: Int64
    }

    var unreadableValues: some Collection<InvalidValue> { unreadable.values }

    /// Begins a fetch, which has not left out any row yet.
    func beginFetch() { omission = nil }

    /// Records a value that cannot be read. An optional one is reported once.
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

    /// Runs a closure that loads objects only to update them, and ignores values that cannot be read.
    func ignoringInvalidValues<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = invalidValue
        defer { invalidValue = before }
        return try body()
    }
}
