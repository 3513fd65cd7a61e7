import DataModel
import Foundation
import ModelFormat
import RelationalSchema

/// The text of a version, with the data that features look up in it.
final class EditedVersion {
    let path: String
    let name: String
    let text: DocumentText
    /// Nil where nothing can be read of the text.
    let repaired: RepairedText?
    private let lines: SourceLines

    init(path: String, name: String, text: DocumentText) {
        self.path = path
        self.name = name
        self.text = text
        repaired = RepairedText(text.bytes)
        lines = SourceLines(repaired?.bytes ?? text.bytes)
    }

    var document: SourceDocument? { repaired?.document }

    /// The version as far as it can be read.
    private(set) lazy var model: Model? = repaired.flatMap { repaired in
        ModelReader.read(contents: repaired.bytes, named: name, file: path).model
    }

    private(set) lazy var graph: ModelGraph? = model.map(ModelGraph.init)

    /// The tables of the version, as far as it can be read.
    private(set) lazy var schema: Schema? = graph.map(Schema.init)

    /// The places that name parts of the version, resolved in the version alone.
    private(set) lazy var names: NameFinder? = graph.flatMap { NameFinder(self, in: $0) }

    /// The offset in the text of a place that was found in the version; nil if the place does not exist.
    func offset(of location: SourceLocation) -> Int? {
        guard location.line > 0, let offset = lines.offset(line: location.line, column: max(location.column, 1)) else {
            return nil
        }
        return repaired?.originalOffset(of: offset) ?? offset
    }

    /// The place of an offset of the text, as findings have it.
    func location(of offset: Int) -> SourceLocation? {
        // Elements are looked up by the place of their start tag, which each has once in both texts.
        guard let repaired else { return nil }
        var low = 0
        var high = repaired.bytes.count
        while low < high {
            let middle = (low + high) / 2
            if repaired.originalOffset(of: middle) < offset { low = middle + 1 } else { high = middle }
        }
        // Skips the text that a repair added here.
        while low < repaired.bytes.count, repaired.originalOffset(of: low + 1) == offset { low += 1 }
        let (line, column) = lines.position(of: low)
        return SourceLocation(file: path, line: line, column: column)
    }

    /// The edits that changes of elements consist of; nil if one of them touches broken text.
    func edits(for changes: [Diagnostic.Change]) -> [(range: Range<Int>, text: String)]? {
        guard let repaired else { return nil }
        var resolver = FindingResolver(ModelTexts(open: [path: repaired.bytes]))
        guard let edits = resolver.edits(of: Diagnostic.Fix("", changes)) else { return nil }
        var result: [(range: Range<Int>, text: String)] = []
        for edit in edits {
            let lower = repaired.originalOffset(of: edit.range.lowerBound)
            let range = lower..<max(lower, repaired.originalOffset(of: edit.range.upperBound))
            guard repaired.isUntouched(range) else { return nil }
            result.append((range, edit.replacement))
        }
        return result
    }
}

extension SourceDocument {
    /// The innermost element in whose content an offset is.
    func element(around offset: Int) -> Int? {
        var result: Int?
        var siblingEnd: [Int: Int] = [:]
        for (index, element) in elements.enumerated() {
            for (child, next) in zip(element.children, element.children.dropFirst()) {
                siblingEnd[child] = elements[next].startTag.lowerBound
            }
            guard element.startTag.upperBound <= offset, !element.isSelfClosing else { continue }
            if let parent = element.parent, !isOpen(parent, at: offset, siblingEnd) { continue }
            if isOpen(index, at: offset, siblingEnd) { result = index }
        }
        return result
    }

    private func isOpen(_ index: Int, at offset: Int, _ siblingEnd: [Int: Int]) -> Bool {
        let element = elements[index]
        if element.isSelfClosing || element.startTag.upperBound > offset { return false }
        if let end = element.endTag, !end.isEmpty { return offset <= end.lowerBound }
        // An element without an end tag ends where the next one begins.
        guard offset <= siblingEnd[index] ?? Int.max else { return false }
        return element.parent.map { isOpen($0, at: offset, siblingEnd) } ?? true
    }

    /// The value of an attribute of an element; nil where it is absent or empty.
    func value(_ name: String, of element: Element) -> String? {
        attribute(name, of: element).map { value(of: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The element of a name around an element, or the element itself.
    func ancestor(of index: Int, named names: Set<String>) -> Int? {
        var current: Int? = index
        while let index = current {
            if names.contains(name(of: elements[index])) { return index }
            current = elements[index].parent
        }
        return nil
    }
}
