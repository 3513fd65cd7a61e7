import Foundation
import Hummingbird
import PhotoAPI
import Testing

@Suite struct PostTests {
    @Test func allThatWasSentIsRead() async throws {
        try await Client.with { client in
            try await client.send(.post, "/authors", NewAuthor(name: "Ada"))
            let new = NewPost(
                title: "Great Wall", text: "Seen on the way", timestamp: Client.morning, latitude: 40.4,
                longitude: 116.6, author: "Ada")
            let answer = try await client.send(.post, "/posts", NewPosts(posts: [new]))
            #expect(answer.status == .created)
            let made = try #require(try answer.decoded(as: PostsResponse.self).posts.first)
            let expected = PostResponse(
                id: made.id, title: "Great Wall", text: "Seen on the way", timestamp: Client.morning,
                latitude: 40.4, longitude: 116.6, likes: 0, revision: 0, author: "Ada")
            #expect(made == expected)
            let read = try await client.send(.get, "/posts/\(made.id)")
            #expect(try read.decoded(as: PostDetails.self) == PostDetails(post: expected, comments: []))
        }
    }

    @Test func allOrNone() async throws {
        try await Client.with { client in
            try await client.send(.post, "/authors", NewAuthor(name: "Ada"))
            let posts = [
                NewPost(title: "Lake", timestamp: Client.morning, author: "Ada"),
                NewPost(title: "", timestamp: Client.morning, latitude: 91, author: "Ada"),
            ]
            let answer = try await client.send(.post, "/posts", NewPosts(posts: posts))
            #expect(answer.status == .unprocessableContent)
            let error = try answer.decoded(as: ErrorResponse.self)
            #expect(error.error == "invalid")
            #expect(
                error.failures?.sorted { $0.property < $1.property } == [
                    ErrorResponse.Failure(entity: "Post", property: "latitude", reason: "it is out of range"),
                    ErrorResponse.Failure(
                        entity: "Post", property: "title", reason: "it must not be empty"),
                ])
            #expect(try await client.page("").posts.isEmpty)
        }
    }

    @Test func unknownAuthor() async throws {
        try await Client.with { client in
            let post = NewPost(title: "Lake", timestamp: Client.morning, author: "Nobody")
            let answer = try await client.send(.post, "/posts", NewPosts(posts: [post]))
            #expect(answer.status == .unprocessableContent)
            #expect(try answer.error == "unknown-author")
            #expect(try await client.page("").posts.isEmpty)
        }
    }

    @Test func changeOfAnOldRevisionIsAConflict() async throws {
        try await Client.with { client in
            let post = try await client.makePosts(["Lake"])[0]
            let first = try await client.send(
                .patch, "/posts/\(post.id)", PostChange(revision: 0, title: "Deep lake"))
            #expect(first.status == .ok)
            #expect(try first.decoded(as: PostResponse.self).revision == 1)
            let second = try await client.send(
                .patch, "/posts/\(post.id)", PostChange(revision: 0, title: "Cold lake"))
            #expect(second.status == .conflict)
            #expect(try second.error == "outdated")
            let read = try await client.send(.get, "/posts/\(post.id)").decoded(as: PostDetails.self).post
            #expect(read.title == "Deep lake")
        }
    }

    @Test func refusedChangeLeavesThePost() async throws {
        try await Client.with { client in
            let post = try await client.makePosts(["Lake"])[0]
            let change = PostChange(revision: 0, title: String(repeating: "a", count: 201))
            #expect(try await client.send(.patch, "/posts/\(post.id)", change).status == .unprocessableContent)
            let read = try await client.send(.get, "/posts/\(post.id)").decoded(as: PostDetails.self).post
            #expect(read == post)
        }
    }

    @Test func likesAndComments() async throws {
        try await Client.with { client in
            let post = try await client.makePosts(["Lake"])[0]
            let liked = try await client.send(.post, "/posts/\(post.id)/likes")
            #expect(try liked.decoded(as: PostResponse.self).likes == 1)
            let comment = try await client.send(
                .post, "/posts/\(post.id)/comments", NewComment(author: "Ada", text: "Where is this?"))
            #expect(comment.status == .created)
            let details = try await client.send(.get, "/posts/\(post.id)").decoded(as: PostDetails.self)
            #expect(details.post.likes == 1)
            #expect(details.comments.map(\.text) == ["Where is this?"])
            let empty = try await client.send(
                .post, "/posts/\(post.id)/comments", NewComment(author: "Ada", text: ""))
            #expect(empty.status == .unprocessableContent)
            let stranger = try await client.send(
                .post, "/posts/\(post.id)/comments", NewComment(author: "Nobody", text: "Hello"))
            #expect(try stranger.error == "unknown-author")
        }
    }

    @Test func deletedPostIsGoneWithItsComments() async throws {
        try await Client.with { client in
            let post = try await client.makePosts(["Lake"])[0]
            try await client.send(.post, "/posts/\(post.id)/comments", NewComment(author: "Ada", text: "Oh"))
            #expect(try await client.send(.delete, "/posts/\(post.id)").status == .noContent)
            for method in [HTTPRequest.Method.get, .delete] {
                #expect(try await client.send(method, "/posts/\(post.id)").status == .notFound)
            }
            #expect(try await client.send(.post, "/posts/\(post.id)/likes").status == .notFound)
        }
    }

    @Test func daysHaveTheirPosts() async throws {
        try await Client.with { client in
            let posts = try await client.makePosts(["Lake", "Wall"])
            let day = try await client.send(.get, "/days/2026-05-17").decoded(as: DayResponse.self)
            #expect(day.count == 2)
            #expect(day.posts == posts)
            #expect(day.start == Client.morning.addingTimeInterval(-6 * 3600))
            try await client.send(.delete, "/posts/\(posts[0].id)")
            let less = try await client.send(.get, "/days/2026-05-17").decoded(as: DayResponse.self)
            #expect(less.count == 1 && less.posts == [posts[1]])
            #expect(try await client.send(.get, "/days/2026-05-18").status == .notFound)
        }
    }
}
