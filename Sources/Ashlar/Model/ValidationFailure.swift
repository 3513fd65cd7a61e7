import AshlarSQLite
import SystemFoundation

/// One rule that one object breaks, found by a save.
public struct ValidationFailure: Error, Sendable, Hashable {
    /// The rules that a save checks.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Rule: Sendable, Hashable {
        /// A required attribute or relationship has no value.
        case missingRequiredValue
        /// A relationship forbids the deletion while it leads to an object.
        case deletionDenied
        /// A number or date is not a number (NaN), which the store cannot keep. Core Data stores it as nil.
        case notANumber
        /// A number or date is less than the model's minimum.
        case belowMinimum(SQLiteValue)
        /// A number or date is greater than the model's maximum.
        case aboveMaximum(SQLiteValue)
        /// A string has fewer UTF-16 units than the model asks for.
        case tooShort(minimum: Int)
        /// A string has more UTF-16 units than the model allows.
        case tooLong(maximum: Int)
        /// A string does not match the model's regular expression.
        case patternMismatch(String)
        /// A to-many relationship has fewer objects than the model asks for.
        case tooFewObjects(minimum: Int)
        /// A to-many relationship has more objects than the model allows.
        case tooManyObjects(maximum: Int)
        /// A rule of the user's own, in its words.
        case custom(String)
    }

    /// The object that breaks the rule.
    public var object: PersistentIdentifier
    /// The name of its entity.
    public var entity: String
    /// The property at fault; empty when it is the whole object.
    public var property: String
    /// What the property holds, where it is one value.
    public var value: SQLiteValue?
    /// The rule that is broken.
    public var rule: Rule
    /// The error that ``ValidatedModel/validate(for:)`` threw; nil for a rule of the model, and where it threw a
    /// ``ValidationFailure``. Core Data's `NSUnderlyingErrorKey`.
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

    /// Makes a failure of an error that ``ValidatedModel/validate(for:)`` threw.
    init(_ object: ManagedObject, throwing error: any Error) {
        self.init(object, "", .custom(String(describing: error)))
        thrown = ThrownError(error: error)
    }

    /// Makes a failure of a rule of the user's own, to be thrown by ``ValidatedModel/validate(for:)``.
    ///
    /// - Parameters:
    ///   - object: The object that breaks the rule.
    ///   - property: The model's name of the property at fault; nil when it is the whole object.
    ///   - reason: What is wrong and what would be right, for whoever reads the error.
    public init(_ object: some PersistentModel, property: String? = nil, _ reason: String) {
        self.init(object, property ?? "", .custom(reason))
    }

    /// The number that Core Data gives the same failure, such as 1570 for a missing value.
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

    /// Whether the property is a date, whose bounds have numbers of their own.
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

    private func shown(_ value: SQLiteValue?) -> String {
        switch value {
        case .integer(let number): return String(number)
        case .real(let number): return isDate ? Date(timeIntervalSinceReferenceDate: number).description : "\(number)"
        case .text(let text): return text.count > 100 ? "“\(text.prefix(100))…”" : "“\(text)”"
        case .blob(let bytes): return "\(bytes.count) bytes"
        case .null, nil: return "nil"
        }
    }
}
