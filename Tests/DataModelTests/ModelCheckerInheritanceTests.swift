import DataModel
import Testing

@Suite("Inheritance")
struct ModelCheckerInheritanceTests {
    @Test func anUnknownParentIsAnErrorWithAProposal() throws {
        let model = Model(
            name: "Test", entities: [Entity(name: "Vehicle"), Entity(name: "Car", parentName: "vehicle")])
        let found = try #require(ModelChecker.check(model).all.first)
        #expect(found.code == .unknownParent)
        #expect(found.severity == .error)
        #expect(found.notes.first == "Did you mean 'Vehicle'?")
    }

    @Test func cyclesAreErrorsOncePerCycle() throws {
        let first = Entity(name: "A", parentName: "B")
        let second = Entity(name: "B", parentName: "C")
        let third = Entity(name: "C", parentName: "A")
        let outside = Entity(name: "D", parentName: "A")
        let itself = Entity(name: "E", parentName: "E")
        #expect(findings(first, second, third, outside) == ["error inheritance-cycle"])
        #expect(
            findings(outside, itself, third, second, first) == Array(repeating: "error inheritance-cycle", count: 2))
        let model = Model(name: "Test", entities: [first, second, third])
        let found = try #require(ModelChecker.check(model).all.first)
        #expect(found.notes.first == "The parents go round: A → B → C → A")
    }

    @Test func theFirstEntityBeyondTheGreatestDepthIsReported() throws {
        let depth = ModelLimits.inheritanceDepth
        var entities = (1...depth).map { Entity(name: "E\($0)", parentName: $0 == 1 ? nil : "E\($0 - 1)") }
        #expect(findings(Model(name: "Test", entities: entities)).isEmpty)
        entities += (depth + 1...depth + 3).map { Entity(name: "E\($0)", parentName: "E\($0 - 1)") }
        // A second branch is deep enough as it is.
        entities.append(Entity(name: "Other", parentName: "E\(depth - 1)"))
        let found = ModelChecker.check(Model(name: "Test", entities: entities)).all
        #expect(found.map(\.code) == [.exceedsLimit])
        #expect(found.first?.message == "Entity 'E101' has 100 entities above it")
    }

    @Test func aChainOfManyThousandParentsIsNoProblem() {
        var entities = [entity("E0")]
        for number in 1...20_000 {
            var child = Entity(name: "E\(number)", parentName: "E\(number - 1)")
            child.indexes = [FetchIndex(name: "byValue", elements: [FetchIndex.Element(propertyName: "value")])]
            child.relationships = [
                Relationship(
                    name: "next\(number)", destinationName: "E\(number)", inverseName: "next\(number)",
                    inverseEntityName: "E\(number)")
            ]
            entities.append(child)
        }
        #expect(findings(Model(name: "Test", entities: entities)) == ["error exceeds-limit"])
        entities[0].parentName = "E20000"
        #expect(findings(Model(name: "Test", entities: entities)).count > 20_000)
    }
}
