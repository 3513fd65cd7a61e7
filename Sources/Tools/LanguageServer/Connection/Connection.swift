import Foundation

/// Answers the messages of one client, in their order.
protocol MessageHandler: AnyObject {
    /// The result of a request.
    func result(of method: String, _ parameters: JSONValue) throws(ResponseError) -> JSONValue

    /// Reads a notification.
    func receive(_ method: String, _ parameters: JSONValue)

    /// Does the next piece of the work that no request waits for; false where there is none.
    ///
    /// It is called while no message waits. A piece that a message interrupts is done again later.
    ///
    /// - Parameter isAfterPause: Whether the client has been silent for a while.
    func work(isAfterPause: Bool, isInterrupted: () -> Bool) -> Bool

    /// Whether there is work that waits for a pause.
    var hasWorkForPause: Bool { get }

    /// Sends a notification to the client.
    var notify: (_ method: String, _ parameters: JSONValue) -> Void { get set }
}

/// A client at the other end of two streams, which speaks JSON-RPC as the Language Server Protocol frames it.
package final class Connection {
    private let inbox = Inbox()
    private let handler: any MessageHandler
    private let write: ([UInt8]) throws -> Void
    private var phase = Phase.new
    private var hasFailedToWrite = false

    private enum Phase {
        case new, running, shutDown
    }

    /// The milliseconds without a message from the client after which less urgent work begins.
    private static let pause = 300

    /// Makes a connection.
    ///
    /// - Parameter write: Writes the bytes of a message.
    init(_ handler: any MessageHandler, write: @escaping ([UInt8]) throws -> Void) {
        self.handler = handler
        self.write = write
        handler.notify = { [unowned self] method, parameters in
            send(["jsonrpc": "2.0", "method": .string(method), "params": parameters])
        }
    }

    /// Answers messages until the client ends the connection.
    ///
    /// - Parameter read: Waits for the next bytes and returns them; none at the end. It is called on another thread.
    /// - Returns: The status to end with: 0 if the client shut the server down before, else 1.
    func run(reading read: @escaping @Sendable () throws -> [UInt8]) -> (status: Int32, failure: String?) {
        let inbox = inbox
        Thread.detachNewThread {
            var stream = MessageStream(read)
            do {
                while let text = try stream.next() { inbox.put(Message(parsing: text)) }
                inbox.close(because: nil)
            } catch {
                inbox.close(because: "\(error)")
            }
        }
        while !hasFailedToWrite {
            if let entry = inbox.take() {
                if case .notification("exit", _) = entry.message { return (phase == .shutDown ? 0 : 1, nil) }
                handle(entry)
            } else if inbox.isClosed {
                break
            } else if !work() {
                _ = inbox.wait()
            }
        }
        return (phase == .shutDown ? 0 : 1, hasFailedToWrite ? "The output cannot be written." : inbox.failure)
    }

    /// Does one piece of work while no message waits; false where there is none.
    private func work() -> Bool {
        guard phase == .running else { return false }
        let inbox = inbox
        if handler.work(isAfterPause: false, isInterrupted: { inbox.hasMessages }) { return true }
        guard handler.hasWorkForPause else { return false }
        if inbox.wait(milliseconds: Self.pause) { return true }
        return handler.work(isAfterPause: true, isInterrupted: { inbox.hasMessages })
    }

    private func handle(_ entry: Inbox.Entry) {
        switch entry.message {
        case .request(let id, let method, let parameters):
            if entry.isCancelled { return fail(id, ResponseError(.requestCancelled, "The request was cancelled.")) }
            do throws(ResponseError) {
                let result = try result(of: method, parameters)
                if inbox.isCurrentCancelled { throw ResponseError(.requestCancelled, "The request was cancelled.") }
                send(["jsonrpc": "2.0", "id": id, "result": result])
            } catch {
                fail(id, error)
            }
        case .notification(let method, let parameters):
            // The first request makes the rest of the protocol known.
            if phase == .running { handler.receive(method, parameters) }
        case .response: break
        case .invalid(let id, let error): fail(id, error)
        }
    }

    private func result(of method: String, _ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        switch (phase, method) {
        case (.new, "initialize"): phase = .running
        case (.new, _): throw ResponseError(.serverNotInitialized, "The first request must be 'initialize'.")
        case (.running, "initialize"): throw ResponseError(.invalidRequest, "The server is initialized already.")
        case (.running, "shutdown"):
            phase = .shutDown
            return .null
        case (.running, _): break
        case (.shutDown, _): throw ResponseError(.invalidRequest, "The server is shut down.")
        }
        return try handler.result(of: method, parameters)
    }

    private func fail(_ id: JSONValue, _ error: ResponseError) {
        send(["jsonrpc": "2.0", "id": id, "error": error.json])
    }

    private func send(_ message: JSONValue) {
        do {
            try write(MessageStream.framed(try message.bytes))
        } catch {
            hasFailedToWrite = true
        }
    }
}
