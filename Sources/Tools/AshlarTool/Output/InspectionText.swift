import DataModel
import Foundation
import StoreInspection

/// The findings in a store as text for people.
struct InspectionText {
    private(set) var lines: [String] = []

    init(_ inspection: StoreInspection, path: String) {
        lines.append(contentsOf: Self.heading(inspection, path))
        add("Entities", ["", "rows", "bytes", "table"], Self.entities(inspection))
        let others = inspection.tables.filter { $0.role != .objects || inspection.entities.isEmpty }
        add("Tables", ["", "rows", "bytes", "for"], others.map(Self.table))
        add("Indexes", ["", "bytes", "recorded use", "columns"], inspection.indexes.map(Self.index))
        if let count = inspection.failedStatements, count > 0 {
            lines.append("\(counted(count, "recorded statement is", "recorded statements are")) none of this store's.")
        }
        if lines.count > 3 { lines.append("") }
        lines += Self.ending(inspection)
        // Names may have line breaks.
        lines = lines.map(TerminalText.line)
    }

    // MARK: Parts

    private static func heading(_ inspection: StoreInspection, _ path: String) -> [String] {
        let identifier = inspection.identifier.map { ", \($0)" } ?? ""
        let names = (inspection.versionIdentifiers ?? []).map { "\"\($0)\"" }.joined(separator: ", ")
        let what =
            switch inspection.kind {
            case .ashlar:
                "a store of the model \"\(inspection.modelName ?? "")\", version \"\(inspection.modelVersion ?? "")\"\(identifier)"
            case .coreData:
                "a store that Core Data wrote\(identifier)" + (names.isEmpty ? "" : ", version \(names)")
            case .swiftData: "a store that SwiftData probably wrote\(identifier), version \(names)"
            case .sqlite: "an SQLite file of another program"
            case .empty: inspection.bytes == 0 ? "an empty file" : "an SQLite file without tables"
            }
        var lines = ["\(path): \(what).", "\(bytes(inspection.bytes))\(pages(inspection))"]
        if let keys = inspection.userKeys, !keys.isEmpty {
            lines.append("The program keeps of its own: \(keys.joined(separator: ", "))")
        }
        return lines
    }

    private static func pages(_ inspection: StoreInspection) -> String {
        guard let pages = inspection.pages else { return "" }
        let free = pages.free == 0 ? "none free" : "\(pages.free) free (\(bytes(pages.free * pages.size)))"
        var text = " in \(counted(Int(pages.count), "page", "pages")) of \(pages.size) bytes, \(free)"
        guard let log = inspection.log else { return text + "." }
        if let size = log.bytes, size > 0 {
            text += "; a write-ahead log of \(counted(Int(log.frames ?? 0), "page", "pages")), \(bytes(size))"
        } else {
            text += log.mode == "wal" ? "; nothing in its write-ahead log" : "; a rollback journal is used"
        }
        if log.hasRollbackJournal { text += "; a program is writing it, or was killed when it did" }
        return text + "."
    }

    private static func entities(_ inspection: StoreInspection) -> [[String]] {
        inspection.entities.map { entity in
            let parent = entity.parent.map { " (\($0))" } ?? ""
            return [
                entity.name + parent, entity.rows.map(String.init) ?? "?", entity.bytes.map(bytes) ?? "",
                entity.table.map { $0 == entity.name ? "" : $0 } ?? "",
            ]
        }
    }

    private static func table(_ table: StoreInspection.Table) -> [String] {
        let role =
            switch table.role {
            case .objects: "objects"
            case .pairs: "pairs of a relationship"
            case .rtree: "an R-tree"
            case .fullText: "a full-text index"
            case .history: "history"
            case .internal: "the store itself"
            case .other: ""
            }
        return [table.name, table.rows.map(String.init) ?? "?", table.bytes.map(bytes) ?? "", role]
    }

    private static func index(_ index: StoreInspection.Index) -> [String] {
        let use = index.recordedStatements.map { count in
            count == 0
                ? "none"
                : "\(counted(count, "statement", "statements")), \(counted(Int(index.recordedRuns ?? 0), "time", "times"))"
        }
        let columns = index.columns.map { $0 ?? "(expression)" }.joined(separator: ", ")
        return [
            index.name, index.bytes.map(bytes) ?? "", use ?? "",
            "\(index.table) (\(columns))" + (index.isUnique ? ", unique" : ""),
        ]
    }

    private static func ending(_ inspection: StoreInspection) -> [String] {
        var lines: [String] = []
        if let history = inspection.history {
            let size = history.bytes.map { ", \(bytes($0))" } ?? ""
            let span =
                if let first = history.first, let last = history.last {
                    ", from \(first.formatted(.iso8601)) to \(last.formatted(.iso8601))"
                } else { "" }
            lines.append(
                "History: \(counted(Int(history.transactions), "transaction", "transactions")) with "
                    + "\(counted(Int(history.changes), "change", "changes"))\(span)\(size)")
        } else if inspection.kind != .sqlite, inspection.kind != .empty {
            lines.append("History: none")
        }
        let overflow = inspection.tables.compactMap(\.overflowBytes).reduce(0, +)
        if overflow > 0 { lines.append("Large values in the file: \(bytes(overflow)) in pages of their own") }
        if let data = inspection.externalData {
            let largest = data.largest.map { ", the largest \(bytes($0))" } ?? ""
            lines.append(
                "Large values beside the file: \(counted(data.files, "file", "files")), \(bytes(data.bytes))\(largest)")
        }
        if !inspection.views.isEmpty { lines.append("Views: \(inspection.views.joined(separator: ", "))") }
        if let integrity = inspection.integrity {
            lines.append(integrity.isSound ? "Integrity: sound" : "Integrity: DAMAGED")
            lines += integrity.findings.flatMap { $0.split(separator: "\n") }.map { "    \($0)" }
        }
        return lines + inspection.problems
    }

    /// Bytes in words, the same in every language.
    static func bytes(_ count: Int64) -> String {
        var (value, unit) = (Double(count), 0)
        let units = ["bytes", "KB", "MB", "GB", "TB"]
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return unit == 0 ? "\(count) bytes" : String(format: value < 10 ? "%.1f " : "%.0f ", value) + units[unit]
    }

    /// Adds rows in columns below a heading; numbers are at the right.
    private mutating func add(_ title: String, _ headings: [String], _ rows: [[String]]) {
        if rows.isEmpty { return }
        // The text is measured as the terminal shows it.
        let shown = ([[title] + headings.dropFirst()] + rows).map { $0.map(TerminalText.line) }
        let widths = headings.indices.map { column in shown.map { $0[column].count }.max() ?? 0 }
        lines.append("")
        for row in shown {
            var line = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
            for column in row.indices.dropFirst() where widths[column] > 0 {
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                let isNumber = headings[column] == "rows" || headings[column] == "bytes"
                line += "  " + (isNumber ? space + row[column] : row[column] + space)
            }
            lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
        }
    }
}
