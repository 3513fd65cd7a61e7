import AsyncHTTPClient
import Foundation
import PhotoAPI
import Testing

@Suite struct EventTests {
    @Test func savesAreTold() async throws {
        try await Client.with(.ahc()) { client in
            try await client.makePosts(["One"])
            var events = try await Events(client)
            #expect(try await events.next()?.map(\.title) == ["One"])
            let posts = try await client.makePosts(["Two"], by: "Bo")
            #expect(try await events.next().map { Set($0.map(\.title)) } == ["One", "Two"])
            // A comment is not part of the list, and causes no event.
            try await client.send(.post, "/posts/\(posts[0].id)/comments", NewComment(author: "Bo", text: "Oh"))
            try await client.send(.post, "/posts/\(posts[0].id)/likes")
            let likes = try await events.next()?.map(\.likes)
            #expect(likes?.sorted() == [0, 1])
        }
    }

    /// A stream that is open does not keep the service from stopping: it ends, whole.
    @Test func streamsEndWhenTheServiceStops() async throws {
        let rest = try await Client.with(.ahc()) { client in
            var events = try await Events(client)
            #expect(try await events.next()?.isEmpty == true)
            let open = events
            return Task {
                var events = open
                return try await events.next()
            }
        }
        #expect(try await rest.value == nil)
    }
}

/// The events of a stream, as they come. `HTTPClient.shared` lives on when the service has stopped.
///
/// `@unchecked Sendable`: a test reads it, and then hands it to the one task that reads the rest.
private struct Events: @unchecked Sendable {
    private var chunks: HTTPClientResponse.Body.AsyncIterator
    private var text = ""

    init(_ client: Client) async throws {
        let port = try #require(client.client.port)
        let request = HTTPClientRequest(url: "http://localhost:\(port)/events")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        #expect(response.headers["content-type"] == ["text/event-stream"])
        chunks = response.body.makeAsyncIterator()
    }

    /// The posts of the next event; nil at the end of the stream.
    mutating func next() async throws -> [PostSummary]? {
        while true {
            if let end = text.range(of: "\n\n") {
                let event = text[..<end.lowerBound]
                text.removeSubrange(..<end.upperBound)
                let data = try #require(event.split(separator: "\n").first { $0.hasPrefix("data: ") })
                return try JSONDecoder().decode([PostSummary].self, from: Data(data.dropFirst(6).utf8))
            }
            guard let chunk = try await chunks.next() else { return nil }
            text += String(buffer: chunk)
        }
    }
}
