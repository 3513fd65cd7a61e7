@_spi(Studio) import StoreBrowsing

extension Studio {
    func objectPage(_ parameters: Parameters) throws -> Page {
        guard let entity = parameters["entity"], let number = parameters["id"].flatMap({ Int64($0) }) else {
            throw PageError.parameters
        }
        return try objectPage(browser.object(entity, number), ObjectForm())
    }

    func objectPage(_ object: BrowsedObject, _ form: ObjectForm) throws -> Page {
        let title = "\(object.entity) \(object.number)" + (object.label.map { ": \($0)" } ?? "")
        var content: [HTML] = [
            .element("p", [], [.text("An object of "), .link(.rows(object.entity), object.entity), .text(".")])
        ]
        content += Self.alert(form)
        if editor == nil {
            content += shown(object)
        } else {
            let deletion = Address("/delete", [("entity", object.entity), ("id", "\(object.number)")])
            content += [
                .form(
                    "/save", formToken, "object",
                    [
                        .hidden("entity", object.entity), .hidden("id", "\(object.number)"),
                        .hidden("version", "\(object.version)"),
                        // The first button of a form is the one that Enter presses.
                        .element("p", [.init("class", "actions")], [.element("button", [], "Save")]),
                    ] + (try properties(object, form)) + [
                        .element("p", [.init("class", "actions")], [.element("button", [], "Save")])
                    ]),
                .element("p", [.init("class", "deletion")], [.link(deletion, "Delete this object…")]),
            ]
        }
        return Page(title, of: self, [live(object.entity, [.element("div", Self.live(object), content)])])
    }

    /// The message about a form as a whole.
    static func alert(_ form: ObjectForm) -> [HTML] {
        guard let message = form.message else { return [] }
        return [.element("p", [.init("class", "error"), .init("role", "alert")], [.foreign(message)])]
    }

    /// The fields of an object's properties.
    func properties(_ object: BrowsedObject, _ form: ObjectForm) throws -> [HTML] {
        let attributes = object.attributes.map { attribute in
            attribute.isEditable ? fieldRow(attribute, form) : Self.shown(attribute)
        }
        var parts: [HTML] = [
            .element("h2", [], "Attributes"),
            .table("Attributes", [.heading("Attribute"), .heading("Value")], attributes),
        ]
        if object.relationships.isEmpty { return parts }
        parts += [
            .element("h2", [], "Relationships"),
            .table(
                "Relationships", [.heading("Relationship"), .heading("Objects")],
                try object.relationships.map { try relationshipRow($0, of: object, form) }),
        ]
        return parts
    }

    // MARK: Without fields

    private static func shown(_ attribute: BrowsedObject.Attribute) -> HTML {
        row(
            .foreign(attribute.name), attribute.type,
            [.element("div", [.init("class", "whole")], [.value(attribute.value)])])
    }

    private func shown(_ object: BrowsedObject) -> [HTML] {
        var parts: [HTML] = [
            .element("h2", [], "Attributes"),
            .table(
                "Attributes", [.heading("Attribute"), .heading("Value")], object.attributes.map(Self.shown)),
        ]
        if object.relationships.isEmpty { return parts }
        let rows = object.relationships.map { relationship -> HTML in
            let items = relationship.objects.map { reference in
                HTML.element("li", [], [.link(.object(reference.entity, reference.number), reference.text)])
            }
            let none = HTML.element("span", [.init("class", "null")], "none")
            return Self.row(
                .foreign(relationship.name), "→ \(relationship.destination)",
                [items.isEmpty ? none : .element("ul", [], items)]
                    + (relationship.isToMany && !items.isEmpty ? [list(of: relationship, object)] : []))
        }
        parts += [
            .element("h2", [], "Relationships"),
            .table("Relationships", [.heading("Relationship"), .heading("Objects")], rows),
        ]
        return parts
    }

    // MARK: A new object

    func newObjectPage(_ parameters: Parameters) throws -> Page {
        guard let editor, let entity = parameters["entity"] else { throw PageError.parameters }
        return try newObjectPage(editor.newObject(entity), ObjectForm())
    }

    func newObjectPage(_ object: BrowsedObject, _ form: ObjectForm) throws -> Page {
        Page(
            "New \(object.entity)", of: self,
            [
                .element(
                    "p", [],
                    [
                        .text("An object of "), .link(.rows(object.entity), object.entity),
                        .text(" with the defaults of the model."),
                    ])
            ] + Self.alert(form) + [
                .form(
                    "/insert", formToken, "object",
                    [
                        .hidden("entity", object.entity),
                        .element("p", [.init("class", "actions")], [.element("button", [], "Insert")]),
                    ] + (try properties(object, form)) + [
                        .element("p", [.init("class", "actions")], [.element("button", [], "Insert")])
                    ])
            ])
    }
}

extension HTML {
    /// A form of this program, which contains its secret.
    static func form(_ path: String, _ token: AccessToken, _ style: String?, _ content: [HTML]) -> HTML {
        element(
            "form", [Attribute("method", "post"), Attribute("action", path), Attribute("class", style)],
            [hidden("form-token", token.text)] + content)
    }
}
