extension ModelEditor {
    func addEntity(_ name: String, _ values: [ModelEdit.Value]) throws(ModelEditError) -> [Diagnostic.Change] {
        try check(freeEntity: name)
        for value in values where value.name == "parentEntity" { _ = try entity(value.value) }
        return [add(Diagnostic.NewElement("entity", named(name) + values), to: model.location)]
    }

    func addAttribute(
        _ name: String, _ owner: String, _ type: AttributeType, _ values: [ModelEdit.Value]
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let type = ModelEdit.Value(name: "attributeType", value: type.rawValue)
        let element = Diagnostic.NewElement("attribute", named(name) + [type] + values)
        if graph.entity(named: owner) == nil, let composite = graph.composite(named: owner) {
            try check(legal: name)
            if let taken = composite.attributes.first(where: { SQLiteName.folded($0.name) == SQLiteName.folded(name) })
            {
                throw .exists("property \(ModelItem.property(taken.name, of: owner))")
            }
            return [add(element, to: composite.location)]
        }
        let entity = try entity(owner)
        try check(freeProperty: name, in: entity)
        return [add(element, to: entity.location)]
    }

    // MARK: Relationships

    func add(_ new: ModelEdit.NewRelationship) throws(ModelEditError) -> [Diagnostic.Change] {
        let owner = try entity(new.entity)
        let destination = try entity(new.destination)
        try check(freeProperty: new.side.name, in: owner)
        guard let inverse = new.inverse else {
            return [add(element(new.side, to: destination, inverse: nil), to: owner.location)]
        }
        let name = ModelEdit.RelationshipName(entity: owner.name, name: new.side.name)
        let inverseName = ModelEdit.RelationshipName(entity: destination.name, name: inverse.name)
        // A relationship may be its own inverse.
        if name == inverseName {
            return [add(element(new.side, to: destination, inverse: inverseName), to: owner.location)]
        }
        let added = add(element(new.side, to: destination, inverse: inverseName), to: owner.location)
        if case .relationship(let existing)? = destination.properties.first(where: { $0.name == inverse.name }) {
            return [added] + (try leading(existing, of: destination, backTo: owner, name))
        }
        try check(freeProperty: inverse.name, in: destination)
        if SQLiteName.folded(inverse.name) == SQLiteName.folded(new.side.name),
            graph.isEntity(owner, kindOf: destination) || graph.isEntity(destination, kindOf: owner)
        {
            throw .exists("property \(ModelItem.property(new.side.name, of: owner.name))")
        }
        return [added, add(element(inverse, to: owner, inverse: name), to: destination.location)]
    }

    /// A name for the inverse of a relationship of an entity: `post` if the inverse leads to one object, else `posts`.
    public static func inverseName(of entity: String, isToMany: Bool) -> String {
        let name = entity.prefix(1).lowercased() + entity.dropFirst()
        if !isToMany { return name }
        if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
            return name.dropLast() + "ies"
        }
        return name + (["s", "x", "z", "ch", "sh"].contains { name.hasSuffix($0) } ? "es" : "s")
    }

    /// Makes an existing relationship without an inverse the inverse of a new one.
    private func leading(
        _ existing: Relationship, of entity: Entity, backTo owner: Entity, _ name: ModelEdit.RelationshipName
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let item = ModelItem.property(existing.name, of: entity.name)
        if existing.inverseName != nil { throw .notPossible("\(item) already has an inverse. Name another one.") }
        guard let target = graph.entity(named: existing.destinationName), graph.isEntity(owner, kindOf: target) else {
            throw .notPossible("\(item) leads to '\(existing.destinationName)' and cannot be the inverse.")
        }
        return inverse(of: existing, name)
    }

    /// Writes the inverse of a relationship.
    func inverse(of relationship: Relationship, _ name: ModelEdit.RelationshipName) -> [Diagnostic.Change] {
        [
            Diagnostic.Change(relationship.location, .setAttribute("inverseName", to: name.name)),
            Diagnostic.Change(relationship.location, .setAttribute("inverseEntity", to: name.entity)),
        ]
    }

    private func element(
        _ side: ModelEdit.NewRelationship.Side, to destination: Entity, inverse: ModelEdit.RelationshipName?
    ) -> Diagnostic.NewElement {
        var values = named(side.name)
        func add(_ name: String, _ value: String) { values.append(ModelEdit.Value(name: name, value: value)) }
        if side.isOptional { add("optional", "YES") }
        if side.isToMany { add("toMany", "YES") } else { add("maxCount", "1") }
        add("deletionRule", side.deletionRule.rawValue)
        if side.isOrdered { add("ordered", "YES") }
        add("destinationEntity", destination.name)
        if let inverse {
            add("inverseName", inverse.name)
            add("inverseEntity", inverse.entity)
        }
        return Diagnostic.NewElement("relationship", values)
    }

    // MARK: Indexes

    func addIndex(
        _ name: String, _ owner: String, _ kind: FetchIndex.Kind, _ elements: [ModelEdit.IndexElement]
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let entity = try entity(owner)
        try check(legal: name)
        if let taken = entity.indexes.first(where: { SQLiteName.folded($0.name) == SQLiteName.folded(name) }) {
            throw .exists(ModelItem.index(taken.name, of: owner).description)
        }
        try check(elements, of: entity)
        let children = elements.map { self.element($0, of: kind, entity) }
        let index = add(Diagnostic.NewElement("fetchIndex", named(name), children: children), to: entity.location)
        if kind != .fullText { return [index] }
        let key = "\(UserInfo.indexKey).\(name)"
        return [index, Diagnostic.Change(entity.location, .setEntry(key, to: FetchIndex.Kind.fullText.rawValue))]
    }

    /// Refuses elements that an index of an entity cannot have.
    func check(_ elements: [ModelEdit.IndexElement], of entity: Entity) throws(ModelEditError) {
        if elements.isEmpty { throw .notPossible("An index needs a property.") }
        for element in elements where !element.isExpression { try checkPath(element.property, of: entity) }
    }

    /// The XML element of an index's element.
    func element(
        _ element: ModelEdit.IndexElement, of kind: FetchIndex.Kind, _ entity: Entity
    ) -> Diagnostic.NewElement {
        var values: [ModelEdit.Value] = []
        func add(_ name: String, _ value: String) { values.append(ModelEdit.Value(name: name, value: value)) }
        if element.isExpression {
            add("expression", element.property)
            let type = element.expressionType ?? type(ofIndexExpression: element.property, of: entity)?.rawValue
            if let type { add("expressionType", type) }
        } else {
            add("property", element.property)
        }
        add("type", kind == .rtree ? "RTree" : "Binary")
        add("order", element.order)
        return Diagnostic.NewElement("fetchIndexElement", values)
    }

    /// The type of an expression's values; nil if it has none, or is not valid.
    private func type(ofIndexExpression text: String, of entity: Entity) -> AttributeType? {
        guard case .value(let type)? = graph.indexExpression(text, of: entity).root?.type else { return nil }
        return AttributeType.plain.first { $0.valueType == type }
    }

    func addConstraint(
        _ names: [String], _ owner: String, besides own: [String]? = nil
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let entity = try entity(owner)
        if names.isEmpty { throw .notPossible("A constraint needs a property.") }
        for name in names { try checkPath(name, of: entity) }
        if entity.uniquenessConstraints.contains(where: {
            Set($0.propertyNames) == Set(names) && $0.propertyNames != own
        }) {
            throw .exists(ModelItem.constraint(names, of: owner).description)
        }
        let constraint = Diagnostic.NewElement(
            "uniquenessConstraint", [],
            children: names.map { Diagnostic.NewElement("constraint", ["value": $0]) })
        return [add(Diagnostic.NewElement("uniquenessConstraints", [], children: [constraint]), to: entity.location)]
    }

    /// Refuses a path that does not lead to a property.
    private func checkPath(_ path: String, of entity: Entity) throws(ModelEditError) {
        var place = PropertyScope.Place.entity(entity)
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let name = String(part)
            switch place {
            case .entity(let entity):
                let known = (graph.ancestors(of: entity) + [entity]).flatMap(\.properties)
                guard let property = known.first(where: { $0.name == name }) else {
                    let similar = Spelling.closest(to: name, among: known.map(\.name))
                    throw .unknown("property \(ModelItem.property(name, of: entity.name))", similar: similar)
                }
                guard case .attribute(let attribute) = property else { continue }
                place = attribute.compositeName.flatMap { graph.composite(named: $0) }.map { .composite($0) } ?? place
            case .composite(let composite):
                let attribute = try attribute(name, of: composite)
                place = attribute.compositeName.flatMap { graph.composite(named: $0) }.map { .composite($0) } ?? place
            }
        }
    }

    func addFetchRequest(
        _ name: String, _ owner: String, _ predicate: String?
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let entity = try entity(owner)
        if name.isEmpty { throw .illegalName(name) }
        if model.fetchRequests.contains(where: { $0.name == name }) {
            throw .exists(ModelItem.fetchRequest(name).description)
        }
        var values = named(name) + [ModelEdit.Value(name: "entity", value: entity.name)]
        if let predicate { values.append(ModelEdit.Value(name: "predicateString", value: predicate)) }
        return [add(Diagnostic.NewElement("fetchRequest", values), to: model.location)]
    }

    func addFetchedProperty(
        _ name: String, _ owner: String, _ destination: String, _ predicate: String?
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let entity = try entity(owner)
        let destination = try self.entity(destination)
        try check(freeProperty: name, in: entity)
        // Xcode gives all of these requests one name.
        var values = named("fetchedPropertyFetchRequest") + [ModelEdit.Value(name: "entity", value: destination.name)]
        if let predicate { values.append(ModelEdit.Value(name: "predicateString", value: predicate)) }
        let request = Diagnostic.NewElement("fetchRequest", values)
        let optional = ModelEdit.Value(name: "optional", value: "YES")
        let property = Diagnostic.NewElement("fetchedProperty", named(name) + [optional], children: [request])
        return [add(property, to: entity.location)]
    }

    func addComposite(_ name: String) throws(ModelEditError) -> [Diagnostic.Change] {
        try check(freeEntity: name)
        return [add(Diagnostic.NewElement("composite", named(name)), to: model.location)]
    }

    func addConfiguration(_ name: String, _ entities: [String]) throws(ModelEditError) -> [Diagnostic.Change] {
        try check(freeConfiguration: name)
        for entity in entities { _ = try self.entity(entity) }
        return [
            add(Diagnostic.NewElement("configuration", named(name), children: entities.map(member)), to: model.location)
        ]
    }

    /// The XML element of an entity in a configuration.
    func member(_ entity: String) -> Diagnostic.NewElement { Diagnostic.NewElement("memberEntity", named(entity)) }

    private func named(_ name: String) -> [ModelEdit.Value] { [ModelEdit.Value(name: "name", value: name)] }

    private func add(_ element: Diagnostic.NewElement, to parent: SourceLocation) -> Diagnostic.Change {
        Diagnostic.Change(parent, .addChild(element))
    }
}

extension PropertyScope {
    /// The thing in which the next name of a path is looked up.
    fileprivate enum Place {
        case entity(Entity)
        case composite(Composite)
    }
}
