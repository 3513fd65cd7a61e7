public import DataModel

extension Diagram {
    /// Draws a version of a model. Boxes and rows have the model's order.
    ///
    /// A model with errors is drawn as far as its names can be resolved; rows show the model's text.
    public init(_ graph: ModelGraph) {
        self.init(title: graph.model.name, boxes: [], connections: [])
        var builder = DiagramBuilder(graph)
        boxes = builder.boxes()
        connections = builder.connections()
    }
}

/// Collects the boxes of a model, then the connections between them.
private struct DiagramBuilder {
    private let graph: ModelGraph
    private var entityBoxes: [String: Int] = [:]
    private var compositeBoxes: [String: Int] = [:]

    init(_ graph: ModelGraph) { self.graph = graph }

    mutating func boxes() -> [Diagram.Box] {
        var boxes: [Diagram.Box] = []
        for entity in graph.model.entities {
            if entityBoxes[entity.name] == nil { entityBoxes[entity.name] = boxes.count }
            boxes.append(
                Diagram.Box(
                    kind: entity.isAbstract ? .abstractEntity : .entity, name: entity.name,
                    documentation: entity.userInfo["documentation"], rows: rows(of: entity)))
        }
        for composite in graph.model.composites {
            if compositeBoxes[composite.name] == nil { compositeBoxes[composite.name] = boxes.count }
            boxes.append(
                Diagram.Box(
                    kind: .composite, name: composite.name, documentation: nil, rows: composite.attributes.map(row)))
        }
        return boxes
    }

    // MARK: Rows

    private func rows(of entity: Entity) -> [Diagram.Row] {
        entity.attributes.map(row) + entity.fetchedProperties.map(row) + entity.relationships.map(row)
            + entity.uniquenessConstraints.map(row) + entity.indexes.map(row)
    }

    private func row(_ attribute: Attribute) -> Diagram.Row {
        let type = attribute.type == .composite ? attribute.compositeName ?? "Composite" : attribute.type.rawValue
        var remarks: [String] = []
        if attribute.isTransient { remarks.append("transient") }
        if let expression = attribute.derivationExpression { remarks.append("= \(expression)") }
        if attribute.isIndexed { remarks.append("indexed") }
        return Diagram.Row(
            section: .attributes, name: attribute.name, detail: type + (attribute.isOptional ? "?" : ""),
            remarks: remarks)
    }

    private func row(_ property: FetchedProperty) -> Diagram.Row {
        Diagram.Row(
            section: .attributes, name: property.name, detail: property.request.entityName, remarks: ["fetched"])
    }

    private func row(_ relationship: Relationship) -> Diagram.Row {
        var remarks = [relationship.deletionRule.rawValue.lowercased()]
        if relationship.isOrdered { remarks.append("ordered") }
        if relationship.isTransient { remarks.append("transient") }
        return Diagram.Row(
            section: .relationships, name: relationship.name,
            detail: "\(relationship.destinationName) \(Cardinality(relationship))", remarks: remarks)
    }

    private func row(_ constraint: UniquenessConstraint) -> Diagram.Row {
        Diagram.Row(
            section: .indexes, name: "unique", detail: constraint.propertyNames.joined(separator: ", "), remarks: [])
    }

    private func row(_ index: FetchIndex) -> Diagram.Row {
        let elements = index.elements.map { element in
            (element.propertyName ?? element.expression ?? "") + (element.isAscending ? "" : " ↓")
        }
        var remarks = [index.kind.remark]
        if let predicate = index.partialIndexPredicate { remarks.append("where \(predicate)") }
        return Diagram.Row(
            section: .indexes, name: index.name, detail: elements.joined(separator: ", "), remarks: remarks)
    }

    // MARK: Connections

    func connections() -> [Diagram.Connection] {
        var result: [Diagram.Connection] = []
        for (box, entity) in graph.model.entities.enumerated() where entityBoxes[entity.name] == box {
            if let parent = graph.parent(of: entity).flatMap({ entityBoxes[$0.name] }) {
                result.append(
                    Diagram.Connection(
                        kind: .inheritance, source: Diagram.End(box: parent), destination: Diagram.End(box: box)))
            }
            let first = entity.attributes.count + entity.fetchedProperties.count
            for (index, relationship) in entity.relationships.enumerated() {
                if let connection = connection(
                    relationship, of: entity, from: Diagram.End(box: box, row: first + index))
                {
                    result.append(connection)
                }
            }
            result += composites(of: entity.attributes, box: box)
        }
        for (index, composite) in graph.model.composites.enumerated() {
            result += composites(of: composite.attributes, box: graph.model.entities.count + index)
        }
        return result
    }

    /// A relationship's connection; nil when its inverse draws it, or when the destination does not exist.
    private func connection(
        _ relationship: Relationship, of entity: Entity, from end: Diagram.End
    ) -> Diagram.Connection? {
        guard var box = entityBoxes[relationship.destinationName] else { return nil }
        var source = end
        var row: Int?
        // An inverse that does not point back is drawn on its own.
        if let (owner, inverse) = graph.inverse(of: relationship), inverse.inverseName == relationship.name,
            graph.inverse(of: inverse)?.entity.name == entity.name, let ownerBox = entityBoxes[owner.name],
            let index = owner.relationships.firstIndex(where: { $0.name == inverse.name })
        {
            let inverseRow = owner.attributes.count + owner.fetchedProperties.count + index
            if (ownerBox, inverseRow) < (end.box, end.row ?? 0) { return nil }
            box = ownerBox
            row = inverseRow
            source.cardinality = Cardinality(inverse)
        }
        return Diagram.Connection(
            kind: .relationship, source: source,
            destination: Diagram.End(box: box, row: row, cardinality: Cardinality(relationship)))
    }

    private func composites(of attributes: [Attribute], box: Int) -> [Diagram.Connection] {
        attributes.enumerated().compactMap { row, attribute in
            guard attribute.type == .composite, let target = attribute.compositeName.flatMap({ compositeBoxes[$0] })
            else { return nil }
            return Diagram.Connection(
                kind: .composite, source: Diagram.End(box: box, row: row), destination: Diagram.End(box: target))
        }
    }
}

extension FetchIndex.Kind {
    fileprivate var remark: String {
        switch self {
        case .binary: "index"
        case .rtree: "R-tree"
        case .fullText: "full text"
        }
    }
}
