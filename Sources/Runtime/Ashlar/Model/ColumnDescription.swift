/// A column of an entity's table that holds a property.
///
/// ``EntityDescription/columns`` lists them. Core Data's counterpart is `NSAttributeDescription`.
///
///     for column in Post.entity.columns { print(column.property, column.type as Any) }
public struct ColumnDescription: Sendable, Hashable {
    /// The column's name in the table.
    public var name: String
    /// The property's name in the model.
    public var property: String
    /// The name of the entity that declares the property.
    public var entity: String
    /// Whether the value may be NULL.
    public var isOptional: Bool
    /// The type of the attribute; nil for a foreign key.
    public var type: AttributeType?
    /// The destination of the relationship whose foreign key it is.
    let destination: EntityNumber?
    /// Whether the value is required if the composite that contains it is not nil.
    public var isRequiredInComposite: Bool
    /// Whether large values are stored in a file beside the store.
    public var isExternal: Bool
    /// The bounds that the model sets on values.
    public var rules: [ValidationRule]
    /// Whether the store computes the value, so that it cannot be set.
    ///
    /// Core Data's counterpart is `NSDerivedAttributeDescription`.
    public var isDerived: Bool
    /// Whether the store's history keeps the value when the object is deleted.
    ///
    /// Core Data's counterpart is `preservesValueInHistoryOnDeletion`.
    public var isPreservedAfterDeletion: Bool

    /// Creates a description.
    package init(
        _ name: String, property: String, entity: String, isOptional: Bool, type: AttributeType? = nil,
        destination: EntityNumber? = nil, isRequiredInComposite: Bool = false, isExternal: Bool = false,
        isDerived: Bool = false, isPreservedAfterDeletion: Bool = false, rules: [ValidationRule] = []
    ) {
        self.type = type
        self.destination = destination
        self.name = name
        self.property = property
        self.entity = entity
        self.isOptional = isOptional
        self.isRequiredInComposite = isRequiredInComposite
        self.isExternal = isExternal
        self.rules = rules
        self.isDerived = isDerived
        self.isPreservedAfterDeletion = isPreservedAfterDeletion
    }
}

extension ColumnDescription {
    /// Whether values are compared as decimal numbers instead of as text.
    public var isDecimal: Bool { type == .decimal }
    /// Whether values are dates.
    public var isDate: Bool { type == .date }
}

/// The type of an attribute. Core Data's counterpart is `NSAttributeType`.
///
///     let dates = Post.entity.columns.filter { $0.type == .date }.map(\.property)
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum AttributeType: String, Sendable, Hashable {
    /// The type of the attribute in the model.
    case integer16, integer32, integer64, decimal, double, float, string, boolean, date, binary, uuid, uri
    /// A value that a transformer encodes as bytes.
    case transformable
}
