@_spi(Studio) import StoreBrowsing

extension Studio {
    func rowsPage(_ parameters: Parameters) throws -> Page {
        let list = try RowsAddress(parameters)
        let request = list.request
        var content: [HTML] = []
        if let owner = request.owner {
            content.append(
                .element(
                    "p", [],
                    [
                        .text("The objects of "), .foreign(owner.relationship), .text(" of "),
                        .link(.object(owner.entity, owner.number), "\(owner.entity) \(owner.number)"),
                        .text("."),
                    ]))
        }
        let page: RowPage
        switch Result(catching: { () throws(BrowsingError) in try browser.rows(request) }) {
        case .success(let found): page = found
        case .failure(let error):
            // The form stays, to be corrected.
            if error.kind != .invalid, error.kind != .tooSlow { throw error }
            if case .entity(let entity) = request.subject { content.append(filterForm(list, entity, nil)) }
            content.append(
                .element("p", [.init("class", "error"), .init("role", "alert")], [.foreign(error.description)]))
            return Page(request.subject.name, of: self, content)
        }
        if case .entity(let entity) = request.subject { content.append(filterForm(list, entity, page)) }
        content += [columnChoice(page, list, isOpen: parameters["choosing"] == "1"), try links(list)]
        var rows = [pager(page, list), try total(page, request), try rowsForm(page, list)]
        if page.hiddenColumnCount > 0 { rows.append(.note("\(page.hiddenColumnCount) more columns are not shown.")) }
        if page.isCutShort {
            rows.append(
                .note("There are more rows, but the key of the last one is too long for the address of a page."))
        }
        rows.append(pager(page, list))
        content.append(.element("div", [.init("id", "list")], rows))
        return Page(request.subject.name, of: self, content)
    }

    /// The number of rows in the whole list.
    private func total(_ page: RowPage, _ request: RowRequest) throws -> HTML {
        let isWhole = page.previous == nil && page.next == nil && !page.isCutShort
        let text: String? =
            switch isWhole ? .exactly(Int64(page.rows.count)) : try browser.total(request) {
            case .exactly(let count)?: count == 1 ? "1 row" : "\(count) rows"
            case .atLeast(let count)?: "More than \(count) rows"
            case nil: nil
            }
        guard let text else { return .none }
        return .element("p", [.init("class", "note"), .init("id", "total"), .init("role", "status")], text)
    }

    /// The links to other actions on a list.
    private func links(_ list: RowsAddress) throws -> HTML {
        var links: [HTML] = []
        if case .entity(let entity) = list.request.subject {
            if editor != nil { links.append(.link(Address("/new", [("entity", entity)]), "New \(entity)")) }
            links += ExportedRows.Format.allCases.map { format in
                .link(
                    list.address("/export", [("format", format.rawValue)]), "Export as \(format.rawValue.uppercased())")
            }
            links.append(.link(list.address("/query"), "Plan of the query"))
        }
        links.append(.sqlLink(try browser.selection(of: list.request.subject)))
        return .element("p", [.init("class", "pager"), .init("id", "links")], links)
    }

    private func filterForm(_ list: RowsAddress, _ entity: String, _ page: RowPage?) -> HTML {
        let kept = list.parameters.filter { $0.0 != "filter" && $0.0 != "search" }.map { HTML.hidden($0.0, $0.1) }
        let quiet: [HTML.Attribute] = [
            .init("autocomplete", "off"), .init("spellcheck", "false"), .init("autocapitalize", "off"),
        ]
        return .element(
            "form",
            [.init("method", "get"), .init("action", "/rows"), .init("role", "search"), .init("class", "filter")],
            kept + [
                .element("label", [.init("for", "search")], "Search"),
                .void(
                    "input",
                    [
                        .init("id", "search"), .init("name", "search"), .init("type", "search"),
                        .init("value", list.request.search),
                        .init("placeholder", "any text or number"),
                    ] + quiet),
                .element("label", [.init("for", "filter")], "Filter"),
                .element(
                    "span", [.init("class", "completed")],
                    [
                        .void(
                            "input",
                            [
                                .init("id", "filter"), .init("name", "filter"), .init("value", list.request.filter),
                                .init("data-entity", entity), .init("placeholder", page.flatMap(Self.example)),
                                .init("aria-describedby", "filter-help"),
                            ] + quiet)
                    ]),
                .element("button", [], "Show"),
                .element(
                    "small", [.init("id", "filter-help")],
                    "A filter is a predicate in Core Data's format. Press / to edit it, n and p for the next and previous page."
                ),
            ])
    }

    /// A filter that fits the columns of a list.
    private static func example(_ page: RowPage) -> String? {
        let columns = page.columns.dropFirst()
        if let text = columns.first(where: { $0.type == "string" }) { return "\(text.name) BEGINSWITH \"A\"" }
        return columns.first { $0.type.hasPrefix("int") }.map { "\($0.name) > 10" }
    }

    // MARK: Columns

    /// The choice of columns: links that show, hide and move them.
    private func columnChoice(_ page: RowPage, _ list: RowsAddress, isOpen: Bool) -> HTML {
        let names = page.columns.map(\.name)
        let shown = names.enumerated().map { index, name -> HTML in
            func moved(_ distance: Int, _ text: String, _ label: String) -> HTML {
                guard names.indices.contains(index + distance) else { return .none }
                var order = names
                order.swapAt(index, index + distance)
                return .link(list.showing(order), text, label: "\(label) \(name)")
            }
            return .element(
                "li", [],
                [
                    .foreign(name), .text(" "), moved(-1, "←", "Move forward:"), moved(1, "→", "Move back:"),
                    names.count > 1
                        ? .link(list.showing(names.filter { $0 != name }), "Hide", label: "Hide \(name)") : .none,
                ])
        }
        let hidden = page.allColumns.filter { !names.contains($0) }.map { name in
            HTML.element(
                "li", [],
                [.foreign(name), .text(" "), .link(list.showing(names + [name]), "Show", label: "Show \(name)")])
        }
        return .element(
            "details", [.init("class", "columns-choice"), .init("open", isThere: isOpen)],
            [
                .element("summary", [], "Columns"), .element("ul", [.init("class", "columns")], shown + hidden),
                list.request.columns == nil ? .none : .link(list.showing(nil), "Show all columns"),
            ])
    }

    private func pager(_ page: RowPage, _ list: RowsAddress) -> HTML {
        var links: [HTML] = []
        if list.request.position != nil { links.append(.link(list.address(), "First page", relation: "start")) }
        if let previous = page.previous {
            links.append(.link(list.address("/rows", [("before", previous)]), "Previous page", relation: "prev"))
        }
        if let next = page.next {
            links.append(.link(list.address("/rows", [("behind", next)]), "Next page", relation: "next"))
        }
        let count = page.rows.count == 1 ? "1 row" : "\(page.rows.count) rows"
        return .element(
            "nav", [.init("class", "pager"), .init("aria-label", "Pages of the list")],
            [.element("span", [], page.rows.isEmpty ? "No rows" : count)] + links)
    }

    // MARK: Rows

    /// The rows, in a form that changes the selected ones where the store can be changed.
    private func rowsForm(_ page: RowPage, _ list: RowsAddress) throws -> HTML {
        guard case .entity(let entity) = list.request.subject else { return table(page, list) }
        let table = live(entity, [table(page, list)])
        if editor == nil || page.rows.isEmpty { return table }
        let properties = try browser.editableProperties(of: entity)
        return .form(
            "/bulk", formToken, "bulk",
            [
                .hidden("entity", entity), .hidden("list", list.address().query), table,
                .element(
                    "p", [.init("class", "actions")],
                    [
                        .element("span", [.init("id", "selected")], "Selected rows:"), .text(" "),
                        .element("label", [.init("for", "property")], "Property"), .text(" "),
                        .element(
                            "select", [.init("id", "property"), .init("name", "property")],
                            properties.map { .element("option", [.init("value", $0)], $0) }),
                        .text(" "),
                        .element("button", [.init("name", "action"), .init("value", "change")], "Change…"),
                        .text(" "),
                        .element("button", [.init("name", "action"), .init("value", "delete")], "Delete…"),
                    ]),
            ])
    }

    private func table(_ page: RowPage, _ list: RowsAddress) -> HTML {
        let current = list.request.sort ?? page.allColumns.first
        var isSelectable = false
        if case .entity = list.request.subject { isSelectable = editor != nil }
        var head = page.columns.map { column -> HTML in
            let isCurrent = column.name == current
            let order = list.request.isDescending ? "descending" : "ascending"
            return .element(
                "th", [.init("scope", "col"), .init("aria-sort", isCurrent ? order : nil)],
                [
                    .link(list.sorted(by: column.name), column.name),
                    .text(isCurrent ? (list.request.isDescending ? " ↓" : " ↑") : ""),
                    .element("small", [], column.destination.map { "→ \($0)" } ?? column.type),
                ])
        }
        if isSelectable {
            head.insert(.element("th", [.init("scope", "col"), .init("class", "select")], "Select"), at: 0)
        }
        let rows = page.rows.map { row -> HTML in
            var cells = row.values.enumerated().map { index, value in
                if index == 0, let number = row.number, let entity = row.entity {
                    let isOther = entity != list.request.subject.name
                    let isNumber = page.columns.first?.name == page.allColumns.first
                    let text =
                        !isNumber && !value.text.isEmpty
                        ? value.text : isOther ? "\(entity) \(number)" : "\(number)"
                    return HTML.element("th", [.init("scope", "row")], [.link(.object(entity, number), text)])
                }
                return .element("td", [], [.value(value)])
            }
            guard let number = row.number, let version = row.version else { return .element("tr", [], cells) }
            if isSelectable {
                cells.insert(
                    .element(
                        "td", [],
                        [
                            .void(
                                "input",
                                [
                                    .init("type", "checkbox"), .init("name", "row.\(number)"),
                                    .init("value", "\(version)"),
                                    .init("aria-label", "Select \(row.entity ?? "") \(number)"),
                                ])
                        ]), at: 0)
            }
            return .element("tr", Self.live(number, version), cells)
        }
        return .table("Rows of \(list.request.subject.name)", head, rows)
    }

    func queryPage(_ parameters: Parameters) throws -> Page {
        let list = try RowsAddress(parameters)
        let query = try browser.explanation(of: list.request)
        return Page(
            "Plan of the query", of: self,
            [
                .element("p", [], [.link(list.address(), "Back to the rows")]),
                .element("h2", [], "Plan of SQLite"), .element("pre", [], query.plan.joined(separator: "\n")),
                .element("h2", [], "Indexes"), .element("pre", [], query.advice),
                .element("h2", [], "Statement"), .element("pre", [], query.sql),
            ])
    }
}

extension HTML {
    /// A link whose label says more than its text.
    static func link(_ address: Address, _ text: String, label: String) -> HTML {
        element("a", [Attribute("href", address.text), Attribute("aria-label", label)], text)
    }
}
