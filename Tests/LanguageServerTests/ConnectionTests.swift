import Foundation
import Synchronization
import Testing

@testable import LanguageServer

@Suite struct ConnectionTests {
    @Test func messagesMayArriveInAnyPieces() throws {
        let text = "Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]"
        for size in 1...text.utf8.count {
            var rest = Array(text.utf8)[...]
            var stream = MessageStream {
                defer { rest = rest.dropFirst(size) }
                return Array(rest.prefix(size))
            }
            #expect(try stream.next() == Array("{}".utf8))
            #expect(try stream.next() == Array("[1]".utf8))
            #expect(try stream.next() == nil)
        }
    }

    @Test(arguments: [
        "\r\n", "Content-Length: x\r\n\r\n", "Content-Length: 5\r\n\r\n{}", "Content-", "Content-Length: -1\r\n\r\n",
    ])
    func brokenStreamIsAFailure(_ text: String) {
        var rest = Array(text.utf8)
        var stream = MessageStream {
            defer { rest = [] }
            return rest
        }
        #expect(throws: MessageStream.Failure.self) { try stream.next() }
    }

    @Test func serverSaysItsVersion() throws {
        let client = try TestClient(isInitialized: false)
        let result = try client.result("initialize", ["capabilities": [:]])
        #expect(result["serverInfo"]["version"] == "1.2.3")
        #expect(result["capabilities"]["positionEncoding"] == "utf-16")
        let utf8 = try TestClient(isInitialized: false)
        let other = try utf8.result("initialize", ["capabilities": TestClient.modern])
        #expect(other["capabilities"]["positionEncoding"] == "utf-8")
    }

    @Test func lifeOfAServerIsThatOfTheProtocol() throws {
        let client = try TestClient(isInitialized: false)
        #expect(try client.answer("shutdown", nil)["error"]["code"] == -32002)
        _ = try client.result("initialize", ["capabilities": [:]])
        #expect(try client.answer("initialize", [:])["error"]["code"] == -32600)
        #expect(try client.answer("textDocument/nothing", [:])["error"]["code"] == -32601)
        #expect(try client.answer("textDocument/hover", nil)["error"]["code"] == -32602)
        // A client's settings and unknown notifications have no effect.
        client.notify("workspace/didChangeConfiguration", ["settings": nil])
        client.notify("workspace/didChangeConfiguration", nil)
        try client.send(["jsonrpc": "2.0", "id": "settings", "result": nil])
        client.notify("$/nothing", [])
        #expect(try client.result("shutdown", nil) == .null)
        #expect(try client.answer("textDocument/hover", [:])["error"]["code"] == -32600)
        client.notify("exit", nil)
        let (status, failure) = client.end()
        #expect(status == 0)
        #expect(failure == nil)
    }

    @Test func endWithoutShutdownIsAnError() throws {
        let client = try TestClient()
        client.notify("exit", nil)
        #expect(client.end().status == 1)
        let other = try TestClient()
        #expect(other.end().status == 1)
    }

    @Test func brokenHeaderEndsTheServerWithAReason() throws {
        let client = try TestClient()
        client.write("Nothing\r\n\r\n")
        let (status, failure) = client.end()
        #expect(status == 1)
        #expect(failure == "A message has no header 'Content-Length'.")
    }

    @Test func messageThatIsNoJSONIsAnsweredAndTheNextRead() throws {
        let client = try TestClient()
        client.write("Content-Length: 3\r\n\r\n{x}")
        #expect(try client.next { $0["error"]["code"] == -32700 } != nil)
        #expect(try client.result("workspace/symbol", ["query": ""]) == .array([]))
    }

    /// Answers each request with its method; the first one when it may.
    private final class Waiter: MessageHandler {
        let permission: DispatchSemaphore
        var notify: (String, JSONValue) -> Void = { _, _ in }
        let hasWorkForPause = false

        init(_ permission: DispatchSemaphore) { self.permission = permission }

        func result(of method: String, _ parameters: JSONValue) throws(ResponseError) -> JSONValue {
            if method == "wait" { permission.wait() }
            return .string(method)
        }

        func receive(_ method: String, _ parameters: JSONValue) {}
        func work(isAfterPause: Bool, isInterrupted: () -> Bool) -> Bool { false }
    }

    @Test func cancellationAnswersItsRequestsAndNothingElse() throws {
        var input: [UInt8] = []
        for (id, method) in [(0, "initialize"), (1, "wait"), (2, "cancelled"), (3, "other")] as [(Int, String)] {
            input += MessageStream.framed(try (["id": .integer(id), "method": .string(method)] as JSONValue).bytes)
        }
        for id in [1, 2, 9] {
            let message: JSONValue = ["method": "$/cancelRequest", "params": ["id": .integer(id)]]
            input += MessageStream.framed(try message.bytes)
        }
        // When more is read, all of this has arrived.
        let permission = DispatchSemaphore(value: 0)
        let rest = Mutex(input)
        var output: [UInt8] = []
        let handler = Waiter(permission)
        _ = Connection(handler) { output += $0 }.run {
            let bytes = rest.withLock { bytes in
                defer { bytes = [] }
                return bytes
            }
            if bytes.isEmpty { permission.signal() }
            return bytes
        }
        var isRead = false
        var stream = MessageStream {
            defer { isRead = true }
            return isRead ? [] : output
        }
        var answers: [JSONValue] = []
        while let message = try stream.next() { answers.append(try JSONValue(parsing: message)) }
        #expect(answers.map { $0["id"] } == [0, 1, 2, 3])
        #expect(answers.map { $0["error"]["code"] } == [.null, -32800, -32800, .null])
        #expect(answers.map { $0["result"] } == ["initialize", .null, .null, "other"])
    }

    @Test func cancelledRequestIsAnsweredAsSuch() {
        let inbox = Inbox()
        inbox.put(.request(id: 1, method: "a", parameters: nil))
        inbox.put(.request(id: "x", method: "b", parameters: nil))
        inbox.put(.notification(method: "$/cancelRequest", parameters: ["id": "x"]))
        inbox.put(.notification(method: "$/cancelRequest", parameters: ["id": 7]))
        #expect(inbox.take()?.isCancelled == false)
        inbox.put(.notification(method: "$/cancelRequest", parameters: ["id": 1]))
        #expect(inbox.isCurrentCancelled)
        #expect(inbox.take()?.isCancelled == true)
        #expect(!inbox.isCurrentCancelled)
        #expect(!inbox.hasMessages)
    }
}
