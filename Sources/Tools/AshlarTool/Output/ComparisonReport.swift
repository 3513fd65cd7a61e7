import DataModel
import ModelComparison

/// The report of the differences between two versions, for people, for a review, and for programs.
struct ComparisonReport: Encodable {
    /// The migration between both.
    struct Migration: Encodable {
        var steps: [String]
        var destroys: [String]
        var warnings: [String]
        var obstacles: [String]
        /// A script for the `sqlite3` shell.
        var sql: String?
    }

    var version = 1
    var source: String
    var destination: String
    var changes: [ModelComparison.Change]
    var migration: Migration

    init(_ old: Model, _ new: Model, _ comparison: ModelComparison, _ migration: ComparedMigration) {
        source = old.name
        destination = new.name
        changes = comparison.changes
        self.migration = Migration(
            steps: migration.steps, destroys: migration.destroys, warnings: migration.warnings,
            obstacles: migration.obstacles, sql: migration.sql)
    }

    // MARK: Text

    /// Lines with a mark for each added, removed or changed thing.
    var lines: [[TextSpan]] {
        if changes.isEmpty { return [[TextSpan("The versions say the same.")]] }
        var result = [[TextSpan("\(source) -> \(destination)", .place)]]
        var owner: String?
        for change in changes {
            if let own = change.owner, own != owner, !isHead(own) {
                result.append([TextSpan("~ \(own)")])
            }
            owner = change.owner ?? change.name
            let indentation = change.owner == nil ? "" : "    "
            result.append([TextSpan("\(indentation)\(Self.line(change))", Self.role(change.action))])
            // Added and removed things are described in their own lines.
            guard change.action == .changed else { continue }
            for facet in change.facets {
                result.append([TextSpan("\(indentation)    \(Self.line(facet))")])
            }
        }
        return result + migrationLines
    }

    /// Returns whether the owner of changes is itself among them.
    private func isHead(_ owner: String) -> Bool { changes.contains { $0.owner == nil && $0.name == owner } }

    private var migrationLines: [[TextSpan]] {
        var result: [[TextSpan]] = [[]]
        func add(_ title: String, _ texts: [String], _ role: TextSpan.Role) {
            if texts.isEmpty { return }
            result.append([TextSpan(title, .place)])
            result += texts.map { [TextSpan("    \($0)", role)] }
        }
        add("There is no migration:", migration.obstacles, .error)
        add("The migration destroys:", migration.destroys, .removed)
        add("To look at:", migration.warnings, .warning)
        add("The migration:", migration.sql.map { $0.split(separator: "\n").map(String.init) } ?? [], .plain)
        return result
    }

    private static func role(_ action: ModelComparison.Action) -> TextSpan.Role {
        switch action {
        case .added: .added
        case .removed: .removed
        case .changed: .plain
        }
    }

    private static func line(_ change: ModelComparison.Change) -> String {
        let mark =
            switch change.action {
            case .added: "+"
            case .removed: "-"
            case .changed: "~"
            }
        let renamed = change.formerName.map { " (was \($0))" } ?? ""
        var text = "\(mark) \(words(change.kind)) \(change.name)\(renamed)"
        if change.action != .changed, !change.facets.isEmpty {
            text += ": " + change.facets.map { "\($0.name) \($0.after ?? $0.before ?? "")" }.joined(separator: ", ")
        }
        return text
    }

    private static func line(_ facet: ModelComparison.Facet) -> String {
        "\(facet.name): \(facet.before ?? "none") -> \(facet.after ?? "none")"
    }

    private static func words(_ kind: ModelComparison.Kind) -> String {
        switch kind {
        case .model, .entity, .attribute, .relationship, .index, .composite, .configuration: kind.rawValue
        case .fetchedProperty: "fetched property"
        case .uniquenessConstraint: "uniqueness constraint"
        case .fetchRequest: "fetch request"
        }
    }

    // MARK: Markdown

    /// A comment for a review: a table of the changes, the deletions before everything else, and the SQL to unfold.
    var markdown: String {
        var result = ["### \(Markdown.text(source)) → \(Markdown.text(destination))", ""]
        if changes.isEmpty { return (result + ["The versions say the same.", ""]).joined(separator: "\n") }
        func list(_ title: String, _ texts: [String]) {
            if texts.isEmpty { return }
            result += ["**\(title)**", ""] + texts.map { "- \(Markdown.text($0))" } + [""]
        }
        list("There is no migration", migration.obstacles)
        list("The migration destroys", migration.destroys)
        list("To look at", migration.warnings)
        result += ["| | what | where | change |", "|---|---|---|---|"]
        for change in changes {
            let mark =
                switch change.action {
                case .added: "added"
                case .removed: "**removed**"
                case .changed: change.formerName == nil ? "changed" : "renamed"
                }
            var details = change.formerName.map { ["was \(Markdown.code($0))"] } ?? []
            details += change.facets.map { facet in
                let values = [facet.before, facet.after].compactMap { $0.map(Markdown.code) }
                return change.action == .changed
                    ? "\(Markdown.text(facet.name)): \(facet.before.map(Markdown.code) ?? "none") → "
                        + (facet.after.map(Markdown.code) ?? "none")
                    : "\(Markdown.text(facet.name)) \(values.joined())"
            }
            result.append(
                "| \(mark) | \(Self.words(change.kind)) \(Markdown.code(change.name)) | "
                    + "\(change.owner.map(Markdown.code) ?? "") | \(details.joined(separator: "<br>")) |")
        }
        result.append("")
        if let sql = migration.sql {
            result += [
                "<details><summary>The migration's SQL</summary>", "", Markdown.block(sql, "sql"), "</details>", "",
            ]
        }
        return result.joined(separator: "\n")
    }
}
