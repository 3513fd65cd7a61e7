/// Items that are removed, with everything that has no meaning without them.
struct ModelRemoval {
    private let editor: ModelEditor
    private let references: [ModelReference]
    /// The entity that a property moves to, which keeps it.
    private let destination: Entity?
    /// The item whose removal was requested.
    private var first: ModelItem?
    private var items: Set<ModelItem> = []
    private var places: [SourceLocation] = []
    private var removedPlaces: Set<SourceLocation> = []
    /// The items that need others, which may be removed with them.
    private var users: [(item: ModelItem, user: ModelItem)] = []
    /// The entries that mark data as lost, by the element that gets them.
    private var losses: [(element: SourceLocation, names: [String])] = []

    init(_ editor: ModelEditor, movingTo destination: Entity? = nil) {
        self.editor = editor
        self.destination = destination
        references = editor.references
    }

    /// Removes an item.
    mutating func add(_ item: ModelItem) throws(ModelEditError) {
        let location = try editor.location(of: item)
        guard items.insert(item).inserted else { return }
        for place in editor.locations(of: item, location) { remove(place) }
        first = first ?? item
        switch item {
        case .entity(let name):
            let entity = try editor.entity(name)
            for property in entity.properties { items.insert(.property(property.name, of: name)) }
            for property in entity.properties { try addReferences(to: .property(property.name, of: name)) }
            if let before = editor.previous(of: entity), !before.isAbstract {
                note(before.name, in: editor.model.userInfo, at: editor.model.location)
            }
        case .property(let name, let owner) where editor.graph.entity(named: owner) != nil:
            try noteLoss(of: name, in: editor.entity(owner))
        default: break
        }
        try addReferences(to: item)
    }

    /// Removes everything that refers to an item, as far as it has no meaning without it.
    mutating func addReferences(to item: ModelItem) throws(ModelEditError) {
        for reference in references where reference.item == item {
            switch reference.use {
            case .className, .inverseEntity: break
            case .inverse, .destination: if destination == nil { try add(reference.owner) }
            case .configuration: remove(reference.element)
            case .userInfo:
                // Of a list of properties the others stay.
                if case .index = item { remove(reference.element) }
                if isTitle(reference) { remove(reference.element) }
            case .indexElement: if !isBelowDestination(reference.owner) { try addElement(reference) }
            case .constraint, .indexExpression:
                if !isBelowDestination(reference.owner) { try add(reference.owner) }
            case .parent, .compositeType, .fetchRequest, .derivation: users.append((item, reference.owner))
            }
        }
    }

    /// Returns whether a reference is the entry that names the attribute of an entity's title.
    private func isTitle(_ reference: ModelReference) -> Bool {
        guard case .entity(let name) = reference.owner, let entity = editor.graph.entity(named: name) else {
            return false
        }
        return entity.userInfo.entry(UserInfo.titleKey)?.location == reference.element
    }

    private func isBelowDestination(_ item: ModelItem) -> Bool {
        guard let destination, let owner = item.ownerName, let entity = editor.graph.entity(named: owner) else {
            return false
        }
        return editor.graph.isEntity(entity, kindOf: destination)
    }

    /// Removes an element of an index. The index stays if it has others.
    private mutating func addElement(_ reference: ModelReference) throws(ModelEditError) {
        remove(reference.element)
        guard case .index(let name, let owner) = reference.owner,
            let index = try editor.entity(owner).indexes.first(where: { $0.name == name }),
            index.elements.allSatisfy({ removedPlaces.contains($0.location) })
        else { return }
        try add(reference.owner)
    }

    private mutating func remove(_ location: SourceLocation) {
        if removedPlaces.insert(location).inserted { places.append(location) }
    }

    // MARK: Losses

    /// Notes that a migration deletes a property's values, if the version before has them.
    mutating func noteLoss(of name: String, in entity: Entity) throws(ModelEditError) {
        let property = try editor.property(name, of: entity)
        switch editor.previous(of: property, in: entity) {
        case .attribute(let before) where before.isStored && !before.isDerived:
            note(before.name, in: entity.userInfo, at: entity.location)
        case .relationship(let before) where !before.isTransient:
            note(before.name, in: entity.userInfo, at: entity.location)
        default: break
        }
    }

    private mutating func note(_ name: String, in userInfo: UserInfo, at element: SourceLocation) {
        if let position = losses.firstIndex(where: { $0.element == element }) {
            if !losses[position].names.contains(name) { losses[position].names.append(name) }
        } else {
            let names = userInfo.names(UserInfo.removedKey)
            losses.append((element, names.contains(name) ? names : names + [name]))
        }
    }

    // MARK: Changes

    /// The changes that make the removal.
    ///
    /// - Throws: ``ModelEditError/inUse(_:by:)`` if something that is not removed needs an item.
    func changes() throws(ModelEditError) -> [Diagnostic.Change] {
        let left = users.filter { !isRemoved($0.user) }
        if let (item, _) = left.first { throw .inUse(first ?? item, by: Set(left.map(\.user.description)).sorted()) }
        return places.map { Diagnostic.Change($0, .remove) }
            + losses.filter { !removedPlaces.contains($0.element) }.map { loss in
                Diagnostic.Change(
                    loss.element, .setEntry(UserInfo.removedKey, to: loss.names.joined(separator: ", ")))
            }
    }

    private func isRemoved(_ item: ModelItem) -> Bool {
        items.contains(item) || item.ownerName.map { items.contains(.entity($0)) } ?? false
    }
}

extension ModelItem {
    /// The name of the entity or composite that has the item.
    fileprivate var ownerName: String? {
        switch self {
        case .property(_, let owner), .index(_, let owner), .constraint(_, let owner): owner
        case .entity, .fetchRequest, .composite, .configuration, .model: nil
        }
    }
}
