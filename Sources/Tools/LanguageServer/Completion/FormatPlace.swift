import DataModel
import ModelFormat
import PredicateFormat

/// The cursor in a predicate or in the expression of a derivation or an index.
struct FormatPlace {
    private let graph: ModelGraph
    /// The entity whose objects the format is about.
    private let entity: String
    /// The entity that has the fetched property; nil for other formats.
    private let source: String?
    private let isDerivation: Bool
    private let isPredicate: Bool
    /// The text before the cursor.
    private let text: String
    /// The path before the cursor, up to the word that is being typed.
    private let path: [String]
    /// The bytes that a completion replaces: the word.
    let replaced: Range<Int>

    /// Nil where the attribute holds no format, or the cursor is in a literal.
    init?(_ name: String, _ place: CursorPlace, _ version: EditedVersion, _ offset: Int) {
        guard let graph = version.graph, let document = version.document else { return nil }
        let owner = place.parent.flatMap { document.ancestor(of: $0, named: ["entity"]) }
            .flatMap { document.value("name", of: document.elements[$0]) }
        switch (place.elementName, name) {
        case ("fetchRequest", "predicateString"):
            guard let entity = place.attributes["entity"] else { return nil }
            self.entity = entity
            source = owner
        case ("fetchIndex", "partialIndexPredicate"), ("attribute", "derivationExpression"),
            ("fetchIndexElement", "expression"):
            guard let owner else { return nil }
            entity = owner
            source = nil
        default: return nil
        }
        isDerivation = name == "derivationExpression"
        isPredicate = name == "predicateString" || name == "partialIndexPredicate"
        self.graph = graph
        text = XMLText.unescaped(place.typed(version.text.bytes, offset))
        var quotationMark: Character?
        for character in text where character == "\"" || character == "'" {
            if quotationMark == nil {
                quotationMark = character
            } else if quotationMark == character {
                quotationMark = nil
            }
        }
        if quotationMark != nil { return nil }
        let token = String(text.reversed().prefix { Self.isPart($0) }.reversed())
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let word = parts.popLast() ?? ""
        path = parts
        var end = offset
        let bytes = version.text.bytes
        while end < place.replaced.upperBound, Self.isPart(Character(Unicode.Scalar(bytes[end]))), bytes[end] != 0x2E {
            end += 1
        }
        replaced = offset - word.utf8.count..<end
    }

    private static func isPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_.@$".contains(character)
    }

    var items: [CompletionItem] {
        guard let target = target(of: path, from: .entity(entity)) else { return [] }
        var items = properties(of: target.owner)
        if target.isToMany, !path.isEmpty { items += operators }
        if path.isEmpty { items += functions + keywords + variables }
        return items
    }

    /// The thing at the end of a path, and whether there are many of it.
    private func target(of path: [String], from start: PropertyOwner) -> (owner: PropertyOwner, isToMany: Bool)? {
        var owner = start
        var isToMany = false
        for name in path {
            if name.uppercased() == "SELF" { continue }
            if name.hasPrefix("$") {
                guard let entity = entity(ofVariable: String(name.dropFirst())) else { return nil }
                owner = .entity(entity)
                continue
            }
            // An operator is followed by a path of the same objects.
            if name.hasPrefix("@") { continue }
            switch graph.property(named: name, of: owner) {
            case .toOne(let destination): owner = .entity(destination)
            case .toMany(let destination, _):
                owner = .entity(destination)
                isToMany = true
            case .composite(let name): owner = .composite(name)
            default: return nil
            }
        }
        return (owner, isToMany)
    }

    private func entity(ofVariable name: String) -> String? {
        if name == "FETCH_SOURCE" { return source }
        // SUBQUERY(path, $name, condition)
        guard let declaration = text.ranges(of: "$" + name).first else { return nil }
        let before = text[..<declaration.lowerBound]
        guard let comma = before.lastIndex(of: ","), let open = before[..<comma].lastIndex(of: "(") else { return nil }
        let path = before[before.index(after: open)..<comma].split(separator: ".").map { word in
            String(word.filter { !$0.isWhitespace })
        }
        guard case .entity(let entity)? = target(of: path, from: .entity(entity))?.owner else { return nil }
        return entity
    }

    private func properties(of owner: PropertyOwner) -> [CompletionItem] {
        graph.propertyNames(of: owner).compactMap { name in
            switch graph.property(named: name, of: owner) {
            case .attribute(let type): CompletionItem(name, .field, detail: type.rawValue, rank: 1)
            case .composite(let name): CompletionItem(name, .field, detail: name, rank: 1)
            case .toOne(let destination): CompletionItem(name, .reference, detail: destination, rank: 2)
            case .toMany(let destination, _): CompletionItem(name, .reference, detail: "[\(destination)]", rank: 2)
            case .fullText: isDerivation ? nil : CompletionItem(name, .field, detail: "full-text index", rank: 2)
            case .entityName, .unusable, nil: nil
            }
        }
    }

    private var operators: [CompletionItem] {
        let names = isDerivation ? ["count", "sum"] : ["count", "sum", "avg", "min", "max"]
        return names.map { CompletionItem("@\($0)", .method, rank: 1) }
    }

    private var functions: [CompletionItem] {
        let derivations: Set<BuiltInFunction> = [.canonical, .uppercase, .lowercase, .now]
        return BuiltInFunction.allCases.filter { !isDerivation || derivations.contains($0) }.map { function in
            let count = function.argumentCounts.lowerBound
            let places = (0..<count).map { "$\($0 + 1)" }.joined(separator: ", ")
            return CompletionItem(
                "\(function.rawValue)(\(count == 0 ? "" : "…"))", .function, text: "\(function.rawValue)(\(places))",
                isSnippet: true, rank: 4)
        }
    }

    private var keywords: [CompletionItem] {
        guard isPredicate else { return [] }
        let words = [
            "AND", "OR", "NOT", "ANY", "ALL", "NONE", "IN", "LIKE", "MATCHES", "CONTAINS", "CONTAINS[cd]", "BEGINSWITH",
            "ENDSWITH", "BETWEEN", "nil", "YES", "NO", "SELF", "TRUEPREDICATE", "FALSEPREDICATE",
        ]
        return words.map { CompletionItem($0, .keyword, rank: 5) }
            + [
                CompletionItem(
                    "SUBQUERY", .snippet, text: "SUBQUERY(${1:path}, \\$${2:x}, $3).@count > 0".escapedForXML,
                    isSnippet: true, rank: 5)
            ]
    }

    private var variables: [CompletionItem] {
        source == nil ? [] : ["$FETCH_SOURCE", "$FETCHED_PROPERTY"].map { CompletionItem($0, .constant, rank: 3) }
    }
}

extension String {
    /// The text as it is written in the value of an attribute.
    fileprivate var escapedForXML: String { XMLText.escaped(self) }
}
