import DataModel
import ModelFormat

extension ModelServer {
    /// The part that the cursor names, with its place.
    func occurrence(_ parameters: JSONValue) throws(ResponseError) -> (EditedVersion, NameFinder, Occurrence)? {
        let document = try document(parameters)
        let offset = try offset(parameters, in: document)
        guard let version = versionText(document.path), let names = version.names else { return nil }
        let found =
            names.occurrences.filter { $0.range.lowerBound <= offset && offset <= $0.range.upperBound }
            .min { $0.range.count < $1.range.count }
        if let found { return (version, names, found) }
        // On the name of a tag, its own part.
        guard let text = version.document, let index = text.element(startingAtOrBefore: offset),
            offset <= text.elements[index].nameRange.upperBound,
            let own = names.occurrences.first(where: { $0.element == index && $0.isDeclaration })
        else { return nil }
        return (version, names, own)
    }

    func definition(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        guard let (version, names, found) = try occurrence(parameters) else { return .null }
        let declarations = names.occurrences.filter { $0.isDeclaration && $0.symbol == found.symbol }
        return .array(declarations.map { location($0.range, in: version) })
    }

    func references(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        guard let (version, names, found) = try occurrence(parameters) else { return .null }
        let includesDeclaration = parameters["context"]["includeDeclaration"].bool ?? true
        let document = try document(parameters)
        var result: [JSONValue] = []
        for other in versionTexts(ofBundle: document.place.bundle) {
            guard let otherNames = other.path == version.path ? names : other.names,
                let symbol = symbol(found.symbol, of: version, in: other)
            else { continue }
            for occurrence in otherNames.occurrences
            where occurrence.symbol == symbol && (includesDeclaration || !occurrence.isDeclaration) {
                result.append(location(occurrence.range, in: other))
            }
        }
        return .array(result)
    }

    func highlights(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        guard let (version, names, found) = try occurrence(parameters) else { return .null }
        let same = names.occurrences.filter { $0.symbol == found.symbol }
        return .array(
            same.map {
                ["range": version.text.range($0.range, client.encoding), "kind": .integer($0.isDeclaration ? 3 : 2)]
            })
    }

    /// The same part in another version, where it may have another name.
    func symbol(_ symbol: Symbol, of version: EditedVersion, in other: EditedVersion) -> Symbol? {
        if version.path == other.path { return symbol }
        func entity(_ name: String) -> Entity? {
            guard let own = version.graph?.entity(named: name) else { return nil }
            return other.model?.entities.first { $0.canonicalName == own.canonicalName }
        }
        switch symbol {
        case .entity(let name): return entity(name).map { .entity($0.name) }
        case .property(let name, let owner):
            guard let own = version.graph?.entity(named: owner), let former = entity(owner) else { return nil }
            let canonical = own.canonicalName(ofProperty: name) ?? name
            return former.property(withCanonicalName: canonical).map { .property($0, of: former.name) }
        case .index(let name, let owner): return entity(owner).map { .index(name, of: $0.name) }
        default: return symbol
        }
    }

    func location(_ range: Range<Int>, in version: EditedVersion) -> JSONValue {
        ["uri": .string(uri(version.path)), "range": version.text.range(range, client.encoding)]
    }

    // MARK: Symbols

    func documentSymbols(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        let document = try document(parameters)
        guard let version = versionText(document.path), let text = version.document, let names = version.names else {
            return .array([])
        }
        let declarations = names.occurrences.filter(\.isDeclaration)
        if !client.acceptsSymbolTrees {
            return .array(declarations.map { symbolInformation($0, in: version) })
        }
        let inner = Dictionary(grouping: declarations) { text.elements[$0.element].parent ?? -1 }
        func tree(_ declaration: Occurrence) -> JSONValue {
            let element = text.elements[declaration.element]
            let children = inner[declaration.element] ?? []
            return .members([
                "name": .string(declaration.symbol.name), "kind": .integer(declaration.symbol.kind),
                "detail": detail(of: element, in: text).map { .string($0) },
                "range": version.text.range(
                    element.range.lowerBound..<max(element.range.upperBound, declaration.range.upperBound),
                    client.encoding),
                "selectionRange": version.text.range(declaration.range, client.encoding),
                "children": children.isEmpty ? nil : .array(children.map(tree)),
            ])
        }
        return .array((inner[0] ?? []).map(tree))
    }

    private func detail(of element: SourceDocument.Element, in text: SourceDocument) -> String? {
        text.value("attributeType", of: element) ?? text.value("destinationEntity", of: element)
            ?? text.value("parentEntity", of: element) ?? text.value("entity", of: element)
    }

    private func symbolInformation(_ declaration: Occurrence, in version: EditedVersion) -> JSONValue {
        .members([
            "name": .string(declaration.symbol.name), "kind": .integer(declaration.symbol.kind),
            "location": location(declaration.range, in: version),
            "containerName": .string(
                [version.name, declaration.symbol.container].compactMap(\.self).joined(separator: ", ")),
        ])
    }

    /// The parts of all versions whose names have a text in them. Without a text, those of the current versions.
    func workspaceSymbols(_ query: String) -> JSONValue {
        var result: [JSONValue] = []
        let wanted = query.lowercased()
        for bundle in bundles.keys.sorted() {
            let versions = versionTexts(ofBundle: bundle).reversed()
            for version in wanted.isEmpty ? Array(versions.prefix(1)) : Array(versions) {
                for declaration in version.names?.occurrences ?? [] where declaration.isDeclaration {
                    if !wanted.isEmpty, !declaration.symbol.name.lowercased().contains(wanted) { continue }
                    result.append(symbolInformation(declaration, in: version))
                    if result.count == Self.maximumSymbols { return .array(result) }
                }
            }
        }
        return .array(result)
    }

    /// More than a person looks through.
    private static let maximumSymbols = 1000
}

extension Entity {
    /// The name by which versions match a property.
    func canonicalName(ofProperty name: String) -> String? {
        attributes.first { $0.name == name }?.canonicalName ?? relationships.first { $0.name == name }?.canonicalName
    }

    /// The property that versions match by a name.
    func property(withCanonicalName name: String) -> String? {
        attributes.first { $0.canonicalName == name }?.name ?? relationships.first { $0.canonicalName == name }?.name
            ?? fetchedProperties.first { $0.name == name }?.name
    }
}
