import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// The lists of pending objects, compared with arrays.
struct ManagedObjectListTests {
    @Test(arguments: seeds()) func additionsAndRemovals(_ seed: Seed) {
        var random = SeededGenerator(seed: seed.number)
        let objects = (0..<40).map { _ in Label(name: "") }
        var list = ManagedObjectList()
        var expected: [Label] = []
        for _ in 0..<2000 {
            let object = objects[Int.random(in: objects.indices, using: &random)]
            if expected.contains(where: { $0 === object }) {
                list.remove(object)
                expected.removeAll { $0 === object }
            } else if random.oneIn(10) {
                list.remove(object)
            } else {
                list.append(object)
                expected.append(object)
            }
            if random.oneIn(7) {
                #expect(list.array.elementsEqual(expected) { $0 === $1 })
            }
        }
        #expect(list.array.elementsEqual(expected) { $0 === $1 })
    }

    /// Removes objects in the order in which they came, beginning anywhere, with other removals and insertions
    /// between them.
    @Test(arguments: seeds()) func removalsInOrder(_ seed: Seed) {
        var random = SeededGenerator(seed: seed.number)
        for _ in 0..<50 {
            let objects = (0..<Int.random(in: 1...30, using: &random)).map { _ in Label(name: "") }
            var list = ManagedObjectList()
            for object in objects { list.append(object) }
            var expected = objects
            let start = Int.random(in: objects.indices, using: &random)
            for object in objects[start...] {
                list.remove(object)
                expected.removeAll { $0 === object }
                if random.oneIn(5), let other = objects.randomElement(using: &random) {
                    if expected.contains(where: { $0 === other }) {
                        list.remove(other)
                        expected.removeAll { $0 === other }
                    } else {
                        list.append(other)
                        expected.append(other)
                    }
                }
                if random.oneIn(9) { #expect(list.array.elementsEqual(expected) { $0 === $1 }) }
            }
            #expect(list.array.elementsEqual(expected) { $0 === $1 })
        }
    }
}
