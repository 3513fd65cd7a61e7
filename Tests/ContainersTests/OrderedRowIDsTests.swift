import RandomNumbers
import RandomSeeds
import Testing
import ThreadTraits

@testable import Containers

@Suite struct OrderedRowIDsTests {
    /// Does something random with a list and with an array.
    private func change(
        _ list: inout OrderedRowIDs, _ array: inout [Int64], _ next: inout Int64, _ generator: inout SeededGenerator
    ) {
        let position = Int.random(in: 0...array.count, using: &generator)
        let known = array.isEmpty ? 0 : array[min(position, array.count - 1)]
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1, 2:
            next += 1
            list.insert(next, at: position)
            array.insert(next, at: position)
        case 3:
            next += 1
            list.append(next)
            array.append(next)
        case 4:
            let isRemoved = list.remove(known)
            #expect(isRemoved == !array.isEmpty)
            array.removeAll { $0 == known }
        case 5:
            let isRemoved = list.remove(-next - 1)
            #expect(!isRemoved)
        case 6 where !array.isEmpty:
            list.remove(known)
            array.removeAll { $0 == known }
            let place = Int.random(in: 0...array.count, using: &generator)
            list.insert(known, at: place)
            array.insert(known, at: place)
        case 7:
            let place = Int.random(in: 0...array.count, using: &generator)
            let isMoved = list.move(known, to: place)
            #expect(isMoved == !array.isEmpty)
            if isMoved {
                array.removeAll { $0 == known }
                array.insert(known, at: min(place, array.count))
            }
        default:
            let (isThere, position) = (list.contains(known), list.position(of: known))
            #expect(isThere == !array.isEmpty)
            #expect(position == array.firstIndex(of: known))
            if !array.isEmpty {
                let place = Int.random(in: array.indices, using: &generator)
                #expect(list[place] == array[place])
            }
        }
    }

    @Test(arguments: seeds(20)) func isAnArray(_ seed: Seed) {
        var generator = SeededGenerator(seed: seed)
        let start = [0, 5, 31, 33, 700, 5000][Int(seed.number % 6)]
        var array = (0..<Int64(start)).map { $0 + 1 }
        // A part of the array in which the members of several owners were read, as for loaded lists.
        let read = [-1, -2] + array + [-3]
        var list = OrderedRowIDs(read, 2..<(2 + start))
        var next = Int64(start)
        for _ in 0..<2000 { change(&list, &array, &next, &generator) }
        #expect(list.array == array)
        #expect(list.count == array.count)
        #expect(read.count == start + 3)
    }

    /// The elements beside a part of the list belong to other owners.
    @Test(.ownThreads) func aPartHasNoneOfTheOthers() async {
        #expect(OrderedRowIDs([1, 2, 3], 1..<2).array == [2])
        await #expect(processExitsWith: .failure) { _ = OrderedRowIDs([1, 2, 3], 1..<2)[1] }
        await #expect(processExitsWith: .failure) { _ = OrderedRowIDs([1, 2, 3], 1..<2)[-1] }
    }

    @Test func aCopyStaysAsItWas() {
        var list = OrderedRowIDs(Array(1...1000))
        list.remove(500)
        let copy = list
        list.insert(500, at: 0)
        list.remove(1)
        #expect(copy.count == 999)
        #expect(copy[0] == 1)
        #expect(list[0] == 500)
    }

    @Test func emptiesAndFillsAgain() {
        var list = OrderedRowIDs(Array(1...2000))
        for rowID in Int64(1)...2000 { list.remove(rowID) }
        #expect(list.isEmpty)
        for rowID in Int64(1)...2000 { list.insert(rowID, at: 0) }
        #expect(list.array == Array((1...2000).reversed()))
    }

    /// Bounds the cost of a change. An insertion shifts one chunk, and a chunk is divided after at least half a chunk's
    /// insertions.
    @Test(arguments: [1000, 10_000, 100_000]) func noChunkGrows(count: Int) {
        var list = OrderedRowIDs(Array(0..<Int64(count)))
        // The worst case: all insertions at one place.
        for rowID in 0..<Int64(count) { list.insert(-1 - rowID, at: count / 2) }
        #expect(list.shape.longest <= 512)
        #expect(list.shape.chunks <= 2 * count / 250 + 2)
    }
}
