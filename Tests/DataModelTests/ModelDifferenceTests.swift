import Testing

@testable import DataModel

@Suite("Differences between versions")
struct ModelDifferenceTests {
    /// A post with an author and the author's country, and an unrelated note.
    private static let model: Model = {
        func relationship(_ name: String, _ destination: String, _ inverse: String, isToMany: Bool) -> Relationship {
            Relationship(
                name: name, destinationName: destination, inverseName: inverse, inverseEntityName: destination,
                isToMany: isToMany)
        }
        func entity(_ name: String, _ relationships: [Relationship] = []) -> Entity {
            Entity(name: name, attributes: [Attribute(name: "title", type: .string)], relationships: relationships)
        }
        return Model(
            name: "First",
            entities: [
                entity("Post", [relationship("author", "Author", "posts", isToMany: false)]),
                entity(
                    "Author",
                    [
                        relationship("posts", "Post", "author", isToMany: true),
                        relationship("country", "Country", "authors", isToMany: false),
                    ]),
                entity("Country", [relationship("authors", "Author", "country", isToMany: true)]),
                entity("Note"),
            ])
    }()

    private func difference(_ change: (inout Model) -> Void) -> ModelDifference {
        var model = Self.model
        change(&model)
        return ModelDifference(from: Self.model, to: model)
    }

    private func summary(_ model: Model) -> [String] {
        model.entities.map {
            "\($0.name) \($0.attributes.count) \($0.relationships.map(\.name).joined(separator: " "))"
        }
    }

    @Test func whereEntitiesStandIsNoDifference() {
        let difference = difference { model in
            for index in model.entities.indices {
                model.entities[index].move(to: SourceLocation(file: "other", line: 7 * index, column: 5))
            }
            model.entities.reverse()
        }
        #expect(difference.isEmpty)
        #expect(difference.old.entities.isEmpty)
        #expect(difference.new.entities.isEmpty)
    }

    /// Each field by itself, so that one which is added to the type cannot be forgotten.
    @Test func everyFieldOfAPropertyMakesADifference() {
        let info = UserInfo([UserInfo.Entry(key: "key", value: "value", location: SourceLocation(file: ""))])
        let attribute = Attribute(name: "title", type: .string)
        let changes: [(inout Attribute) -> Void] = [
            { $0.name = "text" }, { $0.type = .binary }, { $0.isOptional = true }, { $0.isTransient = true },
            { $0.defaultValueString = "1" }, { $0.defaultDateTimeInterval = "1" }, { $0.minimumValue = "1" },
            { $0.maximumValue = "1" }, { $0.minimumDateTimeInterval = "1" }, { $0.maximumDateTimeInterval = "1" },
            { $0.regularExpression = "a" }, { $0.valueTransformerName = "A" }, { $0.customClassName = "A" },
            { $0.allowsExternalBinaryDataStorage = true }, { $0.preservesValueAfterDeletion = true },
            { $0.isIndexed = true }, { $0.derivationExpression = "now()" }, { $0.compositeName = "A" },
            { $0.renamingIdentifier = "a" }, { $0.versionHashModifier = "a" }, { $0.userInfo = info },
            { $0.usesScalarValueType = true },
        ]
        // The places of the attribute and of its expression make none.
        #expect(Mirror(reflecting: attribute).children.count == changes.count + 2)
        for change in changes {
            var changed = attribute
            change(&changed)
            #expect(!changed.isSame(as: attribute), "\(changed)")
        }
        let relationship = Relationship(name: "post", destinationName: "Post")
        let others: [(inout Relationship) -> Void] = [
            { $0.name = "entry" }, { $0.destinationName = "Entry" }, { $0.inverseName = "a" },
            { $0.inverseEntityName = "A" }, { $0.isOptional.toggle() }, { $0.isToMany = true }, { $0.isOrdered = true },
            { $0.isTransient = true }, { $0.minimumCount = 1 }, { $0.maximumCount = 1 },
            { $0.deletionRule = .cascade }, { $0.renamingIdentifier = "a" }, { $0.versionHashModifier = "a" },
            { $0.userInfo = info },
        ]
        #expect(Mirror(reflecting: relationship).children.count == others.count + 1)
        for change in others {
            var changed = relationship
            change(&changed)
            #expect(!changed.isSame(as: relationship), "\(changed)")
        }
    }

    @Test func aNewAttributeConcernsItsTableAndTheOutlinesOfItsNeighbours() {
        let difference = difference { $0.entities[0].attributes.append(Attribute(name: "text", type: .string)) }
        #expect(difference.changedNames == ["Post"])
        #expect(summary(difference.old) == ["Post 1 author", "Author 0 posts"])
        #expect(summary(difference.new) == ["Post 2 author", "Author 0 posts"])
    }

    @Test func aNewRelationshipConcernsTheTablesAtBothEnds() {
        let difference = difference { model in
            model.entities[3].relationships = [Relationship(name: "author", destinationName: "Author")]
        }
        #expect(difference.changedNames == ["Note"])
        #expect(
            summary(difference.new) == [
                "Post 0 author", "Author 1 posts country", "Country 0 authors", "Note 1 author",
            ])
    }

    @Test func aRemovedEntityConcernsAllThatIsConnectedWithIt() {
        let difference = difference { model in
            model.entities.remove(at: 2)
            model.entities[1].relationships.removeLast()
        }
        #expect(difference.changedNames == ["Author", "Country"])
        #expect(summary(difference.old) == ["Post 1 author", "Author 1 posts country", "Country 1 authors"])
        #expect(summary(difference.new) == ["Post 1 author", "Author 1 posts"])
    }

    @Test func whatUsesACompositeDiffersWithIt() {
        func model(_ type: AttributeType, at line: Int) -> Model {
            let point = Composite(name: "Point", attributes: [Attribute(name: "x", type: type)])
            let inner = Attribute(name: "point", type: .composite, compositeName: "Point")
            let place = Composite(
                name: "Place", attributes: [inner], location: SourceLocation(file: "contents", line: line, column: 1))
            var model = Self.model
            model.entities[3].attributes.append(Attribute(name: "place", type: .composite, compositeName: "Place"))
            model.composites = [point, place, Composite(name: "Unused", attributes: [])]
            return model
        }
        #expect(ModelDifference(from: model(.float, at: 1), to: model(.double, at: 1)).changedNames == ["Note"])
        #expect(ModelDifference(from: model(.float, at: 1), to: model(.float, at: 9)).isEmpty)
        #expect(difference { $0.composites = [Composite(name: "Place", attributes: [])] }.isEmpty)
    }

    @Test func twoEntitiesWithOneNameDiffer() {
        let difference = difference { $0.entities.append($0.entities[3]) }
        #expect(difference.changedNames == ["Note"])
    }

    @Test func hashesAreTheSameWithAndWithoutTheVersionBefore() {
        var models = [Self.model]
        for change in 0..<6 {
            var model = Self.model
            switch change {
            case 0: model.entities[0].attributes[0].type = .uri
            case 1: model.entities[1].parentName = "Note"
            case 2: model.entities[3].isAbstract = true
            case 3: model.entities[1].parentName = nil
            case 4: model.entities.remove(at: 3)
            default: model.composites = [Composite(name: "Place", attributes: [])]
            }
            models.append(model)
        }
        var previous = VersionHash(models[0])
        for (old, new) in zip(models, models.dropFirst()) {
            let hash = VersionHash(new, after: (previous, ModelDifference(from: old, to: new)))
            #expect(hash == VersionHash(new))
            previous = hash
        }
    }

    @Test func concurrentWorkKeepsTheOrder() {
        let numbers = Array(0..<1000)
        #expect(Concurrency.map(numbers) { $0 * 2 } == numbers.map { $0 * 2 })
        #expect(Concurrency.mapSlices(numbers) { Array($0) }.flatMap(\.self) == numbers)
        #expect(Concurrency.mapSlices([Int]()) { Array($0) }.isEmpty)
    }
}
