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
        let relationships = object.relationships.flatMap { self.rows($0, of: object) }
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
        let title = "\(object.entity) \(object.number)" + (object.label.map { ": \($0)" } ?? "")
        return Page(title, of: self, content)
    }

    private func rows(_ relationship: BrowsedObject.Relationship, of object: BrowsedObject) -> [HTML] {
        var parts = relationship.objects.map { reference in
            HTML.element("li", [], [.link(.object(reference.entity, reference.number), reference.text)])
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
        if editor != nil, relationship.isEditable {
            cell.append(
                form(
                    object, relationship.name, relationship.isOptional, relationship.objects.first == nil,
                    .void(
                        "input",
                        [
                            .init("name", "value"), .init("inputmode", "numeric"),
                            .init("aria-label", "\(relationship.name): the number of the object"),
                            .init("value", relationship.objects.first.map { "\($0.number)" } ?? ""),
                        ])))
        }
        return [
            .element(
                "tr", [],
                [
                    .element(
                        "th", [.init("scope", "row")],
                        [.foreign(relationship.name), .element("small", [], "→ \(relationship.destination)")]),
                    .element("td", [], cell),
                ])
        ]
    }

    private func form(_ object: BrowsedObject, _ attribute: BrowsedObject.Attribute) -> HTML {
        let text = attribute.editedText ?? ""
        let isLong =
            text.utf8.count > 60 || text.utf8.contains(UInt8(ascii: "\n")) || attribute.type.hasPrefix("string")
        let label = HTML.Attribute("aria-label", attribute.name)
        let field: HTML =
            if attribute.type.hasPrefix("boolean") {
                .element(
                    "select", [.init("name", "value"), label],
                    ["false", "true"].map { .element("option", [.init("selected", isThere: $0 == text)], $0) })
            } else if isLong {
                .editedText([.init("name", "value"), .init("rows", text.utf8.count > 60 ? "4" : "1"), label], text)
            } else {
                .void("input", [.init("name", "value"), .init("value", text), label])
            }
        return form(
            object, attribute.name, attribute.type.utf8.last == UInt8(ascii: "?"), attribute.value == .null, field)
    }

    private func form(
        _ object: BrowsedObject, _ property: String, _ isOptional: Bool, _ isNull: Bool, _ field: HTML
    ) -> HTML {
        var parts: [HTML] = [
            .hidden("form-token", formToken.text), .hidden("entity", object.entity), .hidden("id", "\(object.number)"),
            .hidden("version", "\(object.version)"), .hidden("property", property), field,
        ]
        if isOptional {
            parts.append(
                .element(
                    "label", [],
                    [
                        .void(
                            "input",
                            [
                                .init("type", "checkbox"), .init("name", "nil"), .init("value", "1"),
                                .init("checked", isThere: isNull),
                            ]), .text(" nil"),
                    ]))
        }
        parts.append(.element("button", [.init("aria-label", "Save \(property)")], "Save"))
        return .element("form", [.init("method", "post"), .init("action", "/change"), .init("class", "edit")], parts)
    }
}
