import DataModel

extension StepFinder {
    /// Finds the changes of a part and of its composites. The latter are found with each of their parts, and reported
    /// once.
    func findSteps(ofLeaf leaf: AttributeLeaf, _ property: Version.Property) {
        let entityName = property.key.entityName
        for depth in 1...leaf.path.count {
            let key = PropertyName(entityName, AttributeLeaf(path: Array(leaf.path[..<depth])).keyPath)
            if match.changedKinds[key] != nil { return findChangedKind(of: key) }
            let new = leaf.path[depth - 1]
            let sources: [(key: PropertyName, attribute: Attribute)]
            if depth < leaf.path.count || leaf.isPresence {
                sources = match.compositeSources(of: key).compactMap { source in
                    source.path.last.map { (source.key, $0) }
                }
            } else {
                sources = match.sources(of: key).compactMap { source in
                    source.old.attribute.map { (source.old.key, $0) }
                }
            }
            guard let old = sources.first?.attribute else { return tell(.addAttribute(key)) }
            for source in sources {
                if depth == 1, match.newEntityNames[source.key.entityName] != entityName {
                    tell(.moveAttribute(from: source.key, to: key))
                } else if source.attribute.name != new.name {
                    tell(.renameAttribute(from: source.key, to: key))
                }
            }
            if new.type != .composite {
                compare(old, new, key)
            } else if old.isOptional != new.isOptional {
                tell(.changeOptionality(key, isOptional: new.isOptional))
            }
        }
    }

    /// Finds composites that became other attributes, or the reverse; their values are lost.
    func findChangedKind(of key: PropertyName) {
        guard let (old, new) = match.changedKinds[key], toldKinds.insert(key).inserted else { return }
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)):
            tell(.changeType(key, from: old.type, to: new.type))
            report(lossOf: old, new, key)
        case (.relationship, .attribute(let new)):
            reportKind(key, "a relationship", "an attribute", at: new.location)
        case (_, .relationship(let new)): reportKind(key, "an attribute", "a relationship", at: new.location)
        }
    }

    /// The outermost part of a composite attribute that is removed with an old leaf; nil if nothing is.
    func removedKey(ofLeaf leaf: AttributeLeaf, _ property: Version.Property, from entityName: String) -> PropertyName?
    {
        for depth in 1...leaf.path.count {
            if depth == leaf.path.count && leaf.isPresence && depth > 1 { break }
            let keyPath = AttributeLeaf(path: Array(leaf.path[..<depth])).keyPath
            if isLost(PropertyName(property.key.entityName, keyPath), of: entityName) {
                return PropertyName(entityName, keyPath)
            }
        }
        return nil
    }
}
