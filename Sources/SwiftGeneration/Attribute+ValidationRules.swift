import DataModel
import Foundation

extension Attribute {
    /// The bounds that the model sets on values, as expressions of the runtime's `ValidationRule`.
    ///
    /// What cannot be read as a bound is left out here; checking the model says so.
    var validationRules: [String] {
        var rules: [String] = []
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal:
            if let bound = minimumValue.flatMap(numericBound) { rules.append(".minimum(\(bound))") }
            if let bound = maximumValue.flatMap(numericBound) { rules.append(".maximum(\(bound))") }
        case .date:
            if let bound = (minimumDateTimeInterval ?? minimumValue).flatMap(realBound) {
                rules.append(".minimum(\(bound))")
            }
            if let bound = (maximumDateTimeInterval ?? maximumValue).flatMap(realBound) {
                rules.append(".maximum(\(bound))")
            }
        case .string:
            if let count = minimumValue.flatMap(lengthBound) { rules.append(".minimumLength(\(count))") }
            if let count = maximumValue.flatMap(lengthBound) { rules.append(".maximumLength(\(count))") }
            if let pattern = regularExpression, !pattern.isEmpty {
                rules.append(".pattern(\(SwiftName.literal(pattern)))")
            }
        case .boolean, .binary, .uuid, .uri, .transformable, .composite, .undefined, .objectID: break
        }
        return rules
    }

    private func numericBound(_ text: String) -> String? {
        if type == .decimal {
            let posix = Locale(identifier: "en_US_POSIX")
            return Decimal(string: text, locale: posix).map { ".text(\(SwiftName.literal($0.description)))" }
        }
        if let number = Int64(text) { return ".integer(\(number))" }
        return realBound(text)
    }

    private func realBound(_ text: String) -> String? {
        guard let number = Double(text), number.isFinite else { return nil }
        return ".real(\(number))"
    }

    private func lengthBound(_ text: String) -> Int? {
        guard let number = Double(text), let count = Int(exactly: number.rounded()), count > 0 else { return nil }
        return count
    }
}
