import DataModel
import Testing

@Suite("Names of entities, properties and indexes")
struct ModelCheckerNamesTests {
    private func named(_ names: String...) -> Entity {
        Entity(name: "Thing", attributes: names.map { Attribute(name: $0, type: .string) })
    }

    @Test func entitiesOfOneNameAreErrors() {
        #expect(findings(Entity(name: "Post"), Entity(name: "Post")) == ["error duplicate-entity"])
        #expect(findings(Entity(name: "Post"), Entity(name: "POST")) == ["error duplicate-entity"])
        #expect(findings(Entity(name: "Post"), Entity(name: "Posts")).isEmpty)
    }

    @Test func theSecondOfTwoIsReportedAndTheFirstIsNamed() throws {
        let first = Entity(name: "Post", location: SourceLocation(file: "contents", line: 2, column: 3))
        let second = Entity(name: "post", location: SourceLocation(file: "contents", line: 7, column: 3))
        let all = ModelChecker.check(Model(name: "Test", entities: [first, second])).all
        let found = try #require(all.first)
        #expect(found.location == second.location)
        #expect(found.notes.contains { $0.contains("contents:2:3") })
    }

    @Test func propertiesOfOneNameAreErrors() {
        #expect(findings(named("title", "title")) == ["error duplicate-property"])
        #expect(findings(named("title", "Title")) == ["error duplicate-property"])
        var entity = named("other")
        entity.relationships = [Relationship(name: "OTHER", destinationName: "Thing")]
        #expect(findings(entity) == ["error duplicate-property", "warning missing-inverse"])
        #expect(findings(named("title", "titles")).isEmpty)
    }

    @Test func composedLettersOfDifferentCaseAreDifferentToSQLite() {
        #expect(findings(named("straße", "strasse", "École", "école")).isEmpty)
    }

    @Test func redeclaredPropertiesAreErrors() {
        let parent = entity("Parent")
        var middle = Entity(name: "Middle", parentName: "Parent")
        var child = Entity(name: "Child", parentName: "Middle")
        #expect(findings(child, middle, parent).isEmpty)
        child.attributes = [Attribute(name: "Value", type: .string)]
        #expect(findings(child, middle, parent) == ["error duplicate-property"])
        child.attributes = [Attribute(name: "value", type: .string)]
        #expect(findings(child, middle, parent) == ["error duplicate-property"])
        middle.parentName = nil
        #expect(findings(child, middle, parent).isEmpty)
    }

    @Test func siblingsMayHavePropertiesOfOneName() {
        var first = entity("First")
        var second = entity("Second", type: .integer16)
        first.parentName = "Parent"
        second.parentName = "Parent"
        #expect(findings(Entity(name: "Parent"), first, second).isEmpty)
    }

    @Test(arguments: [
        "", "_", "1st", "with space", "a-b", "a$", "$a", "a.b", "a\"b", "a'b", "a;b", "a\u{0}b", "ポ スト", "💥",
    ])
    func illegalNamesAreErrors(name: String) {
        #expect(findings(Entity(name: name)) == ["error illegal-name"])
        #expect(findings(named(name)) == ["error illegal-name"])
    }

    @Test(arguments: [
        "a", "_a", "a1", "Q_1", "ポスト", "naïve", "été", "имя", "deleted", "extension", "ashlar", "__",
    ])
    func legalNamesAreLegal(name: String) {
        #expect(findings(Entity(name: name)).isEmpty)
        #expect(findings(named(name)).isEmpty)
    }

    @Test func namesThatAshlarAndSQLiteKeepAreErrors() {
        #expect(findings(named("_ashlar_id")) == ["error reserved-name"])
        #expect(findings(named("_Ashlar")) == ["error reserved-name"])
        #expect(findings(Entity(name: "_ashlarStore")) == ["error reserved-name"])
        #expect(findings(Entity(name: "SQLite_master")) == ["error reserved-name"])
        #expect(findings(named("sqlite_master")).isEmpty)
    }

    @Test func indexesOfOneNameAreErrors() {
        var entity = entity()
        let element = FetchIndex.Element(propertyName: "value")
        entity.indexes = [FetchIndex(name: "byValue", elements: [element])]
        #expect(findings(entity).isEmpty)
        entity.indexes.append(FetchIndex(name: "byvalue", elements: [element]))
        #expect(findings(entity) == ["error duplicate-index"])
        entity.indexes = [FetchIndex(name: "by value", elements: [element])]
        #expect(findings(entity) == ["error illegal-name"])
    }

}
