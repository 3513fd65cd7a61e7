import DataModel

extension ContentsReader {
    /// Reads a fetch index; nil when it has no name or no elements.
    mutating func readFetchIndex(_ element: XMLElement, of entityName: String) -> FetchIndex? {
        let name = required("name", of: element, "An index of '\(entityName)'")
        let title = "Index '\(name ?? "")' of '\(entityName)'"
        var index = FetchIndex(name: name ?? "", elements: [], location: element.location)
        index.partialIndexPredicate = text("partialIndexPredicate", of: element)
        if index.partialIndexPredicate != nil {
            index.predicateLocation = element.valueLocation(of: "partialIndexPredicate")
        }
        index.userInfo = readUserInfo(of: element)
        var kinds: Set<FetchIndex.Kind> = []
        for child in element.children(named: "fetchIndexElement") {
            kinds.insert(readKind(of: child, title))
            if let part = readIndexElement(child, title) { index.elements.append(part) }
        }
        if kinds.count > 1 {
            diagnostics.report(
                .invalidIndex, at: element.location, "\(title) mixes R-tree and binary elements",
                notes: ["An index is one or the other; make two indexes of it"],
                fixes: ["Binary", "RTree"].map { type in
                    Diagnostic.Fix(
                        "Make it all \(type)",
                        element.children(named: "fetchIndexElement").map {
                            Diagnostic.Change($0.location, .setAttribute("type", to: type))
                        })
                })
        }
        index.kind = kinds.contains(.rtree) ? .rtree : .binary
        if kinds.isEmpty {
            var diagnostic = Diagnostic(
                .invalidIndex, at: element.location, "\(title) has no elements and is ignored",
                notes: ["Add a <fetchIndexElement>, or remove the index"],
                fixes: [.removing(element.location, isSafe: true, "Remove the index")])
            diagnostic.severity = .warning
            diagnostics.report(diagnostic)
        }
        return name == nil || index.elements.isEmpty ? nil : index
    }

    private mutating func readKind(of element: XMLElement, _ title: String) -> FetchIndex.Kind {
        guard let type = element.attribute("type") else { return .binary }
        switch type.value.lowercased() {
        case "binary", "": return .binary
        // No spelling of Xcode's is on record.
        case "rtree", "r-tree": return .rtree
        default:
            report(
                invalid: type, of: element, title, expected: "Binary or RTree",
                correct: meant(by: type.value, among: ["Binary", "RTree"]))
            return .binary
        }
    }

    private static let orders = "ascending or descending"

    private mutating func readIndexElement(_ element: XMLElement, _ title: String) -> FetchIndex.Element? {
        var part = FetchIndex.Element(
            propertyName: text("property", of: element), expression: text("expression", of: element),
            expressionType: text("expressionType", of: element), location: element.location)
        if part.expression != nil { part.expressionLocation = element.valueLocation(of: "expression") }
        if let order = element.attribute("order") {
            switch order.value.lowercased() {
            case "ascending", "": break
            case "descending": part.isAscending = false
            case "asc": report(invalid: order, of: element, title, expected: Self.orders, correct: "ascending")
            case "desc": report(invalid: order, of: element, title, expected: Self.orders, correct: "descending")
            default:
                report(
                    invalid: order, of: element, title, expected: Self.orders,
                    correct: meant(by: order.value, among: ["ascending", "descending"]))
            }
        }
        if part.propertyName == nil && part.expression == nil {
            diagnostics.report(
                .missingAttribute, at: element.location, "An element of \(title.lowercasedFirst) has no 'property'",
                notes: ["Add property=\"…\" to the element <fetchIndexElement>"])
            return nil
        }
        return part
    }

    /// Turns the indexes of models before Xcode 9 into fetch indexes.
    ///
    /// Their names depend on the properties alone, so that the order in the file has no effect.
    mutating func readCompoundIndexes(_ elements: [XMLElement], into entity: inout Entity) {
        let compounds = elements.flatMap { $0.children(named: "compoundIndex") }
        var indexes: [[String]: FetchIndex] = [:]
        for compound in compounds {
            let parts = readCompoundElements(compound, of: entity)
            let names = parts.compactMap(\.propertyName)
            if names.isEmpty || indexes[names] != nil { continue }
            indexes[names] = FetchIndex(name: "", elements: parts, location: compound.location)
        }
        var taken = Set(entity.indexes.map { $0.name.lowercased() })
        for (names, index) in indexes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let base = "compound_" + names.joined(separator: "_")
            var name = base
            var number = 1
            while !taken.insert(name.lowercased()).inserted {
                number += 1
                name = "\(base)_\(number)"
            }
            var named = index
            named.name = name
            entity.indexes.append(named)
        }
    }

    private mutating func readCompoundElements(_ compound: XMLElement, of entity: Entity) -> [FetchIndex.Element] {
        let own = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        var parts: [FetchIndex.Element] = []
        for child in compound.children(named: "index") {
            guard let name = required("value", of: child, "A compound index of '\(entity.name)'") else { continue }
            // Core Data's own names for the object and its entity, which every index distinguishes anyway.
            if ["self", "entity"].contains(name), !own.contains(name) { continue }
            parts.append(FetchIndex.Element(propertyName: name, location: child.location))
        }
        return parts
    }
}

extension String {
    /// The text with a small first letter, for the middle of a sentence.
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
