/// The value of an attribute for a raw value that its Swift type does not have.
extension Attribute {
    /// The case that the author names; nil for an attribute without one.
    public var unknownValueName: String? { userInfo[UserInfo.unknownValueKey] }

    /// Whether the column holds the raw value of a type of the author's.
    package var holdsRawValue: Bool {
        guard swiftTypeName != nil else { return false }
        switch type {
        case .binary, .transformable, .composite: return false
        case .string: return userInfo["ashlar.encoding"] != "json"
        default: return true
        }
    }
}

extension ModelChecker {
    /// `ashlar.unknownValue` names a case of the Swift type of an attribute that holds raw values.
    mutating func checkUnknownValue(of attribute: Attribute, _ title: String) {
        guard let entry = attribute.userInfo.entry(UserInfo.unknownValueKey) else { return }
        if !attribute.holdsRawValue {
            report(
                .noEffect, at: entry.location,
                "\(title) holds no raw values of a Swift type, so that 'ashlar.unknownValue' has no effect",
                notes: ["Name the type with the key ashlar.swiftType, or remove the entry"],
                fixes: [.removing(entry.location, isSafe: true, "Remove the entry")])
        } else if !Self.isIdentifier(entry.value) {
            report(
                .invalidValue, at: entry.location,
                "'ashlar.unknownValue' of \(title) is '\(entry.value)', which cannot be the name of a case",
                notes: ["Write the case as Swift declares it, without a point: other"],
                fixes: [.removing(entry.location, "Remove the entry")])
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.properties.isXIDStart || first == "_" else { return false }
        return text != "_" && text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }
}
