import DataModel

/// A property whose values or links are lost although its entity continues.
struct LostProperty {
    /// The property as the old entity had it.
    let key: PropertyName
    /// The property as it was declared; of a composite, one of its leaves.
    let property: Version.Property
    /// The new entity that would have it.
    let entityName: String
    /// The other side of a relationship.
    let inverse: PropertyName?
    private let isComposite: Bool

    /// The names that a model may use for a property: its own, or that of an attribute that contains it.
    static func names(of key: PropertyName) -> [String] {
        let parts = key.name.split(separator: ".").map(String.init)
        return parts.indices.map { parts[...$0].joined(separator: ".") }
    }

    /// The new entity that would have a property of an old one; nil if that entity and all below it were removed.
    static func survivor(of key: PropertyName, _ match: ModelMatch) -> String? {
        match.old.nodes[key.entityName]?.hierarchy.lazy.compactMap { match.newEntityNames[$0] }.first
    }

    /// Nil if no stored data is lost: the objects are deleted, the value was derived, or the other side keeps the
    /// links.
    init?(_ key: PropertyName, of survivor: String, _ match: ModelMatch, used: Set<PropertyName>) {
        let prefix = key.name + "."
        guard let node = match.old.nodes[key.entityName],
            let property = node.properties.last(where: { $0.name == key.name || $0.name.hasPrefix(prefix) })
        else { return nil }
        if property.attribute?.isDerived == true { return nil }
        if let relationship = property.relationship {
            let targets = match.old.nodes[relationship.destinationName]?.hierarchy ?? []
            if targets.allSatisfy({ match.newEntityNames[$0] == nil }) { return nil }
        }
        inverse = match.old.inverse(of: property.key)
        if let inverse {
            if used.contains(inverse) { return nil }
            // Both sides were removed, and only one of them is reported.
            if inverse < property.key, match.newEntityNames[inverse.entityName] != nil { return nil }
        }
        self.key = key
        self.property = property
        entityName = survivor
        isComposite = property.name != key.name
    }

    /// The new properties of the entity that have the same type and do not continue an old property.
    func candidates(_ match: ModelMatch) -> [Version.Property] {
        if isComposite || property.leaf != nil { return [] }
        return (match.new.nodes[entityName]?.properties ?? []).filter { candidate in
            guard candidate.identifier == nil, candidate.leaf == nil,
                match.oldProperty(candidate.name, of: entityName) == nil
            else { return false }
            switch (property.content, candidate.content) {
            case (.attribute(let old), .attribute(let new)): return old.type == new.type && !new.isDerived
            case (.relationship(let old), .relationship(let new)):
                return old.isToMany == new.isToMany
                    && match.newEntityNames[old.destinationName] == new.destinationName
            default: return false
            }
        }
    }
}

extension LostProperty {
    /// Returns whether a new property may be this one renamed, judging by their names. Relationships to the same
    /// objects count as similar whatever their names, because there are few; attributes of one type are many.
    func isLike(_ candidate: Version.Property) -> Bool {
        candidate.relationship != nil || Spelling.haveSomethingInCommon(key.name, candidate.name)
    }
}

extension Version.Property {
    /// Where the property is declared.
    var location: SourceLocation {
        switch content {
        case .attribute(let attribute): attribute.location
        case .relationship(let relationship): relationship.location
        }
    }
}
