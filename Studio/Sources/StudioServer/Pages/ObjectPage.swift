@_spi(Studio) import StoreBrowsing

extension Studio {
    func objectPage(_ parameters: Parameters) throws -> Page {
        guard let entity = parameters["entity"], let number = parameters["id"].flatMap({ Int64($0) }) else {
            throw PageError.parameters
        }
        return objectPage(try browser.object(entity, number))
    }

    func objectPage(_ object: BrowsedObject) -> Page {
        let rows = object.attributes.map { attribute -> HTML in
            .element(
                "tr", [],
                [
                    .element(
                        "th", [.init("scope", "row")],
                        [.foreign(attribute.name), .element("small", [], attribute.type)]),
                    .element(
                        "td", [],
                        editor != nil && attribute.isEditable
                            ? [form(object, attribute)]
                            : [.element("div", [.init("class", "whole")], [.value(attribute.value)])]),
                ])
        }
        let relationships = object.relationships.map { row($0, of: object) }
        var content: [HTML] = [
            .element(
                "p", [],
                [
                    .text("An object of "), .link(.rows(object.entity), object.entity),
                    .text(", in version \(object.version) of its row."),
                ]),
            .element("h2", [], "Attributes"), .table("Attributes", [.heading("Attribute"), .heading("Value")], rows),
        ]
        if !relationships.isEmpty {
            content += [
                .element("h2", [], "Relationships"),
                .table("Relationships", [.heading("Relationship"), .heading("Leads to")], relationships),
            ]
        }
        if editor != nil { content.append(deletion(of: object)) }
        let title = "\(object.entity) \(object.number)" + (object.label.map { ": \($0)" } ?? "")
        return Page(title, of: self, content)
    }

    // MARK: Relationships

    private func row(_ relationship: BrowsedObject.Relationship, of object: BrowsedObject) -> HTML {
        var parts = relationship.objects.map { reference in
            var item = [HTML.link(.object(reference.entity, reference.number), reference.text)]
            if editor != nil, relationship.isToMany {
                item.append(
                    form(
                        object, relationship.name, kind: "remove",
                        [
                            .hidden("value", "\(reference.number)"),
                            .button("Remove", "Remove \(reference.text) from \(relationship.name)"),
                        ]))
            }
            return HTML.element("li", [], item)
        }
        if relationship.objects.isEmpty {
            parts.append(
                .element("li", [], [.element("span", [.init("class", "null")], relationship.isToMany ? "none" : "nil")])
            )
        }
        var cell: [HTML] = [.element("ul", [], parts)]
        if relationship.isToMany, !relationship.objects.isEmpty {
            let list = Address(
                "/rows",
                [
                    ("entity", relationship.destination), ("of", object.entity), ("id", "\(object.number)"),
                    ("relationship", relationship.name),
                ])
            cell.append(
                .element("p", [], [.link(list, relationship.hasMore ? "All of them, as a list" : "As a list")]))
        }
        if editor != nil {
            let number = numberField(
                "value", relationship,
                relationship.isToMany ? "" : relationship.objects.first.map { "\($0.number)" } ?? "")
            if relationship.isToMany {
                cell.append(
                    form(
                        object, relationship.name, kind: "add",
                        [number, .button("Add", "Add an object to \(relationship.name)")]))
            } else {
                cell.append(
                    form(
                        object, relationship.name,
                        [
                            number, nilBox("nil", relationship.isOptional, relationship.objects.isEmpty),
                            .button("Save", "Save \(relationship.name)"),
                        ]))
            }
        }
        return Self.row(relationship.name, "→ \(relationship.destination)", cell)
    }

    private static func row(_ name: String, _ remark: String, _ cell: [HTML]) -> HTML {
        .element(
            "tr", [],
            [
                .element("th", [.init("scope", "row")], [.foreign(name), .element("small", [], remark)]),
                .element("td", [], cell),
            ])
    }

    private func numberField(_ name: String, _ relationship: BrowsedObject.Relationship, _ value: String) -> HTML {
        .void(
            "input",
            [
                .init("name", name), .init("inputmode", "numeric"), .init("size", "12"),
                .init("aria-label", "\(relationship.name): the number of the object"), .init("value", value),
            ])
    }

    // MARK: Forms

    private func field(_ name: String, _ attribute: BrowsedObject.Attribute) -> HTML {
        let text = attribute.editedText ?? ""
        let isLong =
            text.utf8.count > 60 || text.utf8.contains(UInt8(ascii: "\n")) || attribute.type.hasPrefix("string")
        let label = HTML.Attribute("aria-label", attribute.name)
        if attribute.type.hasPrefix("boolean") {
            return .element(
                "select", [.init("name", name), label],
                ["false", "true"].map { .element("option", [.init("selected", isThere: $0 == text)], $0) })
        }
        if isLong {
            return .editedText([.init("name", name), .init("rows", text.utf8.count > 60 ? "4" : "1"), label], text)
        }
        return .void("input", [.init("name", name), .init("value", text), label])
    }

    private func nilBox(_ name: String, _ isOptional: Bool, _ isNull: Bool) -> HTML {
        if !isOptional { return .none }
        return .element(
            "label", [],
            [
                .void(
                    "input",
                    [
                        .init("type", "checkbox"), .init("name", name), .init("value", "1"),
                        .init("checked", isThere: isNull),
                    ]), .text(" nil"),
            ])
    }

    private func form(_ object: BrowsedObject, _ attribute: BrowsedObject.Attribute) -> HTML {
        form(
            object, attribute.name,
            [
                field("value", attribute), nilBox("nil", attribute.isOptional, attribute.value == .null),
                .button("Save", "Save \(attribute.name)"),
            ])
    }

    private func form(_ object: BrowsedObject, _ property: String, kind: String? = nil, _ parts: [HTML]) -> HTML {
        .form(
            "/change", formToken, "edit",
            [
                .hidden("entity", object.entity), .hidden("id", "\(object.number)"),
                .hidden("version", "\(object.version)"), .hidden("property", property), .hidden("kind", kind),
            ] + parts)
    }

    private func deletion(of object: BrowsedObject) -> HTML {
        .form(
            "/delete", formToken, "edit deletion",
            [
                .hidden("entity", object.entity), .hidden("id", "\(object.number)"),
                .hidden("version", "\(object.version)"), .element("button", [], "Delete this object"),
                .element(
                    "small", [.init("class", "note")],
                    "Others go, stay or lose their references as the deletion rules say."),
            ])
    }

    // MARK: A new object

    func newObjectPage(_ parameters: Parameters) throws -> Page {
        guard let editor, let entity = parameters["entity"] else { throw PageError.parameters }
        let object = try editor.newObject(entity)
        let attributes = object.attributes.map { attribute in
            Self.row(
                attribute.name, attribute.type,
                [
                    .element(
                        "div", [.init("class", "edit")],
                        [
                            field("value." + attribute.name, attribute),
                            nilBox("nil." + attribute.name, attribute.isOptional, attribute.value == .null),
                        ])
                ])
        }
        let relationships = object.relationships.map { relationship in
            Self.row(
                relationship.name, "→ \(relationship.destination)",
                [
                    .element(
                        "div", [.init("class", "edit")],
                        [
                            numberField("value." + relationship.name, relationship, ""),
                            nilBox("nil." + relationship.name, relationship.isOptional, true),
                        ])
                ])
        }
        return Page(
            "New \(entity)", of: self,
            [
                .element(
                    "p", [],
                    [
                        .text("An object of "), .link(.rows(entity), entity),
                        .text(" with the model's defaults, to be changed."),
                    ]),
                .form(
                    "/insert", formToken, nil,
                    [
                        .hidden("entity", entity),
                        .table("Properties", [.heading("Property"), .heading("Value")], attributes + relationships),
                        .element("p", [], [.element("button", [], "Insert")]),
                    ]),
            ])
    }
}

extension HTML {
    /// A form of this program, which says its secret.
    static func form(_ path: String, _ token: AccessToken, _ style: String?, _ content: [HTML]) -> HTML {
        element(
            "form", [Attribute("method", "post"), Attribute("action", path), Attribute("class", style)],
            [hidden("form-token", token.text)] + content)
    }

    /// A button whose label says more than what is written on it.
    static func button(_ text: String, _ label: String) -> HTML {
        element("button", [Attribute("aria-label", label)], text)
    }
}
