import Ashlar
import AshlarImport
import AshlarSQLite
import Foundation
import IndexAdvice
import SQLQuoting

extension StoreInspector.Reading {
    /// The indexes, and which of them recorded statements use.
    mutating func readIndexes(_ recording: StatementRecording?) throws {
        let uses = try recording.map { try RecordedIndexUse($0, on: connection) }
        result.failedStatements = uses?.failedCount
        for (name, table) in catalogue.schema.objects(.index).map({ ($0.name, $0.tableName) }).sorted(by: <) {
            let index = try catalogue.schema.indexes(of: table).first { $0.name == name }
            let use = uses?[name]
            result.indexes.append(
                StoreInspection.Index(
                    name: name, table: table, columns: index?.columns.map(\.name) ?? [],
                    isUnique: index?.isUnique ?? false, bytes: sizes?[name]?.bytes,
                    recordedStatements: use?.statements, recordedRuns: use?.runs))
        }
    }

    /// Reads the extent of the history, if there is one.
    mutating func readHistory() throws {
        let (transactions, time): (String, String)
        switch result.kind {
        case .ashlar: (transactions, time) = ("ashlar$transaction", "timestamp")
        case .coreData, .swiftData: (transactions, time) = ("ATRANSACTION", "ZTIMESTAMP")
        case .sqlite, .empty: return
        }
        guard catalogue.table(named: transactions) != nil else { return }
        let column = SQLQuotation.identifier(time)
        let row = try connection.rows(
            "SELECT count(*), min(\(column)), max(\(column)) FROM \(SQLQuotation.identifier(transactions))")[0]
        let sizes = result.tables.filter { $0.role == .history }.map(\.bytes)
        var counts = (transactions: Int64(0), changes: Int64(0))
        if result.kind == .ashlar {
            counts = try TransactionReader(connection).counts()
        } else {
            if case .integer(let count) = row[0] { counts.transactions = count }
            counts.changes = try connection.integer("SELECT count(*) FROM \"ACHANGE\"") ?? 0
        }
        result.history = StoreInspection.History(
            transactions: counts.transactions, changes: counts.changes,
            first: Self.date(row[1]), last: Self.date(row[2]),
            bytes: sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) })
    }

    /// Both Core Data and we count seconds from 2001 on; a file may have any number there.
    private static func date(_ value: SQLiteValue) -> Date? {
        let seconds: Double? =
            switch value {
            case .real(let number): number
            case .integer(let number): Double(number)
            default: nil
            }
        guard let seconds, abs(seconds) < 1e11 else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// The files beside the store.
    mutating func readExternalData() throws {
        let found =
            switch result.kind {
            case .ashlar: try file.externalDataFiles()
            case .coreData, .swiftData: try file.coreDataExternalDataFiles()
            case .sqlite, .empty: (folder: URL(fileURLWithPath: "/"), names: Set<String>())
            }
        guard !found.names.isEmpty else { return }
        var data = StoreInspection.ExternalData(folder: found.folder.path, files: found.names.count, bytes: 0)
        for name in found.names {
            guard
                let bytes = try found.folder.appendingPathComponent(name).resourceValues(forKeys: [.fileSizeKey])
                    .fileSize
            else { continue }
            data.bytes += Int64(bytes)
            data.largest = max(data.largest ?? 0, Int64(bytes))
        }
        result.externalData = data
    }

    /// Reads the number of pages, and the sizes of the files beside the store.
    mutating func readPages() throws {
        let pages = StoreInspection.Pages(
            size: try connection.integer("PRAGMA page_size") ?? 0,
            count: try connection.integer("PRAGMA page_count") ?? 0,
            free: try connection.integer("PRAGMA freelist_count") ?? 0)
        result.pages = pages
        let log = file.byteCount(of: "-wal")
        result.log = StoreInspection.Log(
            mode: try file.usesWriteAheadLog() ? "wal" : "rollback", bytes: log,
            frames: log.map { pages.size > 0 ? max(0, $0 - 32) / (pages.size + 24) : 0 },
            hasRollbackJournal: (file.byteCount(of: "-journal") ?? 0) > 0)
    }

    /// SQLite's checks of the pages and indexes, and of foreign keys.
    mutating func checkIntegrity() throws {
        var findings = try connection.rows("PRAGMA main.integrity_check(20)").compactMap {
            if case .text(let text) = $0[0], text != "ok" { text } else { nil }
        }
        for row in try connection.foreignKeyViolations(limit: 20) {
            let number = row.rowID.map { " \($0)" } ?? ""
            findings.append("row\(number) of \(row.table) refers to a row of \(row.parent) that is not there")
        }
        if !findings.isEmpty { result.isDamaged = true }
        result.integrity = StoreInspection.Integrity(isSound: findings.isEmpty, findings: findings)
    }
}
