import Foundation
import Testing

@testable import Ashlar

/// Stores that exchange changes as a primary and its replicas, and objects that become one.
@Suite struct ReplicaTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func container(_ name: String, tracks: Bool = true) throws -> ModelContainer {
        try ModelContainer(
            for: HarborModel.self,
            configurations: ModelConfiguration(url: folder.file(name), options: StoreOptions(historyTracking: tracks)))
    }

    /// A primary with a vessel, and two replicas.
    private func stores() throws -> (ModelContainer, ModelContainer, ModelContainer) {
        let primary = try container("primary.store")
        try primary.setIdentifierRange(1...999)
        let context = ModelContext(primary)
        context.insert(Vessel(name: "Ada", tonnage: 1))
        try context.save()
        let replicas = try (1...2).map { number in
            try primary.backUp(to: folder.file("\(number).store"))
            let replica = try container("\(number).store")
            let first = Int64(number) * 1_000
            try replica.becomeReplica(identifiers: first...first + 999)
            return replica
        }
        return (primary, replicas[0], replicas[1])
    }

    @discardableResult
    private func exchange(_ replica: ModelContainer, _ primary: ModelContainer) throws -> Changeset {
        let answer = try primary.reconcile(try replica.pendingChanges(), author: "replica")
        try replica.adopt(answer, author: "primary")
        return answer
    }

    private func change(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws {
        let context = ModelContext(container)
        try body(context)
        try context.save()
    }

    private func vessel(_ context: ModelContext, _ name: String) throws -> Vessel {
        try #require(try context.fetch(Vessel.where { $0.name == name }).first)
    }

    private func expectEqual(_ stores: [ModelContainer], sourceLocation: SourceLocation = #_sourceLocation) throws {
        for store in stores.dropFirst() {
            let difference = try StoredRows(store).difference(from: StoredRows(stores[0]))
            #expect(difference == nil, sourceLocation: sourceLocation)
        }
    }

    // MARK: Exchanging

    @Test func bothChangeOneProperty() throws {
        let (primary, first, second) = try stores()
        try change(first) { try vessel($0, "Ada").tonnage = 10 }
        try change(second) { try vessel($0, "Ada").tonnage = 20 }
        try change(second) { try vessel($0, "Ada").price = 5 }
        try exchange(second, primary)
        try exchange(first, primary)
        try exchange(second, primary)
        try expectEqual([primary, first, second])
        // The order is that in which the primary received the changes. Changes of other properties have no influence.
        #expect(try primary.text("SELECT tonnage || ' ' || price FROM Vessel") == "10 5")
        // No changes are left to exchange.
        #expect(try first.pendingChanges().isEmpty)
        #expect(try exchange(first, primary).isEmpty)
    }

    @Test func aClosureDecides() throws {
        let (primary, first, second) = try stores()
        try change(first) { try vessel($0, "Ada").tonnage = 10 }
        try change(second) { try vessel($0, "Ada").tonnage = 20 }
        try exchange(second, primary)
        let answer = try primary.reconcile(try first.pendingChanges()) { conflict in
            #expect(conflict.kind == .data && conflict.values["tonnage"] == .integer(10))
            return .omit
        }
        try first.adopt(answer)
        try expectEqual([primary, first, second])
        #expect(try primary.integer("SELECT tonnage FROM Vessel") == 20)
        // If the closure throws or aborts, nothing changes.
        try change(first) { try vessel($0, "Ada").tonnage = 11 }
        try change(second) { try vessel($0, "Ada").tonnage = 21 }
        try exchange(second, primary)
        let changes = try first.pendingChanges()
        let before = try primary.currentHistoryToken()
        #expect(throws: ChangesetError.self) { try primary.reconcile(changes) { _ in .abort } }
        #expect(throws: CancellationError.self) { try primary.reconcile(changes) { _ in throw CancellationError() } }
        #expect(try primary.currentHistoryToken() == before)
        try exchange(first, primary)
        try exchange(second, primary)
        try expectEqual([primary, first, second])
    }

    @Test func insertionsOfBoth() throws {
        let (primary, first, second) = try stores()
        for round in 0..<4 {
            for (name, store) in [("p", primary), ("f", first), ("s", second)] {
                try change(store) { $0.insert(Vessel(name: "\(name) \(round)")) }
            }
            try exchange(first, primary)
            try exchange(second, primary)
        }
        try exchange(first, primary)
        try expectEqual([primary, first, second])
        #expect(try primary.integer("SELECT count(*) FROM Vessel") == 13)
        #expect(try primary.integer("SELECT max(\"id$\") FROM Vessel WHERE name LIKE 'p%'") == 5)
        #expect(try first.integer("SELECT seq FROM sqlite_sequence WHERE name = 'Vessel'") == 1003)
    }

    @Test func oneUniqueValueOnTwoStores() throws {
        let (primary, first, second) = try stores()
        for (store, colour) in [(first, "red"), (second, nil)] as [(ModelContainer, String?)] {
            try change(store) { context in
                let pennant = Pennant(colour: colour, key: "blue peter")
                context.insert(pennant)
                for number in 0..<2 {
                    context.insert(Vessel(name: "\(try store.identifierRange()!.lowerBound) \(number)"))
                }
                try context.save()
                for vessel in try context.fetch(Vessel.all) where vessel.name != "Ada" {
                    pennant.vessels.insert(vessel)
                }
            }
        }
        try exchange(second, primary)
        let watching = ModelContext(first)
        watching.automaticallyMergesChangesFromParent = true
        let mine = try #require(try watching.fetch(Pennant.all).first)
        try exchange(first, primary)
        try exchange(second, primary)
        try expectEqual([primary, first, second])
        // The object with the smaller number stays. It has the members of both, and takes the value that it lacked
        // from the other.
        #expect(try primary.text("SELECT group_concat(\"id$\" || key || colour) FROM Pennant") == "1000blue peterred")
        #expect(try primary.integer("SELECT count(*) FROM \"Pennant$vessels\" WHERE \"source$\" = 1000") == 4)
        #expect(try primary.integer("SELECT sum(pennantCount) FROM Vessel") == 4)
        watching.processPendingChanges()
        #expect(!mine.isDeleted && mine.vessels.count == 4)
        for store in [primary, first, second] { try store.expectSound() }
    }

    @Test func whatIsUniqueByAReference() throws {
        let (primary, first, second) = try stores()
        for store in [first, second] {
            try change(store) { context in
                let port = Port(country: "There", name: "Here")
                context.insert(port)
                for number in 0..<2 { context.insert(Quay(depth: 1, number: Int64(number), port: port)) }
            }
        }
        try change(second) { try $0.fetch(Quay.all).first?.depth = nil }
        try exchange(first, primary)
        try exchange(second, primary)
        try exchange(first, primary)
        try expectEqual([primary, first, second])
        #expect(try primary.integer("SELECT count(*) FROM Port") == 1)
        #expect(try primary.text("SELECT group_concat(number || port || depth) FROM Quay") == "010001.0,110001.0")
    }

    @Test func answersThatComeTooLate() throws {
        let (primary, first, _) = try stores()
        try change(first) { try vessel($0, "Ada").tonnage = 10 }
        let answer = try primary.reconcile(try first.pendingChanges())
        try change(first) { try vessel($0, "Ada").tonnage = 11 }
        #expect(throws: ChangesetError.changedMeanwhile) { try first.adopt(answer) }
        #expect(try first.integer("SELECT tonnage FROM Vessel") == 11)
        try exchange(first, primary)
        try expectEqual([primary, first])
        // An answer is adopted once.
        let second = try primary.reconcile(try first.pendingChanges())
        try change(primary) { try vessel($0, "Ada").tonnage = 12 }
        try exchange(first, primary)
        #expect(throws: ChangesetError.changedMeanwhile) { try first.adopt(second) }
        try expectEqual([primary, first])
    }

    @Test func misuse() throws {
        let (primary, first, _) = try stores()
        #expect(throws: ChangesetError.notReplica) { try primary.pendingChanges() }
        let changes = try first.pendingChanges()
        #expect(throws: ChangesetError.notOfReplica) { try first.adopt(changes) }
        #expect(throws: ChangesetError.notOfReplica) { try primary.reconcile(Changeset(data: Data())) }
        let answer = try primary.reconcile(changes)
        #expect(throws: ChangesetError.notOfReplica) { try primary.reconcile(answer) }
        #expect(throws: ChangesetError.notReplica) { try primary.adopt(answer) }
        let other = try container("other.store")
        #expect(throws: HistoryError.self) { try other.reconcile(changes) }
        let untracked = try container("untracked.store", tracks: false)
        #expect(throws: HistoryError.self) { try untracked.becomeReplica(identifiers: 1...5) }
        // Invalid bytes, and deleted history.
        var damaged = answer
        damaged.data = Data([0x50, 1])
        #expect(throws: ChangesetError.self) { try first.adopt(damaged) }
        try first.execute("UPDATE \"ashlar$metadata\" SET \"value\" = '{}' WHERE \"key\" = 'replica'")
        #expect(throws: ChangesetError.damagedReplica) { try first.pendingChanges() }
        for name in ["x", "y"] { try change(primary) { $0.insert(Vessel(name: name)) } }
        try primary.deleteHistory(before: try primary.currentHistoryToken())
        #expect(throws: HistoryError.self) { try primary.reconcile(changes) }
    }

    @Test func storesThatWereNotTheSame() throws {
        let (primary, first, _) = try stores()
        // A change that the history does not record.
        try first.execute(
            """
            DROP TRIGGER "ashlar$history$Vessel$$insert";
            INSERT INTO Vessel ("id$", name) VALUES (1500, 'Bea')
            """)
        try change(primary) { $0.insert(Vessel(name: "Bea")) }
        let answer = try primary.reconcile(try first.pendingChanges())
        #expect(throws: ChangesetError.diverged(table: "Vessel")) { try first.adopt(answer) }
        #expect(try first.integer("SELECT count(*) FROM Vessel") == 2)
    }

    @Test func emptyStoresThatAreNoCopies() throws {
        let primary = try container("primary.store")
        let replica = try container("replica.store")
        try primary.setIdentifierRange(1...99)
        try replica.becomeReplica(identifiers: 100...199, at: try primary.currentHistoryToken())
        for store in [primary, replica] { try change(store) { $0.insert(Vessel(name: store.configuration.name)) } }
        try exchange(replica, primary)
        try expectEqual([primary, replica])
        #expect(try replica.integer("SELECT count(*) FROM Vessel") == 2)
    }

    // MARK: Merging

    @Test func mergingObjects() throws {
        let (primary, first, second) = try stores()
        var identifiers: [PersistentIdentifier] = []
        try change(primary) { context in
            let vessels = ["Bea", "Cleo", "Dora"].map { Vessel(name: $0) }
            for vessel in vessels { context.insert(vessel) }
            let skippers = ["s", "t"].map { Skipper(name: $0) }
            for skipper in skippers { context.insert(skipper) }
            vessels[0].skipper = skippers[0]
            vessels[1].skipper = skippers[1]
            vessels[1].tonnage = 7
            vessels[1].sisters.insert(vessels[0])
            vessels[1].sisters.insert(vessels[2])
            vessels[2].leader = vessels[1]
            vessels[0].leader = vessels[1]
            let route = Route(title: "r")
            context.insert(route)
            for vessel in [vessels[2], vessels[1]] { route.vessels.append(vessel) }
            for vessel in vessels { vessel.moorings.append(Mooring(label: vessel.name, vessel: vessel)) }
            try context.save()
            identifiers = vessels.map(\.persistentModelID)
        }
        let before = try primary.currentHistoryToken()
        let watching = ModelContext(primary)
        watching.automaticallyMergesChangesFromParent = true
        let kept = try primary.mergeObjects(identifiers[1], identifiers[0], author: "somebody")
        #expect(kept == identifiers[0])
        let merged = try #require(try watching.fetch(Vessel.all).first { $0.persistentModelID == kept })
        #expect(merged.name == "Cleo" && merged.tonnage == 7)
        #expect(merged.skipper?.name == "s" && merged.leader == nil)
        #expect(merged.sisters.map(\.name) == ["Dora"] && merged.followers.map(\.name) == ["Dora"])
        #expect(merged.routes.map(\.title) == ["r"] && merged.routes[0].vessels.map(\.name) == ["Dora", "Cleo"])
        #expect(Set(merged.moorings.map(\.label)) == ["Bea", "Cleo"])
        let told = try primary.fetchHistory(.fetchHistory(after: before))
        #expect(told.count == 1 && told[0].author == "somebody")
        #expect(told[0].changes.contains { $0.changeType == .delete && $0.changedObjectID == identifiers[1] })
        try exchange(first, primary)
        try exchange(second, primary)
        try expectEqual([primary, first, second])
        try primary.expectSound()
        #expect(try HarborRules.broken(in: primary) == [])
    }

    @Test func objectsThatCannotBeOne() throws {
        let (primary, _, _) = try stores()
        var (vessel, ferry, port): (PersistentIdentifier?, PersistentIdentifier?, PersistentIdentifier?)
        try change(primary) { context in
            let objects: [any PersistentModel] = [Vessel(name: "v"), Ferry(name: "f"), Port(name: "p")]
            for object in objects { context.insert(object) }
            try context.save()
            (vessel, ferry, port) = (
                objects[0].persistentModelID, objects[1].persistentModelID, objects[2].persistentModelID
            )
        }
        let one = try #require(vessel)
        for other in [ferry, port, vessel] {
            #expect(throws: ChangesetError.self) { try primary.mergeObjects(one, try #require(other)) }
        }
        try primary.execute("DELETE FROM Vessel WHERE name = 'f'")
        #expect(throws: ChangesetError.self) { try primary.mergeObjects(one, try #require(ferry)) }
    }
}
