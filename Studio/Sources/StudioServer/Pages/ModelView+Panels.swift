import DataModel
@_spi(Studio) import ModelAuthoring
import ModelDiagram

extension ModelView {
    private var entityNames: [String] { snapshot.model.entities.map(\.name).sorted() }

    // MARK: An entity

    func panel(_ entity: Entity) -> [HTML] {
        var parts: [HTML] = [.element("h2", [], [.foreign(entity.name)])]
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
        parts += entity.fetchedProperties.map { property in
            part(.property(property.name, of: entity.name), property.name, "fetched \(property.request.entityName)")
        }
        parts.append(newAttribute)
        parts.append(.element("h3", [], "Relationships"))
        parts += entity.relationships.map { relationship in
            part(
                .property(relationship.name, of: entity.name), relationship.name,
                "→ \(relationship.destinationName) \(Cardinality(relationship))")
        }
        parts += [newRelationship(of: entity), .element("h3", [], "Indexes and constraints")]
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
                    textField("index", "elements", "Properties", hint: "such as likes:descending, title"),
                    choiceField("index", "index-kind", "Kind", ["binary", "rtree", "fulltext"], "binary"),
                ]),
            addition(
                "constraint", "New constraint",
                [textField("constraint", "elements", "Properties", hint: "unique together, such as code, year")]),
            .element("h3", [], "Fetch requests"),
        ]
        parts += snapshot.model.fetchRequests.filter { $0.entityName == entity.name }.map(fetchRequest)
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

    private func fetchRequest(_ request: FetchRequest) -> HTML {
        let sql = snapshot.sql(ofFetchRequest: request.name)
        return part(
            .fetchRequest(request.name), request.name, request.predicate ?? "",
            more: sql.map { [.element("pre", [.init("class", "sql"), .init("aria-label", "SQL")], $0)] } ?? [])
    }

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
        [.element("h2", [], [.foreign(composite.name)]), .element("h3", [], "Attributes")]
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
        let others = snapshot.findings.filter { $0.item == nil }
        parts += others.map(Self.finding)
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
        parts += versions + configurations
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

    // MARK: Versions

    private var versions: [HTML] {
        let names = snapshot.bundle.versionNames
        let rows = names.enumerated().reversed().map { index, name -> HTML in
            let isCurrent = name == snapshot.bundle.currentVersionName
            let isLocked = snapshot.lockedNames.contains(name)
            let state = [isCurrent ? "current" : nil, isLocked ? "locked" : nil].compactMap { $0 }.joined(
                separator: ", ")
            var actions: [HTML] = []
            if index > 0 {
                actions += [.link(Address("/model-review", [("version", name)]), "Changes"), .text(" ")]
            }
            if studio.isWritable {
                func button(_ action: String, _ title: String) -> HTML {
                    form(
                        "/model-version", "inline",
                        [
                            .hidden("name", name), .hidden("action", action),
                            .element("button", [.init("aria-label", "\(title) \(name)")], title),
                        ])
                }
                if !isCurrent { actions.append(button("current", "Set current")) }
                if !isLocked { actions.append(button("lock", "Lock")) }
            }
            return .element(
                "li", [.init("aria-current", isCurrent ? "true" : nil)],
                [
                    .link(place.with { $0.version = isCurrent ? nil : name }.address, name), .text(" "),
                    .element("small", [.init("class", "note")], state), .text(" "),
                ] + actions)
        }
        var parts: [HTML] = [.element("h3", [], "Versions"), .element("ol", [.init("class", "versions")], rows)]
        if studio.isWritable {
            parts.append(
                form(
                    "/model-version", "pair",
                    [
                        .hidden("action", "new"),
                        .void(
                            "input",
                            [
                                .init("name", "name"), .init("placeholder", "next number"),
                                .init("aria-label", "Name of the version"),
                            ]),
                        .element("button", [], "New version"),
                    ]))
        }
        return parts
    }

    /// The changes since the version before, which the page's script looks up while they are shown.
    var review: HTML {
        let name = snapshot.model.name
        if snapshot.bundle.versionNames.first == name { return .none }
        return .element(
            "details", [.init("data-key", "review"), .init("class", "part")],
            [
                .element("summary", [], "Changes and migration"),
                .element(
                    "div", [.init("data-version", name)],
                    [.element("p", [], [.link(Address("/model-review", [("version", name)]), "Changes in \(name)")])]),
            ])
    }

    // MARK: Configurations

    private var configurations: [HTML] {
        if snapshot.model.configurations.isEmpty, !isEditable { return [] }
        func members(_ name: String, _ chosen: Set<String>) -> HTML {
            .element(
                "fieldset", [],
                [.element("legend", [], "Entities")]
                    + entityNames.map { entity in
                        .element(
                            "label", [.init("class", "member")],
                            [
                                .void(
                                    "input",
                                    [
                                        .init("type", "checkbox"), .init("name", "member." + entity),
                                        .init("value", "1"),
                                        .init("checked", isThere: chosen.contains(entity)),
                                        .init("disabled", isThere: !isEditable),
                                    ]), .text(" "), .foreign(entity),
                            ])
                    })
        }
        var parts: [HTML] = [.element("h3", [], "Configurations")]
        parts += snapshot.model.configurations.map { configuration in
            .element(
                "details", [.init("data-key", "configuration " + configuration.name), .init("class", "part")],
                [
                    .element("summary", [], [.foreign(configuration.name)]),
                    form(
                        "/model-configuration", "fields",
                        [
                            .hidden("name", configuration.name),
                            members(configuration.name, Set(configuration.entityNames)),
                        ]
                            + (isEditable
                                ? [.element("p", [.init("class", "actions")], [.element("button", [], "Save")])] : [])),
                ])
        }
        if isEditable {
            parts.append(
                .element(
                    "details", [.init("data-key", "new configuration"), .init("class", "part new")],
                    [
                        .element("summary", [], "New configuration"),
                        form(
                            "/model-configuration", "fields",
                            [
                                textField("configuration", "name", "Name"), members("", []),
                                .element("p", [.init("class", "actions")], [.element("button", [], "Add")]),
                            ]),
                    ]))
        }
        return parts
    }
}

extension ModelItem {
    /// The box that shows the item.
    var boxName: String? {
        switch self {
        case .entity(let name), .composite(let name): name
        case .property(_, let owner), .index(_, let owner), .constraint(_, let owner): owner
        case .fetchRequest, .configuration: nil
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
