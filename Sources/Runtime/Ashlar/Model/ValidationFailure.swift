import AshlarSQLite
import SystemFoundation

/// A rule that an object violates, found by a save.
///
/// ``SaveError/validation(_:)`` contains all failures of a save. Throw one in ``ValidatedModel/validate(for:)`` for a
/// rule of your own.
///
///     do {
///         try context.save()
///     } catch SaveError.validation(let failures) {
///         for failure in failures { print(failure.entity, failure.property, failure.rule) }
///     }
///
/// The counterparts are Core Data's validation errors.
public struct ValidationFailure: Error, Sendable, Hashable {
    /// A rule that a save checks.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Rule: Sendable, Hashable {
        /// A required attribute or relationship is nil.
        case missingRequiredValue
        /// A relationship denies the deletion while it has a destination.
        case deletionDenied
        /// A number or date is not a number (NaN), which the store cannot hold. Core Data stores it as nil.
        case notANumber
        /// A number or date is less than the model's minimum.
        case belowMinimum(SQLiteValue)
        /// A number or date is greater than the model's maximum.
        case aboveMaximum(SQLiteValue)
        /// A string has fewer UTF-16 units than the model requires.
        case tooShort(minimum: Int)
        /// A string has more UTF-16 units than the model allows.
        case tooLong(maximum: Int)
        /// A string does not match the model's regular expression.
        case patternMismatch(String)
        /// A to-many relationship has fewer objects than the model requires.
        case tooFewObjects(minimum: Int)
        /// A to-many relationship has more objects than the model allows.
        case tooManyObjects(maximum: Int)
        /// A rule of the program, with its message.
        case custom(String)
    }

    /// The object that violates the rule.
    public var object: PersistentIdentifier
    /// The name of the object's entity.
    public var entity: String
    /// The name of the property; empty if the rule is about the whole object.
    public var property: String
    /// The property's value, if it is a single value.
    public var value: SQLiteValue?
    /// The violated rule.
    public var rule: Rule
    /// The error that ``ValidatedModel/validate(for:)`` threw.
    ///
    /// It is nil for rules of the model, and if the method threw a ``ValidationFailure``. Core Data's counterpart is
    /// `NSUnderlyingErrorKey`.
    public var underlyingError: (any Error)? { thrown?.error }

    private var thrown: ThrownError?

    /// An error that counts as equal to another one with the same description.
    private struct ThrownError: Sendable, Hashable {
        let error: any Error

        static func == (left: Self, right: Self) -> Bool { "\(left.error)" == "\(right.error)" }

        func hash(into hasher: inout Hasher) { hasher.combine("\(error)") }
    }

    init(
        _ object: ManagedObject, _ property: String, _ rule: Rule, value: SQLiteValue? = nil
    ) {
        self.init(object.identifier, object.entity, property, rule, value: value)
    }

    init(
        _ object: PersistentIdentifier, _ entity: EntityDescription, _ property: String, _ rule: Rule,
        value: SQLiteValue? = nil
    ) {
        self.object = object
        self.entity = entity.name
        self.property = property
        self.value = value
        self.rule = rule
    }

    /// Creates a failure for an error that ``ValidatedModel/validate(for:)`` threw.
    init(_ object: ManagedObject, throwing error: any Error) {
        self.init(object, "", .custom(String(describing: error)))
        thrown = ThrownError(error: error)
    }

    /// Creates a failure of a rule of the program, to be thrown by ``ValidatedModel/validate(for:)``.
    ///
    ///     func check(_ event: Event) throws {
    ///         if event.end < event.start {
    ///             throw ValidationFailure(event, property: "end", "An event ends after it begins.")
    ///         }
    ///     }
    ///
    /// - Parameters:
    ///   - object: The object that violates the rule.
    ///   - property: The name of the property in the model; nil if the rule is about the whole object.
    ///   - reason: The message, which explains the violation and its remedy.
    public init(_ object: some PersistentModel, property: String? = nil, _ reason: String) {
        self.init(object, property ?? "", .custom(reason))
    }

    /// The code of Core Data's error for the same failure, such as 1570 for a missing value.
    public var code: Int {
        switch rule {
        case .missingRequiredValue: 1570
        case .tooFewObjects: 1580
        case .tooManyObjects: 1590
        case .deletionDenied: 1600
        case .aboveMaximum: isDate ? 1630 : 1610
        case .belowMinimum: isDate ? 1640 : 1620
        case .tooLong: 1660
        case .tooShort: 1670
        case .patternMismatch: 1680
        case .custom, .notANumber: 1550
        }
    }

    /// Whether the property is a date, whose bounds have error codes of their own.
    var isDate = false
}

extension ValidationFailure: CustomStringConvertible {
    public var description: String {
        let name = property.isEmpty ? entity : "\(entity).\(property)"
        switch rule {
        case .missingRequiredValue: return "\(name) of \(object) is required and has no value"
        case .deletionDenied: return "\(object) cannot be deleted while \(name) leads to an object"
        case .notANumber:
            return "\(name) of \(object) is not a number (NaN), which the store cannot keep. Set a number, or nil"
        case .belowMinimum(let bound): return "\(name) of \(object) is \(shown(value)), less than \(shown(bound))"
        case .aboveMaximum(let bound): return "\(name) of \(object) is \(shown(value)), more than \(shown(bound))"
        case .tooShort(let count): return "\(name) of \(object) is shorter than \(count): \(shown(value))"
        case .tooLong(let count): return "\(name) of \(object) is longer than \(count): \(shown(value))"
        case .patternMismatch(let pattern):
            return "\(name) of \(object) does not match \(pattern): \(shown(value))"
        case .tooFewObjects(let count): return "\(name) of \(object) leads to fewer than \(count) objects"
        case .tooManyObjects(let count): return "\(name) of \(object) leads to more than \(count) objects"
        case .custom(let reason): return "\(name) of \(object): \(reason)"
        }
    }

    private func shown(_ value: SQLiteValue?) -> String { (value ?? .null).shown(isDate: isDate) }
}
