import Ashlar
import CLoops
import Foundation

/// Measures migrations, each in a process of its own, so that its memory can be measured.
@main
struct MigrationBenchmarks {
    /// The measured cases.
    enum Case: String, CaseIterable {
        case nothing, inPlace, addition, indexDropped, copy, copyByHand
        case hundredVersions, hundredVersionsByHand, fileCopy

        /// The numbers of rows for which it is measured.
        var rows: [Int] {
            switch self {
            case .hundredVersions, .hundredVersionsByHand, .fileCopy: [100_000]
            default: [1000, 100_000, 1_000_000]
            }
        }

        var isOfManyVersions: Bool { rows == [100_000] }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "--one", let work = Case(rawValue: arguments[2]) {
            return try measure(work, URL(fileURLWithPath: arguments[3]))
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let wanted = Case.allCases.filter { arguments.count == 1 || arguments.contains($0.rawValue) }
        let sizes = arguments.compactMap { Int($0) }
        print("| rows | case | milliseconds | MiB |\n| --- | --- | --- | --- |")
        for isOfManyVersions in [false, true] {
            let cases = wanted.filter { $0.isOfManyVersions == isOfManyVersions }
            for rows in sizes.isEmpty ? Set(cases.flatMap(\.rows)).sorted() : sizes where !cases.isEmpty {
                let template = folder.appendingPathComponent("\(rows) \(isOfManyVersions).store")
                if isOfManyVersions {
                    try ManyVersions.makeStore(at: template, rows: rows)
                } else {
                    try makeStore(at: template, rows: rows)
                }
                try measure(cases, rows, template)
            }
        }
    }

    /// Measures cases on copies of one store, in turns.
    private static func measure(_ cases: [Case], _ rows: Int, _ template: URL) throws {
        var results: [Case: [(milliseconds: Double, memory: Double)]] = [:]
        let store = template.deletingLastPathComponent().appendingPathComponent("measured.store")
        for _ in 0..<5 {
            for work in cases {
                try FileManager.default.copyItem(at: template, to: store)
                defer {
                    for suffix in ["", "-wal", "-shm", "-copy"] {
                        try? FileManager.default.removeItem(atPath: store.path + suffix)
                    }
                }
                // Otherwise the first write that SQLite waits for would include the entire copy.
                try FileHandle(forUpdating: store).synchronize()
                try results[work, default: []].append(run(work, store))
            }
        }
        for work in cases {
            let results = results[work, default: []]
            let (time, memory) = (results.map(\.milliseconds).sorted()[2], results.map(\.memory).max() ?? 0)
            print("| \(rows) | \(work.rawValue) | \(String(format: "%.1f | %.1f", time, memory)) |")
        }
    }

    /// Runs this program for one case.
    private static func run(_ work: Case, _ store: URL) throws -> (milliseconds: Double, memory: Double) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--one", work.rawValue, store.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard words.count == 2 else { throw BenchmarkError(description: "\(work.rawValue) failed: \(text)") }
        return (words[0], words[1])
    }

    private static func measure(_ work: Case, _ store: URL) throws {
        let clock = ContinuousClock()
        let time = try clock.measure {
            switch work {
            case .nothing: try ModelContainer.migrateStore(at: store, for: Library.First.self)
            case .inPlace: try ModelContainer.migrateStore(at: store, for: Library.InPlace.self)
            case .addition: try ModelContainer.migrateStore(at: store, for: Library.Addition.self)
            case .copy: try ModelContainer.migrateStore(at: store, for: Library.Copy.self)
            case .copyByHand: try run(copyStatements, store)
            case .indexDropped: try ModelContainer.migrateStore(at: store, for: Library.IndexDropped.self)
            case .hundredVersions: try ModelContainer.migrateStore(at: store, for: ManyVersions.Last.self)
            case .hundredVersionsByHand: try run(ManyVersions.byHand, store)
            case .fileCopy: try copyFile(store)
            }
        }
        let memory = try peakMemory()
        print(time / .milliseconds(1), memory)
    }

    /// The most memory that this process had at any time, in MiB.
    private static func peakMemory() throws -> Double {
        #if canImport(Darwin)
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return Double(usage.ru_maxrss) / 1_048_576
        #else
            // The module of the C library has two types for the argument of getrusage.
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
        #endif
    }

    /// The statements that a person writes: all rows into a copy that has its indexes.
    private static let copyStatements =
        [Library.Copy.newTable]
        + Library.indexes.map {
            $0.replacing("index$", with: "copy$").replacing("ON \"Book\"", with: "ON \"Book$$new\"")
        } + [Library.Copy.copy.sql]

    /// Runs statements in one transaction, and brings the write-ahead log into the file as a migration does.
    private static func run(_ statements: [String], _ store: URL) throws {
        try Database(store).execute(
            [
                "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -16384", "PRAGMA secure_delete = FAST",
                "BEGIN IMMEDIATE",
            ] + statements + ["COMMIT", "PRAGMA wal_checkpoint(TRUNCATE)"])
    }

    /// Copies the file as `cp` does, and waits until it is on the disk, as a migration does.
    private static func copyFile(_ store: URL) throws {
        let copy = URL(fileURLWithPath: store.path + "-copy")
        try FileManager.default.copyItem(at: store, to: copy)
        try FileHandle(forUpdating: copy).synchronize()
    }

    private static func makeStore(at url: URL, rows: Int) throws {
        _ = try ModelContainer(for: Library.First.self, at: url)
        try Database(url).execute([
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO "Book" ("title", "text", "pages")
            SELECT 'The book of number ' || (i * 7919 % \(rows)), iif(i % 3, hex(zeroblob(60)), NULL), i * 31 % 1000 FROM n
            """
        ])
    }
}

/// An error of the benchmark.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String
}

/// A connection by hand.
final class Database {
    private let handle: OpaquePointer

    init(_ url: URL) throws {
        var opened: OpaquePointer?
        guard sqlite3_open_v2(url.path, &opened, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let opened else {
            throw BenchmarkError(description: "cannot open \(url.path)")
        }
        handle = opened
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ statements: [String]) throws {
        for sql in statements where sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK {
            throw BenchmarkError(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
        }
    }
}
