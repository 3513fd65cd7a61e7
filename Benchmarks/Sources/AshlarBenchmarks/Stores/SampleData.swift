import BenchmarkHarness
import CLoops
import Foundation

/// The posts that all workloads use: the same in every run and on every machine.
final class SampleData {
    static let authorCount = 1000

    let rows: Int
    /// All posts, created at the first access.
    private(set) lazy var posts = Array(generatedPosts())
    /// Random identifiers of posts, one for each post, some more than once.
    private(set) lazy var identifiers = {
        var random = SplitMix(state: 20_260_912)
        return (0..<rows).map { _ in Int64.random(in: 1...Int64(rows), using: &random) }
    }()

    init(rows: Int) { self.rows = rows }

    /// The posts, made one by one.
    func generatedPosts() -> some Sequence<PostValues> {
        var random = SplitMix(state: 20_180_604)
        return (0..<rows).lazy.map { Self.post($0, &random) }
    }

    /// Half of the posts have an image and every tenth a palette; every tenth is not written in ASCII.
    private static func post(_ number: Int, _ random: inout SplitMix) -> PostValues {
        let words = number.isMultiple(of: 10) ? "Wo die Zitronen blühn, im dunkeln Laub. " : "Too good a view to keep. "
        return PostValues(
            favorite: random.next() & 7 == 0,
            image: number.isMultiple(of: 2) ? data(64, &random) : nil,
            latitude: .random(in: -60...75, using: &random),
            likes: .random(in: 0...500, using: &random),
            longitude: .random(in: -180...180, using: &random),
            palette: number % 10 == 5 ? data(9, &random) : nil,
            text: String(repeating: words, count: .random(in: 1...5, using: &random)),
            timestamp: Date(timeIntervalSinceReferenceDate: .random(in: 7e8...8e8, using: &random)),
            title: "Photo \(number) of the journey",
            author: .random(in: 1...Int64(authorCount), using: &random))
    }

    private static func data(_ count: Int, _ random: inout SplitMix) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}
