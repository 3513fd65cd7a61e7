import DataModel

/// A composite of an entity's attribute, or of one within it, as one version has it.
struct CompositePath {
    /// The key path, with the entity that declares the attribute which it begins with.
    let key: PropertyName
    /// The attributes from the entity's down to the one that is the composite.
    let path: [Attribute]
}

/// A unit of matching: a property, or a composite with all its parts.
struct PropertyGroup {
    /// The number of composites that the group is nested in.
    let depth: Int
    private(set) var properties: [Version.Property]

    /// The groups of properties at a nesting depth. The leaves of one composite are consecutive.
    static func groups(_ properties: [Version.Property], depth: Int = 0) -> [PropertyGroup] {
        var groups: [PropertyGroup] = []
        for property in properties {
            if let last = groups.indices.last, let leaf = property.leaf,
                let other = groups[last].properties[0].leaf, other.path[depth].name == leaf.path[depth].name,
                groups[last].properties[0].key.entityName == property.key.entityName
            {
                groups[last].properties.append(property)
            } else {
                groups.append(PropertyGroup(depth: depth, properties: [property]))
            }
        }
        return groups
    }

    /// The attribute of the group itself; nil for a relationship.
    var attribute: Attribute? { properties[0].leaf?.path[depth] ?? properties[0].attribute }

    /// The content of the group as a whole.
    var content: Version.Property.Content { attribute.map { .attribute($0) } ?? properties[0].content }

    enum Kind {
        case attribute, composite, relationship
    }

    var kind: Kind { composite != nil ? .composite : attribute != nil ? .attribute : .relationship }

    var item: NameMatch.Item {
        let first = properties[0]
        guard let attribute = first.leaf?.path[depth] else {
            return NameMatch.Item(name: first.name, identifier: first.identifier)
        }
        return NameMatch.Item(name: attribute.name, identifier: attribute.renamingIdentifier)
    }

    /// The composite that the group is; nil for a single property.
    var composite: CompositePath? {
        guard let leaf = properties[0].leaf, leaf.path[depth].type == .composite else { return nil }
        let path = Array(leaf.path[...depth])
        return CompositePath(
            key: PropertyName(properties[0].key.entityName, AttributeLeaf(path: path).keyPath), path: path)
    }

    /// The property that determines whether the composite is nil.
    var presence: Version.Property? {
        properties.first { $0.leaf?.isPresence == true && $0.leaf?.path.count == depth + 1 }
    }

    /// Whether nothing is stored of the composite, so that no value of it can be lost.
    var isEmpty: Bool { properties.allSatisfy { $0.leaf?.isEmptyComposite == true } }

    /// The groups within the composite.
    var inner: [PropertyGroup] {
        Self.groups(properties.filter { ($0.leaf?.path.count ?? 0) > depth + 1 }, depth: depth + 1)
    }
}

extension NameMatch {
    init(old: [PropertyGroup], new: [PropertyGroup]) {
        self.init(old: old.map(\.item), new: new.map(\.item))
    }
}
