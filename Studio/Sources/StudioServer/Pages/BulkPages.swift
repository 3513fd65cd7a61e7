@_spi(Studio) import StoreBrowsing

extension Studio {
    /// The hidden fields that name rows.
    private static func hidden(_ entity: String, _ rows: [StoreEditor.Row], _ list: String?) -> [HTML] {
        [HTML.hidden("entity", entity), HTML.hidden("list", list)]
            + rows.map { HTML.hidden("row.\($0.number)", "\($0.version)") }
    }

    /// The list of an entity's objects that a form was sent from.
    static func list(_ entity: String, _ query: String?) -> Address {
        guard let parameters = query.flatMap({ Parameters($0) }), let list = try? RowsAddress(parameters),
            case .entity(entity) = list.request.subject
        else { return .rows(entity) }
        return list.address()
    }

    /// The form that changes one property of several objects.
    func bulkPage(
        _ entity: String, _ rows: [StoreEditor.Row], _ property: String, _ form: ObjectForm, list: String?
    ) throws -> Page {
        guard let first = rows.first else { throw PageError.parameters }
        let object = try browser.object(entity, first.number).with(property)
        if object.attributes.isEmpty, object.relationships.isEmpty { throw PageError.parameters }
        let count = rows.count == 1 ? "1 object" : "\(rows.count) objects"
        return Page(
            "Change \(property) of \(count)", of: self,
            [
                .element(
                    "p", [],
                    [
                        .text("The value is saved in \(count) of "), .link(Self.list(entity, list), entity),
                        .text(" in one transaction. The field begins with the value of the first."),
                    ])
            ] + Self.alert(form) + [
                .form(
                    "/bulk-save", formToken, "object",
                    Self.hidden(entity, rows, list) + [.hidden("property", property)] + [
                        .element(
                            "p", [.init("class", "actions")], [.element("button", [], "Save in \(count)")])
                    ]
                        + [
                            .table(
                                "Property", [.heading("Property"), .heading("Value")],
                                object.attributes.map { fieldRow($0, form) }
                                    + (try object.relationships.map { try relationshipRow($0, of: object, form) }))
                        ])
            ])
    }

    // MARK: Deletion

    func deletionPage(_ parameters: Parameters) throws -> Page {
        guard let entity = parameters["entity"], let number = parameters["id"].flatMap({ Int64($0) }) else {
            throw PageError.parameters
        }
        let object = try browser.object(entity, number)
        return try deletionPage(entity, [StoreEditor.Row(number, version: object.version)])
    }

    /// Asks for confirmation before objects are deleted, and lists the other objects that are deleted with them.
    func deletionPage(
        _ entity: String, _ rows: [StoreEditor.Row], list: String? = nil, message: String? = nil
    ) throws -> Page {
        guard let editor else { throw PageError.parameters }
        let found = try editor.consequences(ofDeleting: entity, rows.map(\.number))
        let count = rows.count == 1 ? "this object" : "these \(rows.count) objects"
        var content = Self.alert(ObjectForm(message: message))
        content += [.paragraph("Delete \(count) of \(entity)?"), Self.list(found.objects, of: rows.count)]
        content += Self.groups("Deleted too, by the deletion rules", found.deleted)
        content += Self.groups("Objects that lose a reference", found.detached)
        if found.deleted.isEmpty { content.append(.paragraph("No other objects are deleted.")) }
        let back: Address =
            if list == nil, rows.count == 1, let row = rows.first {
                .object(entity, row.number)
            } else {
                Self.list(entity, list)
            }
        content.append(
            .form(
                "/delete", formToken, "deletion",
                Self.hidden(entity, rows, list) + [
                    .element("button", [], "Delete"), .text(" "), .link(back, "Cancel"),
                    .element("p", [.init("class", "note")], "You can undo the deletion until you end Studio."),
                ]))
        return Page("Delete \(entity)", of: self, content)
    }

    private static func groups(_ title: String, _ groups: [DeletionConsequences.Group]) -> [HTML] {
        if groups.isEmpty { return [] }
        return [.element("h2", [], title)]
            + groups.flatMap { group in
                [
                    HTML.element("p", [], [.foreign("\(group.count) of \(group.entity)")]),
                    list(group.first, of: group.count),
                ]
            }
    }

    private static func list(_ references: [BrowsedReference], of count: Int) -> HTML {
        let rest = count - references.count
        return .element(
            "ul", [],
            references.map { reference in
                .element("li", [], [.link(.object(reference.entity, reference.number), reference.choiceText)])
            } + (rest > 0 ? [.element("li", [], "and \(rest) more")] : []))
    }
}

extension BrowsedObject {
    /// The object with one property alone.
    func with(_ property: String) -> BrowsedObject {
        var result = self
        result.attributes.removeAll { $0.name != property || !$0.isEditable }
        result.relationships.removeAll { $0.name != property || $0.isToMany }
        return result
    }
}
