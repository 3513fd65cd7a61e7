import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Containers

@Suite struct RowIDSetTests {
    @Test(arguments: seeds(20)) func holdsEachRowIDOnce(seed: Seed) {
        var generator = SeededGenerator(seed: seed)
        let range: ClosedRange<Int64> = [-5...5, 1...1000, .min ... .max, (.min)...(.min + 3)][Int(seed.number % 4)]
        var set = RowIDSet()
        var expected: Set<Int64> = []
        for _ in 0..<Int.random(in: 0...3000, using: &generator) {
            let rowID = Int64.random(in: range, using: &generator)
            set.insert(rowID)
            expected.insert(rowID)
            if set.count != expected.count { break }
        }
        #expect(set.sorted() == expected.sorted())
        #expect(set.count == expected.count)
    }

    @Test func areWrittenAsJSON() throws {
        let rowIDs: [Int64] = [0, 7, -7, 10, 1_234_567_890, .max, .min]
        #expect(RowIDList.json([]) == "[]")
        #expect(RowIDList.json([5]) == "[5]")
        let json = RowIDList.json(rowIDs)
        #expect(try JSONDecoder().decode([Int64].self, from: Data(json.utf8)) == rowIDs)
    }
}
