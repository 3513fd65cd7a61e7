import DataModel
@_spi(Studio) import ModelAuthoring

/// The versions of the model, and its configurations.
extension ModelView {
    private var entityNames: [String] { snapshot.model.entities.map(\.name).sorted() }

    // MARK: Versions

    var versions: [HTML] {
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

    var configurations: [HTML] {
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
                    isEditable
                        ? form(
                            "/model-configuration", "fields",
                            [
                                .hidden("name", configuration.name),
                                members(configuration.name, Set(configuration.entityNames)),
                                .element("p", [.init("class", "actions")], [.element("button", [], "Save")]),
                            ]) : members(configuration.name, Set(configuration.entityNames)),
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
