extension ModelChecker {
    /// Checks the columns of a full-text index. Each must be another text, and either all or none must have a weight.
    mutating func checkColumns(of index: FetchIndex, _ title: String) {
        var seen: Set<String> = []
        for element in index.elements {
            guard let name = element.propertyName, !seen.insert(name).inserted else { continue }
            report(
                .invalidIndex, at: element.location, "\(title) is a full-text index and names '\(name)' twice",
                notes: ["Each attribute is one column; ashlar.index.\(index.name).weights gives a column more weight"],
                fixes: [.removing(element.location, "Remove the second")], attribute: "property")
        }
        let weights = index.fullText.weights.count
        guard weights > 0, weights != index.elements.count else { return }
        report(
            .invalidIndex, at: index.location,
            "\(title) has \(weights) \(weights == 1 ? "weight" : "weights") for \(index.elements.count) "
                + (index.elements.count == 1 ? "column" : "columns"),
            notes: ["Write one number for each element of the index, in their order"])
    }

    /// An attribute that a full-text index is over.
    mutating func checkText(
        _ attribute: Attribute, in index: FetchIndex, _ title: String, _ element: FetchIndex.Element
    ) {
        if attribute.isTransient {
            reportNoText(attribute.name, "is transient", title, element, in: index)
        } else if attribute.type != .string {
            reportNoText(attribute.name, "has the type \(attribute.type.rawValue)", title, element, in: index)
        }
    }

    mutating func reportNoText(
        _ name: String, _ reason: String, _ title: String, _ element: FetchIndex.Element, in index: FetchIndex
    ) {
        report(
            .invalidIndex, at: element.location, "\(title) is a full-text index over '\(name)', which \(reason)",
            notes: ["A full-text index holds stored strings; a text can be copied into a derived attribute"],
            fixes: [removal(of: element, in: index)], attribute: "property")
    }

    /// A full-text index becomes a member of the entity's class, which conditions use by its name.
    mutating func checkFullTextNames() {
        guard model.hasFullTextIndexes else { return }
        let graph = ModelGraph(model)
        for entity in model.entities {
            for index in entity.indexes where index.kind == .fullText {
                checkName(of: index, entity, graph)
            }
        }
    }

    private mutating func checkName(of index: FetchIndex, _ entity: Entity, _ graph: ModelGraph) {
        let name = SQLiteName.folded(index.name)
        let title = "Full-text index '\(index.name)' of '\(entity.name)'"
        let note = "Conditions call it by its name, as they do properties; rename it"
        for other in graph.ancestors(of: entity) + graph.hierarchy(of: entity) {
            if let property = other.properties.first(where: { SQLiteName.folded($0.name) == name }) {
                report(
                    .invalidIndex, at: index.location,
                    "\(title) has the name of the property '\(other.name).\(property.name)'", notes: [note],
                    attribute: "name")
            }
        }
        let ownNames = ["config", "content", "data", "docsize", "idx"].map { "\(name)_\($0)" }
        for other in entity.indexes where other.kind == .fullText && ownNames.contains(SQLiteName.folded(other.name)) {
            report(
                .invalidIndex, at: other.location,
                "Full-text index '\(other.name)' of '\(entity.name)' has the name of a table that belongs to "
                    + "'\(index.name)'",
                notes: ["FTS5 makes tables with the index's name and an ending such as '_data'; rename one of them"],
                attribute: "name")
        }
        for other in graph.ancestors(of: entity) {
            let isTaken = other.indexes.contains { $0.kind == .fullText && SQLiteName.folded($0.name) == name }
            guard isTaken else { continue }
            report(
                .invalidIndex, at: index.location,
                "\(title) has the name of a full-text index that is inherited from '\(other.name)'", notes: [note],
                attribute: "name")
        }
    }
}

extension Model {
    /// Whether an entity has a full-text index.
    package var hasFullTextIndexes: Bool {
        entities.contains { $0.indexes.contains { $0.kind == .fullText } }
    }
}

extension ModelGraph {
    /// The full-text index of an entity with a name, its own or inherited.
    package func fullTextIndex(named name: String, of entity: Entity) -> FetchIndex? {
        (ancestors(of: entity) + [entity]).lazy.flatMap(\.indexes).first { $0.kind == .fullText && $0.name == name }
    }
}
