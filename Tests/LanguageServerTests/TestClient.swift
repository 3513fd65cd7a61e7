import DataModel
import Foundation
import GeneratorPipeline
import Synchronization
import Testing

@testable import LanguageServer

/// A client of a server that runs on another thread, as an editor's is in another process.
final class TestClient: Sendable {
    /// Bytes on the way from one side to the other.
    private final class Pipe: Sendable {
        private let state = Mutex((bytes: [UInt8](), isClosed: false))
        private let arrivals = DispatchSemaphore(value: 0)

        func write(_ bytes: [UInt8]) {
            state.withLock { $0.bytes += bytes }
            arrivals.signal()
        }

        func close() {
            state.withLock { $0.isClosed = true }
            arrivals.signal()
        }

        /// Waits for bytes; none at the end.
        func read() -> [UInt8] {
            while true {
                let (bytes, isClosed) = state.withLock { state in
                    defer { state.bytes = [] }
                    return (state.bytes, state.isClosed)
                }
                if !bytes.isEmpty || isClosed { return bytes }
                arrivals.wait()
            }
        }
    }

    private struct State {
        var lastID = 0
        var messages: [JSONValue] = []
        var buffer: [UInt8] = []
        var status: Int32?
        var failure: String?
    }

    private let input = Pipe()
    private let output = Pipe()
    private let ended = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// Starts a server, and initializes it unless the test does.
    init(
        capabilities: JSONValue = TestClient.modern, isInitialized: Bool = true,
        advice: @escaping @Sendable (ModelPlan?) -> Diagnostics = { _ in Diagnostics() }
    ) throws {
        let (input, output) = (input, output)
        Thread.detachNewThread { [self] in
            let server = ModelServer(version: "1.2.3", advice: { plan, _, _ in advice(plan) })
            let (status, failure) = server.run(reading: { input.read() }, writing: { output.write($0) })
            state.withLock { ($0.status, $0.failure) = (status, failure) }
            output.close()
            ended.signal()
        }
        guard isInitialized else { return }
        _ = try result("initialize", ["processId": nil, "rootUri": nil, "capabilities": capabilities])
        notify("initialized", [:])
    }

    /// The capabilities that the server uses.
    static let modern: JSONValue = [
        "general": ["positionEncodings": ["utf-8", "utf-16"]],
        "workspace": ["workspaceEdit": ["documentChanges": true, "resourceOperations": ["create"]]],
        "textDocument": [
            "completion": ["completionItem": ["snippetSupport": true]], "hover": ["contentFormat": ["markdown"]],
            "publishDiagnostics": ["relatedInformation": true, "codeDescriptionSupport": true],
            "documentSymbol": ["hierarchicalDocumentSymbolSupport": true],
            "codeAction": ["codeActionLiteralSupport": ["codeActionKind": ["valueSet": []]]],
        ],
    ]

    // MARK: Sending

    func write(_ text: String) { input.write(Array(text.utf8)) }

    func send(_ message: JSONValue) throws {
        let bytes = try message.bytes
        input.write(Array("Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes)
    }

    func notify(_ method: String, _ parameters: JSONValue) {
        try? send(["jsonrpc": "2.0", "method": .string(method), "params": parameters])
    }

    func request(_ method: String, _ parameters: JSONValue) throws -> Int {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try send(["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": parameters])
        return id
    }

    /// Asks the server and waits for its answer, which may be an error.
    func answer(_ method: String, _ parameters: JSONValue) throws -> JSONValue {
        let id = try request(method, parameters)
        return try #require(next { $0["id"] == .integer(id) })
    }

    func result(_ method: String, _ parameters: JSONValue) throws -> JSONValue {
        let answer = try answer(method, parameters)
        #expect(answer["error"].isNull, "\(method): \(answer["error"])")
        return answer["result"]
    }

    // MARK: Receiving

    /// Waits for a message; nil when the server ended before.
    func next(_ isWanted: (JSONValue) -> Bool) throws -> JSONValue? {
        while true {
            let found = state.withLock { state -> JSONValue? in
                state.messages.firstIndex(where: isWanted).map { state.messages.remove(at: $0) }
            }
            if let found { return found }
            let bytes = output.read()
            if bytes.isEmpty { return nil }
            try state.withLock { state in
                state.buffer += bytes
                while let message = try Self.message(&state.buffer) { state.messages.append(message) }
            }
        }
    }

    private static func message(_ buffer: inout [UInt8]) throws -> JSONValue? {
        guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let header = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        let length = try #require(Int(header.split(separator: " ")[1]))
        guard buffer.count >= end.upperBound + length else { return nil }
        let message = try JSONValue(parsing: Array(buffer[end.upperBound..<end.upperBound + length]))
        buffer.removeFirst(end.upperBound + length)
        return message
    }

    /// Waits for the diagnostics of a version of a document, and returns those.
    func diagnostics(_ uri: String, version: Int? = nil) throws -> [JSONValue] {
        let message = try next { message in
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == .string(uri)
                && (version == nil || message["params"]["version"].integer == version)
        }
        return try #require(message)["params"]["diagnostics"].array
    }

    /// The messages that no test has read yet.
    var pending: [JSONValue] { state.withLock { $0.messages } }

    /// Ends the input, and waits for the end of the server.
    func end() -> (status: Int32?, failure: String?) {
        input.close()
        ended.wait()
        return state.withLock { ($0.status, $0.failure) }
    }

    // MARK: Documents

    func open(_ uri: String, _ text: String, version: Int = 1) {
        notify(
            "textDocument/didOpen",
            [
                "textDocument": [
                    "uri": .string(uri), "languageId": "xcdatamodel", "version": .integer(version),
                    "text": .string(text),
                ]
            ])
    }

    /// Replaces the whole text.
    func change(_ uri: String, to text: String, version: Int) {
        notify(
            "textDocument/didChange",
            [
                "textDocument": ["uri": .string(uri), "version": .integer(version)],
                "contentChanges": [["text": .string(text)]],
            ])
    }

    func close(_ uri: String) { notify("textDocument/didClose", ["textDocument": ["uri": .string(uri)]]) }
}

extension TestClient {
    /// Opens a document in which `|` marks the cursor, and asks the server about it.
    func ask(_ method: String, _ uri: String, _ text: String, _ more: [String: JSONValue] = [:]) throws -> JSONValue {
        let (text, position) = marked(text)
        open(uri, text)
        defer { close(uri) }
        var parameters = more
        parameters["textDocument"] = ["uri": .string(uri)]
        parameters["position"] = position
        return try result(method, .object(parameters))
    }

    /// The labels of the completion items at the mark of a text.
    func labels(_ uri: String, _ text: String) throws -> [String] {
        try ask("textDocument/completion", uri, text)["items"].array.compactMap { $0["label"].string }
    }
}

/// A text with the edits of a client made, whose positions count UTF-8.
func applying(_ edits: [JSONValue], to text: String) -> String {
    let lines = DocumentText(Array(text.utf8))
    var bytes = lines.bytes
    let ranges = edits.compactMap { edit in lines.range(edit["range"], .utf8).map { ($0, edit["newText"].string ?? "") }
    }
    for (range, new) in ranges.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
        bytes.replaceSubrange(range, with: new.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
}
