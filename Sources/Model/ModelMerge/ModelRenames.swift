/// The entities and properties of a model that were renamed, according to renaming identifiers.
struct ModelRenames {
    /// A property of an entity.
    struct Property: Hashable {
        var entity: String
        var name: String
    }

    /// New names of entities, by their old ones.
    var entities: [String: String] = [:]
    /// New names of properties, by the old names of both.
    var properties: [Property: String] = [:]

    init() {}

    /// Finds the elements that a side renamed: those with the identifier, or the name, of an element that was removed.
    init(from base: ModelTree, to side: ModelTree) {
        let before = base.children.filter { $0.name == "entity" }
        let after = side.children.filter { $0.name == "entity" }
        for (old, new) in Self.matches(before, after) {
            guard let oldName = old["name"], let newName = new["name"] else { continue }
            if oldName != newName { entities[oldName] = newName }
            let properties = Self.matches(old.children.filter(\.isProperty), new.children.filter(\.isProperty))
            for (first, second) in properties {
                guard let name = first["name"], let newName = second["name"], name != newName else { continue }
                self.properties[Property(entity: oldName, name: name)] = newName
            }
        }
    }

    private static func matches(_ before: [ModelTree], _ after: [ModelTree]) -> [(ModelTree, ModelTree)] {
        let oldNames = Set(before.compactMap { $0["name"] })
        var byName: [String: ModelTree] = [:]
        var byIdentifier: [String: ModelTree] = [:]
        for element in after {
            if let name = element["name"] { byName[name] = byName[name] ?? element }
            // An element that had its name before was not renamed to it.
            guard let identifier = element["elementID"], !identifier.isEmpty,
                element["name"].map(oldNames.contains) != true
            else { continue }
            byIdentifier[identifier] = byIdentifier[identifier] ?? element
        }
        return before.compactMap { old in
            guard let name = old["name"] else { return nil }
            if let same = byName[name] { return (old, same) }
            let renamed = old["elementID"].flatMap { byIdentifier[$0] } ?? byIdentifier[name]
            return renamed.map { (old, $0) }
        }
    }

    /// The renames that lead from a side's names to those of the merged model.
    func completed(by merged: ModelRenames) -> ModelRenames {
        var result = ModelRenames()
        for (base, final) in merged.entities {
            let own = entities[base] ?? base
            if own != final { result.entities[own] = final }
        }
        for (base, final) in merged.properties {
            let own = properties[base] ?? base.name
            let entity = entities[base.entity] ?? base.entity
            if own != final { result.properties[Property(entity: entity, name: own)] = final }
        }
        return result
    }

    var isEmpty: Bool { entities.isEmpty && properties.isEmpty }
}

extension ModelTree {
    /// Whether the element is a property of an entity, whose name others may refer to.
    var isProperty: Bool { ["attribute", "relationship", "fetchedProperty"].contains(name) }
}

// MARK: Renaming

extension ModelRenames {
    /// A model with the new names, in declarations and in references. Format strings stay unchanged.
    func applied(to model: ModelTree) -> ModelTree {
        if isEmpty { return model }
        let parents = Dictionary(
            model.children.filter { $0.name == "entity" }.compactMap { entity in
                entity["name"].map { ($0, entity["parentEntity"]) }
            }
        ) { first, _ in first }
        var result = model
        for index in result.children.indices {
            let owner = result.children[index].name == "entity" ? result.children[index]["name"] : nil
            apply(to: &result.children[index], owner: owner, parents)
        }
        return result
    }

    private func apply(to element: inout ModelTree, owner: String?, _ parents: [String: String?]) {
        switch element.name {
        case "entity":
            rename("name", of: &element)
            rename("parentEntity", of: &element)
        case "memberEntity", "element": rename("name", of: &element)
        case "fetchRequest": rename("entity", of: &element)
        case "relationship":
            if let inverse = element["inverseName"],
                let entity = element["inverseEntity"] ?? element["destinationEntity"],
                let name = name(of: inverse, in: entity, parents)
            {
                element["inverseName"] = name
            }
            rename("destinationEntity", of: &element)
            rename("inverseEntity", of: &element)
        case "fetchIndexElement": renameProperty("property", of: &element, owner, parents)
        case "constraint", "index": renameProperty("value", of: &element, owner, parents)
        default: break
        }
        if element.isProperty { renameProperty("name", of: &element, owner, [:]) }
        for index in element.children.indices { apply(to: &element.children[index], owner: owner, parents) }
    }

    private func rename(_ attribute: String, of element: inout ModelTree) {
        if let name = element[attribute], let new = entities[name] { element[attribute] = new }
    }

    private func renameProperty(
        _ attribute: String, of element: inout ModelTree, _ owner: String?, _ parents: [String: String?]
    ) {
        guard let owner, let name = element[attribute], let new = self.name(of: name, in: owner, parents) else {
            return
        }
        element[attribute] = new
    }

    /// The new name of a property that an entity has, or inherits.
    private func name(of property: String, in entity: String, _ parents: [String: String?]) -> String? {
        var next: String? = entity
        for _ in 0...parents.count {
            guard let current = next else { return nil }
            if let new = properties[Property(entity: current, name: property)] { return new }
            next = parents[current] ?? nil
        }
        return nil
    }
}
