@_spi(Studio) import StoreBrowsing

extension Studio {
    /// Runs a statement that only reads, and shows its rows, its time and its plan.
    func sqlPage(_ parameters: Parameters) throws -> Page {
        let sql = ObjectForm.text(parameters["sql"]) ?? ""
        var content: [HTML] = [
            .element(
                "form",
                [.init("method", "get"), .init("action", "/sql"), .init("class", "sql")],
                [
                    .element("label", [.init("for", "sql")], "A SELECT statement"),
                    .editedText(
                        [
                            .init("id", "sql"), .init("name", "sql"), .init("rows", "6"), .init("spellcheck", "false"),
                            .init("autocapitalize", "off"), .init("aria-describedby", "sql-help"),
                        ], sql),
                    .element("p", [.init("class", "actions")], [.element("button", [], "Run")]),
                    .element(
                        "small", [.init("id", "sql-help"), .init("class", "note")],
                        "The store is only read. Ctrl and Enter run the statement."),
                ])
        ]
        if sql.unicodeScalars.allSatisfy(\.properties.isWhitespace) { return Page("SQL", of: self, content) }
        do {
            content += Self.shown(try browser.run(sql))
            return Page("SQL", of: self, content)
        } catch {
            if error.kind != .invalid, error.kind != .tooSlow { throw error }
            content.append(
                .element("p", [.init("class", "error"), .init("role", "alert")], [.foreign(error.description)]))
            return Page("SQL", of: self, content)
        }
    }

    private static func shown(_ result: QueryResult) -> [HTML] {
        let count = result.rows.count == 1 ? "1 row" : "\(result.rows.count) rows"
        let time = (result.seconds * 10_000).rounded() / 10
        return [
            .element(
                "p", [.init("role", "status")],
                (result.hasMore ? "The first \(count)" : count) + " in \(time) ms."),
            .table(
                "Rows of the statement", result.columns.map { .element("th", [.init("scope", "col")], [.foreign($0)]) },
                result.rows.map { row in .element("tr", [], row.map { .element("td", [], [.value($0)]) }) }),
            .element("h2", [], "Plan"),
            .element(
                "pre", [.init("tabindex", "0"), .init("class", "plan")],
                result.plan.isEmpty ? "This statement has no plan." : result.plan.joined(separator: "\n")),
        ]
    }
}

extension HTML {
    /// The link to the page for SQL with a statement for a list.
    static func sqlLink(_ sql: String) -> HTML { link(Address("/sql", [("sql", sql)]), "SQL") }
}
