import DataModel
import Foundation
import ModelFormat
import RandomNumbers
import RandomSeeds
import Testing

@testable import ModelDiagram

/// Places that a picture may not use, over random models and real ones.
@Suite("Layouts")
struct LayoutTests {
    private static let corpus = ProjectFiles.package.deletingLastPathComponent()
        .appending(path: "shared/corpus/models").path

    @Test func randomModelsAreDrawnWithoutCollisions() {
        for seed in seeds(40) {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...(seed.number.isMultiple(of: 10) ? 60 : 16), using: &generator)
            check(.random(&generator, entityCount: count), "seed \(seed)")
        }
    }

    @Test(arguments: seeds(1)) func aModelOfMoreThanAHundredEntitiesIsDrawn(seed: Seed) {
        var generator = SeededGenerator(seed: seed)
        check(.random(&generator, entityCount: 120), "seed \(seed)")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: corpus), "there is no corpus of real models"))
    func realModelsAreDrawnWithoutCollisions() {
        var count = 0
        let enumerator = FileManager.default.enumerator(atPath: Self.corpus)
        while let path = enumerator?.nextObject() as? String {
            guard path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".xcdatamodel") else { continue }
            enumerator?.skipDescendants()
            let (bundle, _) = ModelReader().read(atPath: "\(Self.corpus)/\(path)")
            guard let model = bundle?.currentVersion else { continue }
            count += 1
            check(model, path)
        }
        #expect(count > 50)
    }

    @Test func anEmptyModelIsAPage() {
        let layout = DiagramLayout(Diagram(ModelGraph(Model(name: "Empty"))))
        #expect(layout.boxes.isEmpty && layout.width > 0 && layout.height > 0)
    }

    // MARK: Rules

    private func check(_ model: Model, _ comment: String) {
        let diagram = Diagram(ModelGraph(model))
        let layout = DiagramLayout(diagram)
        let collisions =
            boxes(layout) + ends(diagram, layout) + lines(layout) + crossedBoxes(diagram, layout)
            + coveredLines(diagram, layout)
        #expect(collisions.isEmpty, "\(comment): \(collisions.prefix(5).joined(separator: "; "))")
    }

    /// Boxes are on the page, with space between them.
    private func boxes(_ layout: DiagramLayout) -> [String] {
        var result: [String] = []
        for (index, box) in layout.boxes.enumerated() {
            if box.x < 0 || box.y < 0 || box.maximumX > layout.width || box.maximumY > layout.height {
                result.append("box \(index) leaves the page")
            }
            for (other, place) in layout.boxes.enumerated().dropFirst(index + 1)
            where box.x < place.maximumX + 16 && place.x < box.maximumX + 16 && box.y < place.maximumY + 16
                && place.y < box.maximumY + 16
            {
                result.append("boxes \(index) and \(other) are too near")
            }
        }
        return result
    }

    /// Each connection begins and ends at the side of its box, at its row.
    private func ends(_ diagram: Diagram, _ layout: DiagramLayout) -> [String] {
        var result: [String] = []
        for (index, connection) in diagram.connections.enumerated() {
            let route = layout.routes[index]
            for (end, point) in [(connection.source, route.first), (connection.destination, route.last)] {
                let box = layout.boxes[end.box]
                var range = box.y...(box.y + BoxMeasure.headerHeight)
                if let row = end.row {
                    let top = box.y + BoxMeasure(diagram.boxes[end.box]).rows[row].top
                    range = top...(top + BoxMeasure.rowHeight)
                }
                guard let point, point.x == box.x || point.x == box.maximumX, range.contains(point.y) else {
                    result.append("connection \(index) does not meet its row")
                    continue
                }
            }
        }
        return result
    }

    /// Lines are horizontal and vertical, and on the page.
    private func lines(_ layout: DiagramLayout) -> [String] {
        layout.routes.enumerated().filter { _, route in
            zip(route, route.dropFirst()).contains { $0.x != $1.x && $0.y != $1.y }
                || route.contains { $0.x < 0 || $0.y < 0 || $0.x > layout.width || $0.y > layout.height }
        }.map { "connection \($0.offset) is askew or leaves the page" }
    }

    private struct Segment {
        var connection: Int
        var from: DiagramLayout.Point
        var to: DiagramLayout.Point
        var isVertical: Bool { from.x == to.x }
    }

    private func segments(_ layout: DiagramLayout) -> [Segment] {
        layout.routes.enumerated().flatMap { index, route in
            zip(route, route.dropFirst()).map { first, second in
                let isForward = (first.x, first.y) < (second.x, second.y)
                return Segment(connection: index, from: isForward ? first : second, to: isForward ? second : first)
            }
        }
    }

    /// No line runs through a box, including those at its ends.
    private func crossedBoxes(_ diagram: Diagram, _ layout: DiagramLayout) -> [String] {
        segments(layout).flatMap { segment in
            layout.boxes.enumerated().filter { _, box in
                segment.from.x < box.maximumX && segment.to.x > box.x && segment.from.y < box.maximumY
                    && segment.to.y > box.y
            }.map { "connection \(segment.connection) runs through box \($0.offset)" }
        }
    }

    /// No line lies upon another, unless both lead to the same end.
    private func coveredLines(_ diagram: Diagram, _ layout: DiagramLayout) -> [String] {
        let segments = segments(layout).sorted { ($0.from.x, $0.from.y) < ($1.from.x, $1.from.y) }
        var result: [String] = []
        for (index, first) in segments.enumerated() {
            for second in segments[(index + 1)...] {
                if second.from.x > first.to.x { break }
                guard first.connection != second.connection, first.isVertical == second.isVertical else { continue }
                let overlap =
                    first.isVertical
                    ? (first.from.x == second.from.x
                        ? min(first.to.y, second.to.y) - max(first.from.y, second.from.y) : 0)
                    : (first.from.y == second.from.y
                        ? min(first.to.x, second.to.x) - max(first.from.x, second.from.x) : 0)
                let ends = [first, second].map { segment in
                    let route = layout.routes[segment.connection]
                    return Set([route.first, route.last])
                }
                if overlap > 2, ends[0].isDisjoint(with: ends[1]) {
                    result.append("connections \(first.connection) and \(second.connection) lie upon one another")
                }
            }
        }
        return result
    }
}

/// The files of the project.
enum ProjectFiles {
    static let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
