import DataModel
import RandomNumbers
import RandomSeeds
import Testing

@testable import ModelDiagram

@Suite("What a diagram shows")
struct DiagramTests {
    private let diagram = Diagram(ModelGraph(.sample))

    private func connection(_ kind: Diagram.Connection.Kind, _ name: String? = nil) -> Diagram.Connection? {
        diagram.connections.first { connection in
            let source = connection.source
            return connection.kind == kind
                && (name == nil || source.row.map { diagram.boxes[source.box].rows[$0].name } == name)
        }
    }

    @Test func entitiesAndCompositesAreBoxes() {
        #expect(diagram.boxes.map(\.name) == ["日本語", "class", "Quote \"<b>&}", "عربي", "Place"])
        #expect(diagram.boxes.map(\.kind) == [.abstractEntity, .entity, .entity, .entity, .composite])
        #expect(diagram.boxes[0].documentation == "The <root> of all")
    }

    @Test func rowsSayWhatTheModelSays() {
        let rows = diagram.boxes.flatMap(\.rows).map { ([$0.name, $0.detail] + $0.remarks).joined(separator: "|") }
        #expect(
            rows == [
                "place|Place?", "#a;b|String?|= canonical:(naïve)",
                "end|Quote \"<b>&} 0..1|nullify", "friends|class *|deny",
                "a\\b{c}~d~|Integer 64", "cache|Undefined?|transient", "found|class|fetched",
                "$x*|class 1..5|cascade|ordered", "lone|class 1|no action",
                "unique|a\\b{c}~d~, lone", "i(1)|latitude, longitude ↓|R-tree|where a > \"1\"",
                "latitude|Double",
            ])
    }

    /// The cardinalities of the model. A required relationship to many may be empty.
    @Test func cardinalities() {
        func text(isOptional: Bool, isToMany: Bool, _ minimum: Int, _ maximum: Int) -> String {
            Cardinality(
                Relationship(
                    name: "r", destinationName: "class", isOptional: isOptional, isToMany: isToMany,
                    minimumCount: minimum, maximumCount: maximum)
            ).description
        }
        #expect(text(isOptional: false, isToMany: true, 0, 0) == "*")
        #expect(text(isOptional: false, isToMany: true, 0, 5) == "0..5")
        #expect(text(isOptional: false, isToMany: true, 2, 0) == "2..*")
        #expect(text(isOptional: true, isToMany: true, 2, 0) == "*")
        #expect(text(isOptional: false, isToMany: false, 0, 1) == "1")
        #expect(text(isOptional: true, isToMany: false, 0, 1) == "0..1")
    }

    @Test func aRelationshipAndItsInverseAreOneConnection() throws {
        let found = try #require(connection(.relationship, "end"))
        #expect(found.destination.box == 2)
        #expect(found.destination.row.map { diagram.boxes[2].rows[$0].name } == "$x*")
        // Each end shows the number of its own objects.
        #expect(found.source.cardinality?.description == "1..5")
        #expect(found.destination.cardinality?.description == "0..1")
        #expect(connection(.relationship, "$x*") == nil)
    }

    @Test func aRelationshipWithoutInverseLeadsToTheBox() throws {
        let found = try #require(connection(.relationship, "lone"))
        #expect(found.destination.box == 1 && found.destination.row == nil)
        #expect(found.source.cardinality == nil)
        #expect(found.destination.cardinality?.description == "1")
    }

    @Test func aRelationshipThatIsItsOwnInverseComesBack() throws {
        let found = try #require(connection(.relationship, "friends"))
        #expect(found.source.box == 1)
        #expect(found.source == found.destination)
    }

    @Test func parentsAndCompositesAreConnected() {
        let parents = diagram.connections.filter { $0.kind == .inheritance }
        #expect(parents.map { [$0.source.box, $0.destination.box] } == [[0, 1], [1, 3]])
        #expect(connection(.composite, "place")?.destination.box == 4)
        #expect(diagram.connections.count == 6)
    }

    @Test func anInverseThatDoesNotPointBackIsNotTakenForOne() {
        let model = Model(
            name: "Odd",
            entities: [
                Entity(name: "A", relationships: [Relationship(name: "a", destinationName: "B", inverseName: "b")]),
                Entity(
                    name: "B",
                    relationships: [
                        Relationship(name: "b", destinationName: "C"),
                        Relationship(name: "c", destinationName: "Nowhere", inverseName: "n"),
                    ]),
                Entity(name: "C", parentName: "Nobody"),
            ])
        let diagram = Diagram(ModelGraph(model))
        #expect(diagram.connections.map { [$0.source.box, $0.destination.box] } == [[0, 1], [1, 2]])
        #expect(diagram.connections.allSatisfy { $0.destination.row == nil })
        #expect(diagram.boxes[1].rows.last?.detail == "Nowhere 0..1")
    }

    /// Each relationship with its inverse, and each parent, is drawn once, whatever the model.
    @Test func nothingIsLost() {
        for seed in seeds(20) {
            var generator = SeededGenerator(seed: seed)
            let model = Model.random(&generator, entityCount: 12)
            let diagram = Diagram(ModelGraph(model))
            var ends: Set<[Int]> = []
            for connection in diagram.connections where connection.kind == .relationship {
                for end in Set([connection.source, connection.destination]) {
                    if let row = end.row { #expect(ends.insert([end.box, row]).inserted) }
                }
            }
            let relationships = model.entities.reduce(0) { $0 + $1.relationships.count }
            #expect(ends.count == relationships, "seed \(seed)")
            let parents = diagram.connections.count { $0.kind == .inheritance }
            #expect(parents == model.entities.count { $0.parentName != nil })
        }
    }
}
