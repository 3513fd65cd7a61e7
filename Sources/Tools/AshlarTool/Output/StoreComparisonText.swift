import StoreInspection

/// The differences between two stores as text, for people and for a review.
struct StoreComparisonText {
    private let comparison: StoreComparison

    init(_ comparison: StoreComparison) { self.comparison = comparison }

    private var differing: [StoreComparison.Table] { comparison.tables.filter { !$0.isSame } }

    var lines: [[TextSpan]] {
        let notCompared = notCompared.map { [[TextSpan($0)]] } ?? []
        if comparison.isSame { return [[TextSpan("The stores hold the same.")]] + notCompared }
        var result: [[TextSpan]] = []
        for table in differing {
            result.append([TextSpan(Self.heading(table), .place)])
            for row in table.rows {
                switch row.action {
                case .added: result.append([TextSpan("    + \(row.key)", .added)])
                case .removed: result.append([TextSpan("    - \(row.key)", .removed)])
                case .changed:
                    result.append([TextSpan("    ~ \(row.key)")])
                    result += row.values.map { [TextSpan("        \($0.column): \($0.before) -> \($0.after)")] }
                }
            }
            let rest = table.added + table.removed + table.changed - Int64(table.rows.count)
            if rest > 0, !table.rows.isEmpty { result.append([TextSpan("    and \(rest) more")]) }
        }
        return result + notCompared
    }

    private var notCompared: String? {
        let names = comparison.notCompared
        if names.isEmpty { return nil }
        return "Not compared: \(names.joined(separator: ", ")), as SQLite's extensions hold the data of virtual tables."
    }

    private static func heading(_ table: StoreComparison.Table) -> String {
        if let side = table.onlyIn {
            return "\(table.name): only in the \(side == 1 ? "first" : "second"), \(table.added + table.removed) rows"
        }
        var text =
            "\(table.name): \(table.added) added, \(table.removed) removed, \(table.changed) changed, \(table.same) same"
        for (names, side) in [(table.columnsOnlyInFirst, "first"), (table.columnsOnlyInSecond, "second")]
        where !names.isEmpty { text += "; only the \(side) has \(names.joined(separator: ", "))" }
        return text
    }

    var markdown: String {
        let end = notCompared.map { "\n\(Markdown.text($0))\n" } ?? ""
        if comparison.isSame { return "The stores hold the same.\n" + end }
        var result = ["| table | added | removed | changed | same |", "|---|---|---|---|---|"]
        for table in differing {
            let side = table.onlyIn.map { $0 == 1 ? " (only in the first)" : " (only in the second)" } ?? ""
            result.append(
                "| \(Markdown.code(table.name))\(side) | \(table.added) | \(table.removed) | \(table.changed) | \(table.same) |"
            )
        }
        for table in differing where !table.rows.isEmpty {
            result += ["", "**\(Markdown.text(table.name))**", ""]
            for row in table.rows {
                let values = row.values.map {
                    "\(Markdown.code($0.column)): \(Markdown.code($0.before)) → \(Markdown.code($0.after))"
                }
                result.append("- \(row.action.rawValue) \(Markdown.code(row.key)) \(values.joined(separator: ", "))")
            }
        }
        return result.joined(separator: "\n") + "\n" + end
    }
}
