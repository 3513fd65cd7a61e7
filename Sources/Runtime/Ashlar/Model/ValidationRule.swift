import AshlarSQLite
import SystemFoundation

/// A bound that the model sets on the values of an attribute.
///
/// ``ColumnDescription/rules`` lists those of an attribute, for example to configure a text field.
///
///     for case .maximumLength(let length) in Post.entity.columns[0].rules { print(length) }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ValidationRule: Sendable, Hashable {
    /// The least number or date.
    case minimum(SQLiteValue)
    /// The greatest number or date.
    case maximum(SQLiteValue)
    /// The minimum number of UTF-16 units of a string, as `NSString` counts them.
    case minimumLength(Int)
    /// The maximum number of UTF-16 units of a string.
    case maximumLength(Int)
    /// A regular expression in ICU's syntax that the whole string must match.
    case pattern(String)

    /// Returns the rule that a value violates; nil if it satisfies this one, as NULL always does.
    func broken(by value: SQLiteValue, isDecimal: Bool) -> ValidationFailure.Rule? {
        if value.isNull { return nil }
        switch self {
        case .minimum(let bound):
            return SQLiteValue.order(value, bound, isDecimal) < 0 ? .belowMinimum(bound) : nil
        case .maximum(let bound):
            return SQLiteValue.order(value, bound, isDecimal) > 0 ? .aboveMaximum(bound) : nil
        case .minimumLength(let count):
            return length(of: value) < count ? .tooShort(minimum: count) : nil
        case .maximumLength(let count):
            return length(of: value) > count ? .tooLong(maximum: count) : nil
        case .pattern(let pattern):
            guard case .text(let text) = value else { return nil }
            let matches = try? RegularExpressions.matches(text, pattern, [])
            return matches == true ? nil : .patternMismatch(pattern)
        }
    }

    /// Returns whether a value satisfies the rule, as NULL always does. It is for code that has a model without its
    /// classes.
    package func isKept(by value: SQLiteValue, isDecimal: Bool = false) -> Bool {
        broken(by: value, isDecimal: isDecimal) == nil
    }

    private func length(of value: SQLiteValue) -> Int {
        if case .text(let text) = value { text.utf16.count } else { 0 }
    }
}
