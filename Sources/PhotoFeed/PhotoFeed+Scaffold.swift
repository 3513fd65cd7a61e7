import Ashlar
import Foundation

/// Data to play with: authors, and posts of theirs from the last sixty days all over the world.
extension PhotoFeed {
    private static let batch = 5000

    func fill(with count: Int) throws {
        Screen.title("Filling the store")
        var random = SystemRandomNumberGenerator()
        let time = try Screen.time {
            let authors = try makeAuthors()
            for start in stride(from: 0, to: count, by: Self.batch) {
                // A context of its own for each batch keeps memory small.
                let context = ModelContext(container)
                let own = try context.fetch(Author.where { $0.isIn(authors) })
                let posts = (start..<min(start + Self.batch, count)).map { Self.post($0, by: own, &random) }
                for post in posts { context.insert(post) }
                try addToDayCounts(posts, context)
                try context.save()
                Screen.progress(Double(start + posts.count) / Double(count))
            }
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

    private static func post(_ number: Int, by authors: [Author], _ random: inout some RandomNumberGenerator) -> Post {
        let post = Post(
            title: "Photo \(number)",
            timestamp: .now.addingTimeInterval(-.random(in: 0...(60 * 24 * 3600), using: &random)),
            text: "Seen on the way, and too good to keep.",
            latitude: .random(in: -60...75, using: &random), longitude: .random(in: -180...180, using: &random),
            likes: .random(in: 0...500, using: &random), author: authors.randomElement(using: &random))
        if number.isMultiple(of: 10) {
            post.palette = [Color(red: .random(in: 0...255, using: &random), green: 120, blue: 80)]
            post.comments = [
                Comment(
                    text: "Where is this?", timestamp: .now, author: authors.randomElement(using: &random), post: post)
            ]
        }
        return post
    }

    /// Keeps the counts of days in the same transaction as the posts that they count.
    private func addToDayCounts(_ posts: [Post], _ context: ModelContext) throws {
        let byDay = Dictionary(grouping: posts) { Screen.startOfDay($0.timestamp) }
        let known = try context.fetch(DayCount.where { $0.day.isIn(byDay.keys) })
        var counts = Dictionary(uniqueKeysWithValues: known.map { ($0.day, $0) })
        for (day, posts) in byDay {
            let count = counts[day] ?? DayCount(day: day)
            counts[day] = count
            context.insert(count)
            count.count += Int64(posts.count)
        }
    }
}
