import DataModel
import Testing

@Suite("Indexes and constraints")
struct ModelCheckerIndexesTests {
    private static let thing = Entity(
        name: "Thing",
        attributes: [
            Attribute(name: "title", type: .string), Attribute(name: "latitude", type: .double),
            Attribute(name: "longitude", type: .float), Attribute(name: "price", type: .decimal),
            Attribute(name: "draft", type: .double, isTransient: true),
        ],
        relationships: [
            Relationship(name: "hidden", destinationName: "Thing", inverseName: "hidden", isTransient: true),
            Relationship(name: "parent", destinationName: "Thing", inverseName: "parts"),
            Relationship(name: "parts", destinationName: "Thing", inverseName: "parent", isToMany: true),
        ],
        fetchedProperties: [
            FetchedProperty(name: "found", request: FetchRequest(name: "request", entityName: "Thing"))
        ])

    private func check(_ kind: FetchIndex.Kind = .binary, _ names: String..., predicate: String? = nil) -> [String] {
        let elements = names.map { FetchIndex.Element(propertyName: $0) }
        var entity = Self.thing
        entity.indexes = [FetchIndex(name: "index", kind: kind, elements: elements, partialIndexPredicate: predicate)]
        return findings(entity).filter { $0 != "warning not-supported" }
    }

    private func check(constraint names: String...) -> [String] {
        var entity = Self.thing
        entity.uniquenessConstraints = [UniquenessConstraint(names)]
        return findings(entity).filter { $0 != "warning not-supported" }
    }

    @Test func columnsCanBeIndexed() {
        #expect(check(.binary) == ["error invalid-index"])
        #expect(check(.binary, "title", "parent").isEmpty)
        #expect(check(.rtree, "latitude", "longitude").isEmpty)
    }

    @Test func inheritedPropertiesCanBeIndexedAndUnique() {
        let child = Entity(
            name: "Child", parentName: "Thing",
            indexes: [FetchIndex(name: "index", elements: [FetchIndex.Element(propertyName: "title")])],
            uniquenessConstraints: [UniquenessConstraint(["title"])])
        #expect(findings(child, Self.thing) == ["warning not-supported"])
    }

    @Test func unknownPropertiesAreErrors() throws {
        #expect(check(.binary, "name") == ["error unknown-index-property"])
        var entity = Self.thing
        entity.indexes = [FetchIndex(name: "index", elements: [FetchIndex.Element(propertyName: "Title")])]
        let found = try #require(ModelChecker.check(Model(name: "Test", entities: [entity])).all.first)
        #expect(found.notes.first == "Did you mean 'title'?")
    }

    @Test func whatIsNoColumnHasNoEffect() {
        #expect(check(.binary, "parts") == ["warning invalid-index"])
        #expect(check(.binary, "hidden") == ["warning invalid-index"])
        #expect(check(.binary, "found") == ["warning invalid-index"])
        #expect(check(.binary, "title", "draft") == ["warning invalid-index"])
    }

    @Test func anRTreeHoldsOneToFiveNumbers() {
        #expect(check(.rtree, "title") == ["error invalid-index"])
        #expect(check(.rtree, "price") == ["error invalid-index"])
        #expect(check(.rtree, "draft") == ["error invalid-index"])
        #expect(check(.rtree, "parent") == ["error invalid-index"])
        #expect(check(.rtree, "latitude", "latitude") == ["error invalid-index"])
        #expect(check(.rtree) == ["error invalid-index"])
        let names = (1...6).map { "n\($0)" }
        var entity = Entity(name: "Thing", attributes: names.map { Attribute(name: $0, type: .integer32) })
        for (count, expected) in [(5, []), (6, ["error invalid-index"])] {
            let elements = names.prefix(count).map { FetchIndex.Element(propertyName: $0) }
            entity.indexes = [FetchIndex(name: "index", kind: .rtree, elements: elements)]
            #expect(findings(entity) == expected)
        }
    }

    @Test func partialAndExpressionIndexesAreNotBuiltYet() {
        #expect(check(.binary, "title", predicate: "price > 0") == ["error not-supported"])
        var entity = Self.thing
        entity.indexes = [FetchIndex(name: "index", elements: [FetchIndex.Element(expression: "lowercase:(title)")])]
        #expect(findings(entity).contains("error not-supported"))
    }

    @Test func constraintsNameColumns() {
        #expect(check(constraint: "title", "parent").isEmpty)
        #expect(check(constraint: "name") == ["error invalid-constraint"])
        #expect(check(constraint: "draft") == ["error invalid-constraint"])
        #expect(check(constraint: "parts") == ["error invalid-constraint"])
        #expect(check(constraint: "hidden") == ["error invalid-constraint"])
        #expect(check(constraint: "found") == ["error invalid-constraint"])
        var entity = Self.thing
        entity.uniquenessConstraints = [UniquenessConstraint([])]
        #expect(findings(entity).contains("warning invalid-constraint"))
    }
}
