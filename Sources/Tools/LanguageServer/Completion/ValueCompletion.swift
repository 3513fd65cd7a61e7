import DataModel
import ModelFormat

/// The values that an attribute of the format can have in a model.
struct ValueCompletion {
    private let server: ModelServer
    private let version: EditedVersion
    private let bundle: String
    private let place: CursorPlace
    private let graph: ModelGraph?

    init(_ server: ModelServer, _ version: EditedVersion, _ bundle: String, _ place: CursorPlace) {
        self.server = server
        self.version = version
        self.bundle = bundle
        self.place = place
        graph = version.graph
    }

    private var model: Model? { version.model }

    /// The name of the element of a kind around the cursor.
    private func name(around kind: String) -> String? {
        guard let document = version.document, let parent = place.parent,
            let index = document.ancestor(of: parent, named: [kind])
        else { return nil }
        return document.value("name", of: document.elements[index])
    }

    private var owner: Entity? { name(around: "entity").flatMap { graph?.entity(named: $0) } }

    func items(of attribute: String) -> [CompletionItem] {
        if FormatVocabulary.booleans.contains(attribute) { return values(["YES", "NO"]) }
        switch (place.elementName, attribute) {
        case ("attribute", "attributeType"):
            return AttributeType.written.map { CompletionItem($0.rawValue, .value, rank: 1) }
        case ("attribute", "defaultValueString") where place.attributes["attributeType"] == "Boolean":
            return values(["NO", "YES"])
        case ("attribute", "composite"): return model?.composites.map { CompletionItem($0.name, .classKind) } ?? []
        case ("attribute", "valueTransformerName"):
            return used(\.valueTransformerName) + values(["NSSecureUnarchiveFromData"])
        case ("attribute", "customClassName"): return used(\.customClassName)
        case ("relationship", "deletionRule"): return values(Relationship.DeletionRule.allCases.map(\.rawValue))
        case ("relationship", "destinationEntity"), ("fetchRequest", "entity"), ("memberEntity", "name"):
            return entities { _ in true }
        case ("relationship", "inverseEntity"): return inverseEntities
        case ("relationship", "inverseName"): return inverses
        case ("relationship", "maxCount"): return values(["1"])
        case ("entity", "parentEntity"): return parents
        case ("entity", "codeGenerationType"): return values(["class", "category"])
        case ("entity", "representedClassName"):
            return place.attributes["name"].map {
                [CompletionItem(".\($0)", .classKind), CompletionItem($0, .classKind)]
            }
                ?? []
        case ("entity", "elementID"): return formerEntities
        case ("attribute", "elementID"), ("relationship", "elementID"): return formerProperties
        case ("fetchIndexElement", "property"), ("constraint", "value"), ("index", "value"): return properties
        case ("fetchIndexElement", "type"): return values(["Binary", "RTree"])
        case ("fetchIndexElement", "order"): return values(["ascending", "descending"])
        case ("fetchIndexElement", "expressionType"): return values(AttributeType.written.map(\.rawValue))
        case ("entry", "key"): return keys
        case ("entry", "value"): return place.attributes["key"].map(values(ofKey:)) ?? []
        default: return []
        }
    }

    private func values(_ texts: [String]) -> [CompletionItem] {
        texts.enumerated().map { CompletionItem($1, .value, rank: min($0, 9)) }
    }

    // MARK: Entities

    private func entities(_ isWanted: (Entity) -> Bool) -> [CompletionItem] {
        (model?.entities ?? []).filter(isWanted).map { CompletionItem($0.name, .classKind) }
    }

    /// The entities that an entity can have for its parent.
    private var parents: [CompletionItem] {
        guard let name = place.attributes["name"], let graph, let own = graph.entity(named: name) else {
            return entities { _ in true }
        }
        return entities { !graph.isEntity($0, kindOf: own) }
    }

    private var inverseEntities: [CompletionItem] {
        guard let destination = place.attributes["destinationEntity"] else { return entities { _ in true } }
        return [CompletionItem(destination, .classKind)]
    }

    /// The relationships that lead back, those without an inverse first.
    private var inverses: [CompletionItem] {
        guard let graph, let owner, let name = place.attributes["destinationEntity"],
            let destination = graph.entity(named: name)
        else { return [] }
        return graph.relationships(of: destination).filter { candidate in
            graph.entity(named: candidate.destinationName).map { graph.isEntity(owner, kindOf: $0) } ?? false
        }.map { candidate in
            let rank =
                candidate.inverseName == nil ? 2 : candidate.inverseName == place.attributes["name"] ? 1 : 6
            return CompletionItem(
                candidate.name, .reference, detail: candidate.isToMany ? "to many" : "to one", rank: rank)
        }
    }

    private var properties: [CompletionItem] {
        guard let graph, let owner else { return [] }
        let leaves = graph.attributes(of: owner).filter { !$0.isTransient }
            .map { CompletionItem($0.name, .field, detail: $0.type.rawValue, rank: 1) }
        return leaves
            + graph.relationships(of: owner).filter { !$0.isToMany }
            .map { CompletionItem($0.name, .reference, detail: $0.destinationName, rank: 2) }
    }

    // MARK: Other versions

    /// The version before, as it is typed or on disk.
    private var before: Model? { server.before(version, in: bundle)?.model }

    /// The entities that the version before had, and this one does not.
    private var formerEntities: [CompletionItem] {
        let known = Set(model?.entities.map(\.name) ?? [])
        return (before?.entities ?? []).filter { !known.contains($0.name) }
            .map { CompletionItem($0.canonicalName, .classKind, detail: "in the version before") }
    }

    private var formerProperties: [CompletionItem] {
        guard let owner, let before,
            let former = before.entities.first(where: {
                $0.canonicalName == owner.canonicalName || $0.name == owner.name
            })
        else { return [] }
        let known = Set(owner.attributes.map(\.name) + owner.relationships.map(\.name))
        let names =
            place.elementName == "attribute"
            ? former.attributes.map { ($0.name, $0.canonicalName) }
            : former.relationships.map { ($0.name, $0.canonicalName) }
        return names.filter { !known.contains($0.0) }
            .map { CompletionItem($0.1, .field, detail: "in the version before") }
    }

    /// The values that attributes of the model have.
    private func used(_ property: (Attribute) -> String?) -> [CompletionItem] {
        let texts = (model?.entities ?? []).flatMap(\.attributes).compactMap(property)
        return Set(texts).sorted().map { CompletionItem($0, .classKind) }
    }

    // MARK: User info

    /// The kind of the element whose `userInfo` the cursor is in, with its name.
    private var holder: (kind: String, name: String?)? {
        guard let document = version.document, let info = place.parent,
            let holder = document.elements[info].parent
        else { return nil }
        let element = document.elements[holder]
        return (document.name(of: element), document.value("name", of: element))
    }

    private var keys: [CompletionItem] {
        guard let holder else { return [] }
        var names = UserInfoKeys.all.filter { $0.holders.contains(holder.kind) }
            .map { CompletionItem($0.key, .constant, detail: $0.meaning) }
        if holder.kind == "entity" {
            for index in owner?.indexes ?? [] {
                names.append(CompletionItem("ashlar.index.\(index.name)", .constant, detail: "the kind of the index"))
                names += UserInfo.indexOptions.map {
                    CompletionItem("ashlar.index.\(index.name).\($0)", .constant, rank: 7)
                }
            }
        }
        return names
    }

    private func values(ofKey key: String) -> [CompletionItem] {
        if key == UserInfo.silenceKey {
            return Diagnostic.Code.allCases.filter { $0.defaultSeverity != .error }
                .map { CompletionItem($0.rawValue, .constant) }
        }
        switch key {
        case UserInfo.removedKey:
            guard let holder else { return [] }
            if holder.kind == "model" { return formerEntities }
            guard let owner, let former = before?.entities.first(where: { $0.canonicalName == owner.canonicalName })
            else { return [] }
            let known = Set(owner.attributes.map(\.canonicalName) + owner.relationships.map(\.canonicalName))
            let names = former.attributes.map(\.name) + former.relationships.map(\.name)
            return names.filter { !known.contains($0) }.map { CompletionItem($0, .field) }
        case UserInfo.deletesDuplicatesKey:
            return (owner?.uniquenessConstraints ?? [])
                .map { CompletionItem($0.propertyNames.joined(separator: "+"), .field) }
        case UserInfo.syncKey:
            return values(holder?.kind == "entity" ? ["restore"] : ["last", "first", "max", "min", "sum"])
        default:
            if key.hasPrefix(UserInfo.indexKey) {
                return values(
                    key.hasSuffix(".tokenizer")
                        ? FullTextOptions.Tokenizer.allCases.map(\.rawValue)
                        : key.hasSuffix(".weights") || key.hasSuffix(".prefixes") ? [] : ["fulltext"])
            }
            return values(UserInfoKeys.all.first { $0.key == key }?.values ?? [])
        }
    }
}

/// The keys that Ashlar gives a meaning, with the elements that can have them.
private enum UserInfoKeys {
    struct Key {
        var key: String
        var meaning: String
        var holders: Set<String>
        var values: [String] = []
    }

    static let all = [
        Key(
            key: UserInfo.silenceKey, meaning: "codes of findings to leave out",
            holders: ["model", "entity", "attribute", "relationship", "fetchedProperty", "fetchIndex", "composite"]),
        Key(key: UserInfo.indexKey, meaning: "a full-text index", holders: ["attribute"], values: ["fulltext"]),
        Key(key: UserInfo.swiftTypeKey, meaning: "the Swift type of the value", holders: ["attribute"]),
        Key(key: UserInfo.transformerKey, meaning: "the Swift type of the transformer", holders: ["attribute"]),
        Key(key: "ashlar.encoding", meaning: "how the value is stored", holders: ["attribute"], values: ["json"]),
        Key(key: UserInfo.unknownValueKey, meaning: "the case for other raw values", holders: ["attribute"]),
        Key(
            key: UserInfo.migrationDefaultKey, meaning: "the value of older objects without one",
            holders: ["attribute"]),
        Key(
            key: UserInfo.migrationCheckKey, meaning: "converts if nothing is lost",
            holders: ["attribute", "relationship"], values: [UserInfo.losslessCheck]),
        Key(key: UserInfo.removedKey, meaning: "the parts that this version removes", holders: ["model", "entity"]),
        Key(key: UserInfo.deletesDuplicatesKey, meaning: "constraints that keep the first object", holders: ["entity"]),
        Key(key: UserInfo.generatedClassKey, meaning: "the name of the generated class", holders: ["entity"]),
        Key(key: UserInfo.superclassKey, meaning: "the class to inherit from", holders: ["entity"]),
        Key(
            key: UserInfo.decodableKey, meaning: "whether the class is Decodable", holders: ["entity"], values: ["YES"]),
        Key(
            key: UserInfo.syncKey, meaning: "the winner of two changes",
            holders: ["entity", "attribute", "relationship"]),
        Key(
            key: UserInfo.syncLargeValuesKey, meaning: "when large values are read", holders: ["attribute"],
            values: ["whenRead", "atOnce"]),
        Key(
            key: "documentation", meaning: "the comment of the generated declaration",
            holders: ["entity", "attribute", "relationship"]),
    ]
}
