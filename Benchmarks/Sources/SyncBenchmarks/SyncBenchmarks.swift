import Ashlar
import AshlarSync
import Foundation

/// The cost of following a log: the changes of others, and the store's own ones that are reapplied over them.
///
///     swift run -c release SyncBenchmarks [rows] [pending]
@main
enum SyncBenchmarks {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let rows = numbers.first ?? 10_000
        let pending = numbers.dropFirst().first ?? 1_000
        print("| round | batch insertion | of the same, followed | times | \(pending) put on again over them |")
        print("| --- | --- | --- | --- | --- |")
        for round in 1...5 { try await run(round, rows: rows, pending: pending) }
    }

    private static func run(_ round: Int, rows: Int, pending: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = try StoreLog(at: folder.appendingPathComponent("log"))
        let writer = try Device(folder.appendingPathComponent("writer.store"), log)
        let reader = try Device(folder.appendingPathComponent("reader.store"), log)
        let busy = try Device(folder.appendingPathComponent("busy.store"), log)
        for device in [writer, reader, busy] { try await device.sync.synchronize() }
        // Every store has objects that some of the changes are about.
        try await insert(pending, into: writer.container)
        for device in [writer, reader, busy] { try await device.sync.synchronize() }
        let context = ModelContext(busy.container)
        for (number, note) in try context.fetch(Note.all).enumerated() where number % 2 == 0 {
            note.text = "changed here"
        }
        for number in 0..<(pending / 2) { context.insert(Note(text: "mine", title: "mine \(number)")) }
        try context.save()
        let inserted = try await milliseconds { try await insert(rows, into: writer.container) }
        try await writer.sync.synchronize()
        let followed = try await milliseconds { try await reader.sync.synchronize() }
        let rebased = try await milliseconds { try await busy.sync.synchronize() }
        guard try ModelContext(reader.container).fetchCount(Note.all) == rows + pending,
            try ModelContext(busy.container).fetchCount(Note.all) == rows + pending + pending / 2
        else { throw StoresDiffer() }
        let figures = [inserted, followed, followed / inserted, rebased].map { String(format: "%.1f", $0) }
        print("| \(round) | \(figures.joined(separator: " | ")) |")
    }

    /// The error for a store without the expected data.
    private struct StoresDiffer: Error {}

    private struct Device {
        let container: ModelContainer
        let sync: StoreSync

        init(_ url: URL, _ log: StoreLog) throws {
            container = try ModelContainer(
                for: GazetteModel.self,
                configurations: ModelConfiguration(url: url, options: StoreOptions(historyTracking: true)))
            sync = try StoreSync(container, with: log)
        }
    }

    private static func insert(_ count: Int, into container: ModelContainer) async throws {
        try await container.batchInsert(
            contentsOf: (0..<count).lazy.map { Note.Values(text: "text of note \($0)", title: "note \($0)") })
    }

    private static func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .milliseconds(1)
    }
}
