import Hummingbird
import PhotoAPI
import Testing

@Suite struct MalformedInputTests {
    @Test(arguments: [
        "limit=0", "limit=101", "limit=ten", "limit=", "search=", "search=%20%22", "box=", "box=1,2,3",
        "box=1,2,3,4,5", "box=42,12,40,14", "box=40,14,42,12", "box=nan,0,1,1", "box=a,b,c,d", "box=1,,2,3",
    ])
    func parameter(_ query: String) async throws {
        try await Client.with { client in
            let answer = try await client.send(.get, "/posts?\(query)")
            #expect(answer.status == .badRequest)
            let error = try answer.decoded(as: ErrorResponse.self)
            #expect(error.error == "invalid-parameter")
            #expect(error.message.hasPrefix("\(query.prefix { $0 != "=" }): "))
        }
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{}", #"{"posts": 1}"#, #"{"posts": [{}]}"#,
        #"{"posts": [{"title": "a", "timestamp": "yesterday", "author": "Ada"}]}"#,
        #"{"posts": [{"title": 1, "timestamp": "2026-05-17T06:00:00Z", "author": "Ada"}]}"#,
        #"{"posts": [{"title": "a", "timestamp": "2026-05-17T06:00:00Z", "author": "Ada", "latitude": 1e999}]}"#,
    ])
    func body(_ text: String) async throws {
        try await Client.with { client in
            let answer = try await client.send(.post, "/posts", text: text)
            #expect(answer.status == .badRequest)
            let error = try answer.decoded(as: ErrorResponse.self)
            #expect(error.error == "refused" && !error.message.isEmpty)
        }
    }

    @Test(arguments: [0, 501]) func numberOfPosts(_ count: Int) async throws {
        try await Client.with { client in
            let post = NewPost(title: "Lake", timestamp: Client.morning, author: "Ada")
            let posts = NewPosts(posts: Array(repeating: post, count: count))
            let answer = try await client.send(.post, "/posts", posts)
            #expect(answer.status == .unprocessableContent)
            #expect(try answer.error == "invalid-count")
        }
    }

    @Test func bodyThatIsTooLong() async throws {
        try await Client.with { client in
            let new = NewAuthor(name: String(repeating: "a", count: 1 << 21))
            let answer = try await client.send(.post, "/authors", new)
            #expect(answer.status == .contentTooLarge)
            #expect(try answer.error == "refused")
        }
    }

    @Test(arguments: [
        "/posts/0", "/posts/-1", "/posts/a", "/posts/9223372036854775808", "/days/today", "/days/2026-13-40",
    ])
    func path(_ path: String) async throws {
        try await Client.with { client in
            let answer = try await client.send(.get, path)
            #expect(answer.status == .badRequest)
            #expect(try answer.error == "invalid-parameter")
        }
    }

    @Test(arguments: ["/posts/1", "/posts/9223372036854775807", "/nothing", "/"])
    func nothingThere(_ path: String) async throws {
        try await Client.with { client in
            let answer = try await client.send(.get, path)
            #expect(answer.status == .notFound)
            #expect(try !answer.decoded(as: ErrorResponse.self).message.isEmpty)
        }
    }
}
