extension ModelChecker {
    /// Of several entities that were one before, only one gets its objects.
    mutating func checkRenamingIdentifiers() {
        var first: [String: Entity] = [:]
        for entity in model.entities {
            guard let identifier = entity.renamingIdentifier,
                let other = first.updateValue(entity, forKey: identifier)
            else { continue }
            report(
                .sharedRenamingIdentifier, at: entity.location,
                "Entity '\(entity.name)' was '\(identifier)' before, and so was '\(other.name)'",
                notes: ["The old objects become objects of one of the two", "The other is at \(other.location)"],
                fixes: [.removing("elementID", of: entity.location, "Remove the renaming identifier")],
                attribute: "elementID")
        }
    }

    /// Of several relationships that were one before, only one gets its links. Attributes each get the values.
    mutating func checkRenamingIdentifiers(of entity: Entity) {
        var first: [String: PropertyScope.Property] = [:]
        for property in entity.properties {
            guard let identifier = property.renamingIdentifier,
                let other = first.updateValue(property, forKey: identifier)
            else { continue }
            if case (.attribute, .attribute) = (property, other) { continue }
            report(
                .sharedRenamingIdentifier, at: property.location,
                "Property '\(entity.name).\(property.name)' was '\(identifier)' before, "
                    + "and so was '\(other.name)'",
                notes: [
                    "Core Data copies the old links to both; Ashlar moves them to one of the two",
                    "The other is at \(other.location)",
                ],
                fixes: [.removing("elementID", of: property.location, "Remove the renaming identifier")],
                attribute: "elementID")
        }
    }
}
