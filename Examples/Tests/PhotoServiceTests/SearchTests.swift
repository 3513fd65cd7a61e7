import Foundation
import PhotoAPI
import Testing

@Suite struct SearchTests {
    @Test(arguments: [
        ("great", ["Great Wall"]), ("WALL", ["Great Wall", "Wäll of a house"]), ("gre%20wal", []),
        ("great%20wa", ["Great Wall"]), ("%22great%22%20OR%20*lake", []), ("stone", ["Great Wall"]),
    ])
    func words(_ query: String, _ expected: [String]) async throws {
        try await Client.with { client in
            try await client.send(.post, "/authors", NewAuthor(name: "Ada"))
            let posts = [
                NewPost(title: "Wäll of a house", timestamp: Client.morning, author: "Ada"),
                NewPost(title: "Great Wall", text: "Made of stones", timestamp: Client.morning + 60, author: "Ada"),
                NewPost(title: "Lake", timestamp: Client.morning + 120, author: "Ada"),
            ]
            try await client.send(.post, "/posts", NewPosts(posts: posts))
            #expect(try await client.page("search=\(query)").posts.map(\.title) == expected)
        }
    }

    @Test func boxOfTheMap() async throws {
        try await Client.with { client in
            try await client.send(.post, "/authors", NewAuthor(name: "Ada"))
            let posts = [("Rome", 41.9, 12.5), ("Oslo", 59.9, 10.75), ("Lima", -12.05, -77.04)].map {
                NewPost(title: $0, timestamp: Client.morning, latitude: $1, longitude: $2, author: "Ada")
            }
            try await client.send(.post, "/posts", NewPosts(posts: posts))
            #expect(try await client.page("box=40,12,42,14").posts.map(\.title) == ["Rome"])
            #expect(try await client.page("box=-90,-180,0,0").posts.map(\.title) == ["Lima"])
            #expect(try await client.page("box=40,12,42,14&search=oslo").posts.isEmpty)
            #expect(try await client.page("box=0,0,90,20&search=os").posts.map(\.title) == ["Oslo"])
        }
    }

    @Test func byAuthor() async throws {
        try await Client.with { client in
            try await client.makePosts(["Lake"])
            try await client.makePosts(["Wall"], by: "Bo")
            #expect(try await client.page("author=Bo").posts.map(\.title) == ["Wall"])
            #expect(try await client.page("author=Nobody").posts.isEmpty)
        }
    }
}
