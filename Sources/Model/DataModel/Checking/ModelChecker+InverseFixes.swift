extension ModelChecker {
    /// Returns possible inverses of a relationship without one: a relationship back that has none either, or a new one.
    mutating func inverseFixes(for relationship: Relationship, of entity: Entity) -> [Diagnostic.Fix] {
        guard canPropose(), let destinationIndex = tree.indexes[relationship.destinationName],
            let entityIndex = tree.indexes[entity.name]
        else { return [] }
        let destination = model.entities[destinationIndex]
        let candidates = destination.relationships.filter { candidate in
            candidate.inverseName == nil && candidate.location != relationship.location
                && tree.indexes[candidate.destinationName].map { tree.isEntity(entityIndex, kindOf: $0) } ?? false
        }
        var fixes = candidates.prefix(2).map { candidate in
            Diagnostic.Fix(
                "Make '\(destination.name).\(candidate.name)' and it each other's inverse",
                pairing(relationship, of: entity, with: candidate, of: destination))
        }
        if candidates.isEmpty, let added = addedInverse(of: relationship, entity, to: destination) {
            let (name, element) = added
            let changes =
                inverse(of: relationship, name, destination)
                + [Diagnostic.Change(destination.location, .addChild(element))]
            fixes.append(Diagnostic.Fix("Add the inverse '\(destination.name).\(name)'", changes))
        }
        return fixes
    }

    /// Adds the inverse that a relationship names and that does not exist.
    func missingInverseFix(_ question: InverseQuestion) -> Diagnostic.Fix? {
        let relationship = question.relationship
        let destination = model.entities[question.inverseEntity]
        guard let name = relationship.inverseName, destination.name == relationship.destinationName,
            let (_, element) = addedInverse(of: relationship, model.entities[question.owner], to: destination, name)
        else { return nil }
        return Diagnostic.Fix(
            "Add the relationship '\(destination.name).\(name)'",
            [Diagnostic.Change(destination.location, .addChild(element))])
    }

    /// Names as the inverse the one relationship of the destination that leads back and names this one as its own.
    mutating func leadingBackFix(_ question: InverseQuestion, isSafe: Bool) -> Diagnostic.Fix? {
        let relationship = question.relationship
        guard canPropose(), let index = tree.indexes[relationship.destinationName] else { return nil }
        let destination = model.entities[index]
        let candidates = destination.relationships.filter { candidate in
            candidate.inverseName == relationship.name && candidate.location != relationship.location
                && tree.indexes[candidate.destinationName].map { tree.isEntity(question.owner, kindOf: $0) } ?? false
        }
        guard candidates.count == 1 else { return nil }
        return Diagnostic.Fix(
            "Make '\(destination.name).\(candidates[0].name)' the inverse of '\(relationship.name)'", isSafe: isSafe,
            inverse(of: relationship, candidates[0].name, destination))
    }

    /// Makes two relationships inverses of each other if one of them names the other.
    ///
    /// The fix is safe if the other names no inverse, no third relationship names it, and it leads back: nothing else
    /// can be meant. If the fix would separate two relationships that name each other, it is the second one, and the
    /// first fix leaves them together.
    mutating func mismatchFixes(_ question: InverseQuestion, _ inverse: Relationship) -> [Diagnostic.Fix] {
        let relationship = question.relationship
        let owner = model.entities[question.owner]
        let wayOut =
            inverse.inverseName == relationship.name
            ? removingInverse(of: relationship)
            : leadingBackFix(question, isSafe: false) ?? removingInverse(of: relationship)
        guard canPropose(), let destination = tree.indexes[relationship.destinationName],
            tree.isEntity(destination, kindOf: question.inverseEntity),
            let back = tree.indexes[inverse.destinationName], tree.isEntity(question.owner, kindOf: back)
        else { return [wayOut] }
        let isOnlyClaim =
            model.entities.reduce(0) { count, entity in
                count + entity.relationships.count { $0.inverseName == inverse.name }
            } == 1
        let title = "Make '\(owner.name).\(relationship.name)' the inverse of '\(inverse.name)'"
        let fix = Diagnostic.Fix(
            title, isSafe: inverse.inverseName == nil && isOnlyClaim,
            self.inverse(of: inverse, relationship.name, owner))
        return isHalfOfAPair(inverse, leadingTo: back) ? [wayOut, fix] : [fix, wayOut]
    }

    /// Returns whether a relationship and the one that it names as its inverse name each other.
    ///
    /// - Parameter destination: The position of the relationship's destination.
    private func isHalfOfAPair(_ relationship: Relationship, leadingTo destination: Int) -> Bool {
        var current: Int? = destination
        while let index = current {
            if let other = model.entities[index].relationships.first(where: { $0.name == relationship.inverseName }) {
                return other.inverseName == relationship.name
            }
            current = tree.parents[index]
        }
        return false
    }

    /// Leaves a relationship without an inverse.
    func removingInverse(of relationship: Relationship) -> Diagnostic.Fix {
        Diagnostic.Fix(
            "Remove the inverse of '\(relationship.name)'",
            [
                Diagnostic.Change(relationship.location, .removeAttribute("inverseName")),
                Diagnostic.Change(relationship.location, .removeAttribute("inverseEntity")),
            ])
    }

    private func pairing(
        _ first: Relationship, of firstEntity: Entity, with second: Relationship, of secondEntity: Entity
    ) -> [Diagnostic.Change] {
        inverse(of: first, second.name, secondEntity) + inverse(of: second, first.name, firstEntity)
    }

    private func inverse(of relationship: Relationship, _ name: String, _ entity: Entity) -> [Diagnostic.Change] {
        [
            Diagnostic.Change(relationship.location, .setAttribute("inverseName", to: name)),
            Diagnostic.Change(relationship.location, .setAttribute("inverseEntity", to: entity.name)),
        ]
    }

    /// The opposite of a relationship: to-many for a to-one relationship, and to-one for a to-many relationship.
    private func addedInverse(
        of relationship: Relationship, _ entity: Entity, to destination: Entity, _ givenName: String? = nil
    ) -> (name: String, Diagnostic.NewElement)? {
        let name = givenName ?? ModelEditor.inverseName(of: entity.name, isToMany: !relationship.isToMany)
        var taken = Set(destination.properties.map { SQLiteName.folded($0.name) })
        var parent = tree.indexes[destination.name].flatMap { tree.parents[$0] }
        while let index = parent {
            taken.formUnion(model.entities[index].properties.map { SQLiteName.folded($0.name) })
            parent = tree.parents[index]
        }
        guard !taken.contains(SQLiteName.folded(name)), SQLiteName.isLegal(name) else { return nil }
        let element =
            relationship.isToMany
            ? Diagnostic.NewElement(
                "relationship",
                [
                    "name": name, "optional": "YES", "maxCount": "1", "deletionRule": "Nullify",
                    "destinationEntity": entity.name, "inverseName": relationship.name, "inverseEntity": entity.name,
                ])
            : Diagnostic.NewElement(
                "relationship",
                [
                    "name": name, "optional": "YES", "toMany": "YES", "deletionRule": "Nullify",
                    "destinationEntity": entity.name, "inverseName": relationship.name, "inverseEntity": entity.name,
                ])
        return (name, element)
    }
}
