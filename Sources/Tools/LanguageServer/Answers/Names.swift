import DataModel
import ModelFormat

extension ModelServer {
    /// The part that the cursor names, with its place.
    func occurrence(_ parameters: JSONValue) throws(ResponseError) -> (EditedVersion, NameFinder, Occurrence)? {
        let document = try document(parameters)
        let offset = try offset(parameters, in: document)
        guard let version = versionText(document.path), let names = names(in: version) else { return nil }
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
        let files = group(of: version)
        return .array(
            files.flatMap { file in
                (file.path == version.path ? names : file.names)?.occurrences
                    .filter { $0.isDeclaration && $0.item == found.item }.map { location($0.range, in: file) } ?? []
            })
    }

    func references(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        guard let (version, names, found) = try occurrence(parameters) else { return .null }
        let includesDeclaration = parameters["context"]["includeDeclaration"].bool ?? true
        let own = group(of: version)
        var result: [JSONValue] = []
        var seen: Set<String> = []
        for other in versionTexts(ofBundle: try document(parameters).place.bundle) {
            let files = group(of: other)
            guard let item = item(found.item, of: own, in: files) else { continue }
            for file in files where seen.insert(file.path).inserted {
                let occurrences = (file.path == version.path ? names : self.names(in: file))?.occurrences ?? []
                for occurrence in occurrences
                where occurrence.item == item && (includesDeclaration || !occurrence.isDeclaration) {
                    result.append(location(occurrence.range, in: file))
                }
            }
        }
        return .array(result)
    }

    func highlights(_ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        guard let (version, names, found) = try occurrence(parameters) else { return .null }
        let same = names.occurrences.filter { $0.item == found.item }
        return .array(
            same.map {
                ["range": version.text.range($0.range, client.encoding), "kind": .integer($0.isDeclaration ? 3 : 2)]
            })
    }

    // MARK: Merged bundles

    /// A version, and the versions of other bundles that it is merged with.
    func group(of version: EditedVersion) -> [EditedVersion] {
        guard let bundle = ModelPath(ofFile: version.path)?.bundle else { return [version] }
        let merged = MergedFiles(
            ofVersion: version.name, among: versionNames(ofBundle: bundle), inBundle: bundle,
            others: bundles.keys.sorted())
        return [version] + merged.files.compactMap { versionText($0.path) }
    }

    /// The names in a version, resolved in the model that it is merged into.
    private func names(in version: EditedVersion) -> NameFinder? {
        let files = group(of: version)
        guard files.count > 1, var model = version.model else { return version.names }
        var diagnostics = Diagnostics()
        for file in files.dropFirst() {
            if let other = file.model { model.merge(other, of: file.name, reportingTo: &diagnostics) }
        }
        return NameFinder(version, in: ModelGraph(model))
    }

    /// The same part in another version, where it may have another name.
    ///
    /// - Parameters:
    ///   - own: The version and those that it is merged with.
    ///   - other: The other version and those that it is merged with.
    func item(_ item: ModelItem, of own: [EditedVersion], in other: [EditedVersion]) -> ModelItem? {
        if own.first?.path == other.first?.path { return item }
        func entities(_ name: String) -> (own: Entity, other: Entity)? {
            guard let entity = own.lazy.compactMap({ $0.graph?.entity(named: name) }).first else { return nil }
            let known = other.lazy.compactMap { $0.model?.entities.first { $0.canonicalName == entity.canonicalName } }
            return known.first.map { (entity, $0) }
        }
        switch item {
        case .entity(let name): return entities(name).map { .entity($0.other.name) }
        case .property(let name, let owner):
            if own.contains(where: { $0.graph?.composite(named: owner) != nil }) { return item }
            guard let (entity, former) = entities(owner) else { return nil }
            let canonical = entity.canonicalName(ofProperty: name) ?? name
            return former.property(withCanonicalName: canonical).map { .property($0, of: former.name) }
        case .index(let name, let owner): return entities(owner).map { .index(name, of: $0.other.name) }
        case .constraint, .composite, .configuration, .fetchRequest, .model: return item
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
                "name": .string(declaration.item.name), "kind": .integer(declaration.item.symbolKind),
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
            "name": .string(declaration.item.name), "kind": .integer(declaration.item.symbolKind),
            "location": location(declaration.range, in: version),
            "containerName": .string(
                [version.name, declaration.item.container].compactMap(\.self).joined(separator: ", ")),
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
                    if !wanted.isEmpty, !declaration.item.name.lowercased().contains(wanted) { continue }
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
