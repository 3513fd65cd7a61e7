import DataModel
@_spi(Studio) import ModelAuthoring

/// The panel of a page: the forms of the chosen entity, or of the model.
struct ModelView {
    let studio: ModelStudio
    let snapshot: ModelSnapshot
    let place: ModelAddress
    let refused: ModelStudio.RefusedForm?

    /// Whether the panel has forms.
    var isEditable: Bool { studio.isWritable && snapshot.isCurrent && !snapshot.isLocked }

    var panel: [HTML] {
        var parts = [studio.noticeParagraph, fixes]
        if let refused, refused.error.fields.isEmpty || !hasItem(refused.key) {
            parts.append(
                .element(
                    "p", [.init("class", "error"), .init("role", "alert")],
                    [.foreign(([refused.error.description] + refused.error.fields.values).joined(separator: " "))]))
        }
        if !snapshot.isCurrent || snapshot.isLocked {
            let reason = snapshot.isCurrent ? "is locked, because it was released" : "is not the current one"
            parts.append(
                .note(
                    "Version '\(snapshot.model.name)' \(reason). It is only shown. Begin a new version to edit the model."
                ))
        }
        if let name = place.box {
            parts.append(.element("p", [.init("class", "close")], [.link(place.choosing(nil).address, "Close")]))
            if let entity = snapshot.entity(name) { return parts + panel(entity) + [review] }
            if let composite = snapshot.composite(name) { return parts + panel(composite) + [review] }
            return parts + [
                .element("p", [.init("class", "error")], [.text("The version has no "), .foreign(name), .text(".")])
            ]
        }
        return parts + modelPanel + [review]
    }

    private func hasItem(_ key: String) -> Bool { key.hasPrefix("item:") }

    // MARK: Forms

    /// A form that leads back to this page.
    func form(_ path: String, _ style: String?, _ content: [HTML]) -> HTML {
        .form(
            path, studio.formToken, style,
            [.hidden("entity", place.box), .hidden("near", place.near), .hidden("search", place.search)] + content)
    }

    static func hidden(_ item: ModelItem) -> [HTML] {
        let (kind, name, owner): (String, String, String?) =
            switch item {
            case .entity(let name): ("entity", name, nil)
            case .composite(let name): ("composite", name, nil)
            case .fetchRequest(let name): ("fetchRequest", name, nil)
            case .configuration(let name): ("configuration", name, nil)
            case .model: ("model", "", nil)
            case .property(let name, let owner): ("property", name, owner)
            case .index(let name, let owner): ("index", name, owner)
            case .constraint(let names, let owner): ("constraint", names.joined(separator: ","), owner)
            }
        return [.hidden("item-kind", kind), .hidden("item-name", name), .hidden("item-owner", owner)]
    }

    /// The item that the fields of a form name.
    static func item(_ form: Parameters) -> ModelItem? {
        guard let name = form["item-name"] else { return nil }
        let owner = form["item-owner"] ?? ""
        switch form["item-kind"] {
        case "entity": return .entity(name)
        case "composite": return .composite(name)
        case "fetchRequest": return .fetchRequest(name)
        case "configuration": return .configuration(name)
        case "model": return .model
        case "property": return .property(name, of: owner)
        case "index": return .index(name, of: owner)
        case "constraint": return .constraint(name.utf8.split(separator: 0x2C).map { String(Substring($0)) }, of: owner)
        default: return nil
        }
    }

    static func key(_ item: ModelItem) -> String { "item:\(item.description)" }

    /// The fields of an item, its `userInfo`, and its removal.
    func forms(_ item: ModelItem, more: [HTML] = []) -> [HTML] {
        let key = Self.key(item)
        let sent = refused?.key == key ? refused : nil
        let fields = snapshot.fields(of: item) ?? []
        var parts = findings(of: item, besides: fields)
        let rows = fields.map { row($0, item, sent) }
        if !isEditable { return parts + [.element("div", [.init("class", "fields")], rows)] + more + entries(item) }
        if !fields.isEmpty {
            parts.append(
                form(
                    "/model-save", "fields",
                    Self.hidden(item) + rows + [
                        .element("p", [.init("class", "actions")], [.element("button", [], "Save")])
                    ]))
        }
        parts += more + entries(item)
        parts.append(
            form(
                "/model-remove", "removal",
                Self.hidden(item) + [
                    .element("button", [.init("aria-label", "Remove \(item.shortName)")], "Remove")
                ]))
        return parts
    }

    /// A field with its label, and the findings and messages about it.
    private func row(_ field: ModelField, _ item: ModelItem, _ refused: ModelStudio.RefusedForm?) -> HTML {
        let id = Self.identifier(item, field.name)
        let message = refused?.error.fields[field.name]
        let value = refused.map { $0.sent["field." + field.name] ?? "" } ?? field.value
        var notes: [HTML] = []
        if let message {
            notes.append(.element("p", [.init("class", "error"), .init("role", "alert")], [.foreign(message)]))
        }
        notes += snapshot.findings(of: item).filter { $0.field == field.name }.map(finding)
        if let hint = field.hint { notes.append(.element("small", [.init("class", "note")], hint)) }
        let note = "note-" + id
        let isUnusual = field.value.isEmpty && message == nil && notes.isEmpty && Self.rareFields.contains(field.name)
        return .element(
            "div", [.init("class", isUnusual ? "field rare" : "field")],
            [
                .element("label", [.init("for", id)], field.label),
                control(
                    field, value,
                    [
                        .init("id", id), .init("name", "field." + field.name),
                        .init("aria-invalid", message == nil ? nil : "true"),
                        .init("aria-describedby", notes.isEmpty ? nil : note),
                        .init("disabled", isThere: !isEditable),
                    ]),
                .hidden("was." + field.name, field.value),
                .element("div", [.init("id", note), .init("class", "notes")], notes),
            ])
    }

    /// The fields that most items leave empty.
    private static let rareFields: Set<String> = ["elementID", "versionHashModifier", "preserveAfterDeletion"]

    static func identifier(_ item: ModelItem, _ field: String) -> String {
        "f-" + Address.encoded(item.description + "-" + field)
    }

    private func control(_ field: ModelField, _ value: String, _ attributes: [HTML.Attribute]) -> HTML {
        switch field.kind {
        case .flag:
            return .void(
                "input",
                attributes + [
                    .init("type", "checkbox"), .init("value", "YES"), .init("checked", isThere: value == "YES"),
                ])
        case .choice(var values):
            if !values.contains(value) { values.append(value) }
            return .element(
                "select", attributes,
                values.map { choice in
                    .element(
                        "option", [.init("value", choice), .init("selected", isThere: choice == value)],
                        choice.isEmpty ? "none" : choice)
                })
        case .expression:
            return .editedText(attributes + [.init("rows", "2"), .init("spellcheck", "false")], value)
        case .number, .text:
            return .void(
                "input",
                attributes + [
                    .init("inputmode", field.kind == .number ? "numeric" : nil), .init("value", value),
                    .init("autocomplete", "off"), .init("spellcheck", "false"),
                ])
        }
    }

    // MARK: userInfo

    func entries(_ item: ModelItem) -> [HTML] {
        switch item {
        case .fetchRequest, .constraint, .index, .configuration: return []
        default: break
        }
        let entries = snapshot.entries(of: item)
        if entries.isEmpty, !isEditable { return [] }
        let rows = entries.map { entry in
            HTML.element(
                "div", [.init("class", "field")],
                [
                    .element(
                        "label", [.init("for", Self.identifier(item, "entry-" + entry.key))], [.foreign(entry.key)]),
                    .void(
                        "input",
                        [
                            .init("id", Self.identifier(item, "entry-" + entry.key)),
                            .init("name", "entry." + entry.key), .init("value", entry.value),
                            .init("disabled", isThere: !isEditable),
                        ]),
                ])
        }
        let new = HTML.element(
            "div", [.init("class", "pair")],
            [
                .void(
                    "input", [.init("name", "new-key"), .init("placeholder", "key"), .init("aria-label", "New key")]),
                .void(
                    "input",
                    [.init("name", "new-value"), .init("placeholder", "value"), .init("aria-label", "New value")]),
                .element("button", [], "Save userInfo"),
            ])
        return [
            .element(
                "details", [.init("data-key", Self.key(item) + " userInfo")],
                [
                    .element("summary", [], "userInfo" + (entries.isEmpty ? "" : " (\(entries.count))")),
                    isEditable
                        ? form("/model-entries", "fields", Self.hidden(item) + rows + [new])
                        : .element("div", [.init("class", "fields")], rows),
                ])
        ]
    }

    // MARK: Parts

    /// A part of an item that unfolds to its forms.
    func part(_ item: ModelItem, _ name: String, _ detail: String, more: [HTML] = []) -> HTML {
        let all = snapshot.findings(of: item)
        let worst =
            all.contains { $0.severity == .error }
            ? "error" : all.contains { $0.severity == .warning } ? "warning" : nil
        let isOpen = place.property == name || refused?.key == Self.key(item)
        return .element(
            "details", [.init("data-key", Self.key(item)), .init("open", isThere: isOpen), .init("class", "part")],
            [
                .element(
                    "summary", [],
                    [
                        .element("b", [], [.foreign(name)]), .text(" "),
                        .element("span", [.init("class", "note")], [.foreign(detail)]),
                        worst.map { .element("span", [.init("class", "count \($0)")], " \(all.count) \($0)") } ?? .none,
                    ])
            ] + forms(item, more: more))
    }

    /// The form of a new part, which keeps the typed texts if it was refused.
    func addition(_ kind: String, _ title: String, isOpen: Bool = false, _ fields: [HTML]) -> HTML {
        if !isEditable { return .none }
        return .element(
            "details",
            [
                .init("data-key", "new \(kind)"), .init("class", "part new"),
                .init("open", isThere: isOpen || isAdding(kind) || refused?.key == "new:" + kind),
            ],
            [
                .element("summary", [], title),
                form(
                    "/model-add", "fields",
                    [.hidden("kind", kind)] + fields
                        + [.element("p", [.init("class", "actions")], [.element("button", [], "Add")])]),
            ])
    }

    /// Whether one goes on to add parts of a kind.
    private func isAdding(_ kind: String) -> Bool { place.adding == kind && refused == nil }

    /// The text that was sent for a field of a new part.
    func sent(_ kind: String, _ name: String) -> String? { refused?.key == "new:" + kind ? refused?.sent[name] : nil }

    func textField(_ kind: String, _ name: String, _ label: String, _ value: String = "", hint: String? = nil) -> HTML {
        let id = "new-\(kind)-\(name)"
        return .element(
            "div", [.init("class", "field")],
            [
                .element("label", [.init("for", id)], label),
                .void(
                    "input",
                    [
                        .init("id", id), .init("name", name), .init("value", sent(kind, name) ?? value),
                        .init("autocomplete", "off"), .init("spellcheck", "false"),
                        .init("autofocus", isThere: isAdding(kind) && name == "name"),
                        .init("aria-describedby", hint == nil ? nil : "note-" + id),
                    ]),
                hint.map { .element("small", [.init("class", "note"), .init("id", "note-" + id)], $0) } ?? .none,
            ])
    }

    func choiceField(_ kind: String, _ name: String, _ label: String, _ values: [String], _ chosen: String) -> HTML {
        let id = "new-\(kind)-\(name)"
        let chosen = sent(kind, name) ?? chosen
        return .element(
            "div", [.init("class", "field")],
            [
                .element("label", [.init("for", id)], label),
                .element(
                    "select", [.init("id", id), .init("name", name)],
                    values.map { value in
                        .element("option", [.init("value", value), .init("selected", isThere: value == chosen)], value)
                    }),
            ])
    }

    func flagField(_ kind: String, _ name: String, _ label: String, _ isSet: Bool = false) -> HTML {
        let id = "new-\(kind)-\(name)"
        let isChecked = refused?.key == "new:" + kind ? sent(kind, name) != nil : isSet
        return .element(
            "div", [.init("class", "field")],
            [
                .element("label", [.init("for", id)], label),
                .void(
                    "input",
                    [
                        .init("type", "checkbox"), .init("id", id), .init("name", name), .init("value", "YES"),
                        .init("checked", isThere: isChecked),
                    ]),
            ])
    }
}
