extension ModelChecker {
    /// Checks an attribute by itself: its type, default and bounds, and the requirements of its type.
    mutating func check(_ attribute: Attribute, of entity: Entity) {
        let title = "Attribute '\(entity.name).\(attribute.name)'"
        checkValue(of: attribute, title)
    }

    /// Checks the rules for attributes of entities and of composites.
    mutating func checkValue(of attribute: Attribute, _ title: String) {
        checkType(of: attribute, title)
        checkSwiftTypes(of: attribute, title)
        checkTransformer(of: attribute, title)
        checkRegularExpression(of: attribute, title)
        checkBounds(of: attribute, title)
        checkDefault(of: attribute, title)
        checkMigration(of: attribute, title)
        checkEffect(of: attribute, title)
        checkUnknownValue(of: attribute, title)
        checkSync(of: attribute, title)
    }

    private mutating func checkType(of attribute: Attribute, _ title: String) {
        switch attribute.type {
        case .undefined where !attribute.isTransient:
            report(
                .missingAttributeType, at: attribute.location, "\(title) has no type",
                notes: ["Add attributeType=\"…\"; only a transient attribute may be without"])
        case .composite: checkComposite(of: attribute, title)
        case .objectID:
            report(
                .notSupported, at: attribute.location,
                "\(title) has the type ObjectID, which this release does not support",
                notes: ["Use a relationship, or store the identifier's URI"])
        default: break
        }
    }

    /// Checks Swift types that the author gives. They become generated code, so that a text that is not a type could be
    /// any code.
    private mutating func checkSwiftTypes(of attribute: Attribute, _ title: String) {
        for key in [UserInfo.swiftTypeKey, UserInfo.transformerKey] {
            guard let entry = attribute.userInfo.entry(key), !entry.value.isEmpty,
                !SwiftTypeExpression.isValid(entry.value)
            else { continue }
            report(
                .invalidValue, at: entry.location,
                "\(title) has for '\(key)' the value '\(entry.value)', which is not a Swift type",
                notes: ["Write the name of a type, such as Condition, Book.Condition or [String: Int]"],
                fixes: [.removing(entry.location, "Remove the entry")], attribute: "value")
        }
    }

    private mutating func checkTransformer(of attribute: Attribute, _ title: String) {
        guard attribute.type == .transformable, !attribute.isTransient else { return }
        let location = attribute.location
        let isUnread =
            attribute.swiftTypeName == nil && attribute.transformerTypeName == nil && attribute.archivedTypeName == nil
        if isUnread, let name = attribute.customClassName {
            report(
                .missingTransformer, at: location,
                "\(title) has values of the class '\(name)', which the built-in transformer does not read",
                notes: [
                    "Its archives stay as they are, as Data",
                    "Name an AttributeTransformer in userInfo, with the key ashlar.transformer",
                ])
        }
        switch attribute.valueTransformerName {
        // The secure transformer does not help with a class that it cannot read.
        case nil
        where attribute.swiftTypeName == nil && attribute.userInfo["ashlar.transformer"] == nil && !isUnread:
            report(
                .missingTransformer, at: location, "\(title) is transformable, but names no transformer",
                notes: ["Core Data then archives values, and reads archives without checking their classes"],
                fixes: [.setting("valueTransformerName", to: Self.secureTransformerName, of: location)])
        // Without `Name`, it is a class, which Core Data uses if no transformer has the name.
        case "NSSecureUnarchiveFromDataTransformerName":
            report(
                .wrongTransformer, at: location,
                "\(title) names its transformer by the name of a constant, not by the constant's value",
                notes: ["Core Data finds no transformer of this name"],
                fixes: [
                    .setting("valueTransformerName", to: Self.secureTransformerName, of: location, isSafe: true)
                ], attribute: "valueTransformerName")
        default: checkTransformerName(of: attribute, title)
        }
    }

    /// The transformer's name is the name of a Swift type, unless `userInfo` names another.
    private mutating func checkTransformerName(of attribute: Attribute, _ title: String) {
        guard let name = attribute.valueTransformerName, attribute.swiftTypeName == nil,
            attribute.userInfo["ashlar.transformer"] == nil, attribute.transformerTypeName != nil
        else { return }
        let parts = (name.hasPrefix(".") ? name.dropFirst() : name[...])
            .split(separator: ".", omittingEmptySubsequences: false)
        let isType = parts.allSatisfy { SQLiteName.isLegal(String($0)) }
        // `com.example.Tags` is how transformers are registered; modules begin with a capital letter.
        if isType, parts.count == 1 || parts[0].first?.isLowercase != true { return }
        report(
            .wrongTransformer, isType ? .warning : .error, at: attribute.location,
            "\(title) names the transformer '\(name)', which is "
                + (isType ? "taken for a type of the module '\(parts[0])'" : "not the name of a Swift type"),
            notes: [
                "Name the type that conforms to AttributeTransformer in userInfo, with the key ashlar.transformer",
                "The name of Core Data's transformer may then stay",
            ], attribute: "valueTransformerName")
    }

    /// The value of the constant `NSValueTransformerName.secureUnarchiveFromDataTransformerName`.
    private static let secureTransformerName = "NSSecureUnarchiveFromData"

    /// Reports settings that have no effect for the attribute's type.
    private mutating func checkEffect(of attribute: Attribute, _ title: String) {
        for (name, needs, isHashed) in attribute.settingsWithoutEffect {
            report(
                .noEffect, at: attribute.location,
                "\(title) of type \(attribute.type.rawValue) has '\(name)', which has no effect there",
                notes: ["It is for attributes of type \(needs)"],
                fixes: [.removing(name, of: attribute.location, isSafe: !isHashed)], attribute: name)
        }
        if attribute.isTransient && attribute.isIndexed {
            report(
                .noEffect, at: attribute.location,
                "\(title) is transient and indexed, but only stored attributes can have an index",
                fixes: [.removing("indexed", of: attribute.location)], attribute: "indexed")
        }
    }
}

extension AttributeType {
    /// Whether `minValueString` and `maxValueString` bound a value of the type, or its length.
    fileprivate var hasValueBounds: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .date: true
        default: false
        }
    }
}

extension Attribute {
    /// The attributes of the XML format that have no effect with the attribute's type, the types that they are for, and whether
    /// the version hash has them.
    var settingsWithoutEffect: [(name: String, needs: String, isHashed: Bool)] {
        var settings: [(name: String, needs: String, isHashed: Bool)] = []
        if type != .transformable, valueTransformerName != nil {
            settings.append(("valueTransformerName", "Transformable", false))
        }
        if type != .string, regularExpression != nil {
            settings.append(("regularExpressionString", "String", false))
        }
        if type != .binary, allowsExternalBinaryDataStorage {
            settings.append(("allowsExternalBinaryDataStorage", "Binary", true))
        }
        if type != .composite, compositeName != nil {
            settings.append(("composite", "Composite", false))
        }
        if !type.hasValueBounds {
            if minimumValue != nil { settings.append(("minValueString", "String or a number", false)) }
            if maximumValue != nil { settings.append(("maxValueString", "String or a number", false)) }
        }
        if type != .date {
            if minimumDateTimeInterval != nil { settings.append(("minDateTimeInterval", "Date", false)) }
            if maximumDateTimeInterval != nil { settings.append(("maxDateTimeInterval", "Date", false)) }
            if defaultDateTimeInterval != nil { settings.append(("defaultDateTimeInterval", "Date", false)) }
        }
        return settings
    }
}
