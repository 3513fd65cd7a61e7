extension Attribute {
    /// The value that objects of older versions get where they have none: that of the entry
    /// `ashlar.migrationDefault`, else the default.
    package func migrationDefault() throws(InvalidDefault) -> DefaultValue? {
        guard let text = userInfo[UserInfo.migrationDefaultKey] else { return try defaultValue() }
        if type == .binary || type == .transformable {
            if let bytes = Self.bytes(ofLiteral: text) { return .binary(bytes) }
            throw InvalidDefault(text: text, expected: "bytes in hexadecimal, as x'00ff', or x'' for none")
        }
        var other = self
        other.defaultValueString = text
        other.defaultDateTimeInterval = nil
        if let value = try other.defaultValue() { return value }
        throw InvalidDefault(
            text: text, expected: type == .uuid ? "a UUID" : "nothing, as no text stands for its values")
    }

    /// The bytes of a literal as SQL writes it; nil for any other text.
    private static func bytes(ofLiteral text: String) -> [UInt8]? {
        guard text.utf8.count >= 3, text.hasPrefix("x'") || text.hasPrefix("X'"), text.hasSuffix("'") else {
            return nil
        }
        let digits = Array(text.utf8.dropFirst(2).dropLast())
        let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard values.count == digits.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
    }
}
