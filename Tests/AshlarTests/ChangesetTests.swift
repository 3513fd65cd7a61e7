import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Changes that one store exports and another applies.
@Suite struct ChangesetTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func container(
        _ name: String = "test.store", _ model: any ManagedObjectModel.Type = PhotoFeedModel.self
    ) throws -> ModelContainer {
        try ModelContainer(
            for: model,
            configurations: ModelConfiguration(url: folder.file(name), options: StoreOptions(historyTracking: true)))
    }

    /// Two stores with the same rows, an author and two posts.
    func pair() throws -> (ModelContainer, ModelContainer, PersistentHistoryToken) {
        let first = try container()
        let context = ModelContext(first)
        let author = Author(name: "Ada")
        for title in ["One", "Two"] { context.insert(Post(timestamp: .now, title: title, author: author)) }
        try context.save()
        try first.backUp(to: folder.file("other.store"))
        let second = try container("other.store")
        return (first, second, try first.currentHistoryToken())
    }

    static func rows(_ container: ModelContainer) throws -> [String: [String: [String: String]]] {
        try HistoryRandomTests.Snapshot(container).rows.filter { !$0.value.isEmpty }
    }

    // MARK: Replaying

    @Test("the history of one store makes the other the same", arguments: seeds())
    func replaying(seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let source = try container("source.store", NewsroomModel.self)
        let program = try ForeignProgram(folder.file("source.store"), "foreign_keys = ON")
        let changes = DerivedAttributeRandomTests()
        for _ in 0..<10 { _ = try changes.saveRandomChanges(source, &generator) }
        try source.backUp(to: folder.file("target.store"))
        let target = try container("target.store", NewsroomModel.self)
        var token = try source.currentHistoryToken()
        for step in 0..<12 {
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                if generator.oneIn(5) {
                    try insertBatch(source, &generator)
                } else if generator.oneIn(2) {
                    _ = try changes.saveRandomChanges(source, &generator)
                } else {
                    _ = program.run(try changes.randomSQL(NewsroomDump(source), &generator))
                    // In stores of Ashlar no two portraits have the same author: applying such rows would be a
                    // conflict.
                    _ = program.run(
                        """
                        UPDATE Portrait SET author = NULL WHERE EXISTS (SELECT 1 FROM Portrait AS other
                            WHERE other.author = Portrait.author AND other."id$" < Portrait."id$")
                        """)
                }
            }
            let changeset = try source.changeset(.fetchHistory(after: token))
            token = try #require(changeset.token)
            let before = try target.currentHistoryToken()
            try target.apply(changeset, author: "sync") { _ in .abort }
            // Each store derives `now()` itself.
            func comparable(_ container: ModelContainer) throws -> [String: [String: [String: String]]] {
                try Self.rows(container).mapValues { rows in
                    rows.mapValues { $0.filter { !$0.key.hasPrefix("modified") } }
                }
            }
            let (found, expected) = (try comparable(target), try comparable(source))
            try #require(found == expected, "step \(step) of seed \(seed)")
            #expect(try target.fetchHistory(.fetchHistory(after: before)).allSatisfy { $0.author == "sync" })
            // Applying the same changes again changes nothing, except that missing rows cannot be deleted.
            if generator.oneIn(3) {
                try target.apply(changeset) { $0.kind == .notFound ? .omit : .abort }
                try #require(try comparable(target) == expected, "again, step \(step) of seed \(seed)")
            }
        }
        try target.expectSound()
    }

    /// Inserts rows that are recorded as one change, with other rows among them, into a table whose rows triggers
    /// change.
    private func insertBatch(_ container: ModelContainer, _ generator: inout SeededGenerator) throws {
        let entity = try #require(container.model.entity(named: "Feature"))
        let count = Int.random(in: 1...5, using: &generator)
        let hasOther = generator.oneIn(3)
        try container.pool.write { connection in
            try connection.transaction {
                try connection.recordingHistory(of: HistoryOrigin()) {
                    try connection.execute([
                        "UPDATE Section SET tariff = '1.5'", "INSERT INTO Section (name) VALUES ('s')",
                    ])
                    // The first section may have been deleted.
                    let section = try connection.integer("SELECT min(\"id$\") FROM Section") ?? 1
                    try connection.recordingInsertions(of: entity.schema, in: "main") {
                        for index in 0..<count {
                            try connection.execute(
                                "INSERT INTO Report (\"entity$\", title, section) VALUES ('Feature', 't\(index)', \(section))"
                            )
                            if hasOther { try connection.execute("INSERT INTO Report (title) VALUES ('other')") }
                        }
                        return count
                    }
                    try connection.execute("DELETE FROM Report WHERE title = 't1'")
                }
            }
        }
    }

    @Test func coded() throws {
        let (first, second, token) = try pair()
        try first.execute("UPDATE Post SET likes = 9")
        let changeset = try first.changeset(.fetchHistory(after: token))
        let stored = try JSONDecoder().decode(Changeset.self, from: try JSONEncoder().encode(changeset))
        #expect(stored == changeset && !stored.isEmpty)
        let context = ModelContext(second)
        context.automaticallyMergesChangesFromParent = true
        let post = try #require(try context.fetch(Post.all).first)
        try second.apply(stored)
        context.processPendingChanges()
        #expect(post.likes == 9)
        // No changes follow the token of the changeset, and the given author made none.
        #expect(try first.changeset(.fetchHistory(after: changeset.token)).isEmpty)
        #expect(try first.changeset(.fetchHistory(after: token).by(["nobody"])).isEmpty)
    }

    // MARK: Conflicts

    func conflicts(
        _ source: ModelContainer, _ target: ModelContainer, _ token: PersistentHistoryToken, compares: Bool = false,
        _ resolution: ChangesetConflict.Resolution
    ) throws -> [ChangesetConflict.Kind] {
        let seen = Kinds()
        let own = compares ? PersistentHistoryChangeRequest.fetchHistory(after: token).by(excluding: ["sync"]) : nil
        try target.apply(
            try source.changeset(.fetchHistory(after: token)), author: "sync",
            conflictsWith: own.map { request in
                var request = request
                request.start = .beginning
                return request
            }
        ) {
            seen.kinds.append($0.kind)
            return resolution
        }
        return seen.kinds
    }

    private final class Kinds { var kinds: [ChangesetConflict.Kind] = [] }

    @Test func rowsThatAreMissing() throws {
        let (first, second, token) = try pair()
        try first.execute("UPDATE Post SET likes = 9 WHERE title = 'One'; DELETE FROM Post WHERE title = 'Two'")
        try second.execute("DELETE FROM Post")
        #expect(throws: ChangesetError.self) {
            try second.apply(try first.changeset(.fetchHistory(after: token)))
        }
        #expect(throws: ChangesetError.self) { try conflicts(first, second, token, .replace) }
        #expect(try conflicts(first, second, token, .omit) == [.notFound, .notFound])
        #expect(try second.integer("SELECT count(*) FROM Post") == 0)
    }

    @Test func rowsThatAreThere() throws {
        let (first, second, token) = try pair()
        try first.execute("INSERT INTO Author (name) VALUES ('Byron')")
        try second.execute("INSERT INTO Author (name) VALUES ('Shelley')")
        #expect(try conflicts(first, second, token, .omit) == [.conflict])
        #expect(try second.text("SELECT name FROM Author WHERE \"id$\" = 2") == "Shelley")
        #expect(try conflicts(first, second, token, .replace) == [.conflict])
        #expect(try second.text("SELECT name FROM Author WHERE \"id$\" = 2") == "Byron")
        #expect(try conflicts(first, second, token, .abort) == [])
    }

    @Test func rowsThatBothChanged() throws {
        let (first, second, token) = try pair()
        // The copy has the source's history, and changes of other columns do not conflict.
        try second.deleteHistory(before: .distantFuture)
        try first.execute("UPDATE Post SET likes = 9 WHERE title = 'One'; UPDATE Author SET name = 'Eve'")
        try second.execute("UPDATE Post SET likes = 8, text = 't' WHERE title = 'One'; UPDATE Post SET text = 'u'")
        #expect(try conflicts(first, second, token, compares: true, .omit) == [.data])
        #expect(try second.integer("SELECT likes FROM Post WHERE title = 'One'") == 8)
        #expect(try second.text("SELECT name FROM Author") == "Eve")
        #expect(try conflicts(first, second, token, compares: true, .replace) == [.data])
        #expect(try second.integer("SELECT likes FROM Post WHERE title = 'One'") == 9)
        #expect(try conflicts(first, second, token, .abort) == [])
    }

    @Test func valuesThatMustBeUnique() throws {
        let (first, second, token) = try pair()
        try first.execute("INSERT INTO Author (\"id$\", name) VALUES (7, 'Byron')")
        try second.execute("INSERT INTO Author (\"id$\", name) VALUES (8, 'Byron')")
        #expect(try conflicts(first, second, token, .omit) == [.constraint])
        #expect(try second.integer("SELECT count(*) FROM Author") == 2)
        // A value that a deletion in the same changeset frees does not conflict.
        try first.execute("DELETE FROM Author WHERE name = 'Ada'; UPDATE Author SET name = 'Ada' WHERE \"id$\" = 7")
        try second.execute(
            "DELETE FROM Author WHERE name = 'Byron'; INSERT INTO Author (\"id$\", name) VALUES (7, 'x')")
        #expect(try conflicts(first, second, token, .replace) == [.conflict])
        #expect(try second.text("SELECT name FROM Author") == "Ada")
    }

    @Test func referencesThatLeadNowhere() throws {
        let (first, second, _) = try pair()
        try first.execute("INSERT INTO Author (\"id$\", name) VALUES (5, 'Byron')")
        let middle = try first.currentHistoryToken()
        try first.execute("UPDATE Post SET author = 5")
        #expect(throws: ChangesetError.self) {
            try second.apply(try first.changeset(.fetchHistory(after: middle)))
        }
        #expect(try conflicts(first, second, middle, .omit) == [.foreignKey, .foreignKey])
        #expect(try second.integer("SELECT count(*) FROM Post WHERE author IS NULL") == 2)
        try second.expectSound()
    }

    // MARK: Relationships

    /// Two stores of a model with relationships of all kinds. The second is a copy.
    private func harbors() throws -> (ModelContainer, ModelContainer, PersistentHistoryToken) {
        let first = try container("first.store", HarborModel.self)
        let context = ModelContext(first)
        let vessels = ["Ada", "Bea", "Cleo"].map { Vessel(name: $0) }
        let route = Route(title: "North")
        for object in vessels as [any PersistentModel] + [route] { context.insert(object) }
        for vessel in vessels { route.vessels.append(vessel) }
        vessels[0].routes.append(Route(title: "South"))
        for label in ["a", "b", "c"] { vessels[0].moorings.append(Mooring(label: label, vessel: vessels[0])) }
        let port = Port(country: "There", name: "Here", vessels: [vessels[0]])
        context.insert(port)
        for range in [1.0, 2, 3] { port.beacons.append(Beacon(range: range)) }
        try context.save()
        try first.backUp(to: folder.file("second.store"))
        return (first, try container("second.store", HarborModel.self), try first.currentHistoryToken())
    }

    @Test func orderedRelationships() throws {
        let (first, second, token) = try harbors()
        let context = ModelContext(first)
        let route = try #require(try context.fetch(Route.where { $0.title == "North" }).first)
        route.vessels.move(route.vessels[2], to: 0)
        let ada = try #require(try context.fetch(Vessel.where { $0.name == "Ada" }).first)
        ada.routes.move(ada.routes[1], to: 0)
        ada.moorings.move(ada.moorings[2], to: 1)
        let port = try #require(try context.fetch(Port.all).first)
        port.beacons.move(port.beacons[0], to: 2)
        try context.save()
        try second.apply(try first.changeset(.fetchHistory(after: token)))
        let other = ModelContext(second)
        #expect(
            try other.fetch(Route.where { $0.title == "North" }).first?.vessels.map(\.name) == ["Cleo", "Ada", "Bea"])
        let moved = try #require(try other.fetch(Vessel.where { $0.name == "Ada" }).first)
        #expect(moved.routes.map(\.title) == ada.routes.map(\.title))
        #expect(moved.moorings.map(\.label) == ["a", "c", "b"])
        #expect(moved.port?.beacons.map(\.range) == [2, 3, 1])
        #expect(try StoredRows(second).difference(from: StoredRows(first)) == nil)
    }

    @Test("changes of relationships of all kinds arrive", arguments: seeds())
    func relationships(seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let (first, second, start) = try harbors()
        var token = start
        for step in 0..<10 {
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let context = ModelContext(first)
                try HarborChanges(context).make(&generator)
                do { try context.save() } catch is SaveError {}
            }
            let changeset = try first.changeset(.fetchHistory(after: token))
            token = try #require(changeset.token)
            try second.apply(changeset)
            let difference = try StoredRows(second).difference(from: StoredRows(first))
            try #require(difference == nil, "step \(step) of seed \(seed)")
        }
        try second.expectSound()
    }

    @Test func unrelatedColumnsOfADisputedRow() throws {
        let (first, second, token) = try pair()
        try second.deleteHistory(before: .distantFuture)
        try first.execute("UPDATE Post SET likes = 9, text = 'theirs' WHERE title = 'One'")
        try second.execute("UPDATE Post SET likes = 8 WHERE title = 'One'")
        #expect(try conflicts(first, second, token, compares: true, .omit) == [.data])
        #expect(try second.text("SELECT likes || text FROM Post WHERE title = 'One'") == "8theirs")
    }

    @Test func uniqueValuesThatRowsExchange() throws {
        let (first, second, token) = try harbors()
        try first.execute(
            """
            UPDATE Vessel SET name = 'x' WHERE name = 'Ada'; UPDATE Vessel SET name = 'Ada' WHERE name = 'Bea';
            UPDATE Vessel SET name = 'Bea' WHERE name = 'Cleo'; UPDATE Vessel SET name = 'Cleo' WHERE name = 'x'
            """)
        try second.apply(try first.changeset(.fetchHistory(after: token)))
        #expect(try StoredRows(second).difference(from: StoredRows(first)) == nil)
        // One vessel cannot get its value: the vessels that exchange values with it keep theirs.
        let next = try first.currentHistoryToken()
        try first.execute(
            """
            UPDATE Vessel SET name = 'Dora', tonnage = 5 WHERE name = 'Ada';
            UPDATE Vessel SET name = 'Ada' WHERE name = 'Bea'
            """)
        try second.execute("INSERT INTO Vessel (\"id$\", name) VALUES (99, 'Dora')")
        #expect(try conflicts(first, second, next, .omit).contains(.constraint))
        #expect(
            try second.text(
                "SELECT group_concat(name || coalesce(tonnage, '')) FROM (SELECT * FROM Vessel ORDER BY name)")
                == "Ada5,Bea,Cleo,Dora")
        try second.expectSound()
    }

    @Test func deletionsThatAreDenied() throws {
        let (first, second, token) = try harbors()
        try first.execute("UPDATE Vessel SET port = NULL; DELETE FROM Port")
        try second.execute("UPDATE Vessel SET port = 1 WHERE name = 'Bea'")
        #expect(try conflicts(first, second, token, .omit) == [.constraint])
        #expect(try second.integer("SELECT count(*) FROM Port") == 1)
        #expect(try second.integer("SELECT count(*) FROM Vessel WHERE port = 1") == 1)
        try second.expectSound()
    }

    @Test func identifiersThatNoRowMayHave() throws {
        let (_, second, _) = try harbors()
        let before = try StoredRows(second)
        func apply(_ table: String, _ names: [String], keys: [UInt8], _ values: [SQLiteValue?], _ kind: Int) {
            var writer = ChangesetWriter()
            writer.begin(table, keys: keys)
            writer.add([ChangesetWriter.Operation.insert, .update, .delete][kind], values)
            var changeset = Changeset(data: writer.data)
            changeset.columns = [table: names]
            do {
                try second.apply(changeset) { _ in .omit }
                Issue.record("\(table) \(values)")
            } catch ChangesetError.invalidValue(let found, _) {
                #expect(found == table)
            } catch {
                Issue.record("\(error)")
            }
        }
        let bad: [SQLiteValue] = [
            .integer(0), .integer(-1), .integer(.min), .integer(.max), .integer(.max - 1), .integer((1 << 62) + 1),
            .text("1"), .real(1), .blob(Data([1])),
        ]
        for value in bad + [.null] {
            apply("Route", ["id$", "title"], keys: [1, 0], [value, .text("t")], 0)
            apply("Route", ["id$", "title"], keys: [1, 0], [value, .text("t")], 1)
            apply("Route", ["id$", "title"], keys: [1, 0], [value, nil], 2)
            apply("Pennant$vessels", ["source$", "target$"], keys: [1, 2], [.integer(1), value], 0)
        }
        for value in bad {
            apply("Quay", ["id$", "port"], keys: [1, 0], [.integer(7), value], 0)
            apply("Vessel", ["id$", "leader"], keys: [1, 0], [.integer(1), value], 1)
            apply("Vessel", ["id$", "name", "entity$"], keys: [1, 0, 0], [.integer(7), .text("n"), value], 0)
        }
        apply("Vessel", ["id$", "name", "entity$"], keys: [1, 0, 0], [.integer(7), .text("n"), .text("Port")], 0)
        #expect(try StoredRows(second).difference(from: before) == nil)
    }

}
