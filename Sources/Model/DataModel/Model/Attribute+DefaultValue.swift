import Foundation

/// The default value of an attribute, converted to the stored form of its type.
public enum DefaultValue: Sendable, Hashable {
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case string(String)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    case uuid(UUID)
    case uri(String)
    /// A decimal number in its shortest plain form, such as `-0.5`.
    case decimal(String)
    /// Bytes that objects of older versions get; a model gives none to new objects.
    case binary([UInt8])
}

extension Attribute {
    /// A default that cannot be a value of the attribute's type.
    public struct InvalidDefault: Error, Sendable, Hashable {
        /// The text in the model.
        public var text: String
        /// The values that the type accepts, such as `an integer from -32768 to 32767`.
        public var expected: String
    }

    /// The default value that objects get when they are made; nil when the model gives none.
    ///
    /// Numbers are read as Xcode reads them: `0.0` is an integer when it has no fraction, and `YES`, `NO`, `0` and `1`
    /// are booleans. Other texts of real models are read as they are meant: `YES` and `NO` are integers too, and a text
    /// that is not a UUID gives a UUID no default.
    public func defaultValue() throws(InvalidDefault) -> DefaultValue? {
        if type == .date {
            guard let text = defaultDateTimeInterval ?? defaultValueString else { return nil }
            guard let seconds = Double(text), seconds.isFinite else {
                throw InvalidDefault(text: text, expected: "seconds since 2001-01-01 UTC")
            }
            return .date(seconds)
        }
        guard let text = defaultValueString else { return nil }
        switch type {
        case .integer16: return try .integer(integer(text, in: Int64(Int16.min)...Int64(Int16.max)))
        case .integer32: return try .integer(integer(text, in: Int64(Int32.min)...Int64(Int32.max)))
        case .integer64: return try .integer(integer(text, in: Int64.min...Int64.max))
        case .double, .float:
            guard let number = Double(text), number.isFinite else {
                throw InvalidDefault(text: text, expected: "a number")
            }
            if type == .double { return .real(number) }
            guard Float(number).isFinite else {
                throw InvalidDefault(
                    text: text,
                    expected: "a number from -\(Float.greatestFiniteMagnitude) to \(Float.greatestFiniteMagnitude), "
                        + "which a Float can hold, or make the attribute a Double")
            }
            return .real(Double(Float(number)))
        case .decimal:
            guard Double(text)?.isFinite == true, let number = Decimal(string: text, locale: Self.posix)
            else { throw InvalidDefault(text: text, expected: "a decimal number") }
            guard DecimalDigits(text) == DecimalDigits(number.description) else {
                throw InvalidDefault(
                    text: text, expected: "a number of at most 38 digits; a Decimal would be \(number.description)")
            }
            return .decimal(number.description)
        case .boolean:
            switch text.lowercased() {
            case "yes", "true", "1", "1.0": return .boolean(true)
            case "no", "false", "0", "0.0", "": return .boolean(false)
            default: throw InvalidDefault(text: text, expected: "YES or NO")
            }
        case .string: return .string(text)
        case .uuid: return UUID(uuidString: text).map { .uuid($0) }
        case .uri: return .uri(text)
        case .date, .undefined, .binary, .transformable, .composite, .objectID: return nil
        }
    }

    private static let flags: [String: Int64] = ["yes": 1, "no": 0]
    private static let posix = Locale(identifier: "en_US_POSIX")

    private func integer(_ text: String, in range: ClosedRange<Int64>) throws(InvalidDefault) -> Int64 {
        let number = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) } ?? Self.flags[text.lowercased()]
        guard let number, range.contains(number) else {
            throw InvalidDefault(text: text, expected: "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
