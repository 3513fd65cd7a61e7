@_spi(Studio) import StoreBrowsing

extension Studio {
    func historyPage(_ parameters: Parameters) throws -> Page {
        var before: Int64?
        if let text = parameters["before"] {
            guard let number = Int64(text) else { throw PageError.parameters }
            before = number
        }
        let timeline: StoreTimeline
        switch Result(catching: { () throws(BrowsingError) in try browser.timeline(before: before) }) {
        case .success(let found): timeline = found
        case .failure(let error):
            if error.kind != .missing { throw error }
            return Page("History", of: self, [.paragraph(error.description)])
        }
        let items = timeline.transactions.map { transaction -> HTML in
            let who = [
                transaction.author.map { "by \($0)" }, transaction.contextName.map { "context \($0)" },
                transaction.bundle.map { "in \($0)" }, transaction.process.map { "process \($0)" },
            ].compactMap { $0 }.joined(separator: ", ")
            let rest = transaction.hiddenCount
            return .element(
                "li", [],
                [
                    .element("time", [], transaction.date), .text(" "), .foreign(who),
                    .element(
                        "ul", [],
                        transaction.changes.map(Self.item)
                            + (rest > 0 || transaction.changes.isEmpty
                                ? [
                                    .element(
                                        "li", [], transaction.changes.isEmpty ? "no objects" : "and \(rest) more")
                                ]
                                : [])),
                ])
        }
        var content: [HTML] = [.element("ol", [.init("class", "timeline")], items)]
        if items.isEmpty { content = [.paragraph("There are no transactions.")] }
        if let next = timeline.next {
            content.append(.link(Address("/history", [("before", "\(next)")]), "Earlier", relation: "next"))
        }
        return Page("History", of: self, content)
    }

    private static func item(_ change: StoreTimeline.Change) -> HTML {
        let name = "\(change.entity) \(change.row)"
        let object: HTML =
            change.isObject && change.kind != .deletion
            ? .link(.object(change.entity, change.row), name) : .foreign(name)
        let rest = change.detail.map { " to \($0)" } ?? ""
        let columns: HTML =
            change.columns.isEmpty ? .text("") : .foreign(": " + change.columns.joined(separator: ", "))
        return .element(
            "li", [.init("class", change.kind.rawValue)],
            [.text("\(change.kind.rawValue) of "), object, .text(rest), columns])
    }

    func schemaPage() throws -> Page {
        let chapters = [try browser.storedSchema()] + browser.plannedSchema
        return Page(
            "Schema and migrations", of: self,
            chapters.enumerated().map { index, chapter in
                .element(
                    "details", [.init("open", isThere: index == 0)],
                    [
                        .element("summary", [], [.foreign(chapter.title)]),
                        .element("pre", [.init("tabindex", "0")], chapter.text),
                    ])
            })
    }

    func differencesPage() throws -> Page {
        guard let other else { throw PageError(status: .notFound, text: "Name another store with --compare.") }
        let found = try browser.differences(from: other)
        var content: [HTML] = [
            .element(
                "p", [], [.text("The changes from this store to "), .foreign(other.lastPathComponent), .text(".")]),
            .paragraph("\(found.sameTableCount) tables have equal rows."),
        ]
        for table in found.tables {
            content += [.element("h2", [], [.foreign(table.name)]), .element("p", [], [.foreign(table.summary)])]
            if table.rows.isEmpty { continue }
            let rows = table.rows.flatMap { row -> [HTML] in
                let values = row.values.isEmpty ? [("", "", "")] : row.values.map { ($0.column, $0.before, $0.after) }
                return values.map { column, before, after in
                    .element(
                        "tr", [.init("class", row.action)],
                        [
                            .element("th", [.init("scope", "row")], [.foreign(row.key)]),
                            .element("td", [], row.action),
                        ] + [column, before, after].map { .element("td", [], [.foreign($0)]) })
                }
            }
            content.append(
                .table(
                    "Rows of \(table.name) that differ",
                    ["Row", "", "Column", "In this store", "In the other"].map { .heading($0) }, rows))
        }
        return Page("Differences", of: self, content)
    }
}
