import Ashlar
import AshlarSQLite
import Foundation

/// Repairs problems of a store that can be solved by computing something again.
package struct StoreRepair: Sendable {
    package struct Result: Sendable {
        /// The backup of the store as it was; nil if nothing was repaired.
        package var backup: URL?
        package var mended: [StoreFinding]
        package var left: StoreChecker.Result
        /// The folder of the moved files that nothing refers to; nil if there were none.
        package var movedFiles: URL?
    }

    private let checker: StoreChecker

    package init(_ checker: StoreChecker) { self.checker = checker }

    /// Makes a backup, repairs in one transaction, and checks again.
    ///
    /// A damaged file is not touched. The repair deletes only data that it can compute again, references to missing
    /// objects, and surplus references to one object.
    ///
    /// - Parameter backup: The path of the backup, which is made if there is anything to repair. There must be no file.
    /// - Throws: `StoreError`. The store is then as it was.
    package func repair(_ url: URL, backup: URL) throws -> Result {
        do {
            let connection = try Connection(toWrite: url)
            try connection.setDefensive(true)
            try connection.execute("PRAGMA foreign_keys = OFF")
            try connection.execute("BEGIN IMMEDIATE")
            do {
                return try repair(url, backup, connection)
            } catch {
                try? connection.rollBack()
                throw error
            }
        } catch let error as SQLiteError {
            throw StoreError(error, url, doing: "repairing the store")
        }
    }

    private func repair(_ url: URL, _ backup: URL, _ connection: Connection) throws -> Result {
        let files = LargeValueCheck(storePath: url.path)
        let names = try files.names()
        let found = try checker.check(connection, url, files: names, isLocked: true)
        if found.isDamaged || !found.findings.contains(where: \.isMendable) {
            try connection.rollBack()
            return Result(mended: [], left: found)
        }
        let pages = try connection.integer("PRAGMA main.page_count") ?? 0
        let room = pages * (try connection.integer("PRAGMA main.page_size") ?? 0)
        try StoreBackup.make(of: url, at: backup, room: room)
        do {
            var metadata = try StoreMetadata(connection)
            let wasKnown = try metadata?.knowsSchema(of: connection) ?? false
            let (seen, left) = try mend(found, connection) {
                try checker.check(connection, url, files: names, isLocked: true)
            }
            let isSchemaRight = !left.findings.contains {
                [.alteredTable, .otherTableRules, .missingObject, .otherObject, .leftObject].contains($0.kind)
            }
            if wasKnown || isSchemaRight, metadata?.schemaHash == checker.model.schemaHash {
                try metadata?.rememberSchema(of: connection)
            }
            try connection.execute("COMMIT")
            return try finish(files, backup, names, seen, left)
        } catch {
            // The store is unchanged, so that the backup is not needed.
            try? connection.rollBack()
            try? ModelContainer.destroyStore(at: backup)
            throw error
        }
    }

    /// Repairs and checks again, until nothing is left to repair: a repaired index, for instance, shows rows that were
    /// not found by it.
    ///
    /// - Returns: Every finding on the way, and those that remain.
    private func mend(
        _ found: StoreChecker.Result, _ connection: Connection, check: () throws -> StoreChecker.Result
    ) throws -> (seen: [StoreFinding], left: StoreChecker.Result) {
        var (seen, left) = (found.findings, found)
        for _ in 0..<Self.greatestRoundCount {
            let mender = Mender(checker.model, connection, left.findings.compactMap(\.mending))
            try mender.run()
            let before = left
            left = try check()
            left.findings = left.findings.map { $0.refused(mender.refusals) }
            let known = Set(seen.map(Identity.init))
            seen += left.findings.filter { !known.contains(Identity($0)) }
            if !left.findings.contains(where: \.isMendableByRows) || left.findings == before.findings { break }
        }
        left.findings = left.findings.map { $0.isMendableByRows ? $0.unmended("it is as before.") : $0 }
        return (seen, left)
    }

    private static let greatestRoundCount = 5

    /// Moves unreferenced files away, and reports the results of the findings.
    private func finish(
        _ files: LargeValueCheck, _ backup: URL, _ names: Set<String>, _ found: [StoreFinding],
        _ left: StoreChecker.Result
    ) throws -> Result {
        var left = left
        var folder: URL?
        if let unused = left.unusedFiles, !unused.isEmpty {
            let target = URL(fileURLWithPath: backup.path + ".unused-files")
            do {
                try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
                for name in unused.sorted() {
                    try FileManager.default.moveItem(at: files.file(name), to: target.appendingPathComponent(name))
                }
                left.findings.removeAll { $0.kind == .unusedFile }
            } catch {
                left.notes.append("Not all files that nothing refers to could be moved to \(target.path): \(error).")
            }
            folder = target
        }
        let remaining = Set(left.findings.map(Identity.init))
        return Result(
            backup: backup, mended: found.filter { !remaining.contains(Identity($0)) }, left: left,
            movedFiles: folder)
    }

    /// The common identity of findings of the same problem in several rows.
    private struct Identity: Hashable {
        var kind: StoreFinding.Kind
        var text: String
        var place: [String?]

        init(_ finding: StoreFinding) {
            kind = finding.kind
            text = finding.text
            place = [finding.entity, finding.property, finding.table]
        }
    }
}

extension StoreFinding {
    /// Whether the repair fixes it in the database; files that nothing refers to are moved afterwards.
    fileprivate var isMendableByRows: Bool { mending != nil && mending != .moveFiles }

    /// The finding after its repair was refused.
    fileprivate func refused(_ refusals: [Mending: Set<String>]) -> StoreFinding {
        guard let mending, let reasons = refusals[mending] else { return self }
        return unmended("it is undone, as SQLite says: \(reasons.sorted().joined(separator: "; ")).")
    }

    /// The finding after a repair that did not help: another try would end the same way.
    fileprivate func unmended(_ reason: String) -> StoreFinding {
        var finding = self
        finding.mending = nil
        finding.remedy = "A repair was tried, and \(reason) Restore a backup, or remove the obstacle first."
        return finding
    }
}
