import DataModel

extension ContentsReader {
    /// Reads a relationship; nil when it has no name or no destination.
    mutating func readRelationship(_ element: XMLElement, of entityName: String) -> Relationship? {
        let name = required("name", of: element, "A relationship of '\(entityName)'")
        let title = "Relationship '\(entityName).\(name ?? "")'"
        let destination = required("destinationEntity", of: element, title)
        var relationship = Relationship(
            name: name ?? "", destinationName: destination ?? "", location: element.location)
        relationship.inverseName = text("inverseName", of: element)
        relationship.inverseEntityName = text("inverseEntity", of: element)
        relationship.isOptional = flag("optional", of: element, title)
        relationship.isOrdered = flag("ordered", of: element, title)
        relationship.isTransient = flag("transient", of: element, title)
        relationship.minimumCount = count("minCount", of: element, title) ?? 0
        let maximum = count("maxCount", of: element, title)
        // Core Data itself uses the greatest number alone; without either, a relationship is to-one.
        relationship.isToMany = flag("toMany", of: element, title) || (maximum ?? 1) != 1
        relationship.maximumCount = relationship.isToMany ? maximum ?? 0 : 1
        checkCounts(of: element, relationship, title)
        relationship.deletionRule = readDeletionRule(of: element, title)
        relationship.renamingIdentifier = renamingIdentifier(of: element)
        relationship.versionHashModifier = text("versionHashModifier", of: element)
        relationship.userInfo = readUserInfo(of: element)
        return name == nil || destination == nil ? nil : relationship
    }

    private mutating func readDeletionRule(of element: XMLElement, _ title: String) -> Relationship.DeletionRule {
        guard let text = element.attribute("deletionRule"), !text.value.isEmpty else { return .nullify }
        if let rule = Relationship.DeletionRule(rawValue: text.value) { return rule }
        report(
            invalid: text, of: element, title, expected: "Nullify, Cascade, Deny or No Action",
            correct: meant(by: text.value, among: Relationship.DeletionRule.allCases.map(\.rawValue)))
        return .nullify
    }

    /// Two attributes determine whether a relationship is to-one or to-many: `toMany` and `maxCount`.
    private mutating func checkCounts(of element: XMLElement, _ relationship: Relationship, _ title: String) {
        if let maximum = element.attribute("maxCount"), relationship.isToMany, !isFlagged("toMany", of: element) {
            diagnostics.report(
                .contradictoryCount, at: maximum.location,
                "\(title) has maxCount=\"\(maximum.value)\", and does not say toMany=\"YES\"",
                notes: ["It is read as leading to many, as Core Data does"],
                fixes: [
                    .setting("toMany", to: "YES", of: element.location),
                    .setting("maxCount", to: "1", of: element.location),
                ])
        } else if let maximum = element.attribute("maxCount"), relationship.isToMany, relationship.maximumCount == 1 {
            diagnostics.report(
                .contradictoryCount, at: maximum.location,
                "\(title) says toMany=\"YES\", and has maxCount=\"1\"",
                notes: ["Core Data takes it to lead to one object; it is read as leading to many, but not to two"],
                fixes: [
                    .removing("toMany", of: element.location),
                    .removing("maxCount", of: element.location),
                ])
        }
    }

    private func isFlagged(_ name: String, of element: XMLElement) -> Bool {
        ["yes", "true", "1"].contains(element[name]?.lowercased())
    }
}
