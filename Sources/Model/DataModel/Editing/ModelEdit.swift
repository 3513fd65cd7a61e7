/// A change of one version of a model, together with everything in the version that refers to the changed part.
///
/// `ModelFormat` turns it into edits of the file's text that change nothing else.
public enum ModelEdit: Sendable, Hashable {
    /// An attribute of the XML format with its value, such as `optional` and `YES`.
    public typealias Value = Diagnostic.NewElement.Attribute

    /// Adds an entity without properties.
    case addEntity(String, values: [Value] = [])
    /// Adds an attribute to an entity or a composite.
    case addAttribute(String, of: String, type: AttributeType, values: [Value] = [])
    /// Adds a relationship, with its inverse if it names one.
    case addRelationship(NewRelationship)
    /// Adds an index to an entity.
    case addIndex(String, of: String, kind: FetchIndex.Kind, elements: [IndexElement])
    /// Adds a uniqueness constraint to an entity.
    case addConstraint([String], of: String)
    /// Adds a fetched property to an entity, which fetches objects of a destination.
    case addFetchedProperty(String, of: String, destination: String, predicate: String? = nil)
    /// Adds a fetch request template.
    case addFetchRequest(String, entity: String, predicate: String? = nil)
    /// Adds a composite without attributes.
    case addComposite(String)
    /// Adds a configuration of entities.
    case addConfiguration(String, entities: [String])
    /// Gives an item another name. If the version before has it, its renaming identifier keeps the old name.
    case rename(ModelItem, to: String)
    /// Moves a property to another entity.
    case move(String, of: String, to: String)
    /// Removes an item; of a relationship, also its inverse. If the version before has it, `ashlar.removed` names it.
    case remove(ModelItem)
    /// Sets and removes attributes of the XML format of an item, and removes those that lose their effect. These are the
    /// settings of the former type, and the greatest number of a relationship that leads to one object.
    case change(ModelItem, [Change])
    /// Gives an index other elements, in this order. Those that it keeps stay as they are written.
    case setElements([IndexElement], ofIndex: String, of: String)
    /// Gives an entity's constraint on some properties other properties.
    case setProperties([String], ofConstraint: [String], of: String)
    /// Gives a configuration other entities.
    case setMembers([String], ofConfiguration: String)
    /// Makes two relationships each other's inverse, or leaves one without an inverse.
    case setInverse(String, of: String, to: RelationshipName?)
    /// Sets an entry of an item's `userInfo`, or removes it.
    case setEntry(ModelItem, key: String, to: String?)

    /// Sets an attribute of the XML format of an item, or removes it.
    public static func change(_ item: ModelItem, attribute: String, to value: String?) -> ModelEdit {
        .change(item, [Change(attribute, to: value)])
    }

    /// A new value for an attribute of the XML format; nil removes it.
    public struct Change: Sendable, Hashable {
        public var attribute: String
        public var value: String?

        public init(_ attribute: String, to value: String?) { (self.attribute, self.value) = (attribute, value) }
    }

    /// A relationship by its entity and its name.
    public struct RelationshipName: Sendable, Hashable {
        public var entity: String
        public var name: String

        public init(entity: String, name: String) { (self.entity, self.name) = (entity, name) }
    }

    /// A relationship to add.
    public struct NewRelationship: Sendable, Hashable {
        /// One side of the relationship.
        public struct Side: Sendable, Hashable {
            public var name: String
            public var isToMany: Bool
            public var isOptional = true
            public var isOrdered = false
            public var deletionRule = Relationship.DeletionRule.nullify

            public init(_ name: String, isToMany: Bool) { (self.name, self.isToMany) = (name, isToMany) }
        }

        public var entity: String
        public var side: Side
        public var destination: String
        /// The inverse; nil for a relationship without one. An existing relationship with the name and without an inverse
        /// becomes the inverse, and keeps its other values.
        public var inverse: Side?

        public init(_ side: Side, of entity: String, to destination: String, inverse: Side?) {
            (self.entity, self.side, self.destination, self.inverse) = (entity, side, destination, inverse)
        }
    }
}
