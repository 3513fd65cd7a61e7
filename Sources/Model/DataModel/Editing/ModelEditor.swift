import PredicateFormat

/// Turns edits of a version into changes of the elements of its file.
public struct ModelEditor {
    let graph: ModelGraph
    /// The version before, from which stores are migrated.
    let previous: ModelGraph?
    /// The declarations of each file.
    private let files: [Model]

    /// Makes an editor.
    ///
    /// - Parameters:
    ///   - model: The version to edit.
    ///   - previous: The version before, if there is one. Things that it also has keep their data when they are
    ///     renamed.
    ///   - files: The declarations of each file, if the model is merged from several.
    public init(_ model: Model, previous: Model? = nil, files: [Model] = []) {
        graph = ModelGraph(model)
        self.previous = previous.map { ModelGraph($0) }
        self.files = files.isEmpty ? [model] : files
    }

    /// The version that is edited.
    public var model: Model { graph.model }

    /// The changes that an edit consists of.
    ///
    /// - Throws: ``ModelEditError`` if the model lacks a named item, a name is taken or illegal, or something else needs
    ///   the item.
    public func changes(for edit: ModelEdit) throws(ModelEditError) -> [Diagnostic.Change] {
        switch edit {
        case .addEntity(let name, let values): try addEntity(name, values)
        case .addAttribute(let name, let owner, let type, let values): try addAttribute(name, owner, type, values)
        case .addRelationship(let relationship): try add(relationship)
        case .addIndex(let name, let entity, let kind, let elements): try addIndex(name, entity, kind, elements)
        case .addConstraint(let names, let entity): try addConstraint(names, entity)
        case .addFetchedProperty(let name, let owner, let destination, let predicate):
            try addFetchedProperty(name, owner, destination, predicate)
        case .addFetchRequest(let name, let entity, let predicate): try addFetchRequest(name, entity, predicate)
        case .rename(let item, let name): try rename(item, to: name)
        case .move(let name, let owner, let destination): try move(name, of: owner, to: destination)
        case .remove(let item): try remove(item)
        case .addComposite(let name): try addComposite(name)
        case .addConfiguration(let name, let entities): try addConfiguration(name, entities)
        case .change(let item, let changes): try change(item, changes)
        case .setElements(let elements, let index, let entity): try setElements(elements, ofIndex: index, entity)
        case .setProperties(let names, let old, let entity): try setProperties(names, ofConstraint: old, entity)
        case .setMembers(let names, let configuration): try setMembers(names, ofConfiguration: configuration)
        case .setInverse(let name, let entity, let inverse): try setInverse(name, of: entity, to: inverse)
        case .setEntry(let item, let key, let value): try setEntry(item, key, to: value)
        }
    }

    // MARK: Items

    /// The item that a text such as `Post`, `Post.title` or `Post.byTitle` names: an entity, a composite, a fetch request or
    /// a configuration; or a property or an index of an entity or a composite.
    public func item(named text: String) throws(ModelEditError) -> ModelItem {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 {
            let property = ModelItem.property(parts[1], of: parts[0])
            if graph.entity(named: parts[0]) == nil, graph.composite(named: parts[0]) != nil { return property }
            let entity = try entity(parts[0])
            let isIndex =
                !entity.properties.contains { $0.name == parts[1] } && entity.indexes.contains { $0.name == parts[1] }
            return isIndex ? .index(parts[1], of: parts[0]) : property
        }
        if graph.entity(named: text) == nil {
            if graph.composite(named: text) != nil { return .composite(text) }
            if model.fetchRequests.contains(where: { $0.name == text }) { return .fetchRequest(text) }
            if model.configurations.contains(where: { $0.name == text }) { return .configuration(text) }
        }
        return .entity(text)
    }

    /// The entity with a name.
    func entity(_ name: String) throws(ModelEditError) -> Entity {
        if let entity = graph.entity(named: name) { return entity }
        throw .unknown(
            ModelItem.entity(name).description, similar: Spelling.closest(to: name, among: model.entities.map(\.name)))
    }

    /// The property that an entity declares itself.
    func property(_ name: String, of owner: Entity) throws(ModelEditError) -> PropertyScope.Property {
        if let property = owner.properties.first(where: { $0.name == name }) { return property }
        if case .property(_, let declaring)? = graph.item(ofProperty: name, of: .entity(owner.name)) {
            throw .notPossible(
                "'\(owner.name)' inherits '\(name)' from '\(declaring)'. Write \(declaring).\(name).")
        }
        let similar = Spelling.closest(to: name, among: owner.properties.map(\.name))
        throw .unknown(
            "property \(ModelItem.property(name, of: owner.name))", similar: similar.map { "\(owner.name).\($0)" })
    }

    func relationship(_ name: String, of owner: Entity) throws(ModelEditError) -> Relationship {
        guard case .relationship(let relationship) = try property(name, of: owner) else {
            throw .notPossible("\(ModelItem.property(name, of: owner.name)) is not a relationship.")
        }
        return relationship
    }

    /// The references in all files.
    var references: [ModelReference] { files.flatMap { graph.references(in: $0) } }

    /// A place that declares an item, and those in the other files that declare it too.
    func locations(of item: ModelItem, _ first: SourceLocation) -> [SourceLocation] {
        [first]
            + files.filter { $0.location.file != first.file }.compactMap { try? ModelEditor($0).location(of: item) }
    }

    /// The place of an item's element.
    public func location(of item: ModelItem) throws(ModelEditError) -> SourceLocation {
        switch item {
        case .entity(let name): return try entity(name).location
        case .property(let name, let owner):
            if graph.entity(named: owner) == nil, let composite = graph.composite(named: owner) {
                return try attribute(name, of: composite).location
            }
            return try property(name, of: entity(owner)).location
        case .index(let name, let owner):
            let entity = try entity(owner)
            if let index = entity.indexes.first(where: { $0.name == name }) { return index.location }
            throw .unknown(item.description, similar: Spelling.closest(to: name, among: entity.indexes.map(\.name)))
        case .constraint(let names, let owner):
            let constraints = try entity(owner).uniquenessConstraints
            if let constraint = constraints.first(where: { $0.propertyNames == names }) { return constraint.location }
            throw .unknown(item.description, similar: nil)
        case .fetchRequest(let name):
            if let request = model.fetchRequests.first(where: { $0.name == name }) { return request.location }
            let names = model.fetchRequests.map(\.name)
            throw .unknown(item.description, similar: Spelling.closest(to: name, among: names))
        case .composite(let name):
            if let composite = graph.composite(named: name) { return composite.location }
            let names = model.composites.map(\.name)
            throw .unknown(item.description, similar: Spelling.closest(to: name, among: names))
        case .configuration(let name):
            if let configuration = model.configurations.first(where: { $0.name == name }) {
                return configuration.location
            }
            let names = model.configurations.map(\.name)
            throw .unknown(item.description, similar: Spelling.closest(to: name, among: names))
        case .model: return model.location
        }
    }

    func attribute(_ name: String, of composite: Composite) throws(ModelEditError) -> Attribute {
        if let attribute = composite.attributes.first(where: { $0.name == name }) { return attribute }
        let similar = Spelling.closest(to: name, among: composite.attributes.map(\.name))
        throw .unknown(
            "property \(ModelItem.property(name, of: composite.name))",
            similar: similar.map { "\(composite.name).\($0)" })
    }

    // MARK: Names

    /// Refuses a name that is not legal.
    func check(legal name: String) throws(ModelEditError) {
        let folded = SQLiteName.folded(name)
        guard SQLiteName.isLegal(name), name != "_", !folded.hasPrefix("_ashlar"), !folded.hasPrefix("sqlite_") else {
            throw .illegalName(name)
        }
    }

    /// Refuses a name for an entity or a composite that another one has.
    func check(freeEntity name: String, besides own: String? = nil) throws(ModelEditError) {
        try check(legal: name)
        let folded = SQLiteName.folded(name)
        if let other = model.entities.first(where: { SQLiteName.folded($0.name) == folded && $0.name != own }) {
            throw .exists(ModelItem.entity(other.name).description)
        }
        if let other = model.composites.first(where: { SQLiteName.folded($0.name) == folded && $0.name != own }) {
            throw .exists(ModelItem.composite(other.name).description)
        }
    }

    /// Refuses a name for a configuration that another one has.
    func check(freeConfiguration name: String) throws(ModelEditError) {
        if name.isEmpty { throw .illegalName(name) }
        if model.configurations.contains(where: { $0.name == name }) {
            throw .exists(ModelItem.configuration(name).description)
        }
    }

    /// Refuses a name that a property has in the entity, above or below it.
    func check(
        freeProperty name: String, in entity: Entity, besides own: String? = nil
    ) throws(ModelEditError) {
        try check(legal: name)
        let folded = SQLiteName.folded(name)
        for relative in graph.ancestors(of: entity) + graph.hierarchy(of: entity) {
            let taken = relative.properties.first {
                SQLiteName.folded($0.name) == folded && !($0.name == own && relative.name == entity.name)
            }
            if let taken { throw .exists("property \(ModelItem.property(taken.name, of: relative.name))") }
        }
    }

    // MARK: The version before

    /// The entity of the version before that an entity continues.
    func previous(of entity: Entity) -> Entity? {
        previous?.model.entities.first { $0.canonicalName == entity.canonicalName }
            ?? previous?.entity(named: entity.canonicalName)
    }

    /// The property of the version before that a property continues.
    func previous(of property: PropertyScope.Property, in entity: Entity) -> PropertyScope.Property? {
        guard let before = previous(of: entity), let previous else { return nil }
        let known = (previous.ancestors(of: before) + previous.hierarchy(of: before)).flatMap(\.properties)
        let canonicalName = property.renamingIdentifier ?? property.name
        return known.first { ($0.renamingIdentifier ?? $0.name) == canonicalName }
            ?? known.first { $0.name == canonicalName }
    }
}
