import Foundation
import Hummingbird
import HummingbirdTesting
import PhotoAPI
import PhotoService
import Testing

/// Two services with one store, as during the replacement of one by a newer one.
@Suite struct TwoServicesTests {
    private static func with(_ test: @Sendable (_ one: Client, _ two: Client) async throws -> Void) async throws {
        try await Client.withFolder { folder in
            let store = folder.appendingPathComponent("Feed.store")
            let two = try FeedService(storeAt: store).application(port: 0)
            try await FeedService(storeAt: store).application(port: 0).test(.router) { one in
                try await two.test(.router) { two in try await test(Client(client: one), Client(client: two)) }
            }
        }
    }

    @Test func noLikeIsLost() async throws {
        try await Self.with { one, two in
            let post = try await one.makePosts(["Lake"])[0]
            for expected in 1...10 {
                let client = expected.isMultiple(of: 2) ? two : one
                let answer = try await client.send(.post, "/posts/\(post.id)/likes")
                #expect(try answer.decoded(as: PostResponse.self).likes == expected)
            }
        }
    }

    @Test func noLikeIsLostWhenBothWriteAtOnce() async throws {
        try await Self.with { one, two in
            let post = try await one.makePosts(["Lake"])[0]
            // If the other service is faster five times in a row, the answer is a conflict, and the like is not saved.
            let given = try await withThrowingTaskGroup(of: Int64.self) { group in
                for client in [one, two] {
                    group.addTask {
                        var given: Int64 = 0
                        for _ in 1...50 {
                            let answer = try await client.send(.post, "/posts/\(post.id)/likes")
                            #expect([.ok, .conflict].contains(answer.status))
                            if answer.status == .ok { given += 1 }
                        }
                        return given
                    }
                }
                return try await group.reduce(0, +)
            }
            let read = try await two.send(.get, "/posts/\(post.id)").decoded(as: PostDetails.self)
            #expect(read.post.likes == given)
            #expect(given > 0)
        }
    }

    /// Both make the first posts of the same days.
    @Test func daysAreMadeOnce() async throws {
        try await Self.with { one, two in
            try await one.makePosts(["Lake"])
            let start = Client.morning.addingTimeInterval(24 * 3600)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in [one, two] {
                    group.addTask {
                        for day in 0..<25 {
                            let date = start.addingTimeInterval(Double(day) * 24 * 3600)
                            let post = NewPost(title: "Lake", timestamp: date, author: "Ada")
                            let answer = try await client.send(.post, "/posts", NewPosts(posts: [post]))
                            #expect(answer.status == .created)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let day = try await one.send(.get, "/days/2026-05-20").decoded(as: DayResponse.self)
            #expect(day.count == 2 && day.posts.count == 2)
        }
    }

    @Test func revisionsOfTheOtherAreSeen() async throws {
        try await Self.with { one, two in
            let post = try await one.makePosts(["Lake"])[0]
            for (revision, client) in [one, two, one, two].enumerated() {
                let change = PostChange(revision: Int64(revision), title: "Lake \(revision)")
                #expect(try await client.send(.patch, "/posts/\(post.id)", change).status == .ok)
            }
            let late = try await one.send(.patch, "/posts/\(post.id)", PostChange(revision: 3, title: "Late"))
            #expect(late.status == .conflict)
        }
    }
}
