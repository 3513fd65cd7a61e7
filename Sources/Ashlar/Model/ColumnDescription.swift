/// A column that holds a property.
public struct ColumnDescription: Sendable, Hashable {
    /// The column's name in the table.
    public var name: String
    /// The property's name in the model.
    public var property: String
    /// The entity that declares the property.
    public var entity: String
    /// Whether NULL is a legal value.
    public var isOptional: Bool
    /// The type of the attribute; nil for a foreign key.
    public var type: AttributeType?
    /// The destination of the relationship whose foreign key it is.
    let destination: EntityNumber?
    /// Whether the value is required where the composite is there that it belongs to.
    public var isRequiredLeaf: Bool
    /// Whether a large value is kept in a file beside the store.
    public var isExternal: Bool
    /// The bounds that the model sets on values.
    public var rules: [ValidationRule]
    /// Whether the store derives the value, so that nobody writes it. Core Data's `NSDerivedAttributeDescription`.
    public var isDerived: Bool
    /// Whether the store's history keeps the value when the object is deleted. Core Data's
    /// `preservesValueInHistoryOnDeletion`.
    public var isPreservedAfterDeletion: Bool

    /// Makes a description.
    package init(
        _ name: String, property: String, entity: String, isOptional: Bool, type: AttributeType? = nil,
        destination: EntityNumber? = nil, isRequiredLeaf: Bool = false, isExternal: Bool = false,
        isDerived: Bool = false, isPreservedAfterDeletion: Bool = false, rules: [ValidationRule] = []
    ) {
        self.type = type
        self.destination = destination
        self.name = name
        self.property = property
        self.entity = entity
        self.isOptional = isOptional
        self.isRequiredLeaf = isRequiredLeaf
        self.isExternal = isExternal
        self.rules = rules
        self.isDerived = isDerived
        self.isPreservedAfterDeletion = isPreservedAfterDeletion
    }
}

extension ColumnDescription {
    /// Whether values are compared as decimal numbers rather than as text.
    public var isDecimal: Bool { type == .decimal }
    /// Whether values are dates.
    public var isDate: Bool { type == .date }
}

/// The types of attributes. Core Data's `NSAttributeType`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum AttributeType: String, Sendable, Hashable {
    /// The type that the attribute has in the model.
    case integer16, integer32, integer64, decimal, double, float, string, boolean, date, binary, uuid, uri
    /// A value that a transformer makes bytes of.
    case transformable
}
