import DataModel
import RandomNumbers
import RandomSeeds
import Testing

@testable import ModelDiagram

@Suite("Diagrams whose boxes a person places")
struct CanvasTests {
    @Test func placedBoxesStayAndOthersComeBelowWithoutCollisions() {
        for seed in seeds(20) {
            var generator = SeededGenerator(seed: seed)
            let diagram = Diagram(ModelGraph(.random(&generator, entityCount: 12)))
            let automatic = DiagramCanvas(diagram, places: [:])
            var places: [String: DiagramLayout.Point] = [:]
            for (box, place) in zip(diagram.boxes, automatic.boxes).prefix(5) {
                places[box.name] = DiagramLayout.Point(x: place.x + 500, y: place.y)
            }
            let canvas = DiagramCanvas(diagram, places: places)
            let lowest = canvas.boxes.prefix(5).map(\.maximumY).max() ?? 0
            for (index, box) in diagram.boxes.enumerated() {
                if let place = places[box.name] {
                    #expect(canvas.boxes[index].x == place.x && canvas.boxes[index].y == place.y, "seed \(seed)")
                } else {
                    #expect(canvas.boxes[index].y > lowest, "seed \(seed)")
                }
            }
            let free = canvas.boxes.dropFirst(5)
            for (index, box) in free.enumerated() {
                for other in free.dropFirst(index + 1) {
                    let isApart =
                        box.maximumX <= other.x || other.maximumX <= box.x || box.maximumY <= other.y
                        || other.maximumY <= box.y
                    #expect(isApart, "seed \(seed)")
                }
            }
        }
    }

    @Test func neighborsAreTheConnectedBoxes() {
        for seed in seeds(20) {
            var generator = SeededGenerator(seed: seed)
            let diagram = Diagram(ModelGraph(.random(&generator, entityCount: 12)))
            for (index, box) in diagram.boxes.enumerated() {
                let part = diagram.neighbors(of: box.name)
                let connected = diagram.connections.filter { $0.source.box == index || $0.destination.box == index }
                let names = Set(connected.flatMap { [$0.source.box, $0.destination.box] } + [index])
                #expect(Set(part.boxes.map(\.name)) == Set(names.map { diagram.boxes[$0].name }), "seed \(seed)")
                for connection in part.connections {
                    #expect(part.boxes.indices.contains(connection.source.box))
                    #expect(part.boxes.indices.contains(connection.destination.box))
                }
                #expect(part.connections.count >= connected.count)
            }
        }
    }

    @Test func namesAreEscapedInEveryAttribute() {
        let name = "\"><script>x</script>'&"
        let model = Model(
            name: name, entities: [Entity(name: name, attributes: [Attribute(name: name, type: .string)])])
        let text = DiagramCanvas(Diagram(ModelGraph(model)), places: [:]).svg(isEditable: true) {
            "/model?entity=\($0.name)"
        }
        #expect(!text.contains("<script>") && !text.contains("\"\">"))
    }
}
