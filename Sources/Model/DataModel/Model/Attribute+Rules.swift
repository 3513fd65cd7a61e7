import Foundation

/// A bound that the model sets on the values of an attribute.
package enum AttributeRule: Sendable, Hashable {
    /// A number or date that is a bound.
    package enum Bound: Sendable, Hashable {
        case integer(Int64)
        case real(Double)
        /// A decimal number, as its column has it.
        case decimal(String)
    }

    case minimum(Bound)
    case maximum(Bound)
    /// The fewest UTF-16 units of a string.
    case minimumLength(Int)
    /// The most UTF-16 units of a string.
    case maximumLength(Int)
    /// A regular expression that the whole string matches.
    case pattern(String)
}

extension Attribute {
    /// The bounds that the model sets on values.
    ///
    /// Invalid bounds are left out here; checking the model reports them.
    package var rules: [AttributeRule] {
        var rules: [AttributeRule] = []
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal:
            if let bound = minimumValue.flatMap(numericBound) { rules.append(.minimum(bound)) }
            if let bound = maximumValue.flatMap(numericBound) { rules.append(.maximum(bound)) }
        case .date:
            if let bound = (minimumDateTimeInterval ?? minimumValue).flatMap(realBound) {
                rules.append(.minimum(bound))
            }
            if let bound = (maximumDateTimeInterval ?? maximumValue).flatMap(realBound) {
                rules.append(.maximum(bound))
            }
        case .string:
            if let count = minimumValue.flatMap(lengthBound) { rules.append(.minimumLength(count)) }
            if let count = maximumValue.flatMap(lengthBound) { rules.append(.maximumLength(count)) }
            if let pattern = regularExpression, !pattern.isEmpty { rules.append(.pattern(pattern)) }
        case .boolean, .binary, .uuid, .uri, .transformable, .composite, .undefined, .objectID: break
        }
        return rules
    }

    private func numericBound(_ text: String) -> AttributeRule.Bound? {
        if type == .decimal {
            let posix = Locale(identifier: "en_US_POSIX")
            return Decimal(string: text, locale: posix).map { .decimal($0.description) }
        }
        if let number = Int64(text) { return .integer(number) }
        return realBound(text)
    }

    private func realBound(_ text: String) -> AttributeRule.Bound? {
        guard let number = Double(text), number.isFinite else { return nil }
        return .real(number)
    }

    private func lengthBound(_ text: String) -> Int? {
        guard let number = Double(text), let count = Int(exactly: number.rounded()), count > 0 else { return nil }
        return count
    }
}
