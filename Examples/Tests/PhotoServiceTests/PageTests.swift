import Foundation
import PhotoAPI
import Testing

@Suite struct PageTests {
    @Test func pagesHaveEachPostOnce() async throws {
        try await Client.with { client in
            let titles = (1...7).map { "Photo \($0)" }
            try await client.makePosts(titles)
            var found: [String] = []
            var query = "limit=3"
            var pages = 0
            while true {
                let page = try await client.page(query)
                found += page.posts.map(\.title)
                pages += 1
                guard let next = page.next else { break }
                query = "limit=3&after=\(next)"
            }
            #expect(pages == 3)
            #expect(found == titles.reversed())
        }
    }

    @Test func whatIsPostedMeanwhileMovesNothing() async throws {
        try await Client.with { client in
            try await client.makePosts(["One", "Two", "Three", "Four"])
            let next = try #require(try await client.page("limit=2").next)
            try await client.send(
                .post, "/posts",
                NewPosts(posts: [NewPost(title: "New", timestamp: Client.morning + 3600, author: "Ada")]))
            let page = try await client.page("limit=2&after=\(next)")
            #expect(page.posts.map(\.title) == ["Two", "One"])
            #expect(page.next == nil)
        }
    }

    @Test func postsOfOneMomentHaveTheirPlaces() async throws {
        try await Client.with { client in
            try await client.send(.post, "/authors", NewAuthor(name: "Ada"))
            let posts = (1...5).map { NewPost(title: "\($0)", timestamp: Client.morning, author: "Ada") }
            try await client.send(.post, "/posts", NewPosts(posts: posts))
            let first = try await client.page("limit=2")
            let second = try await client.page("limit=2&after=\(try #require(first.next))")
            let third = try await client.page("limit=2&after=\(try #require(second.next))")
            #expect(Set((first.posts + second.posts + third.posts).map(\.title)).count == 5)
        }
    }

    @Test func placeThatWasDeleted() async throws {
        try await Client.with { client in
            try await client.makePosts(["One", "Two", "Three"])
            let page = try await client.page("limit=2")
            try await client.send(.delete, "/posts/\(page.posts[1].id)")
            let answer = try await client.send(.get, "/posts?after=\(try #require(page.next))")
            #expect(answer.status == .gone)
            #expect(try answer.error == "lost-place")
        }
    }

    /// An empty text, letters that no cursor has, and identifiers of other entities and stores.
    @Test(arguments: [
        "", "!", "abc", "eC1hc2hsYXI", base64("x-ashlar://0/Post/p1"), base64("https://example.com/Post/p1"),
    ])
    func cursorThatNobodyMade(_ cursor: String) async throws {
        try await Client.with { client in
            let answer = try await client.send(.get, "/posts?after=\(cursor)")
            #expect(answer.status == .badRequest)
            #expect(try answer.error == "invalid-cursor")
        }
    }

    @Test func cursorOfAnotherEntity() async throws {
        try await Client.with { client in
            try await client.makePosts(["One", "Two"])
            let next = try #require(try await client.page("limit=1").next)
            let padded = next + String(repeating: "=", count: (4 - next.count % 4) % 4)
            let data = try #require(Data(base64Encoded: padded))
            let uri = String(decoding: data, as: UTF8.self)
            #expect(uri.contains("/Post/"))
            let other = base64(uri.replacing("/Post/", with: "/Author/"))
            let answer = try await client.send(.get, "/posts?after=\(other)")
            #expect(try answer.error == "invalid-cursor")
        }
    }
}

private func base64(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacing("=", with: "")
}
