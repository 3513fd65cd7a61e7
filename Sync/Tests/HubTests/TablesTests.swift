import Ashlar
@_spi(Hub) import AshlarSync
import Foundation
import Gallery1
import Gallery2
import GalleryRelease
import PostgresLog
import Testing

/// The rows of logs as tables in PostgreSQL, compared with stores that follow the same logs.
///
/// One after another, as each has several databases with connections of their own.
@Suite(
    .serialized,
    .enabled(if: TestDatabase.address != nil, "ASHLAR_DATABASE says where a PostgreSQL is; Scripts/test starts one")
)
struct TablesTests {
    private static let models = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Models")
    private static let kinds = models.appendingPathComponent("Kinds.xcdatamodeld").path
    private static let notes = models.appendingPathComponent("Notes.xcdatamodeld").path

    private let folder: URL
    private let gallery: String
    private let name = "log-\(UUID())"
    private var schema: String { "log_\(name)" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Outside the package, whose targets build different versions of the model.
        gallery = folder.appendingPathComponent("Gallery.xcdatamodeld").path
        try FileManager.default.copyItem(
            atPath: Self.models.appendingPathComponent("Gallery.xcdatamodeld").path, toPath: gallery)
    }

    private struct Peer: Sendable {
        var container: ModelContainer
        var sync: StoreSync
        var url: URL

        func save(_ body: (ModelContext) throws -> Void) async throws {
            let context = ModelContext(container)
            try body(context)
            try context.save()
            try await sync.synchronize()
        }
    }

    private func notes(_ name: String, _ log: any SyncLog) throws -> Peer {
        let url = folder.appendingPathComponent("\(name).store")
        let configuration = ModelConfiguration(url: url, options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: NotesModel.self, configurations: configuration)
        return Peer(container: container, sync: try StoreSync(container, with: log), url: url)
    }

    private func gallery(_ release: any GalleryRelease.Type, _ name: String, _ log: any SyncLog) throws -> Peer {
        let url = folder.appendingPathComponent("\(name).store")
        let container = try release.open(url)
        return Peer(container: container, sync: try StoreSync(container, with: log), url: url)
    }

    /// Requires that the tables equal those of a new store that reads the log now, and of others that have read it.
    private func requireEqual(_ database: PostgresDatabase, _ peers: Peer...) async throws {
        let model = try #require(try await database.model(ofLog: name))
        #expect(model.position == model.head && model.reason == nil)
        for peer in peers { try await RowTexts.requireEqual(schema, peer.url, peer.url.lastPathComponent) }
    }

    @Test func tablesHaveTheRowsOfAStoreAfterEachAppend() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let pushed = try await database.pushModel(at: Self.notes, toLog: name)
        #expect(pushed.schema == schema && pushed.position == nil)
        let peer = try notes("a", try await PostgresLog(name, in: database))
        try await peer.save { $0.insert(Note(likes: 3, title: "it's \"quoted\" \\ \u{0} and \n more")) }
        try await requireEqual(database, peer)
        try await peer.save { context in
            let shelf = Shelf(name: "shelf")
            context.insert(shelf)
            for number in 1...300 { context.insert(Book(title: "book \(number)", shelf: shelf)) }
            context.insert(Note(picture: Data(repeating: 7, count: 100_000), title: "large"))
            context.insert(Note(picture: Data("ashlar$data:and more".utf8), title: "tagged"))
        }
        try await requireEqual(database, peer)
        try await peer.save { context in
            try context.fetch(Note.where { $0.title == "large" }).first?.likes = 5
            for book in try context.fetch(Book.order { $0.title.ascending }).prefix(7) { context.delete(book) }
        }
        try await requireEqual(database, peer)
        let report = try await RowTexts.query(
            """
            SELECT s.name, count(b.title) FROM "\(schema)"."Shelf" s JOIN "\(schema)"."Book" b ON b.shelf = s.id$
            GROUP BY s.name
            """)
        #expect(report == ["shelf|293"])
        // The cascade takes all books along.
        try await peer.save { context in for shelf in try context.fetch(Shelf.all) { context.delete(shelf) } }
        try await requireEqual(database, peer)
        #expect(try await RowTexts.query("SELECT count(*) FROM \"\(schema)\".\"Book\"") == ["0"])
    }

    @Test func tablesOfALogThatHasEntriesAreMadeByThePush() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let peer = try notes("a", try await PostgresLog(name, in: database))
        for number in 1...5 { try await peer.save { $0.insert(Note(title: "note \(number)")) } }
        _ = try await database.pushModel(at: Self.notes, toLog: name)
        try await requireEqual(database, peer)
        // The tables are also complete if the log has a snapshot in place of the entries, and another hub makes them.
        try await peer.save { $0.insert(Note(title: "before the snapshot")) }
        try await peer.sync.makeSnapshot()
        let other = try await TestDatabase.open()
        _ = try await other.pushModel(at: Self.notes, toLog: name)
        try await requireEqual(other, peer)
        let second = try notes("b", try await PostgresLog(name, in: other))
        try await second.sync.synchronize()
        try await second.save { $0.insert(Note(title: "after the snapshot")) }
        try await requireEqual(database, second)
    }

    @Test func hubsUpdateTheTablesInTurn() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let databases = [try await TestDatabase.open(), try await TestDatabase.open()]
        _ = try await databases[0].pushModel(at: Self.notes, toLog: name)
        let token = try await databases[0].makeToken(log: name, access: "write", label: "test", days: 1)
        try await withHub(databases[1]) { hub in
            let peers = [
                try notes("a", try await PostgresLog(name, in: databases[0])),
                try notes("b", HTTPLog(hub: hub, name: name) { token }),
            ]
            for round in 1...4 {
                for (number, peer) in peers.enumerated() {
                    try await peer.sync.synchronize()
                    try await peer.save { context in
                        let shared = try context.fetch(Note.where { $0.title == "shared" }).first
                        if let shared { shared.likes += 1 } else { context.insert(Note(title: "shared")) }
                        context.insert(Note(title: "\(number) in round \(round)"))
                    }
                    try await requireEqual(databases[number], peer)
                }
            }
        }
    }

    @Test func storesThatAppendAtTheSameTimeAreInTheTables() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let databases = [try await TestDatabase.open(), try await TestDatabase.open()]
        _ = try await databases[0].pushModel(at: Self.notes, toLog: name)
        var peers: [Peer] = []
        for number in 0..<6 {
            let peer = try notes("peer \(number)", try await PostgresLog(name, in: databases[number % 2]))
            try await peer.sync.synchronize()
            peers.append(peer)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, peer) in peers.enumerated() {
                group.addTask {
                    for round in 1...8 {
                        try await peer.save { $0.insert(Note(title: "\(number) in round \(round)")) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await peers[0].sync.synchronize()
        #expect(try ModelContext(peers[0].container).fetchCount(Note.all) == 48)
        try await requireEqual(databases[0], peers[0])
    }

    @Test func entriesThatStoresLeaveOutAreNotInTheTables() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let log = try await PostgresLog(name, in: database)
        let peer = try notes("a", log)
        let shelf = Shelf(name: "shelf")
        try await peer.save { context in
            context.insert(shelf)
            context.insert(Book(title: "book", shelf: shelf))
        }
        _ = try await database.pushModel(at: Self.notes, toLog: name)
        let sent = try #require(try await log.entries(after: 0, limit: 10).last?.entry)
        // A malformed body, one of another version, and one whose rows are there already.
        for (body, hash) in [
            (Data("body".utf8), sent.modelHash), (sent.body, "other"), (sent.body, sent.modelHash),
        ] {
            let entry = SyncEntry(kind: .changes, site: UUID(), count: 1, modelHash: hash, date: Date(), body: body)
            _ = try await log.append(entry, after: try await log.head())
            try await peer.sync.synchronize()
            try await requireEqual(database, peer)
        }
        #expect(try await peer.sync.keptEvents().map(\.kind) == Array(repeating: .entryRejected, count: 3))
    }

    @Test func tablesFollowWhatAnAdministratorDoesToTheLog() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let log = try await PostgresLog(name, in: database)
        let peer = try notes("a", log)
        _ = try await database.pushModel(at: Self.notes, toLog: name)
        for number in 1...5 { try await peer.save { $0.insert(Note(title: "note \(number)")) } }
        try await database.cutLog(name, after: 4)
        let afterCut = try notes("b", log)
        try await afterCut.sync.synchronize()
        try await requireEqual(database, afterCut)
        try await database.removeEntry(at: 2, ofLog: name)
        let afterRemoval = try notes("c", log)
        try await afterRemoval.sync.synchronize()
        #expect(try ModelContext(afterRemoval.container).fetchCount(Note.all) == 3)
        try await requireEqual(database, afterRemoval)
        // Another hub, which followed the log before.
        let other = try notes("d", try await PostgresLog(name, in: try await TestDatabase.open()))
        try await other.save { $0.insert(Note(title: "more")) }
        try await requireEqual(database, other)
    }

    @Test func tablesAreMadeAnewForANewVersionAndStopForAnUnknownOne() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let log = try await PostgresLog(name, in: database)
        // The model as it was at the first release.
        let first = folder.appendingPathComponent("First/Gallery.xcdatamodeld")
        try FileManager.default.createDirectory(at: first, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(gallery)/Gallery 1.xcdatamodel", toPath: "\(first.path)/Gallery 1.xcdatamodel")
        _ = try await database.pushModel(at: first.path, toLog: name)
        var numbers = SeededNumbers(1)
        func write(_ peer: Peer, _ release: any GalleryRelease.Type) async throws {
            try release.write(
                peer.container, operations: 40, seed: numbers.next(), journal: Journal("\(numbers.next())") { _ in })
            try await peer.sync.synchronize()
        }
        let old = try gallery(Gallery1.Gallery.self, "old", log)
        try await old.sync.synchronize()
        try await write(old, Gallery1.Gallery.self)
        try await requireEqual(database, old)
        // A program of the second release comes before its model: the tables stay as they are, and the log goes on.
        let new = try gallery(Gallery2.Gallery.self, "new", log)
        try await new.sync.synchronize()
        try await write(new, Gallery2.Gallery.self)
        let stopped = try #require(try await database.model(ofLog: name))
        #expect(stopped.reason?.contains("version") == true)
        try await RowTexts.requireEqual(schema, old.url)
        _ = try await database.pushModel(at: gallery, toLog: name)
        try await requireEqual(database, new)
        try await write(new, Gallery2.Gallery.self)
        try await requireEqual(database, new)
    }

    @Test func tablesFollowALogToANewVersionThatTheModelHas() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let log = try await PostgresLog(name, in: database)
        _ = try await database.pushModel(at: gallery, toLog: name)
        let old = try gallery(Gallery1.Gallery.self, "old", log)
        try await old.sync.synchronize()
        try Gallery1.Gallery.write(old.container, operations: 60, seed: 3, journal: Journal("old") { _ in })
        try await old.sync.synchronize()
        let new = try gallery(Gallery2.Gallery.self, "new", log)
        try await new.sync.synchronize()
        try await requireEqual(database, new)
        try Gallery2.Gallery.write(new.container, operations: 60, seed: 4, journal: Journal("new") { _ in })
        try await new.sync.synchronize()
        try await requireEqual(database, new)
    }

    @Test func aRoleReadsTablesAndChangesNothing() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        _ = try await database.pushModel(at: Self.notes, toLog: name)
        let role = "reader_\(UUID().uuidString.prefix(8))"
        _ = try await RowTexts.query("CREATE ROLE \"\(role)\"")
        // Rights can be granted before the tables exist.
        try await database.grantTables(ofLog: name, to: role)
        let peer = try notes("a", try await PostgresLog(name, in: database))
        try await peer.save { $0.insert(Note(title: "note")) }
        let reading = "SET ROLE \"\(role)\"; "
        #expect(try await RowTexts.query(reading + "SELECT title FROM \"\(schema)\".\"Note\"") == ["note"])
        for statement in [
            "DELETE FROM \"\(schema)\".\"Note\"", "CREATE TABLE \"\(schema)\".mine (a int)",
            "SELECT * FROM ashlar_entry",
        ] { _ = try await RowTexts.query(reading + statement, status: 1) }
        await #expect(throws: SyncLogError.self) { try await database.grantTables(ofLog: name, to: "nobody\"x") }
        // A log goes on without its model, and its deletion removes the tables.
        try await database.dropModel(ofLog: name)
        try await peer.save { $0.insert(Note(title: "another")) }
        #expect(try await database.model(ofLog: name) == nil)
        _ = try await database.pushModel(at: Self.notes, toLog: name)
        try await requireEqual(database, peer)
        try await database.deleteLog(name)
        let left = "SELECT count(*) FROM information_schema.schemata WHERE schema_name = '\(schema)'"
        #expect(try await RowTexts.query(left) == ["0"])
        _ = try await RowTexts.query("DROP ROLE \"\(role)\"")
    }

    private func kind(_ label: String) -> Kind {
        let kind = Kind(
            address: URL(string: "https://a.test/b"), code: UUID(), found: Date(timeIntervalSinceReferenceDate: 0.125),
            isRare: true, label: label, level: 12_345, marks: ["a"], price: Decimal(string: "12345.75"),
            ratio: 0.1, tags: ["sea", "sky"], weight: 2.5)
        kind.the_name_of_this_attribute_is_longer_than_those_that_PostgreSQL_has_1 = 1
        kind.the_name_of_this_attribute_is_longer_than_those_that_PostgreSQL_has_2 = 2
        return kind
    }

    @Test func valuesOfEachTypeAreOfAFittingTypeInTheTables() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let log = try await PostgresLog(name, in: database)
        _ = try await database.pushModel(at: Self.kinds, toLog: name)
        let url = folder.appendingPathComponent("kinds.store")
        let container = try ModelContainer(
            for: KindsModel.self,
            configurations: ModelConfiguration(url: url, options: StoreOptions(historyTracking: true)))
        let peer = Peer(container: container, sync: try StoreSync(container, with: log), url: url)
        let picture = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        try await peer.save { context in
            context.insert(kind("usual"))
            context.insert(Kind())
            let odd = kind("odd \u{0}")
            (odd.ratio, odd.weight, odd.price) = (-.infinity, .greatestFiniteMagnitude, Decimal(string: "-0.000001"))
            (odd.tags, odd.found) = ([], Date(timeIntervalSinceReferenceDate: -1e10))
            context.insert(odd)
        }
        try await RowTexts.requireEqual(schema, url)
        let columns = try await RowTexts.query(
            """
            SELECT code IS NOT NULL, found AT TIME ZONE 'UTC', "isRare", price, ratio, tags::json->>1, weight FROM "\(schema)"."Kind"
            WHERE label = 'usual'
            """)
        #expect(columns == ["t|2001-01-01 00:00:00.125|t|12345.75|0.1|sky|2.5"])
        // Dates that PostgreSQL does not have, and a large value that stores leave with the log.
        try await peer.save { context in
            for (label, seconds) in [("past", -1e15), ("future", 1e15)] {
                let kind = Kind(label: label)
                kind.found = Date(timeIntervalSinceReferenceDate: seconds)
                context.insert(kind)
            }
        }
        let dates = try await RowTexts.query(
            "SELECT label, found FROM \"\(schema)\".\"Kind\" WHERE found::text LIKE '%infinity' ORDER BY label")
        #expect(dates == ["future|infinity", "past|-infinity"])
        try await peer.save { context in
            for kind in try context.fetch(Kind.where { $0.label == "past" || $0.label == "future" }) {
                context.delete(kind)
            }
            context.insert(Kind(label: "large", original: picture))
        }
        let late = folder.appendingPathComponent("late.store")
        let other = try ModelContainer(
            for: KindsModel.self,
            configurations: ModelConfiguration(url: late, options: StoreOptions(historyTracking: true)))
        try await StoreSync(other, with: log).synchronize()
        try await RowTexts.requireEqual(schema, late, values: [picture])
        // Values that no object could read, and values of the program's own types in a form that the model does not
        // allow.
        let honest = try #require(try await log.entries(after: 0, limit: 1).first?.entry)
        let first = try #require(try ModelContext(container).fetch(Kind.all).map(\.persistentModelID.rowID).min())
        func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        let changes: [(old: [UInt8], new: [UInt8])] = [
            ([1] + bytes(12_345), [1] + bytes(70_000)), ([3, 8] + Array("12345.75".utf8), [3, 3] + Array("abc".utf8)),
            (Array("bplist00".utf8), Array("garbage0".utf8)), (Array("[\"sea\"".utf8), Array("{\"sea\"".utf8)),
        ]
        for (number, change) in changes.enumerated() {
            var entry = honest
            (entry.site, entry.id, entry.previous) = (UUID(), UUID(), nil)
            #expect(entry.body.replace(change.old, with: change.new) > 0)
            for row in 0..<3 as Range<Int64> {
                entry.body.replace(bytes(first + row), with: bytes(first + 1000 + Int64(number) * 10 + row))
            }
            _ = try await log.append(entry, after: try await log.head())
        }
        try await peer.sync.synchronize()
        #expect(try await peer.sync.keptEvents().count == changes.count)
        try await RowTexts.requireEqual(schema, url, values: [picture])
    }

    @Test func aModelThatIsNotThatOfTheLogIsRefused() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let peer = try notes("a", try await PostgresLog(name, in: database))
        try await peer.save { $0.insert(Note(title: "note")) }
        for path in [gallery, folder.path] {
            await #expect(throws: (any Error).self) { try await database.pushModel(at: path, toLog: name) }
            #expect(try await database.model(ofLog: name) == nil)
        }
        try await peer.save { $0.insert(Note(title: "another")) }
    }

    @Test func aLogThatIsEncryptedHasNoTablesAndGoesOn() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let plain = try await PostgresLog("plain-\(UUID())", in: database)
        try await notes("a", plain).sync.synchronize()
        let file = folder.appendingPathComponent("encrypted")
        let bytes = Data(repeating: 0xE0, count: 5000)
        try bytes.write(to: file)
        // The model before the log begins, and after.
        _ = try await database.pushModel(at: Self.notes, toLog: name)
        let log = try await PostgresLog(name, in: database)
        var snapshot = try #require(try await plain.snapshots().first)
        snapshot.id = UUID()
        (snapshot.hash, snapshot.byteCount) = (ContentHash.hexadecimal(of: bytes), Int64(bytes.count))
        try await log.add(snapshot, from: file)
        let entry = SyncEntry(
            kind: .changes, site: UUID(), count: 1, modelHash: snapshot.modelHash, date: Date(), body: bytes)
        #expect(try await log.append(entry, after: 0) == .appended(position: 1))
        let model = try #require(try await database.model(ofLog: name))
        #expect(model.position == nil && model.reason != nil)
        try await database.dropModel(ofLog: name)
        await #expect(throws: SyncLogError.self) { try await database.pushModel(at: Self.notes, toLog: name) }
        #expect(try await database.model(ofLog: name) == nil)
    }

    @Test("Random changes of several stores are in the tables of two hubs", arguments: [1, 2] as [UInt64])
    func random(seed: UInt64) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let databases = [try await TestDatabase.open(), try await TestDatabase.open()]
        _ = try await databases[0].pushModel(at: gallery, toLog: name)
        var numbers = SeededNumbers(seed)
        var peers: [Peer] = []
        for number in 0..<4 {
            let log = try await PostgresLog(name, in: databases[number % 2])
            peers.append(try gallery(Gallery2.Gallery.self, "peer \(number)", log))
        }
        for round in 0..<16 {
            let peer = peers[numbers.below(peers.count)]
            try Gallery2.Gallery.write(
                peer.container, operations: 12, seed: numbers.next(), journal: Journal("\(seed).\(round)") { _ in })
            if numbers.oneIn(3) { continue }
            if numbers.oneIn(6) { try await peer.sync.makeSnapshot() }
            try await peer.sync.synchronize()
            try await requireEqual(databases[0], peer)
        }
        // A hub that starts with the present log.
        let late = try await PostgresLog(name, in: try await TestDatabase.open())
        for peer in peers { try await peer.sync.synchronize() }
        let last = try gallery(Gallery2.Gallery.self, "last", late)
        try await last.sync.synchronize()
        try Gallery2.Gallery.write(
            last.container, operations: 30, seed: numbers.next(), journal: Journal("last") { _ in })
        try await last.sync.synchronize()
        try await requireEqual(databases[1], last)
    }
}

extension Data {
    /// Replaces all bytes that are those of one list by those of another.
    ///
    /// - Returns: The number of replacements.
    @discardableResult
    fileprivate mutating func replace(_ old: [UInt8], with new: [UInt8]) -> Int {
        var count = 0
        while let found = range(of: Data(old)), old != new {
            replaceSubrange(found, with: new)
            count += 1
        }
        return count
    }
}
