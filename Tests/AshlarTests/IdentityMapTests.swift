import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// The map, compared with a dictionary.
@Suite struct IdentityMapTests {
    private func object(_ rowID: Int64) -> ManagedObject {
        let object = Label(name: "")
        object.record.rowID = rowID
        object.record.state = .persisted
        return object
    }

    @Test(arguments: seeds())
    func randomOperations(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let map = IdentityMap()
        var expected: [Int64: ManagedObject] = [:]
        // The row IDs of objects that only the map holds.
        var loose: Set<Int64> = []
        for step in 0..<5000 {
            let rowID =
                Bool.random(using: &random)
                ? Int64.random(in: -40...400, using: &random) : Int64.random(in: 0...Int64.max, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<12:
                guard map[rowID] == nil else { break }
                let object = object(rowID)
                map.insert(object, rowID: rowID)
                if random.oneIn(3) { loose.insert(rowID) } else { expected[rowID] = object }
            case 12..<16:
                let victim = expected.keys.randomElement(using: &random) ?? rowID
                map.remove(victim)
                expected[victim] = nil
                loose.remove(victim)
            case 16: map.beginBatch()
            case 17 where random.oneIn(20):
                map.sweep()
                loose = []
            case 18 where random.oneIn(50):
                map.removeAll()
                expected = [:]
                loose = []
            case 19 where random.oneIn(20):
                // A save changes the row IDs of some objects.
                let renamed = expected.filter { $0.key < 0 }
                for (old, object) in renamed {
                    let new = Int64(1 << 40) + Int64(step) * 100 - old
                    object.record.rowID = new
                    expected[old] = nil
                    expected[new] = object
                }
                map.reindex()
            default:
                #expect(map[rowID] === expected[rowID] || loose.contains(rowID), "seed \(seed)")
            }
            #expect(map.count == expected.count + loose.count, "seed \(seed), step \(step)")
        }
        for (rowID, object) in expected { #expect(map[rowID] === object, "seed \(seed)") }
        let listed = map.objects.compactMap { $0 }
        #expect(Set(listed.map { $0.record.rowID }) == Set(expected.keys).union(loose))
    }

    @Test func objectsWithChangesAreKept() {
        let map = IdentityMap()
        for rowID in 1...10 as ClosedRange<Int64> {
            let object = object(rowID)
            object.record.state = rowID == 3 ? .inserted : .persisted
            map.insert(object, rowID: rowID)
        }
        map.sweep()
        #expect(map.count == 1 && map[3] != nil && map[4] == nil)
    }

    /// A fetch releases unused objects of earlier fetches, but keeps those that it has just created.
    @Test func aFetchThatSweeps() {
        let map = IdentityMap()
        for rowID in 1...600 as ClosedRange<Int64> {
            if rowID == 1 || rowID == 401 { map.beginBatch() }
            map.insert(object(rowID), rowID: rowID)
        }
        let kept = map[7]
        map.sweepIfGrown(isFetching: true)
        #expect(map.count == 600)
        for rowID in 601...1100 as ClosedRange<Int64> {
            if rowID == 601 { map.beginBatch() }
            map.insert(object(rowID), rowID: rowID)
        }
        map.sweepIfGrown(isFetching: true)
        #expect(map.count == 501 && map[7] === kept && map[8] == nil && map[401] == nil && map[601] != nil)
        let held = (700...702 as ClosedRange<Int64>).map { map[$0] }
        #expect(siblings(of: 700, map).sorted() == [700, 701, 702], "of those that somebody holds")
        #expect(held.count == 3)
    }

    @Test func aSweepAfterAFetch() {
        let map = IdentityMap()
        for rowID in 1...600 as ClosedRange<Int64> { map.insert(object(rowID), rowID: rowID) }
        let kept = map[7]
        map.sweep()
        #expect(kept === map[7])
        #expect(map.count == 1)
    }

    /// Objects that are in use outlive the map, without a context; the others are released with it.
    @Test func removingAll() {
        let map = IdentityMap(storeNumber: 7)
        let kept = object(1)
        weak var other: ManagedObject?
        do {
            let loose = object(2)
            other = loose
            map.insert(kept, rowID: 1)
            map.insert(loose, rowID: 2)
        }
        #expect(other != nil)
        map.removeAll()
        #expect(other == nil && map.count == 0 && map[1] == nil)
        #expect(kept.record.state == .detached && kept.record.storeNumber == 7)
        map.insert(kept, rowID: 1)
        #expect(map[1] === kept)
    }

    /// The map records by fetch which object read a property first. Sweeps keep the records, except those of fetches
    /// whose objects are gone.
    @Test func earlierQuestions() {
        let map = IdentityMap()
        let (members, destination) = (LoadedProperty.members(1), LoadedProperty.destination(column: 2))
        var held: [ManagedObject] = []
        func fetch(_ rowIDs: ClosedRange<Int64>) {
            map.beginBatch()
            for rowID in rowIDs {
                let object = object(rowID)
                map.insert(object, rowID: rowID)
                held.append(object)
            }
        }
        fetch(1...3)
        #expect(map.earlierAccess(to: members, of: 2) == .none)
        #expect(map.earlierAccess(to: members, of: 2) == .same)
        #expect(map.earlierAccess(to: destination, of: 1) == .none, "for something else")
        #expect(map.earlierAccess(to: members, of: 1) == .other)
        #expect(map.earlierAccess(to: destination, of: 2) == .other)
        fetch(4...6)
        fetch(7...9)
        #expect(map.earlierAccess(to: members, of: 5) == .none)
        #expect(map.earlierAccess(to: members, of: 8) == .none)
        #expect(map.earlierAccess(to: members, of: 100) == .none, "of no object")
        #expect(map.lastLoad(of: members, for: 8) == nil)
        map.note(SiblingLoad(owners: 2, rows: 5), of: members, for: 7)
        #expect(map.lastLoad(of: members, for: 8)?.rows == 5 && map.lastLoad(of: members, for: 5) == nil)
        // The objects of the first two fetches are released.
        held.removeAll { $0.record.rowID <= 6 }
        map.sweep()
        #expect(map.count == 3)
        #expect(map.earlierAccess(to: members, of: 9) == .other)
        #expect(map.earlierAccess(to: destination, of: 9) == .none, "nothing of those that are gone")
        #expect(map.lastLoad(of: members, for: 9)?.owners == 2)
        fetch(10...11)
        #expect(map.earlierAccess(to: members, of: 10) == .none)
        #expect(map.earlierAccess(to: members, of: 11) == .other)
    }

    /// The very first access belongs to the fetch that loaded its object, not to a later fetch that contains the same
    /// row.
    @Test func theFirstQuestionGoesWithItsObject() {
        for isSwept in [false, true] {
            let map = IdentityMap()
            let members = LoadedProperty.members(1)
            map.beginBatch()
            map.insert(object(5), rowID: 5)
            #expect(map.earlierAccess(to: members, of: 5) == .none)
            if isSwept { map.sweep() } else { map.remove(5) }
            map.beginBatch()
            let held = (4...6 as ClosedRange<Int64>).map { object($0) }
            for object in held { map.insert(object, rowID: object.record.rowID) }
            #expect(map.earlierAccess(to: members, of: 4) == .none)
            #expect(map.earlierAccess(to: members, of: 5) == .other)
        }
        // A load of another property for several owners keeps the record of the first access.
        let map = IdentityMap()
        let held = (1...2 as ClosedRange<Int64>).map { object($0) }
        for object in held { map.insert(object, rowID: object.record.rowID) }
        #expect(map.earlierAccess(to: .members(1), of: 1) == .none)
        map.note(SiblingLoad(owners: 2, rows: 2), of: .members(2), for: 2)
        #expect(map.earlierAccess(to: .members(1), of: 2) == .other)
    }

    private func siblings(of rowID: Int64, _ map: IdentityMap) -> [Int64] {
        var siblings: [Int64] = []
        map.forEachSibling(of: rowID) { sibling in
            siblings.append(sibling.record.rowID)
            return .served
        }
        return siblings
    }

    @Test func siblingsAreThoseOfTheSameFetch() {
        let map = IdentityMap()
        var kept: [ManagedObject] = []
        for rowID in 1...30 as ClosedRange<Int64> {
            if rowID % 10 == 1 { map.beginBatch() }
            let object = object(rowID)
            if rowID.isMultiple(of: 2) { kept.append(object) }
            map.insert(object, rowID: rowID)
        }
        #expect(siblings(of: 14, map).sorted() == [12, 14, 16, 18, 20])
        #expect(siblings(of: 1, map).sorted() == [2, 4, 6, 8, 10])
        #expect(siblings(of: 99, map).isEmpty)
        map.remove(15)
        map.sweep()
        #expect(siblings(of: 14, map) == [14, 16, 18, 20, 12])
        #expect(siblings(of: 30, map).sorted() == [22, 24, 26, 28, 30])
        #expect(kept.count == 15)
    }
}
