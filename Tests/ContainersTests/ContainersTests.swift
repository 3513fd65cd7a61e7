import RandomNumbers
import RandomSeeds
import Testing

@testable import Containers

/// The containers against those of the standard library, over random operations.
@Suite struct ContainersTests {
    /// Rowids of which some are neighbours, some collide, and some are at the ends of the range.
    private func rowID(_ random: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: Int64.random(in: .min ... .max, using: &random)
        case 1: [.min, .min + 1, -1, 0, .max].randomElement(using: &random) ?? 0
        case 2: Int64.random(in: 0...30, using: &random) << 40
        default: Int64.random(in: -20...60, using: &random)
        }
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
                // As the owner of a table does.
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
