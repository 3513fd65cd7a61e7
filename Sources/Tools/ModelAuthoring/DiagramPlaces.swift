import DataModel
import Foundation
public import ModelDiagram
import ModelFormat

/// The places of boxes in a diagram, which stand in a file beside the model: a line for each box, sorted by name.
struct DiagramPlaces: Sendable, Hashable {
    var places: [String: DiagramLayout.Point] = [:]
    /// The lines of the file that are not places, with their numbers.
    private(set) var invalidLines: [Int: String] = [:]

    static let suffix = ".diagram"

    /// The path of the file of a model.
    static func path(of model: String) -> String { model + suffix }

    init(_ places: [String: DiagramLayout.Point] = [:]) { self.places = places }

    /// Reads a file.
    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where !line.hasPrefix("#") && !line.allSatisfy(\.isWhitespace) {
            let words = line.split(separator: " ", maxSplits: 2)
            if words.count == 3, let x = Int(words[0]), let y = Int(words[1]), Self.point(x, y) == .init(x: x, y: y) {
                places[String(words[2])] = Self.point(x, y)
            } else {
                invalidLines[index + 1] = String(line.prefix(80))
            }
        }
    }

    /// A place within the largest diagram that is drawn.
    static func point(_ x: Int, _ y: Int) -> DiagramLayout.Point {
        DiagramLayout.Point(x: min(max(0, x), largest), y: min(max(0, y), largest))
    }

    private static let largest = 100_000

    /// Messages about the lines that are not places.
    func problems(ofFile path: String) -> [String] {
        let more = invalidLines.count > 10 ? ["\(invalidLines.count - 10) more lines are not places of boxes."] : []
        return invalidLines.sorted { $0.key < $1.key }.prefix(10).map { number, line in
            "Line \(number) of \(URL(fileURLWithPath: path).lastPathComponent) is not the place of a box: '\(line)'. "
                + "Write numbers from 0 to \(Self.largest), such as '120 40 Post'. The next move of a box removes the line."
        } + more
    }

    /// The text of the file.
    var bytes: [UInt8] {
        let lines = places.sorted { $0.key < $1.key }.map { "\($1.x) \($1.y) \($0)\n" }
        return Array(
            ("# The places of boxes in Studio's diagram: x, y, name. Builds ignore this file.\n" + lines.joined()).utf8)
    }

    /// The places with a change of some of them taken back.
    func reversing(_ before: DiagramPlaces, _ after: DiagramPlaces) -> DiagramPlaces {
        var result = self
        for name in Set(before.places.keys).union(after.places.keys) where before.places[name] != after.places[name] {
            result.places[name] = before.places[name]
        }
        return result
    }

    /// The places that Xcode 13 and older wrote in a version, spread so that larger boxes do not cover each other.
    init(elementsOf bytes: [UInt8], file: String, _ boxes: [(name: String, width: Int, height: Int)]) {
        var diagnostics = Diagnostics()
        guard let document = SourceDocument(bytes, file: file, reportingTo: &diagnostics) else { return }
        var found: [String: (x: Double, y: Double, width: Double, height: Double)] = [:]
        for element in document.elements {
            guard document.name(of: element) == "element", let parent = element.parent,
                document.name(of: document.elements[parent]) == "elements",
                let name = document.attribute("name", of: element).map(document.value)
            else { continue }
            func number(_ name: String) -> Double {
                let number = document.attribute(name, of: element).flatMap { Double(document.value(of: $0)) } ?? 0
                return number.isFinite && abs(number) < 100_000 ? number : 0
            }
            found[name] = (number("positionX"), number("positionY"), number("width"), number("height"))
        }
        let pairs = boxes.compactMap { box in found[box.name].map { (box, $0) } }
        let left = pairs.map(\.1.x).min() ?? 0
        let top = pairs.map(\.1.y).min() ?? 0
        let widening = pairs.map { Double($0.width) / max($1.width, 100) }.max() ?? 1
        let heightening = pairs.map { Double($0.height) / max($1.height, 40) }.max() ?? 1
        for (box, place) in pairs {
            places[box.name] = Self.point(
                Int((place.x - left) * max(1, widening)) + 24, Int((place.y - top) * max(1, heightening)) + 24)
        }
    }
}

extension ModelDesk {
    /// The last diagram that was arranged.
    struct DrawnDiagram: Sendable {
        var diagram: Diagram
        var places: [String: DiagramLayout.Point]
        var canvas: DiagramCanvas
    }

    /// The places of the file, with messages about its other lines, or those of an older Xcode; empty if the diagram
    /// arranges itself.
    func places(
        of model: Model, _ bytes: [UInt8]
    ) throws(ModelDeskError) -> (places: [String: DiagramLayout.Point], problems: [String]) {
        let path = DiagramPlaces.path(of: path)
        if let file = try FileChange.bytesIfThere(path) {
            let places = DiagramPlaces(file)
            return (places.places, places.problems(ofFile: path))
        }
        guard String(decoding: bytes, as: UTF8.self).contains("<elements>") else { return ([:], []) }
        let boxes = DiagramCanvas.sizes(Diagram(ModelGraph(model)))
        return (DiagramPlaces(elementsOf: bytes, file: model.location.file, boxes).places, [])
    }

    /// The diagram with its places, of the whole version or of one box with its neighbors.
    public func canvas(_ snapshot: ModelSnapshot, near name: String? = nil) -> DiagramCanvas {
        var diagram = Diagram(ModelGraph(snapshot.model))
        var places = snapshot.places
        if let name {
            diagram = diagram.neighbors(of: name)
            places = [:]
        }
        return drawn.withLock { drawn in
            if let drawn, drawn.diagram == diagram, drawn.places == places { return drawn.canvas }
            let canvas = DiagramCanvas(diagram, places: places)
            drawn = DrawnDiagram(diagram: diagram, places: places, canvas: canvas)
            return canvas
        }
    }

    /// Moves boxes of the diagram.
    public func move(_ moved: [String: (x: Int, y: Int)]) throws(ModelDeskError) {
        let before = try snapshot()
        let path = DiagramPlaces.path(of: path)
        let file = try FileChange.bytesIfThere(path)
        var places = DiagramPlaces(file ?? [])
        let canvas = canvas(before)
        for (box, place) in zip(canvas.diagram.boxes, canvas.boxes) {
            places.places[box.name] = DiagramPlaces.point(place.x, place.y)
        }
        let names = Set(canvas.diagram.boxes.map(\.name))
        for (name, place) in moved where names.contains(name) {
            places.places[name] = DiagramPlaces.point(place.x, place.y)
        }
        places.places = places.places.filter { names.contains($0.key) }
        let title = moved.count == 1 ? "Move \(moved.keys.first ?? "")" : "Move \(moved.count) boxes"
        try make(title, [FileChange(path: path, before: file, after: places.bytes)])
    }

    /// Lets the diagram arrange itself.
    public func arrange() throws(ModelDeskError) {
        let before = try snapshot()
        let path = DiagramPlaces.path(of: path)
        let file = try FileChange.bytesIfThere(path)
        var after: [UInt8]?
        if try places(withoutFile: before) {
            let canvas = DiagramCanvas(Diagram(ModelGraph(before.model)), places: [:])
            let pairs = zip(canvas.diagram.boxes, canvas.boxes).map { ($0.name, DiagramPlaces.point($1.x, $1.y)) }
            after = DiagramPlaces(Dictionary(pairs, uniquingKeysWith: { first, _ in first })).bytes
        }
        try make("Arrange the diagram", [FileChange(path: path, before: file, after: after)])
    }

    /// Whether the version has places of an older Xcode, which count where there is no file.
    private func places(withoutFile snapshot: ModelSnapshot) throws(ModelDeskError) -> Bool {
        String(decoding: snapshot.bytes, as: UTF8.self).contains("<elements>")
    }

    /// The change of the places that renamed boxes need; nil if there is none.
    func renamedPlaces(_ edits: [ModelEdit]) throws(ModelDeskError) -> FileChange? {
        let path = DiagramPlaces.path(of: path)
        guard let file = try FileChange.bytesIfThere(path) else { return nil }
        var places = DiagramPlaces(file)
        for edit in edits {
            switch edit {
            case .rename(.entity(let old), let new), .rename(.composite(let old), let new):
                places.places[new] = places.places.removeValue(forKey: old)
            case .remove(.entity(let name)), .remove(.composite(let name)): places.places[name] = nil
            default: break
            }
        }
        return places.bytes == file ? nil : FileChange(path: path, before: file, after: places.bytes)
    }
}
