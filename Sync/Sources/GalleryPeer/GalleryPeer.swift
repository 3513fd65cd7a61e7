import Ashlar
import AshlarSync
import AshlarTesting
import Foundation
import Gallery1
import Gallery2
import Gallery3
import GalleryRelease

/// A program with a store that follows a log. It reads commands from its standard input, and reports its changes on its
/// standard output, so that they are known even if this program is killed.
///
///     GalleryPeer STORE RELEASE HUB LOG TOKEN NAME
@main
enum GalleryPeer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 7, let hub = URL(string: arguments[3]) else {
            return say("failed: STORE RELEASE HUB LOG TOKEN NAME")
        }
        let releases: [any GalleryRelease.Type] = [Gallery1.Gallery.self, Gallery2.Gallery.self, Gallery3.Gallery.self]
        guard let release = releases.first(where: { "\($0.number)" == arguments[2] }) else {
            return say("failed: there is no release \(arguments[2])")
        }
        let token = arguments[5]
        let log = BreakableLog(HTTPLog(hub: hub, name: arguments[4], timeout: 20) { token })
        do {
            let container = try release.open(URL(fileURLWithPath: arguments[1]))
            var options = SyncOptions()
            options.entryAuthor = arguments[6]
            options.largeValueThreshold = 20_000
            options.batchCount = 40
            var peer = Peer(
                release: release, container: container, sync: try StoreSync(container, with: log, options: options),
                log: log, journal: Journal(arguments[6], say))
            say("ready")
            while let line = readLine() { await peer.answer(line) }
        } catch {
            say("failed: opening: \(error)")
        }
    }

    /// Prints a line at once, because the program may be killed before anything else.
    static func say(_ line: String) {
        // A failure to write is ignored, because nothing could report it.
        try? FileHandle.standardOutput.write(
            contentsOf: Data((line.replacingOccurrences(of: "\n", with: " ") + "\n").utf8))
    }
}

struct Peer {
    let release: any GalleryRelease.Type
    let container: ModelContainer
    let sync: StoreSync
    let log: BreakableLog
    let journal: Journal
    /// The number of writes of the next command after which this program is killed; nil for never.
    var lifetime: Int?

    mutating func answer(_ line: String) async {
        let words = line.split(separator: " ").map(String.init)
        do {
            if words.first == "die" {
                lifetime = Int(words[1])
            } else if let writes = lifetime {
                lifetime = nil
                try await container.failing(.killed, after: writes) { [self] in try await perform(words) }
            } else {
                try await perform(words)
            }
            GalleryPeer.say("done")
        } catch StoreFaultError.notReached {
            GalleryPeer.say("done: ended before it was killed")
        } catch SyncError.newerModelVersion {
            GalleryPeer.say("done: waits for its update")
        } catch let error as SyncLogError where error.isTransient {
            GalleryPeer.say("done: \(error)")
        } catch is BreakableLog.Lost {
            GalleryPeer.say("done: lost")
        } catch {
            GalleryPeer.say("failed: \(line): \(error)")
        }
    }

    private func perform(_ words: [String]) async throws {
        switch words.first {
        case "write":
            try release.write(container, operations: Int(words[1]) ?? 0, seed: UInt64(words[2]) ?? 0, journal: journal)
        case "sync": try await sync.synchronize()
        case "snapshot": try await sync.makeSnapshot(compacting: words[1] == "compacting")
        case "break":
            log.breakPoint(
                at: Int(words[1]) ?? 1, isBefore: words[2] == "before",
                BreakableLog.Action(rawValue: words[3]) ?? .lose)
        case "list":
            for line in try release.list(container) { GalleryPeer.say(line) }
            for event in try await sync.keptEvents() {
                GalleryPeer.say("event \(String(decoding: try JSONEncoder().encode(event), as: UTF8.self))")
            }
            for problem in try container.integrityProblems() { GalleryPeer.say("problem \(problem)") }
        case "events":
            for event in try await sync.keptEvents() { GalleryPeer.say("\(event.kind): \(event)") }
        default:
            if words.isEmpty { break }
            for line in try Gallery3.Gallery.command(words, container, journal) { GalleryPeer.say(line) }
        }
    }
}
