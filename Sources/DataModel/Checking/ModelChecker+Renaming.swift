extension ModelChecker {
    /// Renames an entity together with all that names it; nil when that is too much for a fix.
    mutating func renaming(_ entity: Entity) -> Diagnostic.Fix? {
        let isNamedElsewhere =
            model.configurations.contains { $0.entityNames.contains(entity.name) }
            || model.fetchRequests.contains { $0.entityName == entity.name }
        guard canPropose(), !isNamedElsewhere else { return nil }
        let taken = Set(model.entities.map { SQLiteName.folded($0.name) })
        guard let name = legalName(for: entity.name, besides: taken) else { return nil }
        var changes = rename(entity.location, entity.name, to: name, entity.renamingIdentifier)
        for other in model.entities {
            if other.parentName == entity.name {
                changes.append(Diagnostic.Change(other.location, .setAttribute("parentEntity", to: name)))
            }
            for relationship in other.relationships {
                if relationship.destinationName == entity.name {
                    changes.append(
                        Diagnostic.Change(relationship.location, .setAttribute("destinationEntity", to: name)))
                }
                if relationship.inverseEntityName == entity.name {
                    changes.append(Diagnostic.Change(relationship.location, .setAttribute("inverseEntity", to: name)))
                }
            }
        }
        return Diagnostic.Fix("Rename it to '\(name)', and keep the old name as the renaming identifier", changes)
    }

    /// Renames a property together with the inverse, the indexes and the constraints that name it.
    mutating func renaming(_ property: PropertyScope.Property, of entity: Entity) -> Diagnostic.Fix? {
        // What is declared below may use it, or be in its way.
        guard canPropose(), !model.entities.contains(where: { $0.parentName == entity.name }) else { return nil }
        let taken = Set(entity.properties.map { SQLiteName.folded($0.name) })
        guard let name = legalName(for: property.name, besides: taken) else { return nil }
        var changes = rename(property.location, property.name, to: name, property.renamingIdentifier)
        if case .fetchedProperty = property { changes.removeLast(changes.count - 1) }
        for relationship in model.entities.flatMap(\.relationships)
        where relationship.inverseName == property.name
            && relationship.inverseEntityName ?? relationship.destinationName == entity.name
        {
            changes.append(Diagnostic.Change(relationship.location, .setAttribute("inverseName", to: name)))
        }
        let uses =
            entity.indexes.flatMap(\.elements).filter { $0.propertyName == property.name }.map(\.location)
            + entity.uniquenessConstraints.filter { $0.propertyNames.contains(property.name) }.map(\.location)
        changes += uses.map { Diagnostic.Change($0, .replaceValue(property.name, with: name)) }
        return Diagnostic.Fix("Rename it to '\(name)', and keep the old name as the renaming identifier", changes)
    }

    /// Renames an index, which nothing else names.
    mutating func renaming(_ index: FetchIndex) -> Diagnostic.Fix? {
        legalName(for: index.name, besides: []).map { .setting("name", to: $0, of: index.location) }
    }

    private func rename(
        _ location: SourceLocation, _ oldName: String, to name: String, _ identifier: String?
    ) -> [Diagnostic.Change] {
        let change = Diagnostic.Change(location, .setAttribute("name", to: name))
        return identifier == nil
            ? [change, Diagnostic.Change(location, .setAttribute("elementID", to: oldName))] : [change]
    }

    /// A name like another that is legal and kept by nobody; nil when none comes to mind.
    private func legalName(for name: String, besides taken: Set<String>) -> String? {
        var result = String(
            String.UnicodeScalarView(name.unicodeScalars.map { $0.properties.isXIDContinue ? $0 : "_" }))
        while SQLiteName.folded(result).hasPrefix("_ashlar") || SQLiteName.folded(result).hasPrefix("sqlite_") {
            result = String(result.drop { $0 == "_" }.drop { $0 != "_" }.drop { $0 == "_" })
        }
        if ReservedNames.properties.contains(result) { result += "Value" }
        if !SQLiteName.isLegal(result) { result = "_" + result }
        let isUsable =
            SQLiteName.isLegal(result) && result.contains { $0 != "_" } && !taken.contains(SQLiteName.folded(result))
        return isUsable && result != name ? result : nil
    }
}

extension PropertyScope.Property {
    /// The renaming identifier; nil for what is not stored, as there is nothing to match.
    var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        case .fetchedProperty: nil
        }
    }
}
