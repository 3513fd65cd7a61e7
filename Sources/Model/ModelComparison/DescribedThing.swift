import DataModel

/// A part of a model as a list of facts, so that two parts of any kind can be compared.
struct DescribedThing {
    var kind: ModelComparison.Kind
    var name: String
    /// The name in older versions.
    var renamingIdentifier: String?
    /// The described properties with their names, without those that are missing or have the usual value.
    var facets: [(name: String, value: String)] = []
    /// The parts of the thing.
    var parts: [DescribedThing] = []

    init(_ kind: ModelComparison.Kind, _ name: String, renamingIdentifier: String? = nil) {
        self.kind = kind
        self.name = name
        self.renamingIdentifier = renamingIdentifier
    }

    mutating func say(_ name: String, _ value: String?) {
        if let value, !value.isEmpty { facets.append((name, value)) }
    }

    mutating func say(_ name: String, _ isSo: Bool) {
        if isSo { facets.append((name, "yes")) }
    }

    mutating func say(_ userInfo: UserInfo) {
        for entry in userInfo.entries { facets.append(("user info \(entry.key)", entry.value)) }
    }
}

extension DescribedThing {
    /// The thing with all references to entities replaced by their names in a newer version: renaming an entity does
    /// not change the relationships that lead to it.
    func renaming(entities: [String: String]) -> DescribedThing {
        var result = self
        for index in facets.indices where ["destination", "parent", "entity"].contains(facets[index].name) {
            if let name = entities[facets[index].value] { result.facets[index].value = name }
        }
        result.parts = parts.map { $0.renaming(entities: entities) }
        return result
    }

    /// All things of a version.
    static func all(of model: Model) -> [DescribedThing] {
        var version = DescribedThing(.model, model.name)
        version.say("version identifier", model.versionIdentifier)
        version.say(model.userInfo)
        return [version] + model.entities.map(thing) + model.composites.map(thing) + model.configurations.map(thing)
            + model.fetchRequests.map { thing($0, .fetchRequest) }
    }

    private static func thing(_ entity: Entity) -> DescribedThing {
        var thing = DescribedThing(.entity, entity.name, renamingIdentifier: entity.renamingIdentifier)
        thing.say("parent", entity.parentName)
        thing.say("abstract", entity.isAbstract)
        thing.say("class", entity.representedClassName)
        thing.say("renaming identifier", entity.renamingIdentifier)
        thing.say("hash modifier", entity.versionHashModifier)
        thing.say(entity.userInfo)
        thing.parts =
            entity.attributes.map(Self.thing) + entity.relationships.map(Self.thing)
            + entity.fetchedProperties.map(Self.thing) + entity.indexes.map(Self.thing)
            + entity.uniquenessConstraints.map {
                DescribedThing(.uniquenessConstraint, $0.propertyNames.joined(separator: ", "))
            }
        return thing
    }

    private static func thing(_ attribute: Attribute) -> DescribedThing {
        var thing = DescribedThing(.attribute, attribute.name, renamingIdentifier: attribute.renamingIdentifier)
        thing.say("type", attribute.compositeName.map { "composite \($0)" } ?? attribute.type.rawValue)
        thing.say("optional", attribute.isOptional)
        thing.say("transient", attribute.isTransient)
        if let text = attribute.defaultValueString { thing.facets.append(("default", "\"\(text)\"")) }
        thing.say("default date", attribute.defaultDateTimeInterval)
        thing.say("minimum", attribute.minimumValue ?? attribute.minimumDateTimeInterval)
        thing.say("maximum", attribute.maximumValue ?? attribute.maximumDateTimeInterval)
        thing.say("pattern", attribute.regularExpression)
        thing.say("transformer", attribute.valueTransformerName)
        thing.say("class", attribute.customClassName)
        thing.say("external storage", attribute.allowsExternalBinaryDataStorage)
        thing.say("preserved after deletion", attribute.preservesValueAfterDeletion)
        thing.say("indexed", attribute.isIndexed)
        thing.say("derivation", attribute.derivationExpression)
        thing.say("renaming identifier", attribute.renamingIdentifier)
        thing.say("hash modifier", attribute.versionHashModifier)
        thing.say(attribute.userInfo)
        return thing
    }

    private static func thing(_ relationship: Relationship) -> DescribedThing {
        var thing = DescribedThing(
            .relationship, relationship.name, renamingIdentifier: relationship.renamingIdentifier)
        thing.say("destination", relationship.destinationName)
        thing.say("inverse", relationship.inverseName)
        thing.say("leads to", relationship.isToMany ? "many" : "one")
        thing.say("ordered", relationship.isOrdered)
        thing.say("optional", relationship.isOptional)
        thing.say("transient", relationship.isTransient)
        thing.say("deletion rule", relationship.deletionRule.rawValue)
        if relationship.minimumCount > 0 { thing.say("minimum", "\(relationship.minimumCount)") }
        if relationship.maximumCount > 1 { thing.say("maximum", "\(relationship.maximumCount)") }
        thing.say("renaming identifier", relationship.renamingIdentifier)
        thing.say("hash modifier", relationship.versionHashModifier)
        thing.say(relationship.userInfo)
        return thing
    }

    private static func thing(_ property: FetchedProperty) -> DescribedThing {
        var thing = thing(property.request, .fetchedProperty)
        thing.name = property.name
        thing.say(property.userInfo)
        return thing
    }

    private static func thing(_ request: FetchRequest, _ kind: ModelComparison.Kind) -> DescribedThing {
        var thing = DescribedThing(kind, request.name)
        thing.say("entity", request.entityName)
        thing.say("predicate", request.predicate)
        if request.fetchLimit > 0 { thing.say("limit", "\(request.fetchLimit)") }
        if request.fetchBatchSize > 0 { thing.say("batch size", "\(request.fetchBatchSize)") }
        thing.say("without entities below", !request.includesSubentities)
        thing.say("without unsaved changes", !request.includesPendingChanges)
        return thing
    }

    private static func thing(_ index: FetchIndex) -> DescribedThing {
        var thing = DescribedThing(.index, index.name)
        thing.say("kind", index.kind.rawValue)
        thing.say(
            "elements",
            index.elements.map { ($0.propertyName ?? $0.expression ?? "") + ($0.isAscending ? "" : " descending") }
                .joined(separator: ", "))
        thing.say("where", index.partialIndexPredicate)
        thing.say(index.userInfo)
        return thing
    }

    private static func thing(_ composite: Composite) -> DescribedThing {
        var thing = DescribedThing(.composite, composite.name)
        thing.say(composite.userInfo)
        thing.parts = composite.attributes.map(Self.thing)
        return thing
    }

    private static func thing(_ configuration: Configuration) -> DescribedThing {
        var thing = DescribedThing(.configuration, configuration.name)
        thing.say("entities", configuration.entityNames.sorted().joined(separator: ", "))
        return thing
    }
}
