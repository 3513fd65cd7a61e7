import PhotoAPI
import Testing

@Suite struct AuthorTests {
    @Test func isMadeAndRead() async throws {
        try await Client.with { client in
            let made = try await client.send(.post, "/authors", NewAuthor(name: "Ada"))
            #expect(made.status == .created)
            #expect(try made.decoded(as: AuthorResponse.self) == AuthorResponse(name: "Ada", posts: 0))
            try await client.makePosts(["Lake", "Wall"])
            let read = try await client.send(.get, "/authors/Ada")
            #expect(try read.decoded(as: AuthorResponse.self) == AuthorResponse(name: "Ada", posts: 2))
        }
    }

    @Test func takenNameIsAConflict() async throws {
        try await Client.with { client in
            try await client.send(.post, "/authors", NewAuthor(name: "Ada"))
            let second = try await client.send(.post, "/authors", NewAuthor(name: "Ada"))
            #expect(second.status == .conflict)
            #expect(
                try second.decoded(as: ErrorResponse.self)
                    == ErrorResponse(error: "taken", message: "The name is taken."))
            // The refused author is not saved with the next one.
            #expect(try await client.send(.post, "/authors", NewAuthor(name: "Bo")).status == .created)
        }
    }

    @Test(arguments: ["", String(repeating: "a", count: 101)])
    func nameThatTheModelForbids(_ name: String) async throws {
        try await Client.with { client in
            let answer = try await client.send(.post, "/authors", NewAuthor(name: name))
            #expect(answer.status == .unprocessableContent)
            let failure = try #require(try answer.decoded(as: ErrorResponse.self).failures?.first)
            #expect(failure.entity == "Author" && failure.property == "name")
        }
    }

    @Test func nobody() async throws {
        try await Client.with { client in
            let answer = try await client.send(.get, "/authors/Nobody")
            #expect(answer.status == .notFound)
            #expect(try answer.error == "not-found")
        }
    }
}
