import DataModel
import Testing

@Suite("Derived attributes")
struct ModelCheckerDerivationsTests {
    /// A model of authors and articles with one derived attribute of articles or authors.
    private func entities(_ derived: Attribute, ofAuthor: Bool = false) -> [Entity] {
        var author = Entity(
            name: "Author",
            attributes: [
                Attribute(name: "name", type: .string), Attribute(name: "nickname", type: .string, isOptional: true),
                Attribute(name: "draft", type: .string, isOptional: true, isTransient: true),
            ],
            relationships: [
                Relationship(name: "articles", destinationName: "Article", inverseName: "author", isToMany: true)
            ])
        var article = Entity(
            name: "Article",
            attributes: [
                Attribute(name: "title", type: .string), Attribute(name: "words", type: .integer32),
                Attribute(name: "price", type: .decimal), Attribute(name: "rating", type: .double),
                Attribute(name: "link", type: .uri),
            ],
            relationships: [
                Relationship(name: "author", destinationName: "Author", inverseName: "articles"),
                Relationship(name: "editor", destinationName: "Author", isOptional: false),
            ])
        if ofAuthor { author.attributes.append(derived) } else { article.attributes.append(derived) }
        return [author, article]
    }

    private func check(
        _ expression: String, _ type: AttributeType, ofAuthor: Bool = false,
        change: (inout Attribute) -> Void = { _ in }
    ) -> [String] {
        var attribute = Attribute(name: "derived", type: type, isOptional: true, derivationExpression: expression)
        attribute.derivationLocation = StringLocation(start: SourceLocation(file: "f", line: 7, column: 10))
        attribute.location = SourceLocation(file: "f", line: 7, column: 1)
        change(&attribute)
        return ModelChecker.check(Model(name: "Test", entities: entities(attribute, ofAuthor: ofAuthor))).all
            .filter { $0.severity == .error }.map { "\($0.code.rawValue) \($0.location.column)" }
    }

    @Test(arguments: [
        ("title", AttributeType.string), ("author.name", .string), ("canonical:(author.name)", .string),
        ("uppercase:(title)", .string), ("lowercase:(title)", .string), ("now()", .date), ("words", .integer64),
        ("words", .integer32), ("price", .decimal), ("author.articles.@count", .integer16),
        ("author.articles.rating.@sum", .double), ("author.articles.words.@sum", .integer64),
    ])
    func allFormsAreTaken(expression: String, type: AttributeType) {
        #expect(check(expression, type) == [])
    }

    @Test(arguments: [
        ("", "invalid-derivation 10"), ("titel", "invalid-derivation 10"), ("author.nam", "invalid-derivation 17"),
        ("author.draft", "invalid-derivation 17"), ("author", "invalid-derivation 10"),
        ("author.articles.@sum.words", "invalid-derivation 26"), ("words + 1", "invalid-derivation 10"),
        ("author.articles.words.@avg", "invalid-derivation 10"), ("author.articles.title", "invalid-derivation 10"),
        ("canonical:(words)", "invalid-derivation 21"), ("$x", "invalid-derivation 10"),
        ("author.articles.price.@sum", "invalid-derivation 10"), ("title", "invalid-derivation 1"),
        ("derived", "derivation-cycle 1"), ("author.articles.derived.@sum", "derivation-cycle 1"),
    ])
    func mistakesAreFoundWhereTheyAre(expression: String, finding: String) {
        // The type fits every valid expression except `title`.
        let type: AttributeType = expression.contains("price") ? .decimal : .integer64
        #expect(check(expression, type) == [finding])
    }

    @Test func aDerivedAttributeIsStored() {
        #expect(check("title", .string) { $0.isTransient = true } == ["invalid-derivation 1"])
    }

    @Test func whatMayLackIsOptionalOrHasADefault() {
        let isRequired = { (attribute: inout Attribute) in attribute.isOptional = false }
        #expect(check("author.name", .string, change: isRequired) == ["required-derivation 1"])
        #expect(check("editor.nickname", .string, change: isRequired) == ["required-derivation 1"])
        #expect(check("editor.name", .string, change: isRequired) == [])
        #expect(check("title", .string, change: isRequired) == [])
        #expect(check("now()", .date, change: isRequired) == [])
        #expect(check("articles.@count", .integer64, ofAuthor: true, change: isRequired) == [])
        #expect(
            check("author.name", .string) {
                $0.isOptional = false
                $0.defaultValueString = "none"
            } == [])
        // Before the first save, there is no URL that stands for none.
        #expect(check("link", .uri, change: isRequired) == ["required-derivation 1"])
    }

    @Test func aCircleOfSeveralIsFoundAtEachOfThem() {
        let entity = Entity(
            name: "E",
            attributes: [
                Attribute(name: "a", type: .string, isOptional: true, derivationExpression: "b"),
                Attribute(name: "b", type: .string, isOptional: true, derivationExpression: "canonical:(c)"),
                Attribute(name: "c", type: .string, isOptional: true, derivationExpression: "other.a"),
                Attribute(name: "d", type: .string, isOptional: true, derivationExpression: "a"),
            ],
            relationships: [Relationship(name: "other", destinationName: "E")])
        let found = ModelChecker.check(Model(name: "Test", entities: [entity])).all.filter { $0.severity == .error }
        #expect(found.map(\.code) == [.derivationCycle, .derivationCycle, .derivationCycle])
        #expect(found.first?.message.hasSuffix("'E.b', then 'E.c', then 'E.a'") == true)
    }

    @Test func inheritedAttributesAndRelationshipsAreDerivedFrom() {
        var child = Entity(name: "Child", parentName: "Article")
        child.attributes = [
            Attribute(name: "copy", type: .string, isOptional: true, derivationExpression: "title"),
            Attribute(name: "by", type: .string, isOptional: true, derivationExpression: "author.name"),
        ]
        let others = entities(Attribute(name: "derived", type: .string, derivationExpression: "title"))
        let found = ModelChecker.check(Model(name: "Test", entities: others + [child])).all
        #expect(found.filter { $0.severity == .error }.isEmpty)
    }
}
