/// The knowledge about entities that a ``PredicateResolver`` needs. The generator answers from the model, the runtime
/// from generated descriptions.
public protocol PredicateSchema {
    /// The property or the full-text index of an entity, its own or inherited, or the leaf of a composite; nil if nothing
    /// has the name.
    func property(named name: String, of owner: PropertyOwner) -> PropertyDescription?
    /// The names of all properties, for suggestions.
    func propertyNames(of owner: PropertyOwner) -> [String]
    /// Returns whether an entity is another one or inherits from it. False if there is no such entity.
    func isEntity(_ entity: String, kindOf ancestor: String) -> Bool
    /// The names of an entity and of the entities that inherit from it, each before those that it inherits from.
    func entityNames(kindOf entity: String) -> [String]
    /// The names of the fetch indexes of an entity, its own and inherited, for `indexed:by:`.
    func indexNames(of entity: String) -> [String]
}

/// A thing with properties.
public enum PropertyOwner: Sendable, Hashable {
    case entity(String)
    case composite(String)

    /// The name of the entity or the composite.
    public var name: String {
        switch self {
        case .entity(let name), .composite(let name): name
        }
    }
}

/// The description of a property for predicates.
public enum PropertyDescription: Sendable, Hashable {
    case attribute(ValueType)
    /// An attribute whose value has leaves.
    case composite(name: String)
    case toOne(destination: String)
    case toMany(destination: String, isOrdered: Bool)
    /// A full-text index, which stands where properties do: `search MATCHES "great wall"`.
    case fullText
    /// The name of an object's entity, `entity.name`. The names are those of all possible entities, each before those
    /// that it inherits from.
    case entityName([String])
    /// A property that no predicate can use, with the reason as a clause: "it is transient".
    case unusable(reason: String)
}

/// The types of single values, named as the types of attributes are.
public enum ValueType: String, Sendable, Hashable, CaseIterable {
    case integer16, integer32, integer64, decimal, double, float, string, boolean, date, binary, uuid, uri, objectID
    case transformable
}

/// The type of an expression.
public indirect enum ResolvedType: Sendable, Hashable {
    case value(ValueType)
    case object(entity: String)
    case composite(name: String)
    /// Many values: a to-many relationship, a list in braces, a variable on the right of IN.
    case collection(of: ResolvedType)
    /// The least and the greatest value, on the right of BETWEEN.
    case bounds(of: ResolvedType)
    /// The texts of a full-text index, which can only be matched.
    case fullText
    /// The type of `nil` alone.
    case null
    /// The type of an argument that nothing in the predicate determines.
    case unknown
}
