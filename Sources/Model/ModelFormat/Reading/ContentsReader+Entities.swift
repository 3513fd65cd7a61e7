import DataModel

extension ContentsReader {
    /// Reads an entity; nil when it has no name.
    mutating func readEntity(_ element: XMLElement) -> Entity? {
        let name = required("name", of: element, "An entity")
        var entity = Entity(name: name ?? "", location: element.location)
        let title = "Entity '\(entity.name)'"
        entity.representedClassName = text("representedClassName", of: element)
        entity.parentName = text("parentEntity", of: element)
        entity.isAbstract = flag("isAbstract", of: element, title)
        entity.renamingIdentifier = renamingIdentifier(of: element)
        entity.versionHashModifier = text("versionHashModifier", of: element)
        entity.userInfo = readUserInfo(of: element)
        for child in element.children {
            switch child.name {
            case "attribute":
                if let attribute = readAttribute(child, of: entity.name) { entity.attributes.append(attribute) }
            case "relationship":
                if let relationship = readRelationship(child, of: entity.name) {
                    entity.relationships.append(relationship)
                }
            case "fetchedProperty":
                if let property = readFetchedProperty(child, of: entity.name) {
                    entity.fetchedProperties.append(property)
                }
            case "fetchIndex":
                if let index = readFetchIndex(child, of: entity.name) { entity.indexes.append(index) }
            case "uniquenessConstraints":
                entity.uniquenessConstraints += readUniquenessConstraints(child, of: entity.name)
            default: break
            }
        }
        // Their names must differ from those of all other indexes, wherever these are declared.
        readCompoundIndexes(element.children(named: "compoundIndexes"), into: &entity)
        readFullText(into: &entity)
        return name == nil ? nil : entity
    }

    private mutating func readUniquenessConstraints(
        _ element: XMLElement, of entityName: String
    ) -> [UniquenessConstraint] {
        let title = "A uniqueness constraint of '\(entityName)'"
        var constraints: [UniquenessConstraint] = []
        for child in element.children(named: "uniquenessConstraint") {
            var constraint = UniquenessConstraint([], location: child.location)
            for part in child.children(named: "constraint") {
                if let name = required("value", of: part, title) { constraint.propertyNames.append(name) }
            }
            constraints.append(constraint)
        }
        return constraints
    }
}
