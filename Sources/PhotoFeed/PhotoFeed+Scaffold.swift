import Ashlar
import Foundation

/// Data to play with: authors, and posts of theirs from the last sixty days all over the world.
extension PhotoFeed {
    func fill(with count: Int) throws {
        Screen.title("Filling the store")
        var random = SystemRandomNumberGenerator()
        let time = try Screen.time {
            let authors = try makeAuthors()
            let days = try makeDays(from: .now.addingTimeInterval(-61 * 24 * 3600))
            // One transaction, whose rows are made one after the other: memory stays as it is however many there are.
            let posts = (0..<count).lazy.map { number in
                let values = Self.post(number, by: authors, days, &random)
                if number.isMultiple(of: 1000) { Screen.progress(Double(number) / Double(count)) }
                return values
            }
            try context.batchInsert(contentsOf: posts)
            Screen.progress(1)
            try comment(by: authors)
        }
        print("\(try context.fetchCount(Post.all)) posts after \(time.text)")
    }

    private func makeAuthors() throws -> [PersistentIdentifier] {
        let names = ["Amara", "Bo", "Chiara", "Dilnoza", "Emil", "Fatou", "Grit", "Hiro", "Ines", "Jomo"]
        let authors = names.flatMap { first in (1...10).map { Author(name: "\(first) \($0)") } }
        for author in authors { context.insert(author) }
        try context.save()
        return authors.map(\.persistentModelID)
    }

    private static func post(
        _ number: Int, by authors: [PersistentIdentifier], _ days: [Date: PersistentIdentifier],
        _ random: inout some RandomNumberGenerator
    ) -> Post.Values {
        let timestamp = Date.now.addingTimeInterval(-.random(in: 0...(60 * 24 * 3600), using: &random))
        let color = Color(red: .random(in: 0...255, using: &random), green: 120, blue: 80)
        return Post.Values(
            latitude: .random(in: -60...75, using: &random), likes: .random(in: 0...500, using: &random),
            longitude: .random(in: -180...180, using: &random), palette: number.isMultiple(of: 10) ? [color] : nil,
            text: "Seen on the way, and too good to keep.", timestamp: timestamp, title: "Photo \(number)",
            author: authors.randomElement(using: &random), day: days[Screen.startOfDay(timestamp)])
    }

    /// A comment on every tenth post.
    private func comment(by authors: [PersistentIdentifier]) throws {
        let posts = try context.fetchIdentifiers(Post.where { $0.title.hasSuffix("0") && $0.author != nil })
        try context.batchInsert(
            contentsOf: posts.lazy.map {
                Comment.Values(text: "Where is this?", timestamp: .now, author: authors.randomElement(), post: $0)
            })
    }
}
