import Foundation
import PhotoAPI

/// Clients that write and read at once, each in rounds, and check that they read whole transactions.
///
/// Each round writes five posts in one transaction, of the day that all clients write in at that time. A reader of the
/// day must find all five or none of them. The store maintains the count of the day. Another statement reads it, and it
/// must be that of the posts. The likes of one post show at the end whether a write was lost.
public struct LoadTest: Sendable {
    static let postsPerRound = 5
    /// So many rounds go into one day, so that the answers do not become longer and longer.
    static let roundsPerDay = 4

    let client: FeedClient
    let clients: Int
    let rounds: Int
    /// Distinguishes the posts of one run from those of others in the same store.
    let run = UUID().uuidString.prefix(8)

    public init(url: String, clients: Int = 8, rounds: Int) {
        client = FeedClient(url: url)
        self.clients = clients
        self.rounds = rounds
    }

    /// - Throws: An error if the service is not reachable, or if the objects that all clients need cannot be made.
    ///   Later problems are in the report.
    public func run() async throws -> LoadReport {
        _ = try await client.post("/authors", NewAuthor(name: author), as: AuthorResponse.self)
        let liked = try await makePosts("Liked", count: 1, day: 0)[0].id
        let clock = ContinuousClock()
        let start = clock.now
        let visits = await withTaskGroup(of: Visitor.self) { group in
            for number in 0..<clients {
                group.addTask {
                    var visitor = Visitor(test: self, number: number, liked: liked)
                    await visitor.visit()
                    return visitor
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let seconds = start.duration(to: clock.now) / .seconds(1)
        var report = LoadReport(
            clients: clients, seconds: seconds, latencies: [], problems: visits.flatMap(\.problems))
        let times = visits.map(\.times).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        report.latencies = times.sorted { $0.key < $1.key }.map {
            LoadReport.Latencies(name: $0.key, sorted: $0.value.sorted())
        }
        report.problems += try await missing(liked: liked)
        return report
    }

    /// Returns the written data that is missing at the end.
    private func missing(liked: Int64) async throws -> [String] {
        var problems: [String] = []
        let likes = try await client.get("/posts/\(liked)", as: PostDetails.self).post.likes
        if likes != clients * rounds { problems.append("\(clients * rounds) likes were given, and \(likes) are there") }
        let posts = try await client.get("/authors/\(author)", as: AuthorResponse.self).posts
        let expected = clients * rounds * Self.postsPerRound + 1
        if posts != expected { problems.append("\(expected) posts were made, and \(posts) are there") }
        return problems
    }

    var author: String { "load-\(run)" }

    /// The first moment of a day, which is the same for all runs.
    func date(day: Int) -> Date { Date(timeIntervalSince1970: Double(day) * 24 * 3600) }

    func makePosts(_ title: String, count: Int, day: Int) async throws -> [PostResponse] {
        let posts = (1...count).map { part in
            NewPost(
                title: "\(title) \(run) part \(part)", text: "seen by everyone at once",
                timestamp: date(day: day).addingTimeInterval(Double(part)), latitude: Double(day % 90),
                longitude: Double(part), author: author)
        }
        return try await client.post("/posts", NewPosts(posts: posts), as: PostsResponse.self).posts
    }
}
