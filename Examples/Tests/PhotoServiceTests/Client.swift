import Foundation
import Hummingbird
import HummingbirdTesting
import PhotoAPI
import PhotoService

/// A client of a service that has a store of its own, in a file that is gone with the test.
struct Client: Sendable {
    /// A response, with a way to decode it from JSON.
    struct Answer {
        var status: HTTPResponse.Status
        var headers: HTTPFields
        var data: Data

        func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(type, from: data)
        }

        /// The word that says why a request was refused.
        var error: String { get throws { try decoded(as: ErrorResponse.self).error } }
    }

    let client: any TestClientProtocol

    /// Runs a test with a new store, without sockets if it needs none.
    static func with<Result: Sendable>(
        _ setup: TestingSetup = .router, _ test: @Sendable (Client) async throws -> Result
    ) async throws -> Result {
        try await withFolder { folder in
            let service = try FeedService(storeAt: folder.appendingPathComponent("Feed.store"))
            return try await service.application(port: 0).test(setup) { try await test(Client(client: $0)) }
        }
    }

    /// Runs a test with a folder that is gone with it.
    static func withFolder<Result: Sendable>(_ test: @Sendable (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await test(folder)
    }

    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ path: String, text: String? = nil
    ) async throws -> Answer {
        let response = try await client.execute(
            uri: path, method: method, headers: [.contentType: "application/json"],
            body: text.map { ByteBuffer(string: $0) })
        return Answer(
            status: response.status, headers: response.headers, data: Data(response.body.readableBytesView))
    }

    @discardableResult
    func send(_ method: HTTPRequest.Method, _ path: String, _ body: some Encodable) async throws -> Answer {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return try await send(method, path, text: String(decoding: encoder.encode(body), as: UTF8.self))
    }

    func page(_ query: String) async throws -> PostPage {
        try await send(.get, "/posts?\(query)").decoded(as: PostPage.self)
    }

    /// Makes an author, and posts of theirs a minute apart, the first one the oldest.
    @discardableResult
    func makePosts(_ titles: [String], by author: String = "Ada") async throws -> [PostResponse] {
        try await send(.post, "/authors", NewAuthor(name: author))
        let posts = titles.enumerated().map { number, title in
            NewPost(title: title, timestamp: Self.morning.addingTimeInterval(Double(number) * 60), author: author)
        }
        return try await send(.post, "/posts", NewPosts(posts: posts)).decoded(as: PostsResponse.self).posts
    }

    /// 2026-05-17, 06:00 in UTC.
    static let morning = Date(timeIntervalSince1970: 1_778_997_600)
}
