/// A message of JSON-RPC 2.0.
enum Message: Sendable, Hashable {
    case request(id: JSONValue, method: String, parameters: JSONValue)
    case notification(method: String, parameters: JSONValue)
    /// The answer to a request of the server, which makes none.
    case response(id: JSONValue)
    case invalid(id: JSONValue, ResponseError)

    /// Reads the text of a message.
    init(parsing bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes) else {
            self = .invalid(id: .null, ResponseError(.parseError, "The message is not JSON."))
            return
        }
        let id = value["id"]
        switch (value["method"], id) {
        case (.string(let method), .null): self = .notification(method: method, parameters: value["params"])
        case (.string(let method), .string), (.string(let method), .integer):
            self = .request(id: id, method: method, parameters: value["params"])
        case (.null, .string), (.null, .integer): self = .response(id: id)
        default: self = .invalid(id: .null, ResponseError(.invalidRequest, "The message is not a request."))
        }
    }
}

/// The reason why a request has no result.
package struct ResponseError: Error, Sendable, Hashable {
    package enum Code: Int, Sendable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case internalError = -32603
        case serverNotInitialized = -32002
        case requestFailed = -32803
        case contentModified = -32801
        case requestCancelled = -32800
    }

    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var json: JSONValue { ["code": .integer(code.rawValue), "message": .string(message)] }
}
