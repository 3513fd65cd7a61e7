import Ashlar
import AshlarSync
import Foundation
import SyncLogs
import Testing

/// Several stores of a folder that follow one log.
final class Crew {
    let folder: URL
    /// The URL of the log's file.
    var logURL: URL
    /// The contexts in which objects were read, which must outlive the objects.
    private var contexts: [ModelContext] = []

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-crew-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        logURL = folder.appendingPathComponent("crew.log")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func url(_ name: String) -> URL { folder.appendingPathComponent("\(name).store") }

    /// Copies the log while it has no writer, with the part that is not in its main file yet.
    func copyLog() throws -> URL {
        let copy = folder.appendingPathComponent("\(UUID().uuidString).log")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: logURL.path + suffix) {
            try FileManager.default.copyItem(atPath: logURL.path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }

    /// Opens a store, which is created where there is none.
    func peer(
        _ name: String, log: (any SyncLog)? = nil, _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws -> Peer {
        let configuration = ModelConfiguration(url: url(name), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: CrewModel.self, configurations: configuration)
        var options = SyncOptions()
        change(&options)
        let log = try log ?? StoreLog(at: logURL)
        return Peer(name: name, container: container, sync: try StoreSync(container, with: log, options: options))
    }

    /// Opens two stores that have the same objects.
    func pair(_ body: (ModelContext) throws -> Void) async throws -> (Peer, Peer) {
        let first = try peer("first")
        try first.change(body)
        try await first.sync.synchronize()
        let second = try peer("second")
        try await second.sync.synchronize()
        return (first, second)
    }
}

/// A store that follows the log.
struct Peer {
    var name: String
    var container: ModelContainer
    var sync: StoreSync

    /// Changes the store in a context of its own.
    func change(_ body: (ModelContext) throws -> Void) throws {
        let context = ModelContext(container)
        try body(context)
        try context.save()
    }

    /// The texts of all objects, so that stores can be compared.
    func texts() throws -> [String] {
        let context = ModelContext(container)
        var texts: [String] = []
        for person in try context.fetch(Person.all) {
            texts.append("person \(person.name)\(person.profile.map { " (\($0.bio))" } ?? "")")
        }
        for project in try context.fetch(Project.all) {
            texts.append("project \(project.title) of \(project.owner?.name ?? "-")")
        }
        for errand in try context.fetch(Errand.all) {
            let tags = errand.tags.map(\.name).sorted().joined(separator: ",")
            texts.append("errand \(errand.title) \(errand.rank) in \(errand.project?.title ?? "-") [\(tags)]")
        }
        for attachment in try context.fetch(Attachment.all) {
            texts.append("attachment \(attachment.name) of \(attachment.errand?.title ?? "-")")
        }
        for counter in try context.fetch(Counter.all) {
            texts.append("counter \(counter.name) \(counter.total) \(counter.note ?? "-")")
        }
        for tag in try context.fetch(Tag.all) { texts.append("tag \(tag.name) \(tag.used)") }
        for folder in try context.fetch(Folder.all) {
            texts.append("folder \(folder.name) in \(folder.parent?.name ?? "-")")
        }
        return texts.sorted()
    }
}

/// Makes stores exchange changes until all have everything.
func exchange(_ peers: Peer...) async throws {
    for _ in 0..<2 { for peer in peers { try await peer.sync.synchronize() } }
}
