import DataModel
@_spi(Studio) import ModelAuthoring
import ModelDiagram

extension ModelView {
    private var entityNames: [String] { snapshot.model.entities.map(\.name).sorted() }

    // MARK: An entity

    func panel(_ entity: Entity) -> [HTML] {
        var parts: [HTML] = [heading(entity.name)]
        let hasQueries =
            !entity.fetchedProperties.isEmpty
            || snapshot.model.fetchRequests.contains { $0.entityName == entity.name }
        let queries = hasQueries ? snapshot.queries() : [:]
        if studio.objects.contains(entity.name) {
            parts.append(.element("p", [], [.link(.rows(entity.name), "Objects of \(entity.name)")]))
        }
        parts += [
            .element("h3", [], "Attributes")
        ]
        parts += entity.attributes.map { attribute in
            part(
                .property(attribute.name, of: entity.name), attribute.name,
                (attribute.compositeName ?? attribute.type.rawValue) + (attribute.isOptional ? "?" : "")
                    + (attribute.isTransient ? ", transient" : "") + (attribute.isDerived ? ", derived" : ""))
        }
        parts.append(newAttribute)
        parts.append(.element("h3", [], "Relationships"))
        parts += entity.relationships.map { relationship in
            part(
                .property(relationship.name, of: entity.name), relationship.name,
                "→ \(relationship.destinationName) \(Cardinality(relationship))")
        }
        parts += [newRelationship(of: entity), .element("h3", [], "Fetched properties")]
        parts += entity.fetchedProperties.map { property in
            part(
                .property(property.name, of: entity.name), property.name, "fetched \(property.request.entityName)",
                more: Self.statement(queries[property.location]))
        }
        parts += [
            addition(
                "fetchedProperty", "New fetched property",
                [
                    textField("fetchedProperty", "name", "Name"),
                    choiceField("fetchedProperty", "fetched", "Destination", entityNames, entity.name),
                    textField(
                        "fetchedProperty", "predicate", "Predicate", hint: "such as author == $FETCH_SOURCE"),
                ]),
            .element("h3", [], "Indexes and constraints"),
        ]
        let attributes = Set(entity.attributes.map(\.location))
        parts += entity.indexes.filter { !attributes.contains($0.location) }.map { index in
            part(
                .index(index.name, of: entity.name), index.name,
                index.kind.rawValue + ": "
                    + index.elements.map { $0.propertyName ?? $0.expression ?? "" }.joined(separator: ", "))
        }
        parts += entity.uniquenessConstraints.map { constraint in
            part(
                .constraint(constraint.propertyNames, of: entity.name), "unique",
                constraint.propertyNames.joined(separator: ", "))
        }
        parts += [
            addition(
                "index", "New index",
                [
                    textField("index", "name", "Name"),
                    textField("index", "elements", "Properties", hint: IndexElements.hint),
                    choiceField("index", "index-kind", "Kind", ["binary", "rtree", "fulltext"], "binary"),
                ]),
            addition(
                "constraint", "New constraint",
                [textField("constraint", "elements", "Properties", hint: "unique together, such as code, year")]),
            .element("h3", [], "Fetch requests"),
        ]
        parts += snapshot.model.fetchRequests.filter { $0.entityName == entity.name }.map { request in
            part(
                .fetchRequest(request.name), request.name, request.predicate ?? "",
                more: Self.statement(queries[request.location]))
        }
        parts += [
            addition(
                "fetchRequest", "New fetch request",
                [
                    textField("fetchRequest", "name", "Name"),
                    textField("fetchRequest", "predicate", "Predicate", hint: "such as likes > $MINIMUM"),
                ]),
            .element("h3", [], "Entity"),
        ]
        return parts + forms(.entity(entity.name)) + [position(of: entity.name)]
    }

    private var newAttribute: HTML {
        addition(
            "attribute", "New attribute", isOpen: false,
            [
                textField("attribute", "name", "Name"),
                choiceField("attribute", "type", "Type", snapshot.attributeTypes, AttributeType.string.rawValue),
                flagField("attribute", "optional", "Optional"),
                textField("attribute", "default", "Default"),
            ])
    }

    private func newRelationship(of entity: Entity) -> HTML {
        let destination = place.destination ?? entityNames.first { $0 != entity.name } ?? entity.name
        let isDrawn = place.destination != nil
        let name = isDrawn ? ModelEditor.inverseName(of: destination, isToMany: false) : ""
        let inverse = isDrawn ? ModelEditor.inverseName(of: entity.name, isToMany: true) : ""
        return addition(
            "relationship", "New relationship", isOpen: isDrawn,
            [
                textField("relationship", "name", "Name", name),
                choiceField("relationship", "destination", "Destination", entityNames, destination),
                choiceField(
                    "relationship", "count", "Counts", RelationshipCount.allCases.map(\.rawValue), "many-to-one"),
                choiceField(
                    "relationship", "rule", "Deletion rule", Relationship.DeletionRule.allCases.map(\.rawValue),
                    "Nullify"),
                flagField("relationship", "required", "Required"), flagField("relationship", "ordered", "Ordered"),
                textField("relationship", "inverse", "Inverse", inverse, hint: "empty for none"),
                choiceField(
                    "relationship", "inverse-rule", "Rule of the inverse",
                    Relationship.DeletionRule.allCases.map(\.rawValue), "Nullify"),
            ])
    }

    private static func statement(_ sql: String?) -> [HTML] {
        guard let sql else { return [] }
        return [.element("pre", [.init("class", "sql"), .init("aria-label", "SQL"), .init("tabindex", "0")], sql)]
    }

    /// The heading of a panel, to which the keyboard comes from the box.
    private func heading(_ name: String) -> HTML { .element("h2", [.init("tabindex", "-1")], [.foreign(name)]) }

    /// The place of a box, for browsers without a script.
    private func position(of name: String) -> HTML {
        let canvas = studio.desk.canvas(snapshot)
        guard isEditable, let index = canvas.diagram.boxes.firstIndex(where: { $0.name == name }) else { return .none }
        let box = canvas.boxes[index]
        return .element(
            "details", [.init("data-key", "position")],
            [
                .element("summary", [], "Position in the diagram"),
                form(
                    "/model-move", "fields",
                    [
                        .hidden("box", name), textField("position", "x", "From the left", "\(box.x)"),
                        textField("position", "y", "From the top", "\(box.y)"),
                        .element("p", [.init("class", "actions")], [.element("button", [], "Move")]),
                    ]),
            ])
    }

    // MARK: A composite

    func panel(_ composite: Composite) -> [HTML] {
        [heading(composite.name), .element("h3", [], "Attributes")]
            + composite.attributes.map { attribute in
                part(
                    .property(attribute.name, of: composite.name), attribute.name,
                    (attribute.compositeName ?? attribute.type.rawValue) + (attribute.isOptional ? "?" : ""))
            } + [newAttribute, .element("h3", [], "Composite")] + forms(.composite(composite.name))
            + [position(of: composite.name)]
    }

    // MARK: The model

    var modelPanel: [HTML] {
        var parts: [HTML] = []
        parts += snapshot.placeProblems.map { .element("p", [.init("class", "finding warning")], [.foreign($0)]) }
        parts += snapshot.findings.filter { $0.item == nil }.map(finding)
        let safeCount = snapshot.findings.count { $0.fixes.contains(where: \.isSafe) }
        if isEditable, safeCount > 0 {
            let title = "Make all safe fixes (\(safeCount))"
            parts.append(
                form("/model-fix", nil, [.element("button", [.init("name", "all"), .init("value", "1")], title)]))
        }
        parts += [
            addition(
                "entity", "New entity", isOpen: snapshot.model.entities.isEmpty, [textField("entity", "name", "Name")]),
            addition(
                "composite", "New composite",
                [
                    textField("composite", "name", "Name"), textField("composite", "attribute", "First attribute"),
                    choiceField(
                        "composite", "type", "Type", snapshot.attributeTypes, AttributeType.string.rawValue),
                ]),
        ]
        parts += versions + configurations + entries(.model)
        let counts = Dictionary(grouping: snapshot.findings.filter { $0.item != nil }, by: { $0.item?.boxName ?? "" })
        let boxes = entityNames + snapshot.model.composites.map(\.name).sorted()
        parts += [
            .element("h3", [], "Entities"),
            .element(
                "ul", [.init("class", "boxes")],
                boxes.map { name in
                    let worst = (counts[name] ?? []).filter { $0.severity != .note }
                    return .element(
                        "li", [],
                        [.link(place.choosing(name).address, name)]
                            + (worst.isEmpty
                                ? [] : [.element("span", [.init("class", "count warning")], " \(worst.count)")]))
                }),
        ]
        return parts
    }
}

extension ModelItem {
    /// The box that shows the item.
    var boxName: String? {
        switch self {
        case .entity(let name), .composite(let name): name
        case .property(_, let owner), .index(_, let owner), .constraint(_, let owner): owner
        case .fetchRequest, .configuration, .model: nil
        }
    }
}

/// The counts of both sides of a new relationship.
enum RelationshipCount: String, CaseIterable {
    case oneToOne = "one-to-one"
    case oneToMany = "one-to-many"
    case manyToOne = "many-to-one"
    case manyToMany = "many-to-many"

    var isToMany: Bool { self == .oneToMany || self == .manyToMany }
    var isInverseToMany: Bool { self == .manyToOne || self == .manyToMany }
}
