import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An element of a file, read by Foundation's parser, which shares no code with the reader of models.
struct PlainXML: Equatable {
    var name: String
    var attributes: [String: String]
    var children: [PlainXML] = []

    init(_ name: String, _ attributes: [String: String], children: [PlainXML] = []) {
        (self.name, self.attributes, self.children) = (name, attributes, children)
    }

    /// Nil for a text that is not well-formed.
    init?(_ bytes: [UInt8]) {
        let parser = XMLParser(data: Data(bytes))
        let builder = Builder()
        parser.delegate = builder
        guard parser.parse(), let root = builder.open.first?.children.first else { return nil }
        self = root
    }

    subscript(name: String) -> String? {
        get { attributes[name] }
        set { attributes[name] = newValue }
    }

    /// The element with its children in an order of their own, and without empty containers.
    var unordered: PlainXML {
        var result = self
        let containers = ["uniquenessConstraints", "compoundIndexes"]
        result.children = children.map(\.unordered).filter { !containers.contains($0.name) || !$0.children.isEmpty }
        result.children.sort { $0.text < $1.text }
        return result
    }

    private var text: String {
        let values = attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }
        return "<\(name) \(values.joined(separator: " "))>\(children.map(\.text).joined())"
    }

    private final class Builder: NSObject, XMLParserDelegate {
        var open = [PlainXML("", [:])]

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            open.append(PlainXML(name, attributes))
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            let last = open.removeLast()
            open[open.count - 1].children.append(last)
        }
    }
}

/// The XML of a model, changed by simple rules.
extension PlainXML {
    var entities: [PlainXML] { children.filter { $0.name == "entity" } }

    func entity(_ name: String) -> PlainXML? { entities.first { $0["name"] == name } }

    /// An entity and all above it.
    func line(_ name: String) -> [String] {
        var names: [String] = []
        var next: String? = name
        while let name = next, !names.contains(name) {
            names.append(name)
            next = entity(name)?["parentEntity"]
        }
        return names
    }

    /// Changes every element, with the name of the entity that it is in.
    mutating func visit(in owner: String? = nil, _ change: (inout PlainXML, String?) -> Void) {
        let own = name == "entity" ? attributes["name"] : nil
        change(&self, owner)
        for index in children.indices { children[index].visit(in: own ?? owner, change) }
    }

    mutating func renameEntity(_ old: String, to new: String) {
        visit { element, _ in
            let attributes: [String] =
                switch element.name {
                case "entity": ["name", "parentEntity"]
                case "relationship": ["destinationEntity", "inverseEntity"]
                case "fetchRequest": ["entity"]
                case "memberEntity", "element": ["name"]
                default: []
                }
            for name in attributes where element[name] == old { element[name] = new }
            if element.name == "entity", element["name"] == new, let type = element["representedClassName"] {
                var parts = type.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                if parts.last == old { parts[parts.count - 1] = new }
                element["representedClassName"] = parts.joined(separator: ".")
            }
        }
    }

    mutating func renameProperty(_ old: String, of entity: String, to new: String) {
        let model = self
        let properties = ["attribute", "relationship", "fetchedProperty"]
        visit { element, owner in
            guard let owner else { return }
            switch element.name {
            case "relationship":
                let destination = element["inverseEntity"] ?? element["destinationEntity"] ?? ""
                if element["inverseName"] == old, model.line(destination).contains(entity) {
                    element["inverseName"] = new
                }
            case "fetchIndexElement":
                if element["property"] == old, model.line(owner).contains(entity) { element["property"] = new }
            case "constraint", "index":
                if element["value"] == old, model.line(owner).contains(entity) { element["value"] = new }
            default: break
            }
            if properties.contains(element.name), element["name"] == old, owner == entity { element["name"] = new }
        }
    }

    /// Removes a property, with its inverse, its elements of indexes, and its constraints.
    mutating func removeProperty(_ name: String, of entity: String) {
        let model = self
        let properties = ["attribute", "relationship", "fetchedProperty"]
        var inverses: [(String, String)] = []
        for other in entities {
            for relationship in other.children where relationship.name == "relationship" {
                let destination = relationship["inverseEntity"] ?? relationship["destinationEntity"] ?? ""
                guard relationship["inverseName"] == name, model.line(destination).contains(entity),
                    let own = other["name"], let ownName = relationship["name"], (own, ownName) != (entity, name)
                else { continue }
                inverses.append((own, ownName))
            }
        }
        visit { element, owner in
            let own = element.name == "entity" ? element["name"] : owner
            guard let own else { return }
            let isBelow = model.line(own).contains(entity)
            element.children.removeAll { child in
                if properties.contains(child.name), element.name == "entity" {
                    return own == entity && child["name"] == name
                }
                return switch child.name {
                case "fetchIndexElement": isBelow && child["property"] == name
                case "index": isBelow && child["value"] == name
                case "uniquenessConstraint": isBelow && child.children.contains { $0["value"] == name }
                default: false
                }
            }
        }
        visit { element, _ in
            element.children.removeAll { ["fetchIndex", "compoundIndex"].contains($0.name) && $0.children.isEmpty }
        }
        for (entity, name) in inverses
        where self.entity(entity)?.children.contains(where: { $0["name"] == name }) == true {
            removeProperty(name, of: entity)
        }
    }
}
