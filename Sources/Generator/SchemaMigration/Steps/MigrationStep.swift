import DataModel
import RelationalSchema

/// One change from a version of a model to the next, as its author would describe it.
public enum MigrationStep: Sendable, Hashable {
    case addEntity(String)
    /// Its objects are deleted.
    case removeEntity(String)
    /// Objects are deleted with those that they have to lead to, by a relationship whose inverse cascades.
    case removeDependents(PropertyName)
    case renameEntity(from: String, to: String)
    case changeParent(entityName: String, from: String?, to: String?)
    case changeAbstractness(entityName: String, isAbstract: Bool)

    case addAttribute(PropertyName)
    /// Its values are deleted.
    case removeAttribute(PropertyName)
    case renameAttribute(from: PropertyName, to: PropertyName)
    /// Another entity of the hierarchy declares it.
    case moveAttribute(from: PropertyName, to: PropertyName)
    case changeType(PropertyName, from: AttributeType, to: AttributeType)
    case changeDefault(PropertyName, from: String?, to: String?)
    /// Its values are recomputed.
    case changeDerivation(PropertyName, from: String?, to: String?)

    case addRelationship(PropertyName)
    /// Its links are deleted.
    case removeRelationship(PropertyName)
    case renameRelationship(from: PropertyName, to: PropertyName)
    /// Another entity of the hierarchy declares it.
    case moveRelationship(from: PropertyName, to: PropertyName)
    case changeDestination(PropertyName, from: String, to: String)
    case changeInverse(PropertyName, from: PropertyName?, to: PropertyName?)
    case changeCardinality(PropertyName, isToMany: Bool)
    case changeOrdering(PropertyName, isOrdered: Bool)
    case changeDeletionRule(PropertyName, from: Relationship.DeletionRule, to: Relationship.DeletionRule)

    case changeOptionality(PropertyName, isOptional: Bool)

    case addIndex(name: String)
    case removeIndex(name: String)
    case changeIndex(name: String)

    /// Whether objects, values or links are deleted.
    public var isDestructive: Bool {
        switch self {
        case .removeEntity, .removeDependents, .removeAttribute, .removeRelationship: true
        default: false
        }
    }
}

extension MigrationStep: CustomStringConvertible {
    /// The change in a few words.
    public var description: String {
        switch self {
        case .addEntity(let name): "add entity \(name)"
        case .removeEntity(let name): "remove entity \(name) and delete its objects"
        case .removeDependents(let key): "delete objects of \(key.entityName) whose \(key.name) is deleted"
        case .renameEntity(let old, let new): "rename entity \(old) to \(new)"
        case .changeParent(let name, let old, let new):
            "change the parent of entity \(name) from \(old ?? "none") to \(new ?? "none")"
        case .changeAbstractness(let name, let isAbstract):
            "make entity \(name) \(isAbstract ? "abstract" : "concrete")"
        case .addAttribute(let key): "add attribute \(key)"
        case .removeAttribute(let key): "remove attribute \(key) and delete its values"
        case .renameAttribute(let old, let new): "rename attribute \(old) to \(new)"
        case .moveAttribute(let old, let new): "move attribute \(old) to \(new)"
        case .changeType(let key, let old, let new):
            "change the type of attribute \(key) from \(old.rawValue) to \(new.rawValue)"
        case .changeDefault(let key, let old, let new):
            "change the default of attribute \(key) from \(old ?? "none") to \(new ?? "none")"
        case .changeDerivation(let key, let old, let new):
            "change the derivation of attribute \(key) from \(old ?? "none") to \(new ?? "none")"
        case .addRelationship(let key): "add relationship \(key)"
        case .removeRelationship(let key): "remove relationship \(key) and delete its links"
        case .renameRelationship(let old, let new): "rename relationship \(old) to \(new)"
        case .moveRelationship(let old, let new): "move relationship \(old) to \(new)"
        case .changeDestination(let key, let old, let new):
            "change the destination of relationship \(key) from \(old) to \(new)"
        case .changeInverse(let key, let old, let new):
            "change the inverse of relationship \(key) from \(name(old)) to \(name(new))"
        case .changeCardinality(let key, let isToMany):
            "make relationship \(key) lead to \(isToMany ? "many objects" : "one object")"
        case .changeOrdering(let key, let isOrdered): "make relationship \(key) \(isOrdered ? "ordered" : "unordered")"
        case .changeDeletionRule(let key, let old, let new):
            "change the deletion rule of relationship \(key) from \(old.rawValue) to \(new.rawValue)"
        case .changeOptionality(let key, let isOptional): "make \(key) \(isOptional ? "optional" : "required")"
        case .addIndex(let name): "add index \(name)"
        case .removeIndex(let name): "remove index \(name)"
        case .changeIndex(let name): "change index \(name)"
        }
    }

    private func name(_ key: PropertyName?) -> String { key?.description ?? "none" }
}
