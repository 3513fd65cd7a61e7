import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar
@testable import AshlarSync

extension SyncTests {
    /// Two stores that joined the log before. Each inserts an object with the same unique values.
    private func merged(_ first: (ModelContext) -> Void, _ second: (ModelContext) -> Void) async throws -> [Peer] {
        let (one, other) = try await pair { _ in }
        first(one.context)
        try one.context.save()
        second(other.context)
        try other.context.save()
        for peer in [one, other, one] { try await peer.sync.synchronize() }
        return [one, other]
    }

    @Test("what two that become one have counted is added") func mergedSums() async throws {
        for peer in try await merged(
            { $0.insert(Vessel(name: "Ada", tonnage: 5)) }, { $0.insert(Vessel(name: "Ada", tonnage: 7)) })
        {
            #expect(try one(Vessel.self, peer).tonnage == 12)
        }
    }

    @Test("of two that become one the greater value counts, or the first, where the model says so")
    func mergedValues() async throws {
        for depths in [(3.0, 9.0), (9.0, 3.0)] {
            let test = try SyncTests()
            let peers = try await test.merged(
                { context in
                    let port = Port(country: "here", name: "Bea")
                    context.insert(port)
                    context.insert(Quay(depth: depths.0, number: 1, port: port))
                    context.insert(Pennant(colour: "red", key: "a"))
                },
                { context in
                    let port = Port(country: "here", name: "Bea")
                    context.insert(port)
                    context.insert(Quay(depth: depths.1, number: 1, port: port))
                    context.insert(Pennant(colour: "blue", key: "a"))
                })
            for peer in peers {
                #expect(try test.one(Pennant.self, peer).colour == "red")
                #expect(try ModelContext(peer.container).fetch(Quay.all).map(\.depth) == [9])
                #expect(try peer.container.integrityProblems() == [])
            }
        }
    }

    @Test("a value that the one lacks is the other's, whatever the rule") func mergedAbsence() async throws {
        for peer in try await merged(
            { $0.insert(Pennant(colour: nil, key: "a")) }, { $0.insert(Pennant(colour: "blue", key: "a")) })
        {
            #expect(try one(Pennant.self, peer).colour == "blue")
        }
    }

    @Test("each rule joins what two that become one have") func mergeRules() {
        let cases: [(SyncRule, SQLiteValue, SQLiteValue, SQLiteValue)] = [
            (.last, .integer(1), .integer(2), .integer(2)), (.last, .integer(1), .null, .integer(1)),
            (.first, .integer(1), .integer(2), .integer(1)), (.first, .null, .integer(2), .integer(2)),
            (.max, .real(1), .integer(2), .integer(2)), (.max, .integer(3), .integer(2), .integer(3)),
            (.max, .null, .integer(-2), .integer(-2)), (.min, .integer(1), .integer(2), .integer(1)),
            (.min, .integer(3), .integer(2), .integer(2)), (.min, .integer(3), .null, .integer(3)),
            (.sum, .integer(1), .integer(2), .integer(3)), (.sum, .null, .integer(2), .integer(2)),
            (.sum, .integer(1), .null, .integer(1)), (.sum, .real(0.5), .real(0.25), .real(0.75)),
            (.sum, .integer(.max), .integer(2), .integer(.max)), (.sum, .null, .null, .null),
        ]
        for (rule, theirs, mine, both) in cases {
            #expect(PropertyMerge.combined(rule, theirs: theirs, mine: mine) == both, "\(rule) \(theirs) \(mine)")
        }
    }

    @Test("the closure is asked about two that become one") func mergeClosure() async throws {
        let (first, _) = try await pair { _ in }
        first.context.insert(Vessel(name: "Ada", tonnage: 5))
        try first.context.save()
        try await first.sync.synchronize()
        var options = SyncOptions()
        options.resolvingConflicts = { conflict in
            conflict.property == "tonnage" && conflict.base == .null && conflict.mine == .integer(7)
                && conflict.theirs == .integer(5) && conflict.object.entityName == "Vessel" ? .integer(100) : nil
        }
        let container = try ModelContainer(
            for: HarborModel.self,
            configurations: ModelConfiguration(
                url: folder.file("third.store"), options: StoreOptions(historyTracking: true)))
        let sync = try StoreSync(container, with: log, options: options)
        let context = ModelContext(container)
        context.insert(Vessel(name: "Ada", tonnage: 7))
        try context.save()
        try await sync.synchronize()
        #expect(try ModelContext(container).fetch(Vessel.all).map(\.tonnage) == [100])
    }

    @Test("where a deletion is denied, what it took along and what it emptied is there again") func wholeDenial()
        async throws
    {
        let (first, second) = try await pair { context in
            let port = Port(name: "Ada")
            context.insert(port)
            for number in 1...3 { context.insert(Quay(number: Int64(number), port: port)) }
            for range in 1...2 {
                let beacon = Beacon(range: Double(range))
                context.insert(beacon)
                port.beacons.append(beacon)
            }
            context.insert(Port(name: "Bea"))
        }
        let vessel = Vessel(name: "Argo")
        first.context.insert(vessel)
        vessel.port = try first.context.fetch(Port.where { $0.name == "Ada" }).first
        try first.context.save()
        try await first.sync.synchronize()
        let context = ModelContext(second.container)
        for port in try context.fetch(Port.all) { context.delete(port) }
        try context.save()
        #expect(try ModelContext(second.container).fetchCount(Quay.all) == 0)
        for peer in [second, first] { try await peer.sync.synchronize() }
        for peer in [first, second] {
            let context = ModelContext(peer.container)
            let ports = try context.fetch(Port.all)
            #expect(ports.map(\.name) == ["Ada"])
            #expect(ports.first?.quays.map(\.number).sorted() == [1, 2, 3])
            #expect(ports.first?.beacons.map(\.range) == [1, 2])
            #expect(ports.first?.vessels.map(\.name) == ["Argo"])
            #expect(try peer.container.integrityProblems() == [])
        }
        let events = try await second.sync.keptEvents()
        #expect(events.map(\.kind) == Array(repeating: .deletionDenied, count: 4))
        #expect(Set(events.map(\.entityName)) == ["Port", "Quay"])
    }
}
