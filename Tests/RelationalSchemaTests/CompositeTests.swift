import DataModel
import TestDatabase
import Testing

@testable import RelationalSchema

@Suite("Composites are columns")
struct CompositeTests {
    private static let point = Composite(
        name: "Point",
        attributes: [
            Attribute(name: "y", type: .double, isOptional: true, isIndexed: true),
            Attribute(name: "x", type: .double, defaultValueString: "0"),
        ])
    private static let place = Composite(
        name: "Place",
        attributes: [
            Attribute(name: "street", type: .string, defaultValueString: ""),
            Attribute(name: "point", type: .composite, compositeName: "Point"),
            Attribute(name: "price", type: .decimal),
        ])

    private func composite(_ name: String, _ composite: String, optional: Bool = false) -> Attribute {
        Attribute(name: name, type: .composite, isOptional: optional, compositeName: composite)
    }

    private func schema(_ entities: Entity..., composites: [Composite] = [place, point]) -> Schema {
        Schema(ModelGraph(Model(name: "", entities: entities, composites: composites)))
    }

    @Test func aRequiredCompositeHasItsLeavesOnly() {
        let schema = schema(Entity(name: "Post", attributes: [composite("home", "Place")]))
        #expect(
            schema.tables[1].columns.dropFirst(2).map(\.definition) == [
                "\"home$point$x\" REAL NOT NULL DEFAULT 0.0", "\"home$point$y\" REAL",
                "\"home$price\" TEXT COLLATE \"ashlar_decimal\" NOT NULL", "\"home$street\" TEXT NOT NULL DEFAULT ''",
            ])
        #expect(schema.indexes.map(\.name) == ["indexed$Post$home$point$y"])
    }

    @Test func anOptionalCompositeHasAColumnThatTellsItFromNil() {
        let schema = schema(
            Entity(
                name: "Post", attributes: [composite("home", "Place", optional: true), composite("nothing", "Nothing")]),
            composites: [Self.place, Self.point, Composite(name: "Nothing", attributes: [])])
        #expect(
            schema.tables[1].columns.dropFirst(2).map(\.definition) == [
                "\"home$$present\" INTEGER", "\"home$point$x\" REAL", "\"home$point$y\" REAL",
                "\"home$price\" TEXT COLLATE \"ashlar_decimal\"", "\"home$street\" TEXT",
            ])
    }

    @Test func attributesOfOneNameInAHierarchyAreToldApart() {
        let schema = schema(
            Entity(name: "Post", attributes: [composite("spot", "Point")]),
            Entity(name: "A", parentName: "Post", attributes: [composite("home", "Point")]),
            Entity(
                name: "B", parentName: "Post", attributes: [Attribute(name: "home", type: .string, isOptional: true)]))
        #expect(
            schema.tables[1].columns.dropFirst(3).map(\.name) == [
                "spot$x", "spot$y", "A$home$x", "A$home$y", "B$home",
            ])
        // Rows of other entities have no values there.
        #expect(schema.tables[1].column(named: "A$home$x")?.isRequired == false)
        #expect(schema.tables[1].column(named: "spot$x")?.isRequired == true)
    }

    @Test func leavesAreIndexedAndUnique() throws {
        var post = Entity(name: "Post", attributes: [composite("home", "Place")])
        post.indexes = [
            FetchIndex(name: "by", elements: [.init(propertyName: "home.street", isAscending: false)]),
            FetchIndex(
                name: "near", kind: .rtree,
                elements: [.init(propertyName: "home.point.x"), .init(propertyName: "home.point.y")]),
        ]
        post.uniquenessConstraints = [UniquenessConstraint(["home.street", "home.point.x"])]
        let schema = schema(post)
        #expect(
            schema.indexes.suffix(2).map(\.definition) == [
                """
                CREATE INDEX "index$Post$by"
                    ON "Post" ("home$street" DESC)
                """,
                """
                CREATE UNIQUE INDEX "unique$Post$home$street$home$point$x"
                    ON "Post" ("home$street", "home$point$x")
                """,
            ])
        #expect(schema.rtrees.map(\.columnNames) == [["home$point$x", "home$point$y"]])
        let database = try Database(foreignKeys: true)
        for statement in schema.statements { try database.run(statement) }
    }
}
