import DataModel
import ModelFormat
import PredicateFormat

/// Finds all places in a version's text that name a part of it.
struct NameFinder {
    private let document: SourceDocument
    private let graph: ModelGraph
    private(set) var occurrences: [Occurrence] = []

    /// Nil where nothing can be read of the text.
    init?(_ version: EditedVersion) {
        guard let document = version.document, let graph = version.graph else { return nil }
        self.document = document
        self.graph = graph
        for index in document.elements.indices { visit(index) }
    }

    private mutating func visit(_ index: Int) {
        let element = document.elements[index]
        let kind = document.name(of: element)
        let parent = element.parent.map { document.elements[$0] }
        let parentName = parent.flatMap { document.value("name", of: $0) }
        let entity = document.ancestor(of: index, named: ["entity"])
            .flatMap { document.value("name", of: document.elements[$0]) }
        func declare(_ symbol: (String) -> Symbol) {
            guard let name = document.value("name", of: element),
                let attribute = document.attribute("name", of: element)
            else { return }
            add(symbol(name), attribute.valueRange, index, isDeclaration: true)
        }
        switch kind {
        case "entity":
            declare(Symbol.entity)
            refer("parentEntity", index, Symbol.entity)
        case "attribute":
            if parent.map({ document.name(of: $0) }) == "composite", let parentName {
                declare { .element($0, of: parentName) }
            } else if let entity {
                declare { .property($0, of: entity) }
                format("derivationExpression", index, entity)
            }
            refer("composite", index, Symbol.composite)
        case "relationship":
            guard let entity else { return }
            declare { .property($0, of: entity) }
            refer("destinationEntity", index, Symbol.entity)
            refer("inverseEntity", index, Symbol.entity)
            if let other = document.value("inverseEntity", of: element)
                ?? document.value("destinationEntity", of: element)
            {
                refer("inverseName", index) { [graph] in Self.property($0, of: other, graph) }
            }
        case "fetchedProperty":
            if let entity { declare { .property($0, of: entity) } }
        case "fetchRequest":
            if parent.map({ document.name(of: $0) }) == "model" { declare(Symbol.fetchRequest) }
            refer("entity", index, Symbol.entity)
            if let target = document.value("entity", of: element) { format("predicateString", index, target) }
        case "fetchIndex":
            guard let entity else { return }
            declare { .index($0, of: entity) }
            format("partialIndexPredicate", index, entity)
        case "fetchIndexElement":
            guard let entity else { return }
            refer("property", index) { [graph] in Self.property($0, of: entity, graph) }
            format("expression", index, entity)
        case "constraint", "index":
            if let entity { refer("value", index) { [graph] in Self.property($0, of: entity, graph) } }
        case "composite": declare(Symbol.composite)
        case "configuration": declare(Symbol.configuration)
        case "memberEntity": refer("name", index, Symbol.entity)
        default: break
        }
    }

    /// The property that an entity has or inherits.
    private static func property(_ name: String, of entityName: String, _ graph: ModelGraph) -> Symbol {
        guard let entity = graph.entity(named: entityName) else { return .property(name, of: entityName) }
        let owner = (graph.ancestors(of: entity) + [entity]).first { candidate in
            candidate.attributes.contains { $0.name == name } || candidate.relationships.contains { $0.name == name }
                || candidate.fetchedProperties.contains { $0.name == name }
        }
        return .property(name, of: owner?.name ?? entityName)
    }

    private mutating func refer(_ name: String, _ index: Int, _ symbol: (String) -> Symbol) {
        guard let attribute = document.attribute(name, of: document.elements[index]), !attribute.valueRange.isEmpty
        else { return }
        add(symbol(document.value(of: attribute)), attribute.valueRange, index)
    }

    private mutating func add(_ symbol: Symbol, _ range: Range<Int>, _ index: Int, isDeclaration: Bool = false) {
        occurrences.append(
            Occurrence(symbol: symbol, range: range, isDeclaration: isDeclaration, element: index))
    }

    // MARK: Formats

    /// The names in the paths of a predicate or an expression.
    private mutating func format(_ name: String, _ index: Int, _ entity: String) {
        guard let attribute = document.attribute(name, of: document.elements[index]) else { return }
        let characters = document.characters(of: attribute.valueRange)
        var position = 0
        var quotationMark: Character?
        while position < characters.count {
            let character = characters[position].character
            if let open = quotationMark {
                if character == open { quotationMark = nil }
                position += 1
            } else if character == "\"" || character == "'" {
                quotationMark = character
                position += 1
            } else if Self.beginsName(character) {
                var end = position
                while end < characters.count, Self.isPart(characters[end].character) { end += 1 }
                path(characters[position..<end], index, entity)
                position = end
            } else {
                position += 1
            }
        }
    }

    private mutating func path(
        _ characters: ArraySlice<SourceDocument.WrittenCharacter>, _ index: Int, _ entity: String
    ) {
        var owner = PropertyOwner.entity(entity)
        for part in characters.split(whereSeparator: { $0.character == "." }) {
            let name = String(part.map(\.character))
            guard let first = part.first, let last = part.last else { return }
            if name.uppercased() == "SELF" || name.hasPrefix("@") { continue }
            guard !name.hasPrefix("$"), let property = graph.property(named: name, of: owner) else { return }
            let range = first.range.lowerBound..<last.range.upperBound
            switch owner {
            case .entity(let entity): add(Self.property(name, of: entity, graph), range, index)
            case .composite(let composite): add(.element(name, of: composite), range, index)
            }
            switch property {
            case .toOne(let destination), .toMany(let destination, _): owner = .entity(destination)
            case .composite(let composite): owner = .composite(composite)
            default: return
            }
        }
    }

    private static func beginsName(_ character: Character) -> Bool {
        character.isLetter || character == "_" || character == "$" || character == "@"
    }

    private static func isPart(_ character: Character) -> Bool {
        beginsName(character) || character.isNumber || character == "."
    }
}

extension SourceDocument {
    /// A character of a value, with the bytes that stand for it.
    struct WrittenCharacter {
        var character: Character
        var range: Range<Int>
    }

    /// The characters of a value, in which references are replaced.
    func characters(of range: Range<Int>) -> [WrittenCharacter] {
        var result: [WrittenCharacter] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            var end = offset + 1
            if bytes[offset] == UInt8(ascii: "&"),
                let semicolon = bytes[offset..<range.upperBound].firstIndex(of: UInt8(ascii: ";"))
            {
                end = semicolon + 1
            } else {
                while end < range.upperBound, bytes[end] & 0xC0 == 0x80 { end += 1 }
            }
            for character in XMLText.unescaped(text(offset..<end)) {
                result.append(WrittenCharacter(character: character, range: offset..<end))
            }
            offset = end
        }
        return result
    }
}
