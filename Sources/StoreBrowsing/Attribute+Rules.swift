import Ashlar
import AshlarSQLite
import DataModel
import Foundation

extension Attribute {
    /// The bounds that the model sets on values. What cannot be read as a bound is left out; checking the model says so.
    var rules: [ValidationRule] {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal:
            [
                minimumValue.flatMap(number).map { .minimum($0) }, maximumValue.flatMap(number).map { .maximum($0) },
            ].compactMap { $0 }
        case .date:
            [
                (minimumDateTimeInterval ?? minimumValue).flatMap(Self.real).map { .minimum($0) },
                (maximumDateTimeInterval ?? maximumValue).flatMap(Self.real).map { .maximum($0) },
            ].compactMap { $0 }
        case .string:
            [
                minimumValue.flatMap(Self.length).map { .minimumLength($0) },
                maximumValue.flatMap(Self.length).map { .maximumLength($0) },
                regularExpression.flatMap { $0.isEmpty ? nil : .pattern($0) },
            ].compactMap { $0 }
        case .boolean, .binary, .uuid, .uri, .transformable, .composite, .undefined, .objectID: []
        }
    }

    private func number(_ text: String) -> SQLiteValue? {
        if type == .decimal {
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .text($0.description) }
        }
        return Int64(text).map { .integer($0) } ?? Self.real(text)
    }

    private static func real(_ text: String) -> SQLiteValue? {
        Double(text).flatMap { $0.isFinite ? .real($0) : nil }
    }

    private static func length(_ text: String) -> Int? {
        guard let number = Double(text), let count = Int(exactly: number.rounded()), count > 0 else { return nil }
        return count
    }
}
