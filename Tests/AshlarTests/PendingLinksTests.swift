import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Additions to and removals from a relationship of few members and of many, compared with a plain implementation.
@Suite struct PendingLinksTests {
    /// Sets and a list, whatever their length.
    private struct Plain {
        var added: [Int64] = []
        var removed: Set<Int64> = []
        var moved: Set<Int64> = []

        func applied(to stored: [Int64]) -> [Int64] {
            let kept = stored.filter { !removed.contains($0) && !moved.contains($0) }
            return kept + added.filter { !kept.contains($0) }
        }
    }

    @Test("additions and removals, as by a set and a list", arguments: [3, 20, 60] as [Int64], seeds(2))
    func changes(_ greatest: Int64, _ seed: Seed) {
        let isOrdered = seed.number % 2 == 0
        var random = SeededGenerator(seed: seed)
        let relationship = RelationshipDescription(
            "members", destination: "Member", inverse: nil, isToMany: true, isOrdered: isOrdered,
            storage: .joinTable("links", own: "source$", other: "destination$", order: nil))
        for _ in 0..<20 {
            let links = PendingLinks(relationship)
            var plain = Plain()
            for _ in 0..<200 {
                let rowID = Int64.random(in: 1...greatest, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    links.add(rowID)
                    if plain.removed.remove(rowID) != nil, isOrdered { plain.moved.insert(rowID) }
                    if !plain.added.contains(rowID) { plain.added.append(rowID) }
                case 2, 3:
                    links.remove(rowID)
                    plain.added.removeAll { $0 == rowID }
                    plain.removed.insert(rowID)
                default:
                    links.forget(rowID)
                    plain.added.removeAll { $0 == rowID }
                    plain.removed.remove(rowID)
                    plain.moved.remove(rowID)
                }
                #expect(links.added == plain.added)
                #expect(links.removed.sorted() == plain.removed.sorted())
                #expect(links.isEmpty == (plain.added.isEmpty && plain.removed.isEmpty))
                #expect((1...greatest).allSatisfy { links.removed.contains($0) == plain.removed.contains($0) })
            }
            let stored = Array(1...greatest)
            #expect(links.applied(to: stored) == plain.applied(to: stored))
            let later = links.renumbered { $0 + 100 }
            #expect(later.added == plain.added.map { $0 + 100 })
            #expect(later.removed.sorted() == plain.removed.sorted().map { $0 + 100 })
            #expect(links.added == plain.added, "what is renumbered is another")
        }
    }

    @Test("two members that become one are added once", arguments: [0, 30] as [Int64])
    func membersThatBecomeOne(_ others: Int64) {
        let links = PendingLinks(
            RelationshipDescription(
                "members", destination: "Member", inverse: nil, isToMany: true,
                storage: .joinTable("links", own: "source$", other: "destination$", order: nil)))
        for rowID in [-5, 9] + (100..<100 + others) { links.add(rowID) }
        let later = links.renumbered { $0 == -5 ? 9 : $0 }
        #expect(later.added == [9] + (100..<100 + others))
        later.remove(9)
        #expect(later.added == Array(100..<100 + others))
        #expect(later.removed.sorted() == [9])
        later.add(9)
        later.forget(9)
        #expect(later.added == Array(100..<100 + others))
        #expect(later.removed.isEmpty)
    }

    @Test("what another object had comes after what is there")
    func joining() {
        let relationship = RelationshipDescription(
            "members", destination: "Member", inverse: nil, isToMany: true,
            storage: .joinTable("links", own: "source$", other: "destination$", order: nil))
        let (links, other) = (PendingLinks(relationship), PendingLinks(relationship))
        for rowID in [1, 2] as [Int64] { links.add(rowID) }
        links.remove(3)
        for rowID in [4, 3] as [Int64] { other.add(rowID) }
        for rowID in [2, 5] as [Int64] { other.remove(rowID) }
        links.join(other)
        #expect(links.added == [1, 2, 4, 3])
        #expect(links.removed.sorted() == [5])
    }
}
