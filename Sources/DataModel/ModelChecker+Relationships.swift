extension ModelChecker {
    /// A relationship whose inverse is to be found among the properties of an entity.
    struct InverseQuestion {
        var relationship: Relationship
        var owner: Int
        /// The entity that the inverse is looked for in.
        var inverseEntity: Int
    }

    /// A relationship by itself.
    mutating func check(_ relationship: Relationship, of entity: Entity) {
        let title = "Relationship '\(entity.name).\(relationship.name)'"
        if tree.indexes[relationship.destinationName] == nil {
            report(
                .unknownDestination, at: relationship.location,
                "\(title) leads to '\(relationship.destinationName)', which is not in the model",
                notes: [
                    suggestion(for: relationship.destinationName, among: .entities),
                    "Add the entity, or choose another destination",
                ])
        }
        if relationship.isOrdered && !relationship.isToMany {
            report(
                .orderedToOne, at: relationship.location, "\(title) is ordered, but leads to one object only",
                notes: ["Remove ordered=\"YES\", or add toMany=\"YES\""])
        }
        if relationship.maximumCount > 0 && relationship.minimumCount > relationship.maximumCount {
            report(
                .invalidValue, at: relationship.location,
                "\(title) has the least count \(relationship.minimumCount), "
                    + "above its greatest, \(relationship.maximumCount)",
                notes: ["Exchange minCount and maxCount"])
        }
        if relationship.inverseName == nil {
            report(
                .missingInverse, at: relationship.location, "\(title) has no inverse",
                notes: ["Without one, the other side does not know of it, and deleting there cannot keep the rule here"]
            )
        } else if let name = relationship.inverseEntityName, tree.indexes[name] == nil {
            report(
                .unknownInverse, at: relationship.location,
                "\(title) has its inverse in '\(name)', which is not in the model",
                notes: [suggestion(for: name, among: .entities), "Choose the inverse again"])
        }
    }

    /// The relationships whose inverse can be looked for, by the position of the entity to look in.
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

    /// Both directions must name each other, and lead to where the other is declared.
    mutating func checkInverse(_ question: InverseQuestion, in scope: PropertyScope) {
        let relationship = question.relationship
        let inverseName = relationship.inverseName ?? ""
        let entityName = model.entities[question.inverseEntity].name
        let title = "Relationship '\(model.entities[question.owner].name).\(relationship.name)'"
        guard let declaration = scope.property(named: inverseName) else {
            report(
                .unknownInverse, at: relationship.location,
                "\(title) has the inverse '\(entityName).\(inverseName)', which does not exist",
                notes: [suggestion(for: inverseName, among: .properties(scope)), "Add it, or choose another inverse"])
            return
        }
        guard case .relationship(let inverse) = declaration.property else {
            report(
                .unknownInverse, at: relationship.location,
                "\(title) has the inverse '\(entityName).\(inverseName)', which is not a relationship",
                notes: ["Choose another inverse"])
            return
        }
        if let problem = mismatch(between: question, and: inverse) {
            report(
                .inverseMismatch, at: relationship.location,
                "\(title) and its inverse '\(entityName).\(inverseName)' do not fit each other: \(problem)",
                notes: ["Choose the inverse again on both sides; the other is at \(inverse.location)"])
        }
    }

    private func mismatch(between question: InverseQuestion, and inverse: Relationship) -> String? {
        let relationship = question.relationship
        let entityName = model.entities[question.inverseEntity].name
        if let destination = tree.indexes[relationship.destinationName],
            !tree.isEntity(destination, kindOf: question.inverseEntity)
        {
            return "the first leads to '\(relationship.destinationName)', which is no '\(entityName)'"
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
