import ArgumentParser
import Ashlar
import AshlarImport
import FileErrors
import Foundation
import PlannedModel
import StoreChecking

extension Check {
    /// Returns whether a file begins as SQLite's do. A folder, as models are, does not.
    static func isDatabase(_ path: String) -> Bool {
        let bytes = try? RegularFile.bytes(atPath: path, upToCount: 16)
        return bytes?.elementsEqual("SQLite format 3\0".utf8) ?? false
    }

    func checkStores() throws {
        var status: Int32 = 0
        var reports: [CheckedStoreReport] = []
        for path in paths {
            var report = CheckedStoreReport(store: path)
            do {
                try check(path, &report)
            } catch let error where error is StoreError {
                guard format == .json else { throw error }
                report.error = AshlarTool.message(for: error)
                reports.append(report)
                try write(reports)
                throw error
            }
            status = max(status, report.status)
            reports.append(report)
            if format == .text { try CommandOutput.results.write(line: report.lines.joined(separator: "\n")) }
        }
        if format == .json { try write(reports) }
        if status != 0 { throw ExitCode(status) }
    }

    private func write(_ reports: [CheckedStoreReport]) throws {
        if reports.count == 1 { return try CommandOutput.results.write(json: reports[0]) }
        try CommandOutput.results.write(json: CheckedStoreReports(stores: reports))
    }

    private func check(_ path: String, _ report: inout CheckedStoreReport) throws {
        let url = URL(fileURLWithPath: path)
        if try ModelContainer.isCoreDataStore(at: url) { throw StoreError.coreDataStore(url) }
        let metadata = try ModelContainer.metadata(ofStoreAt: url)
        let found = try StoreModel(of: metadata, model: model, configuration)
        report.modelVersion = found.plan.versions[found.position].name
        let checker = StoreChecker(CheckedModel(found))
        if !repair { return report.add(try checker.check(url)) }
        let target = backup.map { URL(fileURLWithPath: $0) } ?? Self.freeBackup(besides: url)
        let repaired = try StoreRepair(checker).repair(url, backup: target)
        report.add(repaired.left)
        report.mended = repaired.mended
        report.backup = repaired.backup?.path
        report.movedFiles = repaired.movedFiles?.path
    }

    /// `Feed.store.before-repair`, with a number if such a file exists.
    private static func freeBackup(besides url: URL) -> URL {
        let first = URL(fileURLWithPath: url.path + ".before-repair")
        var (target, number) = (first, 1)
        while FileManager.default.fileExists(atPath: target.path) {
            number += 1
            target = URL(fileURLWithPath: first.path + "-\(number)")
        }
        return target
    }
}

extension CheckedModel {
    /// The version of a store.
    init(_ model: StoreModel) {
        let version = model.plan.versions[model.position]
        self.init(
            model.schema, description: .describing(model.schema), versionHash: version.hash.versionHash,
            schemaHash: version.hash.schemaHash)
    }
}

/// The report of several stores.
private struct CheckedStoreReports: Encodable {
    var version = 1
    var stores: [CheckedStoreReport]
}

/// The report of `ashlar check` about a store.
struct CheckedStoreReport: Encodable {
    var version = 1
    var store: String
    var modelVersion: String?
    var isSound: Bool?
    var findings: [StoreFinding] = []
    /// The findings that were repaired.
    var mended: [StoreFinding]?
    /// The backup of the store as it was.
    var backup: String?
    /// The folder to which files were moved that no row refers to.
    var movedFiles: String?
    var notes: [String] = []
    var error: String?
    private var isDamaged = false

    init(store: String) { self.store = store }

    private enum CodingKeys: String, CodingKey {
        case version, store, modelVersion, isSound, findings, mended, backup, movedFiles, notes, error
    }

    mutating func add(_ result: StoreChecker.Result) {
        findings = result.findings
        notes = result.notes
        isSound = findings.isEmpty
        isDamaged = result.isDamaged
    }

    /// The status that the tool ends with.
    var status: Int32 { isDamaged ? StoreStatus.isUnavailable.rawValue : findings.isEmpty ? 0 : 1 }

    var lines: [String] {
        var lines: [String] = []
        if let backup { lines.append("As it was, the store is in \(backup).") }
        for finding in mended ?? [] { lines.append("\(store): mended: \(Self.line(finding))") }
        if let movedFiles { lines.append("Files that no row refers to are in \(movedFiles).") }
        for finding in findings {
            lines.append("\(store): \(Self.line(finding))")
            lines.append("    " + (finding.isMendable && mended == nil ? "--repair: " : "") + finding.remedy)
        }
        lines += notes
        let count = counted(findings.count, "finding", "findings")
        lines.append(findings.isEmpty ? "\(store): sound." : "\(store): \(count)\(mended == nil ? "" : " left").")
        return lines
    }

    /// Such as `Post.title: A required value is missing. (2 rows: 3, 7)`.
    private static func line(_ finding: StoreFinding) -> String {
        var place = [finding.entity ?? finding.table, finding.property].compactMap(\.self).joined(separator: ".")
        if !place.isEmpty { place += ": " }
        var text = place + finding.text
        if !finding.rows.isEmpty, let count = finding.count {
            let more = count > finding.rows.count ? ", …" : ""
            text +=
                " (\(counted(count, "row", "rows")): \(finding.rows.map(String.init).joined(separator: ", "))\(more))"
        } else if let count = finding.count {
            text += " (\(count))"
        }
        return text
    }
}
