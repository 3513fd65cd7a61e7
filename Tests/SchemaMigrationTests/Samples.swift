import DataModel

/// An optional attribute.
func optional(
    _ name: String, _ type: AttributeType = .string, was identifier: String? = nil, default text: String? = nil,
    at location: SourceLocation = SourceLocation(file: "")
) -> Attribute {
    Attribute(
        name: name, type: type, isOptional: true, defaultValueString: text, renamingIdentifier: identifier,
        location: location)
}

/// A required attribute.
func required(
    _ name: String, _ type: AttributeType = .string, was identifier: String? = nil, default text: String? = nil,
    at location: SourceLocation = SourceLocation(file: "")
) -> Attribute {
    Attribute(
        name: name, type: type, defaultValueString: text, renamingIdentifier: identifier, location: location)
}

func toOne(
    _ name: String, _ destination: String, inverse: String? = nil, optional: Bool = true,
    rule: Relationship.DeletionRule = .nullify, was identifier: String? = nil,
    at location: SourceLocation = SourceLocation(file: "")
) -> Relationship {
    Relationship(
        name: name, destinationName: destination, inverseName: inverse, isOptional: optional, deletionRule: rule,
        renamingIdentifier: identifier, location: location)
}

func toMany(
    _ name: String, _ destination: String, inverse: String? = nil, ordered: Bool = false,
    rule: Relationship.DeletionRule = .nullify, was identifier: String? = nil,
    at location: SourceLocation = SourceLocation(file: "")
) -> Relationship {
    Relationship(
        name: name, destinationName: destination, inverseName: inverse, isToMany: true, isOrdered: ordered,
        deletionRule: rule, renamingIdentifier: identifier, location: location)
}

/// An entity `Post`, on which most changes are tried.
func post(_ attributes: Attribute...) -> [Entity] { [Entity(name: "Post", attributes: attributes)] }
