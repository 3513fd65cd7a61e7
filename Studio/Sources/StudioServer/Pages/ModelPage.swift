import DataModel
@_spi(Studio) import ModelAuthoring
import ModelDiagram

extension ModelStudio {
    /// A form that was refused: the fields as they were sent, and the messages about them.
    struct RefusedForm {
        /// The item, or the title of the form for a new one.
        var key: String
        var sent: Parameters
        var error: ModelDeskError
    }

    /// The diagram with the panel.
    func page(_ place: ModelAddress, refused: RefusedForm? = nil) throws -> Page {
        if !desk.exists { return creationPage() }
        let snapshot = try desk.snapshot(version: place.version)
        let view = ModelView(studio: self, snapshot: snapshot, place: place, refused: refused)
        let found = place.search.map { snapshot.boxes(containing: $0) }
        let canvas = desk.canvas(snapshot, near: place.near)
        let picture = canvas.svg(
            emphasis: DiagramCanvas.Emphasis(chosen: place.box, found: found.map(Set.init)), isEditable: view.isEditable
        ) { place.choosing($0.name).address.text }
        return Page(
            snapshot.model.name, of: self, style: "model",
            undoFields: [
                .hidden("entity", place.box), .hidden("property", place.property), .hidden("near", place.near),
                .hidden("search", place.search),
            ],
            [
                .element(
                    "div", [.init("id", "tools"), .init("class", "tools")], tools(place, view, found)),
                .element(
                    "div",
                    [
                        .init("class", "desk"), .init("data-state", snapshot.state),
                        .init("data-token", view.isEditable && place.near == nil ? formToken.text : nil),
                    ],
                    [
                        .element(
                            "div",
                            [
                                .init("id", "canvas"), .init("class", "canvas-area"), .init("tabindex", "0"),
                                .init("role", "region"), .init("aria-label", "Diagram of the model"),
                            ], [.picture(picture)]),
                        .element(
                            "aside", [.init("id", "panel"), .init("aria-label", place.box ?? "Model")], view.panel),
                    ]),
            ])
    }

    private func tools(_ place: ModelAddress, _ view: ModelView, _ found: [String]?) -> [HTML] {
        var parts: [HTML] = [
            .element(
                "form",
                [.init("method", "get"), .init("action", "/model"), .init("role", "search"), .init("class", "find")],
                [
                    .element("label", [.init("for", "model-search")], "Search "),
                    .void(
                        "input",
                        [
                            .init("id", "model-search"), .init("type", "search"), .init("name", "search"),
                            .init("value", place.search ?? ""), .init("autocomplete", "off"),
                        ]),
                    .hidden("version", place.version), .hidden("entity", place.box),
                    .text(" "), .element("button", [], "Find"),
                ])
        ]
        if let found {
            let links = found.prefix(12).flatMap { [HTML.text(" "), .link(place.choosing($0).address, $0)] }
            parts.append(
                .element(
                    "span", [.init("id", "found"), .init("role", "status")],
                    [.text("\(found.count) found:")] + links))
        }
        if place.near != nil {
            parts.append(.link(place.with { $0.near = nil }.address, "Show all entities"))
        } else if let box = place.box {
            parts.append(.link(place.with { $0.near = box }.address, "Neighbors only"))
        }
        if view.isEditable {
            let address = ModelAddress().with { ($0.search, $0.adding) = (place.search, "entity") }.address
            parts.append(
                .element("a", [.init("id", "new-entity"), .init("href", address.text)], "New entity"))
            parts.append(view.form("/model-arrange", nil, [.element("button", [], "Arrange")]))
        }
        return parts
    }

    private func creationPage() -> Page {
        Page(
            "New model", of: self,
            [.element("p", [], [.text("There is no model at "), .foreign(desk.path), .text(".")])]
                + (isWritable
                    ? [.form("/model-create", formToken, nil, [.element("button", [], "Create \(desk.name)")])] : []))
    }

    /// The differences of a version from the one before, with the migration and its proof.
    func reviewPage(_ version: String) throws -> Page {
        Page("Changes in \(version)", of: self, [.element("div", [.init("id", "review")], try review(version))])
    }

    private func review(_ version: String) throws -> [HTML] {
        let back = HTML.element("p", [], [.link(ModelAddress().address, "Back to the model")])
        guard let review = try desk.review(of: version) else {
            return [back, .paragraph("This is the first version.")]
        }
        var content: [HTML] = [back, .element("h2", [], [.text("Changes since "), .foreign(review.previous)])]
        let changes = review.changes.map { change in
            HTML.element(
                "li", [.init("class", change.action)],
                [.text("\(change.action): "), .foreign(change.subject)]
                    + (change.facets.isEmpty
                        ? []
                        : [
                            .element(
                                "ul", [],
                                change.facets.map { facet in
                                    .element(
                                        "li", [],
                                        [
                                            .foreign(
                                                "\(facet.name): \(facet.before.isEmpty ? "none" : facet.before) → "
                                                    + (facet.after.isEmpty ? "none" : facet.after))
                                        ])
                                })
                        ]))
        }
        content.append(changes.isEmpty ? .paragraph("Nothing differs.") : .element("ul", [], changes))
        func list(_ title: String, _ texts: [String], _ style: String) {
            if texts.isEmpty { return }
            content += [
                .element("h2", [], title),
                .element("ul", [.init("class", style)], texts.map { .element("li", [], [.foreign($0)]) }),
            ]
        }
        list("The migration is not possible", review.obstacles, "error")
        list("The migration destroys", review.destroys, "error")
        list("Warnings", review.warnings, "note")
        if let sql = review.sql {
            content += [
                .element("h2", [], "Proof"),
                .element(
                    "p", [.init("class", "proof")],
                    "The migration was run on sample rows in memory, and every row arrived as the model says."),
                .element("h2", [], "Migration"), .element("pre", [.init("tabindex", "0")], sql),
            ]
        }
        return content
    }
}
