/// An attribute of an entity or a composite.
public struct Attribute: Sendable, Hashable {
    public var name: String
    public var type: AttributeType
    public var isOptional: Bool
    public var isTransient: Bool
    /// The default value as the model writes it, checked and converted by ``Attribute/defaultValue``.
    public var defaultValueString: String?
    /// The default of a date, in seconds since 2001-01-01 UTC.
    public var defaultDateTimeInterval: String?
    /// The least number, or the least length of a string, as written.
    public var minimumValue: String?
    public var maximumValue: String?
    public var minimumDateTimeInterval: String?
    public var maximumDateTimeInterval: String?
    public var regularExpression: String?
    /// The name of the transformer of a transformable attribute.
    public var valueTransformerName: String?
    /// The class of a transformable attribute's value, as written.
    public var customClassName: String?
    public var allowsExternalBinaryDataStorage: Bool
    /// Whether Core Data's code has a number or a truth value in place of an object that may be nil.
    public var usesScalarValueType = false
    public var preservesValueAfterDeletion: Bool
    /// The old declaration of an ascending index on this attribute alone.
    public var isIndexed: Bool
    /// The expression of a derived attribute.
    public var derivationExpression: String?
    /// Where the expression's characters are; nil when that is not known.
    public var derivationLocation: StringLocation?
    /// The composite of an attribute of type ``AttributeType/composite``.
    public var compositeName: String?
    /// The name of the attribute in older versions (`elementID`).
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: UserInfo
    public var location: SourceLocation

    public init(
        name: String, type: AttributeType, isOptional: Bool = false, isTransient: Bool = false,
        defaultValueString: String? = nil, defaultDateTimeInterval: String? = nil, minimumValue: String? = nil,
        maximumValue: String? = nil, minimumDateTimeInterval: String? = nil, maximumDateTimeInterval: String? = nil,
        regularExpression: String? = nil, valueTransformerName: String? = nil, customClassName: String? = nil,
        allowsExternalBinaryDataStorage: Bool = false, preservesValueAfterDeletion: Bool = false,
        isIndexed: Bool = false, derivationExpression: String? = nil, compositeName: String? = nil,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: UserInfo = UserInfo(),
        location: SourceLocation = SourceLocation(file: "")
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.defaultValueString = defaultValueString
        self.defaultDateTimeInterval = defaultDateTimeInterval
        self.minimumValue = minimumValue
        self.maximumValue = maximumValue
        self.minimumDateTimeInterval = minimumDateTimeInterval
        self.maximumDateTimeInterval = maximumDateTimeInterval
        self.regularExpression = regularExpression
        self.valueTransformerName = valueTransformerName
        self.customClassName = customClassName
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.preservesValueAfterDeletion = preservesValueAfterDeletion
        self.isIndexed = isIndexed
        self.derivationExpression = derivationExpression
        self.compositeName = compositeName
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.location = location
    }

    /// The name by which versions are matched: the renaming identifier, else the name.
    public var canonicalName: String { renamingIdentifier ?? name }

    /// Whether the value is stored, as that of every attribute but a transient one.
    public var isStored: Bool { !isTransient }

    /// Whether the store keeps the value, so that no program sets it.
    public var isDerived: Bool { derivationExpression != nil }
}

/// The types of attributes, with the spelling that the format uses.
public enum AttributeType: String, Sendable, Hashable, CaseIterable {
    case undefined = "Undefined"
    case integer16 = "Integer 16"
    case integer32 = "Integer 32"
    case integer64 = "Integer 64"
    case decimal = "Decimal"
    case double = "Double"
    case float = "Float"
    case string = "String"
    case boolean = "Boolean"
    case date = "Date"
    case binary = "Binary"
    case uuid = "UUID"
    case uri = "URI"
    case transformable = "Transformable"
    case composite = "Composite"
    case objectID = "ObjectID"
}

extension AttributeType {
    /// The types that an attribute of a model can have.
    package static let written = allCases.filter { $0 != .undefined && $0 != .objectID }
    /// The types that an author names by themselves: a composite has its own name.
    package static let plain = written.filter { $0 != .composite }
}
