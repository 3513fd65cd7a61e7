import PredicateFormat

extension ModelEditor {
    func rename(_ item: ModelItem, to name: String) throws(ModelEditError) -> [Diagnostic.Change] {
        switch item {
        case .entity(let old):
            let entity = try entity(old)
            if name == old { return [] }
            try check(freeEntity: name, besides: old)
            return try renaming(entity, to: name, keepingName: previous(of: entity) != nil)
        case .property(let old, let owner):
            if graph.entity(named: owner) == nil, let composite = graph.composite(named: owner) {
                return try rename(attribute(old, of: composite), of: composite, to: name)
            }
            let entity = try entity(owner)
            let property = try property(old, of: entity)
            if name == old { return [] }
            try check(freeProperty: name, in: entity, besides: old)
            return try renaming(property, of: entity, to: name, keepingName: previous(of: property, in: entity) != nil)
        case .index(let old, let owner):
            let place = try location(of: item)
            if name == old { return [] }
            try check(legal: name)
            let taken = try entity(owner).indexes.first { other in
                SQLiteName.folded(other.name) == SQLiteName.folded(name) && other.name != old
            }
            if let taken { throw .exists(ModelItem.index(taken.name, of: owner).description) }
            return try naming(item, place, name) + references(to: item, named: name)
        case .fetchRequest(let old):
            let place = try location(of: item)
            if name == old { return [] }
            if name.isEmpty { throw .illegalName(name) }
            if model.fetchRequests.contains(where: { $0.name == name }) {
                throw .exists(ModelItem.fetchRequest(name).description)
            }
            return naming(item, place, name)
        case .composite(let old):
            let place = try location(of: item)
            if name == old { return [] }
            try check(freeEntity: name, besides: old)
            return try naming(item, place, name) + references(to: item, named: name)
        case .configuration(let old):
            let place = try location(of: item)
            if name == old { return [] }
            try check(freeConfiguration: name)
            return naming(item, place, name)
        case .model: throw .notPossible("The names of a model are those of its bundle and its versions.")
        case .constraint: throw .notPossible("A constraint has no name. Remove it, and add another one.")
        }
    }

    private func rename(
        _ attribute: Attribute, of composite: Composite, to name: String
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        if name == attribute.name { return [] }
        try check(legal: name)
        let taken = composite.attributes.first { other in
            SQLiteName.folded(other.name) == SQLiteName.folded(name) && other.name != attribute.name
        }
        if let taken { throw .exists("property \(ModelItem.property(taken.name, of: composite.name))") }
        let before = previous?.composite(named: composite.name)?.attributes ?? []
        let item = ModelItem.property(attribute.name, of: composite.name)
        return try declaration(
            of: item, attribute.location, attribute.renamingIdentifier, to: name,
            keepingName: before.contains { $0.canonicalName == attribute.canonicalName } ? attribute.name : nil)
            + references(to: item, named: name)
    }

    /// The changes that rename an entity.
    func renaming(
        _ entity: Entity, to name: String, keepingName: Bool
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let item = ModelItem.entity(entity.name)
        return try declaration(
            of: item, entity.location, entity.renamingIdentifier, to: name,
            keepingName: keepingName ? entity.name : nil) + references(to: item, named: name)
    }

    /// The changes that rename a property.
    func renaming(
        _ property: PropertyScope.Property, of entity: Entity, to name: String, keepingName: Bool
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let item = ModelItem.property(property.name, of: entity.name)
        return try declaration(
            of: item, property.location, property.renamingIdentifier, to: name,
            keepingName: keepingName ? property.name : nil) + references(to: item, named: name)
    }

    private func declaration(
        of item: ModelItem, _ place: SourceLocation, _ identifier: String?, to name: String, keepingName old: String?
    ) -> [Diagnostic.Change] {
        let changes = naming(item, place, name)
        // If it gets its old name again, it needs no identifier.
        if identifier == name {
            return changes + locations(of: item, place).map { Diagnostic.Change($0, .removeAttribute("elementID")) }
        }
        guard identifier == nil, let old else { return changes }
        return changes + locations(of: item, place).map { Diagnostic.Change($0, .setAttribute("elementID", to: old)) }
    }

    /// The changes that give an item another name wherever it is declared.
    private func naming(_ item: ModelItem, _ place: SourceLocation, _ name: String) -> [Diagnostic.Change] {
        locations(of: item, place).map { Diagnostic.Change($0, .setAttribute("name", to: name)) }
    }

    // MARK: References

    /// The changes that give all references to an item another name.
    private func references(to item: ModelItem, named name: String) throws(ModelEditError) -> [Diagnostic.Change] {
        var changes: [Diagnostic.Change] = []
        for reference in references where reference.item == item {
            let action: Diagnostic.Change.Action =
                switch reference.place {
                case .attribute(let attribute): .setAttribute(attribute, to: name)
                case .text(let attribute, let range): .replaceText(attribute, range, with: name)
                case .keyPath(let attribute, let range):
                    .replaceText(attribute, range, with: KeyPathComponent(.property(name)).description)
                case .value(let value, let range):
                    .replaceValue(value, with: value.replacing(range, with: name))
                }
            changes.append(Diagnostic.Change(reference.element, action))
        }
        return changes
    }
}

extension String {
    /// The text with a part replaced, in UTF-8 offsets.
    fileprivate func replacing(_ range: Range<Int>, with text: String) -> String {
        var bytes = Array(utf8)
        bytes.replaceSubrange(range, with: text.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }
}
