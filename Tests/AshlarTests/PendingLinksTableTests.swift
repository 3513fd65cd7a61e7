import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// The table of added and removed members, compared with a dictionary.
@Suite struct PendingLinksTableTests {
    private let relationship = RelationshipDescription(
        "members", destination: "Member", inverse: nil, isToMany: true,
        storage: .joinTable("links", own: "source$", other: "target$", order: nil))

    @Test(arguments: seeds()) func anyKeysInAnyOrder(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let table = PendingLinksTable()
        var expected: [LinkKey: PendingLinks] = [:]
        for _ in 0..<4000 {
            let key = LinkKey(
                root: UInt16.random(in: 0...3, using: &random), rowID: Int64.random(in: -40...40, using: &random),
                relationship: RelationshipNumber(Int.random(in: 0...3, using: &random)))
            #expect(table[key] === expected[key] && table.contains(key) == (expected[key] != nil), "seed \(seed)")
            let links = random.oneIn(3) ? nil : PendingLinks(relationship)
            table[key] = links
            expected[key] = links
            #expect(table[key] === links && table.count == expected.count && table.isEmpty == expected.isEmpty)
            if random.oneIn(500) {
                table.take(table) { $0.root != 2 }
                expected = expected.filter { $0.key.root != 2 }
            }
        }
        let elements = Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.links) })
        #expect(elements.count == expected.count && elements.allSatisfy { expected[$0.key] === $0.value })
        #expect(Set(table.keys) == Set(expected.keys))
        table.removeAll()
        #expect(table.isEmpty && Array(table).isEmpty && expected.keys.allSatisfy { table[$0] == nil })
    }

    /// Adjacent rowids of several relationships, as in a save of many new objects, stay in the order of their
    /// insertion.
    @Test func theOrderIsThatOfTheFirstChange() {
        let table = PendingLinksTable()
        let keys = (1...500 as ClosedRange<Int64>).flatMap { rowID in
            (0..<2).map { LinkKey(root: 7, rowID: -rowID, relationship: RelationshipNumber($0)) }
        }
        for key in keys { table[key] = PendingLinks(relationship) }
        #expect(Array(table.keys) == keys)
    }

    @Test func anUnsavedMemberThatLeavesAgainIsForgotten() {
        let links = PendingLinks(relationship)
        links.add(-5)
        links.remove(-5, mayBeStored: false)
        #expect(links.isEmpty)
        // The removed member was not added in this context: it belongs to the store or to a parent.
        links.remove(-6, mayBeStored: false)
        links.add(7)
        links.remove(7)
        #expect(links.removed.sorted() == [-6, 7])
    }
}
