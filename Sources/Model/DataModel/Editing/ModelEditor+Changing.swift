extension ModelEditor {
    func change(
        _ item: ModelItem, _ changes: [ModelEdit.Change]
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let place = try location(of: item)
        let request = requestOfFetchedProperty(item)
        for change in changes { try check(change, of: item) }
        return try (changes + consequences(of: changes, for: item)).map { change in
            Diagnostic.Change(
                request.flatMap { Self.requestAttributes.contains(change.attribute) ? $0.location : nil } ?? place,
                change.value.map { .setAttribute(change.attribute, to: $0) } ?? .removeAttribute(change.attribute))
        }
    }

    /// The attributes of a fetched property that its request has.
    package static let requestAttributes: Set<String> = [
        "entity", "predicateString", "fetchLimit", "fetchBatchSize", "includeSubentities", "includesPendingChanges",
        "returnObjectsAsFaults", "includePropertyValues", "returnDistinctResults", "resultType",
    ]

    /// The request of a fetched property; nil for other items.
    private func requestOfFetchedProperty(_ item: ModelItem) -> FetchRequest? {
        guard case .property(let name, let owner) = item, let entity = graph.entity(named: owner) else { return nil }
        return entity.fetchedProperties.first { $0.name == name }?.request
    }

    /// Refuses a change that is an edit of another kind.
    private func check(_ change: ModelEdit.Change, of item: ModelItem) throws(ModelEditError) {
        switch change.attribute {
        case "name", "value": throw .notPossible("Rename \(item) to change its name.")
        case "inverseName", "inverseEntity": throw .notPossible("Set the inverse of \(item), which has two sides.")
        case "destinationEntity":
            guard case .property(let name, let owner) = item, let value = change.value else {
                throw .notPossible("\(item) needs a destination.")
            }
            let relationship = try relationship(name, of: entity(owner))
            _ = try entity(value)
            if relationship.inverseName != nil {
                throw .notPossible("\(item) has an inverse. Remove the inverse before the destination changes.")
            }
        case "entity" where change.value == nil: throw .notPossible("\(item) needs an entity.")
        case "parentEntity", "entity":
            if let value = change.value { _ = try entity(value) }
        default: break
        }
    }

    /// The attributes that must change with others, unless they are changed themselves.
    private func consequences(
        of changes: [ModelEdit.Change], for item: ModelItem
    ) throws(ModelEditError) -> [ModelEdit.Change] {
        guard case .property(let name, let owner) = item else { return [] }
        var result: [ModelEdit.Change] = []
        func add(_ attribute: String, _ value: String?) {
            if !changes.contains(where: { $0.attribute == attribute }) {
                result.append(ModelEdit.Change(attribute, to: value))
            }
        }
        for change in changes {
            let isSet = change.value.flatMap(BooleanSpelling.corrected) == "YES"
            switch (change.attribute, try self.property(name, ofItem: owner)) {
            case ("attributeType", .attribute(var attribute)):
                guard let type = change.value.flatMap(AttributeType.init(rawValue:)) else { break }
                attribute.type = type
                for setting in attribute.settingsWithoutEffect { add(setting.name, nil) }
            case ("derivationExpression", .attribute): add("derived", change.value == nil ? nil : "YES")
            case ("derived", .attribute): if !isSet { add("derivationExpression", nil) }
            case ("toMany", .relationship(let relationship)):
                if !isSet {
                    add("maxCount", "1")
                    if relationship.isOrdered { add("ordered", nil) }
                    if relationship.minimumCount > 1 { add("minCount", nil) }
                } else if !relationship.isToMany {
                    add("maxCount", nil)
                }
            default: break
            }
        }
        return result
    }

    /// The type of an attribute of an entity or a composite.
    public func type(ofAttribute item: ModelItem) throws(ModelEditError) -> AttributeType {
        guard case .property(let name, let owner) = item,
            case .attribute(let attribute) = try property(name, ofItem: owner)
        else { throw .notPossible("\(item) is not an attribute.") }
        return attribute.type
    }

    /// The property that an entity or a composite declares itself.
    private func property(_ name: String, ofItem owner: String) throws(ModelEditError) -> PropertyScope.Property {
        if graph.entity(named: owner) == nil, let composite = graph.composite(named: owner) {
            return .attribute(try attribute(name, of: composite))
        }
        return try property(name, of: entity(owner))
    }

    // MARK: Parts

    func setElements(
        _ elements: [ModelEdit.IndexElement], ofIndex name: String, _ owner: String
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let place = try location(of: .index(name, of: owner))
        let entity = try entity(owner)
        guard let index = entity.indexes.first(where: { $0.name == name }) else { return [] }
        try check(elements, of: entity)
        let old = index.elements.map { ($0.propertyName ?? $0.expression ?? "", $0.location, $0.isAscending) }
        let positions = elements.map { element in old.firstIndex { $0.0 == element.property } }
        let kept = positions.compactMap(\.self)
        // New elements come after the others.
        let isInOrder =
            kept == kept.sorted() && Set(kept).count == kept.count
            && positions.prefix(kept.count).allSatisfy { $0 != nil }
        var changes: [Diagnostic.Change] = []
        for (position, element) in old.enumerated() where !isInOrder || !kept.contains(position) {
            changes.append(Diagnostic.Change(element.1, .remove))
        }
        for (element, position) in zip(elements, positions) {
            if isInOrder, let position {
                if old[position].2 != element.isAscending {
                    changes.append(Diagnostic.Change(old[position].1, .setAttribute("order", to: element.order)))
                }
            } else {
                changes.append(Diagnostic.Change(place, .addChild(self.element(element, of: index.kind, entity))))
            }
        }
        return changes
    }

    func setProperties(
        _ names: [String], ofConstraint old: [String], _ owner: String
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let place = try location(of: .constraint(old, of: owner))
        if names == old { return [] }
        return try [Diagnostic.Change(place, .remove)] + addConstraint(names, owner, besides: old)
    }

    func setMembers(
        _ names: [String], ofConfiguration name: String
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let place = try location(of: .configuration(name))
        for name in names { _ = try entity(name) }
        let members = model.configurations.first { $0.name == name }?.members ?? []
        let known = Set(members.map(\.entityName))
        return members.filter { !names.contains($0.entityName) }.map { Diagnostic.Change($0.location, .remove) }
            + names.filter { !known.contains($0) }.map { Diagnostic.Change(place, .addChild(member($0))) }
    }

    func setEntry(
        _ item: ModelItem, _ key: String, to value: String?
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let place = try location(of: item)
        if let value { return [Diagnostic.Change(place, .setEntry(key, to: value))] }
        return try userInfo(of: item).entries.filter { $0.key == key }.map { Diagnostic.Change($0.location, .remove) }
    }

    private func userInfo(of item: ModelItem) throws(ModelEditError) -> UserInfo {
        switch item {
        case .entity(let name): return try entity(name).userInfo
        case .composite(let name): return graph.composite(named: name)?.userInfo ?? UserInfo()
        case .index(let name, let owner):
            return try entity(owner).indexes.first { $0.name == name }?.userInfo ?? UserInfo()
        case .property(let name, let owner):
            switch try property(name, ofItem: owner) {
            case .attribute(let attribute): return attribute.userInfo
            case .relationship(let relationship): return relationship.userInfo
            case .fetchedProperty(let property): return property.userInfo
            }
        case .model: return model.userInfo
        case .constraint, .fetchRequest, .configuration: return UserInfo()
        }
    }

    // MARK: Inverses

    func setInverse(
        _ name: String, of owner: String, to inverse: ModelEdit.RelationshipName?
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let entity = try entity(owner)
        let relationship = try relationship(name, of: entity)
        guard let inverse else { return leavingInverse(of: relationship) + removingInverse(of: relationship) }
        let other = try self.entity(inverse.entity)
        let partner = try self.relationship(inverse.name, of: other)
        guard let destination = graph.entity(named: relationship.destinationName),
            graph.isEntity(other, kindOf: destination) || graph.isEntity(destination, kindOf: other),
            let back = graph.entity(named: partner.destinationName),
            graph.isEntity(entity, kindOf: back) || graph.isEntity(back, kindOf: entity)
        else {
            throw .notPossible("'\(owner).\(name)' and '\(inverse.entity).\(inverse.name)' do not lead to each other.")
        }
        let own = ModelEdit.RelationshipName(entity: entity.name, name: name)
        var changes = self.inverse(of: relationship, inverse)
        if partner.location != relationship.location { changes += self.inverse(of: partner, own) }
        let kept = [relationship.location, partner.location]
        return (leavingInverse(of: relationship) + leavingInverse(of: partner)).filter { !kept.contains($0.element) }
            + changes
    }

    /// Leaves the inverse of a relationship without one.
    private func leavingInverse(of relationship: Relationship) -> [Diagnostic.Change] {
        guard let inverse = graph.inverse(of: relationship)?.relationship, inverse.location != relationship.location,
            inverse.inverseName == relationship.name
        else { return [] }
        return removingInverse(of: inverse)
    }

    private func removingInverse(of relationship: Relationship) -> [Diagnostic.Change] {
        [
            Diagnostic.Change(relationship.location, .removeAttribute("inverseName")),
            Diagnostic.Change(relationship.location, .removeAttribute("inverseEntity")),
        ]
    }
}
