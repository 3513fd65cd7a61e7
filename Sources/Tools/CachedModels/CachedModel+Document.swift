import DataModel

extension CachedModel {
    /// The model in Xcode's format.
    package var document: String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
            #"<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" "#
                + #"systemVersion="23E224" minimumToolsVersion="Automatic" sourceLanguage="Swift" "#
                + #"userDefinedModelVersionIdentifier="">"#,
        ]
        for entity in entities { lines += self.lines(of: entity) }
        return (lines + ["</model>", ""]).joined(separator: "\n")
    }

    private func lines(of entity: Entity) -> [String] {
        var heading = [("name", entity.name), ("representedClassName", entity.name)]
        if let parent = entity.parent { heading.append(("parentEntity", parent)) }
        if entity.isAbstract { heading.append(("isAbstract", "YES")) }
        heading += Self.renaming(entity.renamingIdentifier)
        heading.append(("syncable", "YES"))
        var lines = ["    " + Self.element("entity", heading, isOpen: true)]
        lines += entity.attributes.sorted { $0.name < $1.name }.map {
            "        " + Self.element("attribute", Self.attributes(of: $0))
        }
        lines += entity.relationships.sorted { $0.name < $1.name }.map {
            "        " + Self.element("relationship", attributes(of: $0))
        }
        for index in entity.indexes { lines += Self.lines(of: index) }
        if !entity.uniquenessConstraints.isEmpty {
            lines.append("        <uniquenessConstraints>")
            for constraint in entity.uniquenessConstraints {
                lines.append("            <uniquenessConstraint>")
                lines += constraint.map { "                " + Self.element("constraint", [("value", $0)]) }
                lines.append("            </uniquenessConstraint>")
            }
            lines.append("        </uniquenessConstraints>")
        }
        return lines + ["    </entity>"]
    }

    private static func lines(of index: Index) -> [String] {
        let elements = index.elements.map { element in
            "            "
                + Self.element(
                    "fetchIndexElement",
                    [
                        ("property", element.property), ("type", element.isRTree ? "RTree" : "Binary"),
                        ("order", element.isAscending ? "ascending" : "descending"),
                    ])
        }
        return ["        " + element("fetchIndex", [("name", index.name)], isOpen: true)] + elements
            + ["        </fetchIndex>"]
    }

    private static func renaming(_ identifier: String?) -> [(String, String)] {
        identifier.map { [("elementID", $0)] } ?? []
    }

    private static func attributes(of attribute: Attribute) -> [(String, String)] {
        var result = [("name", attribute.name)]
        if attribute.isOptional { result.append(("optional", "YES")) }
        if attribute.isTransient { result.append(("transient", "YES")) }
        result.append(("attributeType", attribute.type))
        if let transformer = attribute.transformer { result.append(("valueTransformerName", transformer)) }
        if attribute.type == "Date" {
            if let value = attribute.defaultValue { result.append(("defaultDateTimeInterval", value)) }
        } else if let value = attribute.defaultValue {
            result.append(("defaultValueString", value))
        }
        if attribute.allowsExternalStorage { result.append(("allowsExternalBinaryDataStorage", "YES")) }
        let isScalar = ["Boolean", "Double", "Float", "Integer 16", "Integer 32", "Integer 64"].contains(attribute.type)
        if isScalar { result.append(("usesScalarValueType", attribute.isOptional ? "NO" : "YES")) }
        if attribute.isIndexed { result.append(("indexed", "YES")) }
        return result + renaming(attribute.renamingIdentifier)
    }

    private func attributes(of relationship: Relationship) -> [(String, String)] {
        var result = [("name", relationship.name)]
        if relationship.isOptional { result.append(("optional", "YES")) }
        if relationship.isTransient { result.append(("transient", "YES")) }
        if relationship.isToMany { result.append(("toMany", "YES")) }
        if relationship.minimum > 0 { result.append(("minCount", String(relationship.minimum))) }
        if relationship.maximum > 0 { result.append(("maxCount", String(relationship.maximum))) }
        result.append(("deletionRule", relationship.deletionRule))
        if relationship.isOrdered { result.append(("ordered", "YES")) }
        result.append(("destinationEntity", relationship.destination))
        if let inverse = relationship.inverse {
            result += [("inverseName", inverse), ("inverseEntity", owner(of: inverse, from: relationship.destination))]
        }
        return result + Self.renaming(relationship.renamingIdentifier)
    }

    /// The entity at or above another that declares a relationship.
    private func owner(of relationship: String, from name: String) -> String {
        var entity = entities.first { $0.name == name }
        for _ in entities {
            guard let found = entity else { break }
            if found.relationships.contains(where: { $0.name == relationship }) { return found.name }
            entity = entities.first { $0.name == found.parent }
        }
        return name
    }

    private static func element(_ name: String, _ attributes: [(String, String)], isOpen: Bool = false) -> String {
        "<" + name + attributes.map { " \($0.0)=\"\(XMLText.escaped($0.1))\"" }.joined() + (isOpen ? ">" : "/>")
    }
}
