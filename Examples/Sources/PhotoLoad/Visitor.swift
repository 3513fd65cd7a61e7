import Foundation
import PhotoAPI

/// One client of a load test: its requests, their times, and the problems that it found.
struct Visitor: Sendable {
    let test: LoadTest
    let number: Int
    let liked: Int64
    var times: [String: [Double]] = [:]
    var problems: [String] = []

    init(test: LoadTest, number: Int, liked: Int64) {
        self.test = test
        self.number = number
        self.liked = liked
    }

    mutating func visit() async {
        for round in 0..<test.rounds {
            let day = 1 + round / LoadTest.roundsPerDay
            await timed("POST /posts, five") { visitor in
                let test = visitor.test
                let posts = try await test.makePosts(
                    "Round \(visitor.number)-\(round)", count: LoadTest.postsPerRound, day: day)
                if posts.count != LoadTest.postsPerRound { visitor.problems.append("\(posts.count) posts were made") }
            }
            await timed("GET /days/…") { try await $0.readDay(day) }
            await timed("POST /posts/…/likes") { visitor in
                let before = try await visitor.test.client.post(
                    "/posts/\(visitor.liked)/likes", [String: String](), as: PostResponse.self, expected: .ok)
                if before.likes < round + 1 { visitor.problems.append("Own likes are not among \(before.likes)") }
            }
            await timed("GET /posts, a box") { visitor in
                let south = Double(day % 90) - 0.5
                let page = try await visitor.page("box=\(south),0,\(south + 1),3.5&author=\(visitor.test.author)")
                let outside = page.posts.filter { !(south...south + 1).contains($0.latitude) || $0.longitude > 3.5 }
                if page.posts.isEmpty || !outside.isEmpty { visitor.problems.append("The box has \(outside)") }
            }
            await timed("GET /posts, words") { visitor in
                let page = try await visitor.page("search=\(visitor.number)%20\(round)%20\(visitor.test.run)")
                let others = page.posts.filter { $0.author != visitor.test.author }
                if page.posts.isEmpty || !others.isEmpty { visitor.problems.append("The words found \(others)") }
            }
            await readTwoPages()
        }
    }

    /// A day has the rounds of all clients whole, and as many posts as the store has counted.
    private mutating func readDay(_ day: Int) async throws {
        let date = test.date(day: day).formatted(.iso8601.year().month().day())
        let read = try await test.client.get("/days/\(date)", as: DayResponse.self)
        if Int(read.count) != read.posts.count {
            problems.append("A torn read: the day counts \(read.count) posts and has \(read.posts.count)")
        }
        let own = read.posts.filter { $0.author == test.author }
        let rounds = Dictionary(grouping: own) { $0.title.split(separator: " ").prefix(2).joined(separator: " ") }
        for (round, posts) in rounds where posts.count != LoadTest.postsPerRound {
            problems.append("A torn read: \(posts.count) of \(LoadTest.postsPerRound) posts of \(round)")
        }
        if rounds.isEmpty { problems.append("The posts that were just written are missing") }
    }

    /// The second page continues after the first one, whatever others have written meanwhile.
    private mutating func readTwoPages() async {
        var first: PostPage?
        await timed("GET /posts, first page") { first = try await $0.page("limit=20") }
        guard let first, let next = first.next else { return }
        await timed("GET /posts, next page") { visitor in
            let second = try await visitor.page("limit=20&after=\(next)")
            let posts = first.posts + second.posts
            if Set(posts.map(\.id)).count != posts.count { visitor.problems.append("A post is in two pages") }
            if zip(posts, posts.dropFirst()).contains(where: { $0.timestamp < $1.timestamp }) {
                visitor.problems.append("The pages are not in their order")
            }
        }
    }

    private func page(_ query: String) async throws -> PostPage {
        try await test.client.get("/posts?\(query)", as: PostPage.self)
    }

    private mutating func timed(_ name: String, _ body: (inout Visitor) async throws -> Void) async {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            try await body(&self)
        } catch {
            problems.append("\(name): \(error)")
        }
        times[name, default: []].append(start.duration(to: clock.now) / .seconds(1))
    }
}
