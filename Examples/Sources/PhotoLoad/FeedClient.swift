import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A client of the service over HTTP. It treats any answer but the expected one as an error.
struct FeedClient: Sendable {
    /// An answer with a status that was not expected.
    struct UnexpectedAnswer: Error, CustomStringConvertible {
        var description: String
    }

    let url: String

    func get<Value: Decodable>(_ path: String, as type: Value.Type) async throws -> Value {
        try await send(.GET, path, body: nil, expected: .ok)
    }

    func post<Value: Decodable>(
        _ path: String, _ body: some Encodable, as type: Value.Type, expected: HTTPResponseStatus = .created
    ) async throws -> Value {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return try await send(.POST, path, body: encoder.encode(body), expected: expected)
    }

    private func send<Value: Decodable>(
        _ method: HTTPMethod, _ path: String, body: Data?, expected: HTTPResponseStatus
    ) async throws -> Value {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let data = Data(try await response.body.collect(upTo: 1 << 26).readableBytesView)
        guard response.status == expected else {
            let text = String(decoding: data.prefix(300), as: UTF8.self)
            throw UnexpectedAnswer(description: "\(method) \(path): \(response.status): \(text)")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Value.self, from: data)
    }
}
