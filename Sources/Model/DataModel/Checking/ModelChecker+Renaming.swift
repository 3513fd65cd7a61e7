extension ModelChecker {
    /// Renames an entity together with all references to it.
    mutating func renaming(_ entity: Entity) -> Diagnostic.Fix? {
        guard canPropose() else { return nil }
        let taken = Set(model.entities.map { SQLiteName.folded($0.name) })
        guard let name = legalName(for: entity.name, besides: taken) else { return nil }
        return renaming(to: name) { try $0.renaming(entity, to: name, keepingName: true) }
    }

    /// Renames a property together with all references to it.
    mutating func renaming(_ property: PropertyScope.Property, of entity: Entity) -> Diagnostic.Fix? {
        guard canPropose() else { return nil }
        let taken = Set(entity.properties.map { SQLiteName.folded($0.name) })
        guard let name = legalName(for: property.name, besides: taken) else { return nil }
        return renaming(to: name) { editor in
            try editor.check(freeProperty: name, in: entity, besides: property.name)
            let isStored = if case .fetchedProperty = property { false } else { true }
            return try editor.renaming(property, of: entity, to: name, keepingName: isStored)
        }
    }

    private func renaming(
        to name: String, _ changes: (ModelEditor) throws -> [Diagnostic.Change]
    ) -> Diagnostic.Fix? {
        let changes = try? changes(ModelEditor(model))
        return changes.map {
            Diagnostic.Fix("Rename it to '\(name)', and keep the old name as the renaming identifier", $0)
        }
    }

    /// Renames an index; nothing else refers to it.
    mutating func renaming(_ index: FetchIndex) -> Diagnostic.Fix? {
        legalName(for: index.name, besides: []).map { .setting("name", to: $0, of: index.location) }
    }

    /// A similar name that is legal and not taken; nil if none is found.
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
    /// The renaming identifier; nil for a fetched property, which stores nothing to match.
    var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        case .fetchedProperty: nil
        }
    }
}
