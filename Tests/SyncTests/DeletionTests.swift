import Ashlar
import AshlarSync
import Foundation
import Testing

/// Deletions that conflict with changes of others.
@Suite struct DeletionTests {
    let crew: Crew
    init() throws { crew = try Crew() }

    private func owner(_ context: ModelContext) throws -> Person { try #require(try context.fetch(Person.all).first) }

    private func requireEqual(_ first: Peer, _ second: Peer, _ wanted: [String]) throws {
        for peer in [first, second] {
            #expect(try peer.texts() == wanted, "\(peer.name)")
            #expect(try peer.container.integrityProblems() == [])
        }
    }

    /// Two stores with a project of a person, and an errand in it with an attachment and a tag.
    private func pairWithProject() async throws -> (Peer, Peer) {
        try await crew.pair { context in
            let ada = Person(name: "Ada")
            let project = Project(title: "garden", owner: ada)
            let errand = Errand(title: "seeds", project: project)
            for object in [project, Project(title: "house", owner: ada)] { context.insert(object) }
            context.insert(errand)
            context.insert(Attachment(name: "list", errand: errand))
            let tag = Tag(name: "shop")
            context.insert(tag)
            errand.tags = [tag]
        }
    }

    @Test("A relationship denies a deletion that comes before the objects that need it", arguments: [false, true])
    func denial(_ isDeletionFirst: Bool) async throws {
        let (first, second) = try await crew.pair { context in
            let ada = Person(name: "Ada")
            context.insert(ada)
            context.insert(Profile(bio: "gardener", person: ada))
        }
        try first.change { context in
            let project = Project(title: "a week's work", owner: try owner(context))
            context.insert(project)
            let errand = Errand(title: "seeds", project: project)
            context.insert(errand)
            context.insert(Attachment(name: "list", errand: errand))
        }
        try second.change { $0.delete(try owner($0)) }
        if isDeletionFirst { try await exchange(second, first) } else { try await exchange(first, second) }
        try requireEqual(
            first, second,
            [
                "attachment list of seeds", "errand seeds 0 in a week's work []", "person Ada (gardener)",
                "project a week's work of Ada",
            ])
        let events = try await (isDeletionFirst ? first : second).sync.keptEvents()
        #expect(
            events.contains { $0.kind == (isDeletionFirst ? .restored : .deletionDenied) && $0.objectName == "Ada" })
        #expect(events.allSatisfy { $0.needsAttention != isDeletionFirst })
    }

    @Test("An object that was moved away is not deleted with its former owner", arguments: [false, true])
    func movedAway(_ isDeletionFirst: Bool) async throws {
        let (first, second) = try await pairWithProject()
        try first.change { context in
            let house = try context.fetch(Project.where { $0.title == "house" }).first
            try context.fetch(Errand.all).first?.project = house
        }
        try second.change { context in
            for project in try context.fetch(Project.where { $0.title == "garden" }) { context.delete(project) }
        }
        if isDeletionFirst { try await exchange(second, first) } else { try await exchange(first, second) }
        try requireEqual(
            first, second,
            [
                "attachment list of seeds", "errand seeds 0 in house [shop]", "person Ada", "project house of Ada",
                "tag shop 0",
            ])
        let events = try await (isDeletionFirst ? first : second).sync.keptEvents()
        #expect(events.map(\.kind) == [isDeletionFirst ? .restored : .movedAway])
        #expect(events.allSatisfy { !$0.needsAttention && $0.objectName == "seeds" })
    }

    @Test("What a deletion takes along has events from which it can be made again", arguments: [false, true])
    func droppedObjects(_ isDeletionFirst: Bool) async throws {
        let (first, second) = try await pairWithProject()
        try first.change { context in
            let garden = try #require(try context.fetch(Project.where { $0.title == "garden" }).first)
            for number in 1...3 {
                let errand = Errand(rank: Int64(number), title: "errand \(number)", project: garden)
                context.insert(errand)
                context.insert(
                    Attachment(
                        content: Data(repeating: UInt8(number), count: 1000), name: "a \(number)", errand: errand))
            }
        }
        try second.change { context in
            for project in try context.fetch(Project.where { $0.title == "garden" }) { context.delete(project) }
        }
        if isDeletionFirst { try await exchange(second, first) } else { try await exchange(first, second) }
        try requireEqual(first, second, ["person Ada", "project house of Ada", "tag shop 0"])
        let loser = isDeletionFirst ? first : second
        let events = try await loser.sync.keptEvents()
        let dropped = events.filter { $0.canRestore && $0.needsAttention }
        #expect(Set(dropped.compactMap(\.objectName)).isSuperset(of: ["errand 1", "errand 3", "a 1", "a 2", "a 3"]))
        #expect(events.first { $0.objectName == "errand 2" }?.wanted["project"] == "garden")
        #expect(events.first { $0.objectName == "errand 2" }?.wanted["rank"] == "2")
        // The event has no row number, and no column of Ashlar's own.
        for event in events {
            #expect(!event.description.contains("$") && !event.description.contains("row "), "\(event)")
        }
        // The attachment returns with its errand and the project, which was deleted on purpose.
        try await loser.sync.restore(try #require(dropped.first { $0.objectName == "a 2" }))
        try await exchange(loser, isDeletionFirst ? second : first)
        try requireEqual(
            first, second,
            [
                "attachment a 2 of errand 2", "errand errand 2 2 in garden []", "person Ada", "project garden of Ada",
                "project house of Ada", "tag shop 0",
            ])
        for event in dropped { try await loser.sync.restore(event) }
        try await exchange(loser, isDeletionFirst ? second : first)
        #expect(try first.texts() == second.texts())
        #expect(try first.texts().filter { $0.hasPrefix("attachment a") }.count == 3)
        let context = ModelContext(first.container)
        #expect(
            try context.fetch(Attachment.where { $0.name == "a 3" }).first?.content == Data(repeating: 3, count: 1000))
    }

    @Test("An object that was dropped with its owner comes back with it") func restoration() async throws {
        // Both give the person a profile; the later one replaces the earlier, and the event has the earlier one's
        // values.
        let (first, second) = try await crew.pair { $0.insert(Person(name: "Ada")) }
        for peer in [first, second] {
            try peer.change { $0.insert(Profile(bio: peer.name, person: try owner($0))) }
        }
        try await exchange(first, second)
        try requireEqual(first, second, ["person Ada (second)"])
        let event = try #require(try await second.sync.keptEvents().first { $0.canRestore })
        #expect(event.wanted["bio"] == "first" && event.wanted["person"] == "Ada" && event.entityName == "Profile")
        try second.change { context in
            for profile in try context.fetch(Profile.all) { context.delete(profile) }
        }
        let identifier = try await second.sync.restore(event)
        let context = ModelContext(second.container)
        let profile: Profile = try context.model(for: identifier)
        #expect(profile.bio == "first" && profile.person?.name == "Ada")
        // The second restoration finds the object.
        #expect(try await second.sync.restore(event) == identifier)
        try await exchange(second, first)
        try requireEqual(first, second, ["person Ada (first)"])
    }

    @Test("A counter that was combined needs no attention, and an overruled text does") func attention() async throws {
        let (first, second) = try await crew.pair { context in
            context.insert(Counter(name: "meter", total: 7))
            context.insert(Person(name: "u1"))
            context.insert(Person(name: "u2"))
        }
        for peer in [first, second] { try peer.change { try $0.fetch(Counter.all).first?.total += 5 } }
        try await exchange(first, second)
        let event = try #require(try await second.sync.keptEvents().first)
        #expect(event.kind == .overruled && !event.needsAttention && event.objectName == "meter")
        #expect(event.wanted == ["total": "12"] && event.kept == ["total": "17"])
        #expect(event.description == "Counter 'meter': changed here and elsewhere (total: 12 -> 17)")
        // Both set the name of another person to the same text.
        try await second.sync.removeEvents(through: event.number)
        try first.change { try $0.fetch(Person.where { $0.name == "u1" }).first?.name = "z" }
        try second.change { try $0.fetch(Person.where { $0.name == "u2" }).first?.name = "z" }
        try await exchange(first, second)
        let collision = try #require(try await second.sync.keptEvents().first)
        #expect(collision.kind == .constraint && collision.needsAttention)
        #expect(collision.wanted == ["name": "z"] && collision.kept == ["name": "u2"])
    }
}
