import RandomNumbers
import RandomSeeds
import Testing

@testable import Containers

/// The containers against those of the standard library, over random operations.
@Suite struct ContainersTests {
    /// Rowids: some are neighbors, some collide, and some lie at the ends of the range.
    private func rowID(_ random: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: Int64.random(in: .min ... .max, using: &random)
        case 1: [.min, .min + 1, -1, 0, .max].randomElement(using: &random) ?? 0
        case 2: Int64.random(in: 0...30, using: &random) << 40
        default: Int64.random(in: -20...60, using: &random)
        }
    }

    /// A search for a rowid takes a few slots, found or not, in a table that is as full as allowed.
    ///
    /// It does so at every size and for all kinds of rowids: neighbors, ranges as in stores that are written in several
    /// places, regular intervals, addresses, relationships of owners, or random numbers.
    @Test(arguments: [64, 128, 256, 1024, 8192, 65_536]) func searchesAreShort(_ capacity: Int) {
        var random = SeededGenerator(seed: 20_261_126)
        let count = Int64(capacity / 2)
        func ranges(_ number: Int64) -> [Int64] {
            (0...2 * count / number).flatMap { place in (0..<number).map { $0 * 1_000_977 + place } }
        }
        func every(_ step: Int64, from first: Int64 = 1) -> [Int64] { (0..<2 * count).map { first + $0 * step } }
        func links(_ relationships: Range<Int64>) -> [Int64] {
            (1...count).flatMap { owner in relationships.map { owner ^ 3 << 48 ^ $0 << 40 } }
        }
        var sets = [ranges(1), ranges(2), ranges(20), ranges(200), every(-1), links(0..<4), links(2..<7)]
        sets += [7, 8, 21, 36, 64, 72, 128, 144, 1000, 4096].map { every($0) }
        sets += [48, 96, 144, 272, 512].map { every($0, from: 0x7f00_1234_0000) }
        sets.append((0..<2 * count).map { _ in Int64.random(in: 1...(.max), using: &random) })
        for (number, rowIDs) in sets.enumerated() {
            var table = RowIDTable(minimumCapacity: capacity)
            let (present, absent) = (rowIDs.prefix(Int(count)), rowIDs.dropFirst(Int(count)).prefix(Int(count / 2)))
            for (position, rowID) in present.enumerated() { table.insert(rowID, at: position) }
            #expect(table.capacity == capacity && !table.hasRoom(for: 1))
            func mean(_ rowIDs: ArraySlice<Int64>) -> Double {
                Double(rowIDs.reduce(0) { $0 + table.steps(to: $1) }) / Double(rowIDs.count)
            }
            #expect(mean(present) < 2.6, "those in the set \(number)")
            #expect(mean(absent) < 6, "others than those in the set \(number)")
        }
        var table = RowIDTable(minimumCapacity: capacity)
        for rowID in every(1).prefix(Int(count) / 2) { table.insert(rowID, at: Int(rowID)) }
        #expect(
            every(1).prefix(Int(count) / 2).allSatisfy { table.steps(to: $0) == 1 }, "neighbours lie where they belong")
    }

    @Test(arguments: seeds(20)) func aTableIsADictionary(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        var table = RowIDTable()
        var expected: [Int64: Int] = [:]
        for step in 0..<4000 {
            let rowID = rowID(&random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60:
                guard expected[rowID] == nil else { break }
                // The owner of a table resizes it in the same way.
                if !table.hasRoom(for: 1) { table.resize(minimumCapacity: (expected.count + 1) * 2) }
                table.insert(rowID, at: step)
                expected[rowID] = step
            case 60..<90: #expect(table.remove(rowID) == expected.removeValue(forKey: rowID) ?? -1, "step \(step)")
            case 90: table.resize(minimumCapacity: expected.count * Int.random(in: 2...8, using: &random))
            case 91 where random.oneIn(10):
                table.removeAll(minimumCapacity: Int.random(in: 0...500, using: &random))
                expected = [:]
            default: break
            }
            #expect(table.position(of: rowID) == expected[rowID] ?? -1, "step \(step)")
        }
        for (rowID, position) in expected { #expect(table.position(of: rowID) == position) }
        #expect(table.capacity.nonzeroBitCount == 1 && table.capacity >= expected.count * 2)
    }

    @Test(arguments: seeds(20)) func fewRowIDsAreASet(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let first = (0..<Int.random(in: 0...30, using: &random)).map { _ in rowID(&random) }
        var few = FewRowIDs(first)
        var expected = Set(first)
        for _ in 0..<600 {
            let rowID = rowID(&random)
            #expect(few.contains(rowID) == expected.contains(rowID))
            if random.oneIn(2) {
                few.insert(rowID)
                expected.insert(rowID)
            } else {
                let victim = random.oneIn(2) ? expected.randomElement(using: &random) ?? rowID : rowID
                #expect(few.remove(victim) == (expected.remove(victim) != nil))
            }
            #expect(few.isEmpty == expected.isEmpty && few.sorted() == expected.sorted())
        }
    }

    @Test(arguments: seeds(20)) func permanentRowIDsAreADictionary(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        // Temporary rowids are below zero, and mostly in a row.
        let greatest = Int64.random(in: -1000 ... -1, using: &random)
        let least = greatest - Int64.random(in: 0...200, using: &random)
        let count = Int.random(in: 0...120, using: &random)
        var permanent =
            random.oneIn(5) ? PermanentRowIDs() : PermanentRowIDs(least: least, greatest: greatest, count: count)
        var expected: [Int64: Int64] = [:]
        #expect(permanent.isEmpty)
        for _ in 0..<400 {
            let temporary = random.oneIn(10) ? rowID(&random) : Int64.random(in: least...greatest, using: &random)
            // No row has the number 0.
            let given = Int64.random(in: 1 ... .max, using: &random)
            permanent[temporary] = given
            expected[temporary] = given
            let other = random.oneIn(2) ? rowID(&random) : Int64.random(in: least...greatest, using: &random)
            #expect(permanent[other] == expected[other] && permanent[temporary] == given && !permanent.isEmpty)
        }
        for (temporary, given) in expected { #expect(permanent[temporary] == given) }
    }

    @Test(arguments: seeds(10)) func listsAreArrays(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let numbers = (0..<Int.random(in: 0...200, using: &random)).map { _ in rowID(&random) }
        let texts = numbers.map { "a text that is no small one: \($0)" }
        let list = ConstantList(texts)
        #expect(list.count == texts.count && list.array == texts)
        #expect(texts.indices.allSatisfy { list[$0] == texts[$0] && list.start[$0] == texts[$0] })
        #expect(RowIDList.sorted(numbers) == numbers.sorted())
        #expect(RowIDList.sorted(numbers.sorted()) == numbers.sorted())
        #expect(numbers.withoutRepeats().sorted() == Set(numbers).sorted())
        for number in numbers { #expect(numbers.position(of: number) == numbers.firstIndex(of: number)) }
        #expect([Int64]().position(of: 0) == nil)
    }
}
