import Ashlar
import AshlarSync
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

/// Several stores at random, beside a ledger of the changes that their saves acknowledged. There are restored backups
/// and logs, snapshots, late joiners, contexts with unsaved changes, and a writer of entries that no store can follow.
///
/// `ASHLAR_TEST_STEPS` is the number of operations of each seed.
@Suite struct ChaosTests {
    static let stepCount = ProcessInfo.processInfo.environment["ASHLAR_TEST_STEPS"].flatMap { Int($0) } ?? 150

    @Test(arguments: seeds(3)) func nothingIsLost(_ seed: Seed) async throws {
        let chaos = try Chaos(SeededGenerator(seed: seed))
        try await chaos.begin()
        for _ in 0..<Self.stepCount { try await chaos.step() }
        let problems = try await chaos.finish()
        #expect(problems == [])
    }
}

/// The changes that a save acknowledged.
private struct Acknowledgement: Hashable {
    var number: Int
    /// The name of the counter; `gain` is its increase.
    var counter: String?
    var gain: Int64 = 0
    /// The title of a new errand.
    var title: String?
}

private final class Chaos {
    /// A store with its unsaved and unsent changes.
    final class Member {
        var peer: Peer
        var held: ModelContext?
        var heldGain: (counter: Counter, gain: Int64)?
        /// The saved changes that the log does not have.
        var unsent: [Acknowledgement] = []
        var backup: (bytes: Data, unsent: [Acknowledgement])?

        init(_ peer: Peer) { self.peer = peer }
    }

    private var generator: SeededGenerator
    private let crew: Crew
    private var members: [Member] = []
    private var ledger: Set<Acknowledgement> = []
    /// The titles of errands that a member saw and deleted.
    private var deleted: Set<String> = []
    /// The names of the objects in events.
    private var told: Set<String> = []
    private var number = 0
    private var trace: [String] = []

    init(_ generator: SeededGenerator) throws {
        self.generator = generator
        crew = try Crew()
    }

    private func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private func pick<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws -> Model? {
        let all = try context.fetch(FetchDescriptor<Model>())
        return all.isEmpty ? nil : all[random(all.count)]
    }

    private func next() -> Int {
        number += 1
        return number
    }

    func begin() async throws {
        for name in ["a", "b", "c"] {
            let member = Member(try crew.peer(name))
            members.append(member)
            if name == "a" {
                try member.peer.change { context in
                    for number in 0..<3 { context.insert(Counter(name: "meter \(number)")) }
                    for number in 0..<4 { context.insert(Folder(name: "folder \(number)")) }
                    let ada = Person(name: "Ada")
                    for number in 0..<2 { context.insert(Project(title: "project \(number)", owner: ada)) }
                }
            }
            try await synchronize(member)
        }
    }

    private func synchronize(_ member: Member) async throws {
        try await member.peer.sync.synchronize()
        member.unsent = []
        told.formUnion(try await member.peer.sync.keptEvents().compactMap(\.objectName))
    }

    private func acknowledge(_ acknowledgement: Acknowledgement, _ member: Member) {
        ledger.insert(acknowledgement)
        member.unsent.append(acknowledgement)
    }

    // MARK: Operations

    func step() async throws {
        let member = members[random(members.count)]
        let kind = random(100)
        trace.append("\(member.peer.name) \(kind)")
        switch kind {
        case 0..<55: change(member, kind)
        case 55..<65: try hold(member)
        case 65..<88: try await synchronize(member)
        case 88..<90: try await member.peer.sync.makeSnapshot()
        case 90..<93: try backUp(member)
        case 93..<97: try putBack(member)
        case 97 where members.count < 6:
            members.append(Member(try crew.peer("joined \(members.count)")))
        case 98: try await putLogBack()
        case 99: try await misuseLog()
        default: break
        }
    }

    /// Makes a change in a context of its own. A refused change is not acknowledged.
    private func change(_ member: Member, _ kind: Int) {
        let context = ModelContext(member.peer.container)
        var acknowledgement = Acknowledgement(number: next())
        var seen: [String] = []
        do {
            switch kind {
            case 0..<15:
                guard let counter = try pick(Counter.self, context) else { return }
                acknowledgement.counter = counter.name
                acknowledgement.gain = Int64(random(100)) - 20
                counter.total += acknowledgement.gain
            case 15..<30:
                guard let project = try pick(Project.self, context) else { return }
                let errand = Errand(title: "errand \(number)", project: project)
                context.insert(errand)
                context.insert(Attachment(name: "attachment \(number)", errand: errand))
                acknowledgement.title = errand.title
            case 30..<34:
                guard let person = try pick(Person.self, context) else { return }
                context.insert(Project(title: "project \(number)", owner: person))
            case 34..<36: context.insert(Person(name: "person \(random(8))"))
            case 36..<38: context.insert(Tag(name: "tag \(random(4))", used: 1))
            case 38..<41:
                guard let errand = try pick(Errand.self, context), let tag = try pick(Tag.self, context) else { return }
                errand.tags.append(tag)
            case 41..<44:
                guard let errand = try pick(Errand.self, context), let project = try pick(Project.self, context) else {
                    return
                }
                errand.project = project
                errand.rank = Int64(number)
            case 44..<46:
                guard let errand = try pick(Errand.self, context) else { return }
                seen = [errand.title]
                context.delete(errand)
            case 46..<48:
                guard let project = try pick(Project.self, context) else { return }
                seen = project.errands.map(\.title)
                context.delete(project)
            case 48..<50:
                guard let person = try pick(Person.self, context) else { return }
                context.delete(person)
            default:
                guard let folder = try pick(Folder.self, context), let other = try pick(Folder.self, context) else {
                    return
                }
                var (parent, depth): (Folder?, Int) = (other, 0)
                while let current = parent, depth < 100 {
                    if current === folder { return }
                    (parent, depth) = (current.parent, depth + 1)
                }
                folder.parent = other
            }
            try context.save()
            deleted.formUnion(seen)
            acknowledge(acknowledgement, member)
        } catch {
            // A rule of the model refuses it, such as a uniqueness constraint.
        }
    }

    /// Begins a change in a context that merges, or saves the change.
    private func hold(_ member: Member) throws {
        guard let held = member.held, let (counter, gain) = member.heldGain else {
            let context = ModelContext(member.peer.container)
            context.automaticallyMergesChangesFromParent = random(2) == 0
            guard let counter = try pick(Counter.self, context) else { return }
            let gain = Int64(random(1000))
            counter.total += gain
            (member.held, member.heldGain) = (context, (counter, gain))
            return
        }
        var acknowledgement = Acknowledgement(number: next())
        (acknowledgement.counter, acknowledgement.gain) = (counter.name, gain)
        try held.save()
        acknowledge(acknowledgement, member)
        (member.held, member.heldGain) = (nil, nil)
    }

    // MARK: A hostile writer

    /// Appends an entry that all stores leave out, or one that the log refuses.
    private func misuseLog() async throws {
        let log = try StoreLog(at: crew.logURL)
        let head = try await log.head()
        guard head > 0, let last = try? await log.entries(after: head - 1, limit: 1).first?.entry else { return }
        var entry = last
        (entry.site, entry.count, entry.id, entry.previous, entry.rejoined) = (UUID(), 1, UUID(), nil, nil)
        switch random(5) {
        case 0: entry.modelHash = String(repeating: "f", count: 64)
        case 1: entry.body = Data((0..<100).map { _ in UInt8(random(256)) })
        case 2:
            // After the header, so that the tables are valid.
            entry.body += Data((0..<10).map { _ in UInt8(random(256)) | 0x80 })
        case 3: (entry.kind, entry.snapshot) = (.modelVersion, nil)
        default:
            // The next entry of a site that has entries.
            (entry.site, entry.count) = (last.site, last.count)
            await #expect(throws: SyncLogError.countTaken(entry.count)) { _ = try await log.append(entry, after: head) }
            return
        }
        _ = try await log.append(entry, after: head)
    }

    // MARK: Restorations

    private func close(_ member: Member) {
        (member.held, member.heldGain) = (nil, nil)
    }

    private func backUp(_ member: Member) throws {
        let copy = crew.folder.appendingPathComponent(UUID().uuidString)
        try member.peer.container.backUp(to: copy)
        member.backup = (try Data(contentsOf: copy), member.unsent)
        try FileManager.default.removeItem(at: copy)
    }

    /// Restores a store from a backup: it loses changes that it saved since and did not send.
    private func putBack(_ member: Member) throws {
        guard let backup = member.backup else { return }
        close(member)
        let name = member.peer.name
        // The store itself sent these after the backup.
        let sent = Set(backup.unsent).subtracting(member.unsent)
        for lost in member.unsent where !backup.unsent.contains(lost) { ledger.remove(lost) }
        member.unsent = backup.unsent.filter { !sent.contains($0) }
        // Closes the store.
        member.peer = try crew.peer("placeholder \(next())")
        let url = crew.url(name)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        // The file is overwritten in place only if nothing was unsent: the log cannot determine which changes on their way
        // the copy shares.
        if backup.unsent.isEmpty, random(2) == 0 {
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: backup.bytes)
            try handle.close()
        } else {
            let other = crew.folder.appendingPathComponent(UUID().uuidString)
            try backup.bytes.write(to: other)
            try FileManager.default.removeItem(at: url)
            try FileManager.default.moveItem(at: other, to: url)
        }
        member.peer = try crew.peer(name)
    }

    /// Restores the log to its state before some exchanges.
    private func putLogBack() async throws {
        let copy = try crew.copyLog()
        for _ in 0..<4 {
            change(members[random(members.count)], random(40))
            try await synchronize(members[random(members.count)])
        }
        for _ in 0..<2 { for member in members { try await synchronize(member) } }
        crew.logURL = copy
        for member in members {
            close(member)
            member.peer = try crew.peer(member.peer.name)
            member.backup = nil
        }
        for member in members { try await member.peer.sync.rejoin() }
    }

    // MARK: The end

    /// The differences from the ledger.
    func finish() async throws -> [String] {
        for member in members {
            if member.heldGain != nil { try hold(member) }
            close(member)
        }
        members.append(Member(try crew.peer("last")))
        for _ in 0..<3 { for member in members { try await synchronize(member) } }
        var problems: [String] = []
        let texts = try members[0].peer.texts()
        for member in members {
            let others = try member.peer.texts()
            let differences = Set(texts).symmetricDifference(others).sorted().joined(separator: "; ")
            if others != texts { problems.append("\(member.peer.name) has others: \(differences)") }
            problems += try member.peer.container.integrityProblems()
        }
        let context = ModelContext(members[0].peer.container)
        for counter in try context.fetch(Counter.all) {
            let wanted = ledger.filter { $0.counter == counter.name }.map(\.gain).reduce(0, +)
            if counter.total != wanted { problems.append("\(counter.name) has \(counter.total) and not \(wanted)") }
        }
        let titles = try context.fetch(Errand.all).map(\.title)
        let counts = Dictionary(titles.map { ($0, 1) }, uniquingKeysWith: +)
        for (title, count) in counts where count > 1 { problems.append("\(title) is there \(count) times") }
        for title in ledger.compactMap(\.title)
        where counts[title] == nil && !deleted.contains(title) && !told.contains(title) {
            problems.append("\(title) is lost without an event")
        }
        if !problems.isEmpty { problems.append("after \(trace.joined(separator: ", "))") }
        return problems
    }
}
