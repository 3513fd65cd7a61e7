import DataModel
import RelationalSchema
import TestDatabase
import Testing

@Suite("Indexes")
struct IndexTests {
    private func entities() -> Schema {
        let attributes = [
            Attribute(name: "name", type: .string), Attribute(name: "code", type: .string, isIndexed: true),
            Attribute(name: "hidden", type: .string, isTransient: true),
        ]
        let indexes = [
            FetchIndex(
                name: "byBoth",
                elements: [
                    .init(propertyName: "name", isAscending: false), .init(propertyName: "hidden"),
                    .init(propertyName: "owner"),
                ]),
            FetchIndex(name: "old", elements: [.init(propertyName: "entity"), .init(propertyName: "self")]),
            FetchIndex(name: "nothing", elements: [.init(propertyName: "hidden")]),
        ]
        let sub = Entity(
            name: "Sub", parentName: "Root", attributes: [Attribute(name: "extra", type: .string)],
            indexes: [FetchIndex(name: "inherited", elements: [.init(propertyName: "name")])],
            uniquenessConstraints: [UniquenessConstraint(["name", "extra"]), UniquenessConstraint(["name", "gone"])])
        return makeSchema(
            Entity(
                name: "Root", attributes: attributes, relationships: [toOne("owner", "Root")], indexes: indexes,
                uniquenessConstraints: [UniquenessConstraint(["code"])]),
            sub, Entity(name: "SubSub", parentName: "Sub"))
    }

    @Test("Fetch indexes, legacy indexes, constraints and foreign keys are told apart by their names")
    func names() throws {
        let schema = entities()
        #expect(
            schema.indexes.map(\.name) == [
                "reference$Root$owner", "indexed$Root$code", "index$Root$byBoth", "index$Root$old",
                "unique$Root$code", "index$Sub$inherited", "unique$Sub$name$extra",
            ])
        _ = try makeDatabase(schema)
    }

    @Test("row 16: elements are columns, descending where the model says so; what is no column is left out")
    func elements() {
        let schema = entities()
        #expect(
            schema.index("index$Root$byBoth")?.elements
                == [.init(columnName: "name", isDescending: true), .init(columnName: "owner")])
        #expect(schema.index("index$Root$old")?.elements.map(\.columnName) == ["entity$", "id$"])
        #expect(schema.index("index$Sub$inherited")?.tableName == "Root")
        let alone = makeSchema(
            Entity(
                name: "E", attributes: [Attribute(name: "a", type: .string)],
                indexes: [FetchIndex(name: "i", elements: [.init(propertyName: "entity"), .init(propertyName: "a")])]))
        #expect(alone.index("index$E$i")?.elements.map(\.columnName) == ["a"])
    }

    @Test("A sub-entity's constraint binds its own rows and those below it")
    func constraints() throws {
        let database = try makeDatabase(entities())
        func insert(_ entity: String, _ code: String) throws {
            try database.run(
                "INSERT INTO Root (\"entity$\", code, name, extra) VALUES (\(entity), '\(code)', 'n', 'e')")
        }
        try insert("NULL", "1")
        try insert("NULL", "2")
        #expect(throws: Database.Failure.self) { try insert("NULL", "2") }
        try insert("'Sub'", "3")
        #expect(throws: Database.Failure.self) { try insert("'SubSub'", "4") }
    }

    @Test("Index names that differ in case only do not collide")
    func indistinct() throws {
        let element = FetchIndex.Element(propertyName: "a")
        let indexes = [FetchIndex(name: "i", elements: [element]), FetchIndex(name: "I", elements: [element])]
        let schema = makeSchema(
            Entity(name: "E", attributes: [Attribute(name: "a", type: .string)], indexes: indexes))
        #expect(schema.indexes.map(\.name) == ["index$E$I", "index$E$i$2"])
        _ = try makeDatabase(schema)
    }
}
