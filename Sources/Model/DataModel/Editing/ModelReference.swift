public import PredicateFormat

/// A place in a version's file that names an item of the model without declaring it.
public struct ModelReference: Sendable, Hashable {
    /// The part of an element that contains the item's name.
    public enum Place: Sendable, Hashable {
        /// An attribute of the element is the name.
        case attribute(String)
        /// A part of an attribute's value is the name, in UTF-8 offsets.
        case text(String, Range<Int>)
        /// The same in a predicate or an expression, where a keyword needs a `#` before it.
        case keyPath(String, Range<Int>)
        /// An attribute of the element, or of one of its children, is the value.
        case value(String, Range<Int>)
    }

    /// The use of the item at the place.
    public enum Use: Sendable, Hashable {
        case parent, destination, inverse, inverseEntity, compositeType, configuration, className
        case indexElement, constraint, userInfo
        /// A predicate, an expression or the entity of a fetch request.
        case fetchRequest
        /// The predicate or an expression of an index.
        case indexExpression
        case derivation
    }

    /// The named item; a property is that of the entity that declares it.
    public var item: ModelItem
    /// The place of the element's `<`.
    public var element: SourceLocation
    public var place: Place
    public var use: Use
    /// The item that has the reference.
    public var owner: ModelItem
}

/// Collects the references in one file of a version.
struct ReferenceFinder {
    let graph: ModelGraph
    private(set) var references: [ModelReference] = []

    init(_ graph: ModelGraph, in file: Model) {
        self.graph = graph
        for entity in file.entities { find(in: entity) }
        for composite in file.composites {
            for attribute in composite.attributes { find(in: attribute, of: composite.name) }
        }
        for request in file.fetchRequests {
            find(in: request, graph.predicate(of: request)?.names, owner: .fetchRequest(request.name))
        }
        for member in file.configurations.flatMap(\.members) {
            add(
                .entity(member.entityName), member.location, .attribute("name"), .configuration,
                owner: .entity(member.entityName))
        }
    }

    private mutating func add(
        _ item: ModelItem, _ element: SourceLocation, _ place: ModelReference.Place, _ use: ModelReference.Use,
        owner: ModelItem
    ) {
        references.append(ModelReference(item: item, element: element, place: place, use: use, owner: owner))
    }

    // MARK: Entities

    private mutating func find(in entity: Entity) {
        let owner = ModelItem.entity(entity.name)
        if let parent = entity.parentName {
            add(.entity(parent), entity.location, .attribute("parentEntity"), .parent, owner: owner)
        }
        if let name = entity.representedClassName {
            let last = name.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            let end = name.utf8.count
            if last == entity.name {
                add(
                    owner, entity.location, .text("representedClassName", end - last.utf8.count..<end), .className,
                    owner: owner)
            }
        }
        for attribute in entity.attributes { find(in: attribute, of: entity.name) }
        for relationship in entity.relationships { find(in: relationship, of: entity) }
        for property in entity.fetchedProperties {
            find(
                in: property.request, graph.predicate(of: property, in: entity)?.names,
                owner: .property(property.name, of: entity.name))
        }
        for index in entity.indexes { find(in: index, of: entity) }
        for constraint in entity.uniquenessConstraints {
            for name in constraint.propertyNames {
                findPath(
                    name, of: entity, constraint.location, .constraint,
                    owner: .constraint(constraint.propertyNames, of: entity.name))
            }
        }
        findNames(in: entity)
    }

    private mutating func find(in attribute: Attribute, of ownerName: String) {
        let owner = ModelItem.property(attribute.name, of: ownerName)
        if let composite = attribute.compositeName {
            add(.composite(composite), attribute.location, .attribute("composite"), .compositeType, owner: owner)
        }
        guard let text = attribute.derivationExpression,
            let parsed = try? ParsedExpression(parsing: text, allowsArguments: false)
        else { return }
        let resolution = PredicateResolver(schema: graph, entity: ownerName).resolveDerivation(parsed)
        find(resolution.names, in: text, attribute.location, "derivationExpression", .derivation, owner: owner)
    }

    private mutating func find(in relationship: Relationship, of entity: Entity) {
        let owner = ModelItem.property(relationship.name, of: entity.name)
        add(
            .entity(relationship.destinationName), relationship.location, .attribute("destinationEntity"), .destination,
            owner: owner)
        if let name = relationship.inverseEntityName {
            add(.entity(name), relationship.location, .attribute("inverseEntity"), .inverseEntity, owner: owner)
        }
        guard let name = relationship.inverseName, let inverse = graph.inverse(of: relationship) else { return }
        add(
            .property(name, of: inverse.entity.name), relationship.location, .attribute("inverseName"), .inverse,
            owner: owner)
    }

    private mutating func find(in request: FetchRequest, _ names: [ResolvedName]?, owner: ModelItem) {
        add(.entity(request.entityName), request.location, .attribute("entity"), .fetchRequest, owner: owner)
        guard let names, let text = request.predicate else { return }
        find(names, in: text, request.location, "predicateString", .fetchRequest, owner: owner)
    }

    // MARK: Indexes

    private mutating func find(in index: FetchIndex, of entity: Entity) {
        // The elements of an index that attributes declare are the attributes themselves.
        if index.elements.first?.location == index.location { return }
        let owner = ModelItem.index(index.name, of: entity.name)
        for element in index.elements {
            if let name = element.propertyName {
                findPath(name, of: entity, element.location, .indexElement, owner: owner)
            }
            guard let text = element.expression else { continue }
            find(
                graph.indexExpression(text, of: entity).names, in: text, element.location, "expression",
                .indexExpression, owner: owner)
        }
        guard let text = index.partialIndexPredicate else { return }
        find(
            graph.indexPredicate(text, of: entity).names, in: text, index.location, "partialIndexPredicate",
            .indexExpression, owner: owner)
    }

    /// The names of a path such as `home.street`, each by itself.
    private mutating func findPath(
        _ path: String, of entity: Entity, _ element: SourceLocation, _ use: ModelReference.Use, owner: ModelItem
    ) {
        var place = PropertyOwner.entity(entity.name)
        var offset = 0
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let name = String(part)
            let range = offset..<offset + part.utf8.count
            offset = range.upperBound + 1
            guard let item = graph.item(ofProperty: name, of: place) else { return }
            add(item, element, .value(path, range), use, owner: owner)
            guard case .composite(let composite)? = graph.property(named: name, of: place) else { return }
            place = .composite(composite)
        }
    }

    // MARK: Texts

    private mutating func find(
        _ names: [ResolvedName], in text: String, _ element: SourceLocation, _ attribute: String,
        _ use: ModelReference.Use, owner: ModelItem
    ) {
        let bytes = Array(text.utf8)
        var seen: Set<ResolvedName> = []
        for name in names where seen.insert(name).inserted {
            let item: ModelItem? =
                switch name.kind {
                case .entity: .entity(name.name)
                case .property(let owner): graph.item(ofProperty: name.name, of: owner)
                }
            guard let item, bytes.indices.contains(name.range.lowerBound), name.range.upperBound <= bytes.count,
                let place = Self.place(of: name, in: bytes, attribute)
            else { continue }
            add(item, element, place, use, owner: owner)
        }
    }

    /// The place of a name in the text that contains it; nil if the name occurs several times.
    private static func place(
        of name: ResolvedName, in bytes: [UInt8], _ attribute: String
    ) -> ModelReference.Place? {
        let part = bytes[name.range]
        let wanted = Array(name.name.utf8)
        if part.elementsEqual(wanted) || part.elementsEqual(Array("#".utf8) + wanted) {
            return .keyPath(attribute, name.range)
        }
        if wanted.isEmpty { return nil }
        // It is in a string: the name of an entity, or a component of a key path.
        let isLetter = { (byte: UInt8) in
            let character = Character(Unicode.Scalar(byte))
            return byte >= 0x80 || character == "_" || character.isLetter || character.isNumber
        }
        let places = part.indices.dropLast(wanted.count - 1).filter { start in
            let end = start + wanted.count
            return bytes[start..<end].elementsEqual(wanted) && (start == 0 || !isLetter(bytes[start - 1]))
                && (end == bytes.count || !isLetter(bytes[end]))
        }
        return places.count == 1 ? .text(attribute, places[0]..<places[0] + wanted.count) : nil
    }

    /// The entries of `userInfo` that name constraints, indexes and the title.
    private mutating func findNames(in entity: Entity) {
        let owner = ModelItem.entity(entity.name)
        for entry in entity.userInfo.entries {
            if [UserInfo.deletesDuplicatesKey, UserInfo.titleKey].contains(entry.key) {
                var offset = 0
                let words = entry.value.split(omittingEmptySubsequences: false) { ", \t\n+".contains($0) }
                for word in words {
                    let range = offset..<offset + word.utf8.count
                    offset = range.upperBound + 1
                    guard let item = graph.item(ofProperty: String(word), of: .entity(entity.name)) else { continue }
                    add(item, entry.location, .text("value", range), .userInfo, owner: owner)
                }
            } else if entry.key.hasPrefix(UserInfo.indexKey + ".") {
                let start = UserInfo.indexKey.utf8.count + 1
                let name = entry.key.dropFirst(UserInfo.indexKey.count + 1).prefix { $0 != "." }
                let range = start..<start + name.utf8.count
                add(
                    .index(String(name), of: entity.name), entry.location, .text("key", range), .userInfo,
                    owner: owner)
            }
        }
    }
}

extension ModelGraph {
    /// All places in a file that name an item without declaring it, as far as the names can be resolved.
    ///
    /// - Parameter file: The parts of the model that the file declares. They are the whole model, unless bundles are merged.
    public func references(in file: Model) -> [ModelReference] { ReferenceFinder(self, in: file).references }

    /// The item with a property's name: that of the entity, or of the ancestor, that declares it.
    public func item(ofProperty name: String, of owner: PropertyOwner) -> ModelItem? {
        switch owner {
        case .composite(let composite):
            let isThere = self.composite(named: composite)?.attributes.contains { $0.name == name } == true
            return isThere ? .property(name, of: composite) : nil
        case .entity(let entityName):
            guard let entity = entity(named: entityName) else { return nil }
            let line = ancestors(of: entity) + [entity]
            if let owner = line.first(where: { $0.properties.contains { $0.name == name } }) {
                return .property(name, of: owner.name)
            }
            let indexed = line.last { $0.indexes.contains { $0.name == name && $0.kind == .fullText } }
            return indexed.map { .index(name, of: $0.name) }
        }
    }
}
