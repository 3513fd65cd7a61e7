import AshlarSync
import Foundation
import Testing

@testable import Ashlar

extension SyncTests {
    /// Another store that follows the log, with its own resolution of conflicts.
    private func peer(_ name: String, _ change: (inout SyncOptions) -> Void) throws -> Peer {
        let configuration = ModelConfiguration(
            url: folder.file("\(name).store"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: HarborModel.self, configurations: configuration)
        var options = SyncOptions()
        change(&options)
        return Peer(
            container: container, sync: try StoreSync(container, with: log, options: options),
            context: ModelContext(container))
    }

    /// Returns the berth of both stores in the end. One store changed a vessel's berth; the other changed it too and
    /// came later, and its closure resolves the conflict.
    private func berths(
        from base: Berth?, theirs: Berth?, mine: Berth?,
        _ resolver: @escaping @Sendable (SyncCompositeConflict) -> SyncCompositeConflict.Elements?
    ) async throws -> Berth? {
        let first = try peer("first") { _ in }
        first.context.insert(Vessel(berth: base, name: "Argo"))
        try first.context.save()
        try await first.sync.synchronize()
        let second = try peer("second") { $0.resolvingCompositeConflicts = resolver }
        try await second.sync.synchronize()
        try change(first, Vessel.self) { $0.berth = theirs }
        try change(second, Vessel.self) { $0.berth = mine }
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        let found = try [first, second].map { try one(Vessel.self, $0).berth }
        #expect(found[0] == found[1])
        for peer in [first, second] { #expect(try peer.container.integrityProblems() == []) }
        return found[0]
    }

    @Test("the closure joins what two changed of one composite") func joinedComposite() async throws {
        let berth = try await berths(
            from: Berth(pier: "A", place: 1, spot: Spot(latitude: 1, longitude: 2)),
            theirs: Berth(pier: "B", place: 1, spot: nil),
            mine: Berth(pier: "A", place: 9, spot: Spot(latitude: 1, longitude: 3))
        ) { conflict in
            guard conflict.property == "berth", conflict.object.entityName == "Vessel",
                conflict.base["spot.longitude"] == .real(2), conflict.base["place"] == .integer(1),
                conflict.theirs == ["pier": .text("B"), "place": .integer(1)],
                conflict.mine["spot.longitude"] == .real(3)
            else { return nil }
            return conflict.theirs.merging([
                "place": .integer(9), "spot.latitude": .real(5), "spot.longitude": .real(6),
            ]) {
                $1
            }
        }
        #expect(berth == Berth(pier: "B", place: 9, spot: Spot(latitude: 5, longitude: 6)))
    }

    @Test("without an answer all of a composite is of the later change") func unansweredComposite() async throws {
        let berth = try await berths(
            from: Berth(pier: "A", place: 1), theirs: Berth(pier: "B", place: 2), mine: Berth(pier: "A", place: 9)
        ) { _ in nil }
        #expect(berth == Berth(pier: "A", place: 9))
    }

    @Test("a composite that one removed has no elements, and none is an answer") func removedComposite() async throws {
        let berth = try await berths(from: Berth(pier: "A"), theirs: nil, mine: Berth(pier: "B")) { conflict in
            conflict.theirs == [:] && conflict.mine == ["pier": .text("B"), "place": .null]
                ? [:] : ["pier": .text("asked wrongly")]
        }
        #expect(berth == nil)
    }

    @Test("what the closure answers in place of a change is told by an event") func eventOfComposite() async throws {
        _ = try await berths(from: Berth(pier: "A"), theirs: Berth(pier: "B"), mine: Berth(pier: "C")) { conflict in
            conflict.theirs
        }
        let events = try await peer("second") { _ in }.sync.keptEvents()
        #expect(events.map(\.kind) == [.overruled])
        #expect(events.first?.wanted == ["berth.pier": "C"] && events.first?.kept == ["berth.pier": "B"])
    }

    @Test("the closure is asked about the composite of two that become one") func mergedComposite() async throws {
        let first = try peer("first") { _ in }
        first.context.insert(Vessel(berth: Berth(pier: "A", spot: Spot(latitude: 1, longitude: 1)), name: "Argo"))
        try first.context.save()
        try await first.sync.synchronize()
        let second = try peer("second") { options in
            options.resolvingCompositeConflicts = { conflict in
                var both = conflict.theirs
                both["place"] = conflict.mine["place"]
                return conflict.base == [:] ? both : nil
            }
        }
        second.context.insert(Vessel(berth: Berth(pier: "B", place: 4), name: "Argo"))
        try second.context.save()
        for peer in [second, first] { try await peer.sync.synchronize() }
        for peer in [first, second] {
            let expected = Berth(pier: "A", place: 4, spot: Spot(latitude: 1, longitude: 1))
            #expect(try one(Vessel.self, peer).berth == expected)
            #expect(try peer.container.integrityProblems() == [])
        }
    }

    @Test("the closure is asked about a reference that has an order") func orderedReference() async throws {
        let asked = Counter()
        let first = try peer("first") { _ in }
        let argo = Vessel(name: "Argo")
        for vessel in [argo, Vessel(name: "Bounty"), Vessel(name: "Calypso")] { first.context.insert(vessel) }
        first.context.insert(Mooring(label: "m", vessel: argo))
        try first.context.save()
        try await first.sync.synchronize()
        let second = try peer("second") { options in
            options.resolvingConflicts = { conflict in
                guard conflict.property == "vessel" else { return nil }
                asked.add()
                return conflict.theirs
            }
        }
        try await second.sync.synchronize()
        for (peer, name) in [(first, "Bounty"), (second, "Calypso")] {
            let context = ModelContext(peer.container)
            let mooring = try #require(try context.fetch(Mooring.all).first)
            try context.fetch(Vessel.where { $0.name == name }).first?.moorings.append(mooring)
            try context.save()
        }
        for peer in [first, second, first] { try await peer.sync.synchronize() }
        for peer in [first, second] {
            #expect(try one(Mooring.self, peer).vessel?.name == "Bounty")
            #expect(try peer.container.integrityProblems() == [])
        }
        #expect(asked.value == 1)
    }
}
