@_spi(Studio) import StoreBrowsing

/// What an address says of a list.
struct RowsAddress {
    var request: RowRequest

    init(_ parameters: Parameters) throws {
        switch (parameters["entity"], parameters["table"]) {
        case (let entity?, nil): request = RowRequest(.entity(entity))
        case (nil, let table?): request = RowRequest(.table(table))
        default: throw PageError.parameters
        }
        request.sort = parameters["sort"].flatMap { $0.isEmpty ? nil : $0 }
        request.isDescending = parameters["descending"] == "1"
        request.filter = parameters["filter"] ?? ""
        switch (parameters["behind"], parameters["before"]) {
        case (nil, nil): break
        case (let position?, nil): request.position = position
        case (nil, let position?):
            request.position = position
            request.isBackward = true
        default: throw PageError.parameters
        }
        if let entity = parameters["of"] {
            guard let number = parameters["id"].flatMap({ Int64($0) }), let relationship = parameters["relationship"]
            else { throw PageError.parameters }
            request.owner = RowOwner(entity: entity, number: number, relationship: relationship)
        }
    }

    init(_ request: RowRequest) { self.request = request }

    /// The parameters without the place in the list.
    var parameters: [(String, String?)] {
        let subject: (String, String?) =
            switch request.subject {
            case .entity(let name): ("entity", name)
            case .table(let name): ("table", name)
            }
        return [
            subject, ("sort", request.sort), ("descending", request.isDescending ? "1" : nil),
            ("filter", request.filter.isEmpty ? nil : request.filter), ("of", request.owner?.entity),
            ("id", request.owner.map { "\($0.number)" }), ("relationship", request.owner?.relationship),
        ]
    }

    func address(_ path: String = "/rows", behind: String? = nil, before: String? = nil) -> Address {
        Address(path, parameters + [("behind", behind), ("before", before)])
    }

    func sorted(by column: String) -> Address {
        var request = request
        request.isDescending = request.sort == column && !request.isDescending
        request.sort = column
        return RowsAddress(request).address()
    }
}

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
                        .text("Those that "), .foreign(owner.relationship), .text(" of "),
                        .link(.object(owner.entity, owner.number), "\(owner.entity) \(owner.number)"),
                        .text(" leads to."),
                    ]))
        }
        if case .entity(let entity) = request.subject { content.append(filterForm(list, entity)) }
        let page: RowPage
        switch Result(catching: { () throws(BrowsingError) in try browser.rows(request) }) {
        case .success(let found): page = found
        case .failure(let error):
            // The form stays, to be corrected.
            if error.kind != .invalid, error.kind != .tooSlow { throw error }
            content.append(
                .element("p", [.init("class", "error"), .init("role", "alert")], [.foreign(error.description)]))
            return Page(request.subject.name, of: self, content)
        }
        content.append(pager(page, list))
        content.append(table(page, list))
        if editor != nil, case .entity(let entity) = request.subject {
            content.append(.element("p", [], [.link(Address("/new", [("entity", entity)]), "New \(entity)")]))
        }
        if page.hiddenColumnCount > 0 { content.append(.note("\(page.hiddenColumnCount) more columns are not shown.")) }
        if page.isCutShort {
            content.append(.note("There are more rows, but the key of the last is too long to go on from."))
        }
        content.append(pager(page, list))
        return Page(request.subject.name, of: self, content)
    }

    private func filterForm(_ list: RowsAddress, _ entity: String) -> HTML {
        let kept = list.parameters.filter { $0.0 != "filter" }.map { HTML.hidden($0.0, $0.1) }
        return .element(
            "form",
            [.init("method", "get"), .init("action", "/rows"), .init("role", "search"), .init("class", "filter")],
            kept + [
                .element("label", [.init("for", "filter")], "Filter"),
                .element(
                    "span", [.init("class", "completed")],
                    [
                        .void(
                            "input",
                            [
                                .init("id", "filter"), .init("name", "filter"), .init("value", list.request.filter),
                                .init("autocomplete", "off"), .init("spellcheck", "false"),
                                .init("autocapitalize", "off"), .init("data-entity", entity),
                                .init("placeholder", "likes > 10 AND author.name BEGINSWITH \"A\""),
                                .init("aria-describedby", "filter-help"),
                            ])
                    ]),
                .element("button", [], "Show"), .link(list.address("/query"), "Plan of the query"),
                .element(
                    "small", [.init("id", "filter-help")],
                    "In the language of Core Data's predicate formats. / goes here, n and p turn the pages."),
            ])
    }

    private func pager(_ page: RowPage, _ list: RowsAddress) -> HTML {
        var links: [HTML] = []
        if list.request.position != nil { links.append(.link(list.address(), "First page", relation: "start")) }
        if let previous = page.previous {
            links.append(.link(list.address(before: previous), "Previous page", relation: "prev"))
        }
        if let next = page.next { links.append(.link(list.address(behind: next), "Next page", relation: "next")) }
        let count = page.rows.count == 1 ? "1 row" : "\(page.rows.count) rows"
        return .element(
            "nav", [.init("class", "pager"), .init("aria-label", "Pages of the list")],
            [.element("span", [], page.rows.isEmpty ? "No rows" : count)] + links)
    }

    private func table(_ page: RowPage, _ list: RowsAddress) -> HTML {
        let current = list.request.sort ?? page.columns.first?.name
        let head = page.columns.map { column -> HTML in
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
        let rows = page.rows.map { row -> HTML in
            .element(
                "tr", [],
                row.values.enumerated().map { index, value in
                    if index == 0, let number = row.number, let entity = row.entity {
                        let isOther = entity != list.request.subject.name
                        return .element(
                            "th", [.init("scope", "row")],
                            [.link(.object(entity, number), isOther ? "\(entity) \(number)" : "\(number)")])
                    }
                    return .element("td", [], [.value(value)])
                })
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
                .element("h2", [], "What SQLite does"), .element("pre", [], query.plan.joined(separator: "\n")),
                .element("h2", [], "Indexes"), .element("pre", [], query.advice),
                .element("h2", [], "The statement"), .element("pre", [], query.sql),
            ])
    }
}
