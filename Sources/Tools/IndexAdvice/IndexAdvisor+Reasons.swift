import RelationalSchema

extension IndexAdvisor {
    /// The reason why no index makes a query better that scans or sorts; nil if the query requests all rows.
    func reason(
        _ query: AdvisedQuery, _ plan: QueryPlan, _ scans: [TableScan], canImprove: Bool
    ) -> String? {
        if canImprove {
            return query.usage == nil
                ? "an index would make other queries slower"
                : "an index would cost more when rows are written than it saves"
        }
        if scans.contains(where: { schema.hasRTree(for: $0) }) { return nil }
        let tables = Set(scans.map(\.tableName))
        if !tables.isEmpty, statistics.areMeasured,
            tables.allSatisfy({ statistics.rowCount(of: $0) < Self.smallTable })
        {
            return nil
        }
        let words = Set(StatementText.tokens(query.sql).map { $0.lowercased() })
        if let reason = Self.reasons.first(where: { words.contains($0.word) })?.text { return reason }
        if plan.steps.contains(where: { $0.detail.hasPrefix("CORRELATED") }) {
            return "it looks at the related objects of each object; derive an attribute of them, and compare that"
        }
        if scans.contains(where: isNarrowing) { return "the conditions leave too many rows, as far as is known" }
        return isNarrowed(query) ? "its conditions or its order are computed, or are those of other objects" : nil
    }

    /// Returns whether a statement has conditions on a table's rows other than on their entity and identifier.
    private func isNarrowing(_ scan: TableScan) -> Bool {
        guard let columns = schema.tables.first(where: { $0.name == scan.tableName })?.columns else { return false }
        return scan.terms.contains { ![ColumnName.entity, ColumnName.identifier].contains(columns[$0.column].name) }
    }

    /// Returns whether a statement has an order, or a condition on anything but the entity and the identifier of the
    /// rows.
    private func isNarrowed(_ query: AdvisedQuery) -> Bool {
        let tokens = StatementText.tokens(query.sql)
        if tokens.contains(where: { $0.uppercased() == "ORDER" }) { return true }
        guard let start = tokens.firstIndex(where: { $0.uppercased() == "WHERE" }) else { return false }
        // A token after a point is a name, and not a value.
        let own = ["\"\(ColumnName.entity)\"", "\"\(ColumnName.identifier)\""]
        return tokens.indices.dropFirst(start).contains { index in
            index > 0 && tokens[index - 1] == "." && !own.contains(String(tokens[index]))
        }
    }

    /// The constructs of a statement that no index speeds up.
    private static let reasons: [(word: String, text: String)] = [
        ("indexed", "the statement says itself how its rows are found"),
        ("instr", "CONTAINS looks into every text; a full-text index finds words without that"),
        ("substr", "ENDSWITH looks at the end of every text; derive an attribute that is reversed, and use BEGINSWITH"),
        (
            "ashlar_hasprefix",
            "texts are compared without regard to case or marks; derive an attribute by canonical:(…), and compare that"
        ),
        (
            "ashlar_contains",
            "CONTAINS with [cd] looks into every text; a full-text index finds words without that"
        ),
        ("ashlar_like", "LIKE looks at every text; BEGINSWITH can use an index"),
        ("ashlar_matches", "a regular expression looks at every text"),
        (
            "ashlar_fold",
            "texts are compared without regard to case or marks; derive an attribute by canonical:(…), and compare that"
        ),
        (
            "ashlar_canonical",
            "texts are compared without regard to case or marks; derive an attribute by canonical:(…), and compare that"
        ),
        ("ashlar_localized", "the order depends on the locale, which no index can keep"),
        ("ashlar_localized_standard", "the order depends on the locale, which no index can keep"),
    ]
}
