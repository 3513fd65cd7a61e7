@_spi(Studio) import StoreBrowsing

extension Studio {
    func overviewPage() throws -> Page {
        let overview = try browser.overview()
        var content: [HTML] = [.element("p", [], [.foreign(overview.summary)])]
        if let note = overview.note { content.append(.element("p", [.init("class", "note")], [.foreign(note)])) }
        if overview.isTyped {
            content += [
                .element("h2", [], "Entities"),
                .table(
                    "Entities", [.heading("Entity"), .heading("Objects"), .heading("Map")],
                    overview.entities.map { entity in
                        .element(
                            "tr", [],
                            [
                                .element(
                                    "th", [.init("scope", "row")],
                                    [.link(.rows(entity.name), entity.name), .text(Self.remark(entity))]),
                                .element("td", [.init("class", "number")], Self.text(entity.count)),
                                .element(
                                    "td", [],
                                    overview.mappedEntities.contains(entity.name)
                                        ? [.link(Address("/map", [("entity", entity.name)]), "Map")] : []),
                            ])
                    }),
            ]
        }
        let tables = try overview.tables.map { name in
            HTML.element(
                "li", [],
                [
                    .link(Address("/rows", [("table", name)]), name), .text(" "),
                    .link(
                        Address("/sql", [("sql", try browser.selection(of: .table(name)))]), "SQL",
                        label: "SQL on \(name)"),
                ])
        }
        content += [
            .element(
                "details", [.init("open", isThere: !overview.isTyped)],
                [
                    .element("summary", [], "Tables as they are stored"),
                    .element("ul", [.init("class", "columns")], tables),
                ])
        ]
        return Page("Overview", of: self, content)
    }

    private static func remark(_ entity: StoreOverview.Entity) -> String {
        let parts = [entity.parent.map { "a \($0)" }, entity.isAbstract ? "abstract" : nil].compactMap { $0 }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }

    private static func text(_ count: StoreOverview.Count) -> String {
        switch count {
        case .exactly(let count): "\(count)"
        case .atLeast(let count): count == 0 ? "not counted" : "\(count) or more"
        }
    }

    func modelPage() throws -> Page {
        guard let picture = try browser.diagram({ Address.rows($0).text }) else {
            return Page("Model", of: self, [.paragraph("There is no model. Name one with --model.")])
        }
        return Page(
            "Model", of: self,
            [
                .paragraph("Each box leads to the objects of its entity."),
                .element(
                    "div",
                    [
                        .init("class", "scroll"), .init("tabindex", "0"), .init("role", "region"),
                        .init("aria-label", "Diagram of the model"),
                    ], [.picture(picture)]),
            ])
    }
}
