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
        return findings(entity)
    }

    private func check(constraint names: String...) -> [String] {
        var entity = Self.thing
        entity.uniquenessConstraints = [UniquenessConstraint(names)]
        return findings(entity)
    }

    @Test func aFullTextIndexHoldsStrings() {
        #expect(check(.fullText, "title").isEmpty)
        for name in ["latitude", "price", "draft", "parent", "parts", "found"] {
            #expect(check(.fullText, "title", name) == ["error invalid-index"], "\(name)")
        }
        #expect(check(.fullText, "title", "title") == ["error invalid-index"])
        #expect(check(.fullText, "titel") == ["error unknown-index-property"])
        #expect(check(.fullText, "title", predicate: "latitude > 0") == ["error invalid-index"])
        var entity = Self.thing
        entity.indexes = [FetchIndex(name: "i", kind: .fullText, elements: [.init(expression: "lowercase:(title)")])]
        #expect(findings(entity) == ["error invalid-index"])
        entity.indexes = [FetchIndex(name: "i", kind: .fullText, elements: [.init(propertyName: "title")])]
        for (weights, expected) in [([1.0], [String]()), ([1.0, 2], ["error invalid-index"])] {
            entity.indexes[0].fullText.weights = weights
            #expect(findings(entity) == expected)
        }
    }

    @Test func aFullTextIndexHasANameOfItsOwn() {
        func check(_ name: String, below: [FetchIndex] = [], _ attributes: [Attribute] = []) -> [String] {
            var entity = Self.thing
            entity.indexes = [FetchIndex(name: name, kind: .fullText, elements: [.init(propertyName: "title")])]
            let child = Entity(name: "Child", parentName: "Thing", attributes: attributes, indexes: below)
            return findings(entity, child)
        }
        #expect(check("words").isEmpty)
        for name in ["title", "Parts", "found"] { #expect(check(name) == ["error invalid-index"]) }
        #expect(check("words", [Attribute(name: "words", type: .string)]) == ["error invalid-index"])
        let same = FetchIndex(name: "Words", kind: .fullText, elements: [.init(propertyName: "title")])
        #expect(check("words", below: [same]) == ["error invalid-index"])
        var entity = Self.thing
        entity.indexes = ["words", "Words_data", "words_other"].map {
            FetchIndex(name: $0, kind: .fullText, elements: [.init(propertyName: "title")])
        }
        #expect(findings(entity) == ["error invalid-index"])
        let binary = FetchIndex(name: "words", elements: [.init(propertyName: "price")])
        #expect(check("words", below: [binary]).isEmpty)
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
        #expect(findings(child, Self.thing).isEmpty)
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

    @Test(arguments: [
        ("price > 0", [String]()), ("parent == nil AND title BEGINSWITH 'a'", []), ("title == 1", ["1:10"]),
        ("titel == 'x' OR latitude > 'x'", ["1:1", "1:28"]), ("title = ", ["1:9"]), ("title == $name", ["1:1"]),
        ("title == %@", ["1:10"]), ("draft > 0", ["1:1"]), ("parts.@count > 1", []),
    ])
    func aPartialIndexHasAPredicateAboutTheObject(predicate: String, places: [String]) {
        var entity = Self.thing
        var index = FetchIndex(
            name: "index", elements: [.init(propertyName: "title")], partialIndexPredicate: predicate)
        index.predicateLocation = StringLocation(start: SourceLocation(file: "f", line: 1, column: 1))
        entity.indexes = [index]
        let found = ModelChecker.check(Model(name: "Test", entities: [entity])).all.filter { $0.severity == .error }
        #expect(found.allSatisfy { $0.code == .invalidPredicate })
        #expect(found.map { "\($0.location.line):\($0.location.column)" } == places)
    }

    @Test func anElementMayBeAnExpression() {
        func check(_ expression: String, type: String? = nil, kind: FetchIndex.Kind = .binary) -> [String] {
            var entity = Self.thing
            let element = FetchIndex.Element(expression: expression, expressionType: type)
            entity.indexes = [FetchIndex(name: "index", kind: kind, elements: [element])]
            return findings(entity).filter { $0.hasPrefix("error") }
        }
        #expect(check("latitude * 2").isEmpty)
        #expect(check("latitude * 2", type: "Double").isEmpty)
        #expect(check("latitude * 2", type: "Integer 64").isEmpty)
        #expect(check("latitude * 2", type: "String") == ["error invalid-index"])
        #expect(check("latitude * 2", type: "Strin") == ["error invalid-index"])
        #expect(check("title * 2") == ["error invalid-predicate"])
        #expect(check("latitude * 2", kind: .rtree) == ["error invalid-index"])
    }

    @Test func anRTreeIsNeitherPartialNorOverADerivedAttribute() {
        #expect(check(.rtree, "latitude", predicate: "latitude > 0") == ["error invalid-index"])
        let entity = Entity(
            name: "Thing",
            attributes: [
                Attribute(name: "latitude", type: .double),
                Attribute(name: "twin", type: .double, isOptional: true, derivationExpression: "latitude"),
            ],
            indexes: [FetchIndex(name: "index", kind: .rtree, elements: [.init(propertyName: "twin")])])
        #expect(findings(entity) == ["error invalid-index"])
    }

    /// Apple's compiler refuses a mandatory relationship to an entity with its own uniqueness constraint, but not to
    /// one that inherits the constraint.
    @Test func aMandatoryDestinationIsUniqueByItself() {
        func check(parent: [UniquenessConstraint], destination: [UniquenessConstraint]) -> [String] {
            var base = Entity(name: "Base", attributes: [Attribute(name: "code", type: .string)])
            base.uniquenessConstraints = parent
            var item = Entity(name: "Item", parentName: "Base")
            item.uniquenessConstraints = destination
            item.relationships = [
                Relationship(name: "holders", destinationName: "Holder", inverseName: "item", isToMany: true)
            ]
            let holder = Entity(
                name: "Holder",
                relationships: [
                    Relationship(name: "item", destinationName: "Item", inverseName: "holders", isOptional: false)
                ])
            return findings(base, item, holder)
        }
        let unique = [UniquenessConstraint(["code"])]
        #expect(check(parent: unique, destination: []).isEmpty)
        #expect(check(parent: [], destination: unique) == ["warning constraint-on-mandatory-destination"])
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
