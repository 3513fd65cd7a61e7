import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

extension HostileStoreTests {
    // MARK: Bytes

    @Test("bytes flipped over every page", arguments: seeds())
    func flippedBytes(seed: Seed) throws {
        try makeStore()
        let sound = try Data(contentsOf: folder.file("sound.store"))
        var random = SeededGenerator(seed: seed)
        let pages = sound.count / 4096
        // One run changes some of the pages; all runs together change each page many times.
        for _ in 0..<min(pages * 4, 12 * TestEffort.factor) {
            try copyStore()
            var bytes = sound
            let page = Int.random(in: 0..<pages, using: &random)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // The beginning of a page describes its contents.
                let offset =
                    random.oneIn(2) ? Int.random(in: 0..<120, using: &random) : Int.random(in: 0..<4096, using: &random)
                bytes[page * 4096 + offset] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
            }
            try bytes.write(to: url)
            useStore("seed \(seed), page \(page)")
        }
    }

    @Test("altered bytes of a changeset", arguments: seeds())
    func alteredChangesets(seed: Seed) throws {
        try makeStore()
        try copyStore()
        let source = try ModelContainer(for: PhotoFeedModel.self, at: url)
        let changeset = try source.changeset(.all)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<(200 * TestEffort.factor) {
            var altered = changeset
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let position = altered.data.startIndex + Int.random(in: 0..<altered.data.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: altered.data[position] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
                case 1: altered.data[position] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                case 2: altered.data.removeSubrange(position...)
                default: altered.data.insert(.random(in: 0...255, using: &random), at: position)
                }
                if altered.data.isEmpty { break }
            }
            if random.oneIn(4) { altered.columns = [:] }
            let target = try memoryContainer(PhotoFeedModel.self)
            attempt("seed \(seed)", "applying") {
                try target.apply(altered) { _ in .omit }
            }
            attempt("seed \(seed)", "using") {
                let context = ModelContext(target)
                for post in try context.fetch(Post.all) { _ = post.author?.name }
                context.insert(Author(name: "new"))
                try context.save()
            }
        }
    }
}
