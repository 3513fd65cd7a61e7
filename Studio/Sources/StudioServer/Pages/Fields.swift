@_spi(Studio) import StoreBrowsing

extension Studio {
    /// The row of a form for an attribute.
    func fieldRow(_ attribute: BrowsedObject.Attribute, _ form: ObjectForm) -> HTML {
        let id = "field-" + attribute.name
        let label = HTML.element("label", [.init("for", id)], [.foreign(attribute.name)])
        return Self.row(
            label, attribute.type,
            Self.control(attribute, form, id) + [
                .hidden("was." + attribute.name, attribute.fieldText), Self.message(attribute.name, form),
                Self.storeNote(attribute, form),
                .element(
                    "small", [.init("class", "note"), .init("id", "hint-" + attribute.name)], attribute.field.hint),
            ])
    }

    static func row(_ head: HTML, _ remark: String, _ cell: [HTML]) -> HTML {
        .element(
            "tr", [],
            [
                .element("th", [.init("scope", "row")], [head, .element("small", [], remark)]),
                .element("td", [], cell),
            ])
    }

    /// The message about a property, which its field refers to.
    static func message(_ property: String, _ form: ObjectForm) -> HTML {
        guard let message = form.messages[property] else { return .none }
        return .element(
            "p", [.init("class", "error"), .init("id", "message-" + property)], [.foreign(message)])
    }

    /// Another program's value, beside a text that was typed in the meantime.
    private static func storeNote(_ attribute: BrowsedObject.Attribute, _ form: ObjectForm) -> HTML {
        guard let sent = form.sent, isTyped(attribute, sent),
            ObjectForm.original(of: attribute.name, in: sent) != attribute.fieldText
        else { return .none }
        return .element(
            "p", [.init("class", "note")],
            [.text("The store now has "), .foreign(attribute.fieldText.map { "'\($0)'" } ?? "nil"), .text(".")])
    }

    private static func isTyped(_ attribute: BrowsedObject.Attribute, _ sent: Parameters) -> Bool {
        sent["value." + attribute.name] != nil
            && ObjectForm.value(of: attribute, in: sent) != ObjectForm.original(of: attribute.name, in: sent)
    }

    /// The text that a field shows: one that was typed, or the value of the store.
    private static func text(_ attribute: BrowsedObject.Attribute, _ form: ObjectForm) -> String? {
        if let sent = form.sent, isTyped(attribute, sent) { return ObjectForm.value(of: attribute, in: sent) }
        return attribute.fieldText
    }

    private static func control(_ attribute: BrowsedObject.Attribute, _ form: ObjectForm, _ id: String) -> [HTML] {
        let name = "value." + attribute.name
        let text = text(attribute, form)
        let isWrong = form.messages[attribute.name] != nil
        let common: [HTML.Attribute] = [
            .init("id", id), .init("name", name), .init("aria-invalid", isWrong ? "true" : nil),
            .init("autofocus", isThere: isWrong),
            .init(
                "aria-describedby", (isWrong ? "message-\(attribute.name) " : "") + "hint-" + attribute.name),
        ]
        if attribute.field.kind == .boolean { return [choice(common, ["true", "false"], text, attribute.isOptional)] }
        if attribute.isChosen {
            let other = "other-" + attribute.name
            return [
                choice(
                    common, attribute.field.rawValues, text, attribute.isOptional, names: attribute.field.caseNames),
                .element(
                    "details", [],
                    [
                        .element("summary", [], "Another value"),
                        .element("label", [.init("for", other)], "Raw value "),
                        .void("input", [.init("id", other), .init("name", "other." + attribute.name)]),
                    ]),
            ]
        }
        switch attribute.field.kind {
        case .text:
            let rows = (text ?? "").utf8.count > 60 || (text ?? "").utf8.contains(UInt8(ascii: "\n")) ? "4" : "1"
            let area = HTML.editedText(common + [.init("rows", rows)], text ?? "")
            return attribute.hasNilBox ? [area, nilBox(attribute.name, text == nil)] : [area]
        case .date where text.map({ isDate($0) }) ?? true:
            let step = (text ?? "").utf8.contains(UInt8(ascii: ".")) ? "0.001" : "1"
            return [
                .void(
                    "input",
                    common + [.init("type", "datetime-local"), .init("step", step), .init("value", text ?? "")])
            ]
        default:
            let mode: String? =
                switch attribute.field.kind {
                case .integer: "numeric"
                case .decimal, .real: "decimal"
                case .address: "url"
                default: nil
                }
            return [
                .void(
                    "input",
                    common + [
                        .init("inputmode", mode), .init("value", text ?? ""), .init("autocomplete", "off"),
                        .init("spellcheck", "false"), .init("size", attribute.field.kind == .uuid ? "38" : nil),
                    ])
            ]
        }
    }

    /// Whether a field for dates takes a text.
    private static func isDate(_ text: String) -> Bool {
        text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?/) != nil
    }

    private static func choice(
        _ attributes: [HTML.Attribute], _ values: [String], _ chosen: String?, _ isOptional: Bool,
        names: [String: String] = [:]
    ) -> HTML {
        var options: [HTML] = []
        if isOptional || chosen == nil {
            options.append(.element("option", [.init("value", ""), .init("selected", isThere: chosen == nil)], "nil"))
        }
        var values = values
        if let chosen, !values.contains(chosen) { values.append(chosen) }
        options += values.map { value -> HTML in
            let name = names[value].map { $0 == value ? value : "\($0) (\(value))" } ?? value
            return .element("option", [.init("value", value), .init("selected", isThere: value == chosen)], name)
        }
        return .element("select", attributes, options)
    }

    private static func nilBox(_ name: String, _ isNull: Bool) -> HTML {
        .element(
            "label", [.init("class", "nil")],
            [
                .void(
                    "input",
                    [
                        .init("type", "checkbox"), .init("name", "nil." + name), .init("value", "1"),
                        .init("checked", isThere: isNull),
                    ]), .text(" nil"),
            ])
    }

    // MARK: Relationships

    /// The row of a form for a relationship: the chosen objects, and a search for others.
    func relationshipRow(
        _ relationship: BrowsedObject.Relationship, of object: BrowsedObject, _ form: ObjectForm
    ) throws -> HTML {
        let name = relationship.name
        let cell =
            relationship.isToMany
            ? try members(relationship, of: object, form) : try target(relationship, form)
        let search = HTML.element(
            "div", [.init("class", "completed search")],
            [
                .void(
                    "input",
                    [
                        .init("type", "search"), .init("name", "find." + name), .init("autocomplete", "off"),
                        .init("placeholder", "Search \(relationship.destination)"),
                        .init("aria-label", "Search objects for \(name)"),
                        .init("data-search", relationship.destination), .init("data-property", name),
                        .init("data-many", relationship.isToMany ? "1" : nil),
                    ]),
                .element(
                    "button",
                    [
                        .init("name", "find"), .init("value", name), .init("aria-label", "Find objects for \(name)"),
                        .init("formnovalidate"),
                    ], "Find"),
            ])
        return Self.row(
            .foreign(name), "→ \(relationship.destination)" + (relationship.isToMany ? ", many" : ""),
            cell + [search, Self.message(name, form)])
    }

    private func target(_ relationship: BrowsedObject.Relationship, _ form: ObjectForm) throws -> [HTML] {
        let name = relationship.name
        let current = relationship.objects.first
        var chosen = current
        if let sent = form.sent, let value = sent["value." + name], value != sent["was." + name] ?? "" {
            chosen = try Int64(value).flatMap { try browser.references(to: relationship.destination, [$0]).first }
        }
        var offered = form.found?.property == name ? form.found?.objects ?? [] : []
        if form.found?.property != name {
            offered = (try? browser.choices(of: relationship.destination, matching: "")) ?? []
        }
        for object in [current, chosen].compactMap({ $0 }) where !offered.contains(object) {
            offered.insert(object, at: 0)
        }
        let options = offered.map { object -> HTML in
            .element(
                "option", [.init("value", "\(object.number)"), .init("selected", isThere: object == chosen)],
                object.choiceText)
        }
        let none = HTML.element("option", [.init("value", ""), .init("selected", isThere: chosen == nil)], "none")
        var parts: [HTML] = [
            .element(
                "select", [.init("name", "value." + name), .init("aria-label", name)],
                (relationship.isOptional || chosen == nil ? [none] : []) + options),
            .hidden("was." + name, current.map { "\($0.number)" }),
        ]
        if let current {
            parts += [.text(" "), .link(.object(current.entity, current.number), "Open \(current.text)")]
        }
        return parts
    }

    private func members(
        _ relationship: BrowsedObject.Relationship, of object: BrowsedObject, _ form: ObjectForm
    ) throws -> [HTML] {
        let name = relationship.name
        var (removed, added): ([Int64], [Int64]) = ([], [])
        if let sent = form.sent {
            let (members, former) = (
                ObjectForm.numbers("member", name, in: sent), ObjectForm.numbers("had", name, in: sent)
            )
            removed = former.filter { !members.contains($0) }
            added = members.filter { !former.contains($0) }
        }
        var items = relationship.objects.enumerated().map { index, reference in
            Self.member(
                name, reference, isMember: true, isChosen: !removed.contains(reference.number),
                place: relationship.isOrdered ? index + 1 : nil)
        }
        let known = Set(relationship.objects.map(\.number))
        let others = added.filter { !known.contains($0) }
        items += try browser.references(to: relationship.destination, others).map {
            Self.member(name, $0, isMember: false, isChosen: true)
        }
        if let found = form.found, found.property == name {
            items += found.objects.filter { !known.contains($0.number) && !others.contains($0.number) }.map {
                Self.member(name, $0, isMember: false, isChosen: false)
            }
        }
        var parts: [HTML] = [
            .element("ul", [.init("class", "members"), .init("data-members", name)], items)
        ]
        if object.number != 0, !relationship.objects.isEmpty { parts.append(list(of: relationship, object)) }
        return parts
    }

    private static func member(
        _ name: String, _ reference: BrowsedReference, isMember: Bool, isChosen: Bool, place: Int? = nil
    ) -> HTML {
        .element(
            "li", [],
            placeField(name, reference, place) + [
                .element(
                    "label", [],
                    [
                        .void(
                            "input",
                            [
                                .init("type", "checkbox"), .init("name", "member.\(name).\(reference.number)"),
                                .init("value", "1"), .init("checked", isThere: isChosen),
                            ]), .text(" "), .foreign(reference.choiceText),
                    ]),
                isMember ? .hidden("had.\(name).\(reference.number)", "1") : .none, .text(" "),
                .element(
                    "a",
                    [
                        .init("href", Address.object(reference.entity, reference.number).text),
                        .init("aria-label", "Open \(reference.text)"),
                    ], "Open"),
            ])
    }

    /// The field for the place of a member in an ordered relationship.
    private static func placeField(_ name: String, _ reference: BrowsedReference, _ place: Int?) -> [HTML] {
        guard let place else { return [] }
        return [
            .void(
                "input",
                [
                    .init("name", "place.\(name).\(reference.number)"), .init("value", "\(place)"), .init("size", "3"),
                    .init("inputmode", "numeric"), .init("autocomplete", "off"),
                    .init("aria-label", "Place of \(reference.choiceText)"),
                ]), .hidden("had-place.\(name).\(reference.number)", "\(place)"), .text(" "),
        ]
    }

    /// The link to the members of a relationship as a list.
    func list(of relationship: BrowsedObject.Relationship, _ object: BrowsedObject) -> HTML {
        let list = Address(
            "/rows",
            [
                ("entity", relationship.destination), ("of", object.entity), ("id", "\(object.number)"),
                ("relationship", relationship.name),
            ])
        return .element("p", [], [.link(list, relationship.hasMore ? "All of them, as a list" : "As a list")])
    }
}

extension BrowsedReference {
    /// The label with the number, which distinguishes objects of the same label.
    var choiceText: String { label.map { "\($0) (\(number))" } ?? text }
}

extension EditedField {
    /// The remark beside a field.
    var hint: String { (expected.first?.uppercased() ?? "") + expected.dropFirst() + "." }
}
