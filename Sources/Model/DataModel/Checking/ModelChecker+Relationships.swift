extension ModelChecker {
    /// A relationship whose inverse must be found among the properties of an entity.
    struct InverseQuestion {
        var relationship: Relationship
        var owner: Int
        /// The entity that is searched for the inverse.
        var inverseEntity: Int
    }

    /// A relationship by itself.
    mutating func check(_ relationship: Relationship, of entity: Entity) {
        let title = "Relationship '\(entity.name).\(relationship.name)'"
        checkDestination(of: relationship, title)
        checkCounts(of: relationship, title)
        checkMigrationCheck(relationship.userInfo)
        checkSync(of: relationship, in: entity, title)
        if relationship.deletionRule == .noAction && relationship.inverseName != nil {
            report(
                .noAction, at: relationship.location, "\(title) has the deletion rule 'No Action'",
                notes: ["Its objects still refer to the deleted object afterwards; only the program can prevent it"],
                fixes: [.setting("deletionRule", to: "Nullify", of: relationship.location)], attribute: "deletionRule")
        }
        if relationship.inverseName == nil {
            report(
                .missingInverse, at: relationship.location, "\(title) has no inverse",
                notes: [
                    "Without one, the other side does not know of it, and deleting there cannot keep the rule here"
                ],
                fixes: inverseFixes(for: relationship, of: entity))
        } else if let name = relationship.inverseEntityName, tree.indexes[name] == nil {
            let proposal = proposal(for: name, among: .entities)
            report(
                .unknownInverse, at: relationship.location,
                "\(title) has its inverse in '\(name)', which is not in the model",
                notes: [proposal?.note, "Choose the inverse again"],
                fixes: [
                    proposal?.fix("inverseEntity", of: relationship.location),
                    tree.indexes[relationship.destinationName] == nil || proposal?.name == relationship.destinationName
                        ? nil
                        : .setting("inverseEntity", to: relationship.destinationName, of: relationship.location),
                ], attribute: "inverseEntity")
        }
    }

    private mutating func checkDestination(of relationship: Relationship, _ title: String) {
        guard tree.indexes[relationship.destinationName] == nil else { return }
        let proposal = proposal(for: relationship.destinationName, among: .entities)
        report(
            .unknownDestination, at: relationship.location,
            "\(title) leads to '\(relationship.destinationName)', which is not in the model",
            notes: [proposal?.note, "Add the entity, or choose another destination"],
            fixes: [proposal?.fix("destinationEntity", of: relationship.location)], attribute: "destinationEntity")
    }

    private mutating func checkCounts(of relationship: Relationship, _ title: String) {
        let location = relationship.location
        if relationship.isOrdered && !relationship.isToMany {
            report(
                .orderedToOne, at: location, "\(title) is ordered, but leads to one object only",
                notes: ["Core Data ignores the order"],
                fixes: [
                    .removing("ordered", of: location),
                    Diagnostic.Fix(
                        "Make it lead to many",
                        [
                            Diagnostic.Change(location, .setAttribute("toMany", to: "YES")),
                            Diagnostic.Change(location, .removeAttribute("maxCount")),
                        ]),
                ], attribute: "ordered")
        }
        let (least, greatest) = (relationship.minimumCount, relationship.maximumCount)
        if greatest > 0 && least > greatest {
            report(
                .invalidValue, at: location,
                "\(title) has the least count \(least), above its greatest, \(greatest)",
                notes: ["No number of objects can be saved"],
                fixes: [
                    relationship.isToMany
                        ? Diagnostic.Fix(
                            "Exchange minCount and maxCount",
                            [
                                Diagnostic.Change(location, .setAttribute("minCount", to: String(greatest))),
                                Diagnostic.Change(location, .setAttribute("maxCount", to: String(least))),
                            ]) : nil,
                    .setting("minCount", to: String(greatest), of: location),
                ], attribute: "minCount")
        }
    }

    /// The relationships whose inverse can be searched, by the position of the entity to search.
    func inverseQuestions() -> [Int: [InverseQuestion]] {
        var questions: [Int: [InverseQuestion]] = [:]
        for (owner, entity) in model.entities.enumerated() {
            for relationship in entity.relationships where relationship.inverseName != nil {
                let name = relationship.inverseEntityName ?? relationship.destinationName
                guard let index = tree.indexes[name] else { continue }
                let question = InverseQuestion(relationship: relationship, owner: owner, inverseEntity: index)
                questions[index, default: []].append(question)
            }
        }
        return questions
    }

    /// Both directions must name each other, and each must lead to the entity that declares the other.
    mutating func checkInverse(_ question: InverseQuestion, in scope: PropertyScope) {
        let relationship = question.relationship
        let inverseName = relationship.inverseName ?? ""
        let entityName = model.entities[question.inverseEntity].name
        let title = "Relationship '\(model.entities[question.owner].name).\(relationship.name)'"
        guard let declaration = scope.property(named: inverseName) else {
            if let destination = destinationWithInverse(question) {
                report(
                    .unknownInverse, at: relationship.location,
                    "\(title) has its inverse in '\(entityName)', which has no '\(inverseName)', "
                        + "but leads to '\(destination.name)', which has one",
                    notes: ["Write inverseEntity=\"\(destination.name)\""],
                    fixes: [
                        .setting(
                            "inverseEntity", to: destination.name, of: relationship.location,
                            isSafe: destination.relationship.inverseName == relationship.name)
                    ], attribute: "inverseEntity")
                return
            }
            let back = leadingBackFix(question, isSafe: true)
            let proposal = back == nil ? proposal(for: inverseName, among: .properties(scope)) : nil
            report(
                .unknownInverse, at: relationship.location,
                "\(title) has the inverse '\(entityName).\(inverseName)', which does not exist",
                notes: [proposal?.note, back == nil ? "Add it, or choose another inverse" : nil],
                fixes: back.map { [$0] }
                    ?? [proposal?.fix("inverseName", of: relationship.location), missingInverseFix(question)],
                attribute: "inverseName")
            return
        }
        guard case .relationship(let inverse) = declaration.property else {
            report(
                .unknownInverse, at: relationship.location,
                "\(title) has the inverse '\(entityName).\(inverseName)', which is not a relationship",
                notes: ["Choose another inverse"],
                fixes: [leadingBackFix(question, isSafe: true) ?? removingInverse(of: relationship)],
                attribute: "inverseName")
            return
        }
        if let problem = mismatch(between: question, and: inverse) {
            report(
                .inverseMismatch, at: relationship.location,
                "\(title) and its inverse '\(entityName).\(inverseName)' do not fit each other: \(problem)",
                notes: ["Choose the inverse again on both sides; the other is at \(inverse.location)"],
                fixes: mismatchFixes(question, inverse), attribute: "inverseName")
        }
    }

    /// The destination of a relationship whose inverse is searched in another entity, if the destination has or
    /// inherits a relationship with the inverse's name.
    private func destinationWithInverse(_ question: InverseQuestion) -> (name: String, relationship: Relationship)? {
        let relationship = question.relationship
        var current = tree.indexes[relationship.destinationName]
        if current == question.inverseEntity { return nil }
        while let index = current {
            if let inverse = model.entities[index].relationships.first(where: { $0.name == relationship.inverseName }) {
                return (relationship.destinationName, inverse)
            }
            current = tree.parents[index]
        }
        return nil
    }

    private func mismatch(between question: InverseQuestion, and inverse: Relationship) -> String? {
        let relationship = question.relationship
        let entityName = model.entities[question.inverseEntity].name
        if let destination = tree.indexes[relationship.destinationName],
            !tree.isEntity(destination, kindOf: question.inverseEntity)
        {
            return "the first leads to '\(relationship.destinationName)', which is not a kind of '\(entityName)'"
        }
        guard let name = inverse.inverseName else { return "the second has no inverse" }
        if name != relationship.name { return "the inverse of the second is '\(name)'" }
        if let destination = tree.indexes[inverse.destinationName],
            !tree.isEntity(question.owner, kindOf: destination)
        {
            return "the second leads to '\(inverse.destinationName)'"
        }
        return nil
    }
}
