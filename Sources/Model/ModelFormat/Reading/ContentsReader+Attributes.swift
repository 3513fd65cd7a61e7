import DataModel

extension ContentsReader {
    /// Reads an attribute of an entity or a composite; nil when it has no name.
    mutating func readAttribute(_ element: XMLElement, of ownerName: String) -> Attribute? {
        let name = required("name", of: element, "An attribute of '\(ownerName)'")
        let title = "Attribute '\(ownerName).\(name ?? "")'"
        var attribute = Attribute(
            name: name ?? "", type: readType(of: element, title), isOptional: flag("optional", of: element, title),
            isTransient: flag("transient", of: element, title), location: element.location)
        // An empty string is a valid default.
        attribute.defaultValueString = element["defaultValueString"]
        attribute.defaultDateTimeInterval = text("defaultDateTimeInterval", of: element)
        attribute.minimumValue = text("minValueString", of: element)
        attribute.maximumValue = text("maxValueString", of: element)
        attribute.minimumDateTimeInterval = text("minDateTimeInterval", of: element)
        attribute.maximumDateTimeInterval = text("maxDateTimeInterval", of: element)
        attribute.regularExpression = text("regularExpressionString", of: element)
        attribute.valueTransformerName = text("valueTransformerName", of: element)
        attribute.customClassName = text("customClassName", of: element)
        attribute.allowsExternalBinaryDataStorage = flag("allowsExternalBinaryDataStorage", of: element, title)
        attribute.usesScalarValueType = flag("usesScalarValueType", of: element, title)
        attribute.preservesValueAfterDeletion = flag("preserveAfterDeletion", of: element, title)
        attribute.isIndexed = flag("indexed", of: element, title)
        if flag("derived", of: element, title) {
            attribute.derivationExpression = required("derivationExpression", of: element, title)
            attribute.derivationLocation = element.valueLocation(of: "derivationExpression")
        }
        attribute.compositeName = text("composite", of: element)
        attribute.renamingIdentifier = renamingIdentifier(of: element)
        attribute.versionHashModifier = text("versionHashModifier", of: element)
        attribute.userInfo = readUserInfo(of: element)
        return name == nil ? nil : attribute
    }

    private mutating func readType(of element: XMLElement, _ title: String) -> AttributeType {
        guard let text = element.attribute("attributeType"), !text.value.isEmpty else { return .undefined }
        if let type = AttributeType(rawValue: text.value) { return type }
        let names = AttributeType.allCases.filter { $0 != .undefined && $0 != .objectID }.map(\.rawValue)
        let similar = Self.typeNames[text.value.lowercased()] ?? meant(by: text.value, among: names)
        let isNumber = ["int", "integer", "nsinteger", "long"].contains(text.value.lowercased())
        let proposals = similar.map { [$0] } ?? (isNumber ? ["Integer 64", "Integer 32", "Integer 16"] : [])
        diagnostics.report(
            .unknownAttributeType, at: text.location, "\(title) has the unknown type '\(text.value)'",
            notes: [similar.map { "Did you mean '\($0)'?" }, "The types are \(names.joined(separator: ", "))"]
                .compactMap(\.self),
            fixes: proposals.map {
                .setting("attributeType", to: $0, of: element.location, isSafe: proposals.count == 1)
            })
        // The error stops the build. With the most similar type, the attribute's other problems are reported in the
        // same run.
        return similar.flatMap(AttributeType.init(rawValue:)) ?? .string
    }

    /// The names of the types in Swift and Objective-C.
    private static let typeNames = [
        "bool": "Boolean", "int16": "Integer 16", "int32": "Integer 32", "int64": "Integer 64", "data": "Binary",
        "nsdata": "Binary", "binary data": "Binary", "url": "URI", "nsurl": "URI", "nsstring": "String",
        "text": "String", "nsdate": "Date", "nsdecimalnumber": "Decimal", "nsuuid": "UUID", "real": "Double",
    ]
}
