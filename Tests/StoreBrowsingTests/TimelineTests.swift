import Ashlar
import Foundation
@_spi(Studio) import StoreBrowsing
import StoreInspection
import Testing

/// The history as Studio and `ashlar inspect` show it, beside that of the API.
@Suite struct TimelineTests {
    private let folder: URL
    private var url: URL { folder.appendingPathComponent("Guild.store") }
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container = try ModelContainer(
            for: GuildModel.self,
            configurations: ModelConfiguration(
                url: folder.appendingPathComponent("Guild.store"), options: StoreOptions(historyTracking: true)))
        context = ModelContext(container)
    }

    /// Transactions in which rows are written more than once: by derived attributes, orders, pairs, and insertions that go again.
    private func fill() throws {
        let guild = Guild(name: "Smiths")
        context.insert(guild)
        let members = (1...5).map { Member(name: "M\($0)") }
        for member in members { guild.members.append(member) }
        try context.save()
        for member in members { member.name += "!" }
        let skills = ["a", "b"].map { Skill(name: $0) }
        for skill in skills { members[0].skills.append(skill) }
        try context.save()
        members[0].skills.move(skills[1], to: 0)
        members[1].skills.append(skills[0])
        try context.save()
        guild.members.remove(members[4])
        context.delete(members[4])
        context.insert(Hall(name: "Hall"))
        try context.save()
        try context.batchInsert(contentsOf: (1...10).map { Hall.Values(name: "\($0)") })
        try context.batchDelete(Hall.all)
        try context.batchUpdate(Member.all) { $0.name = "Same" }
    }

    private func expected() throws -> [[String]] {
        try container.fetchHistory().map { transaction in
            transaction.changes.map { "\($0.changeType) \($0.changedObjectID.entityName) \($0.changedObjectID.rowID)" }
                .sorted()
        }
    }

    @Test("an object has one change in a transaction") func changes() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try fill()
        let names = [StoreTimeline.Change.Kind.insertion: "insert", .update: "update", .deletion: "delete"]
        let timeline = try StoreBrowser(url, model: nil).timeline(before: nil)
        let found = timeline.transactions.reversed().filter { $0.changeCount > 0 }.map { transaction in
            transaction.changes.flatMap { change in
                (change.row...(change.detail ?? change.row)).map {
                    "\(names[change.kind] ?? "") \(change.entity) \($0)"
                }
            }.sorted()
        }
        let expected = try expected()
        #expect(found == expected)
        #expect(timeline.transactions.allSatisfy { $0.hiddenCount == 0 })
        let counts = timeline.transactions.reversed().map(\.changeCount).filter { $0 > 0 }
        #expect(counts == expected.map { Int64($0.count) })
        let history = try #require(try StoreInspector().inspect(url).history)
        #expect(history.transactions == Int64(expected.count))
        #expect(history.changes == Int64(expected.map(\.count).reduce(0, +)))
    }

    @Test("an update names its columns") func columns() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let guild = Guild(name: "Smiths")
        context.insert(guild)
        try context.save()
        guild.name = "Bakers"
        try context.save()
        let last = try StoreBrowser(url, model: nil).timeline(before: nil).transactions.first
        #expect(last?.changes.map(\.columns) == [["name"]])
    }
}
