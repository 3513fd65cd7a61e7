import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and its answer, whose limits count while bytes arrive.
final class HTTPTransfer: Sendable {
    /// The least number of bytes a second, on average, that justify waiting for longer than the timeout.
    private static let slowest = 8192.0
    /// The greatest number of bytes of an answer that says why a request failed.
    private static let greatestFailure: Int64 = 1 << 16

    private struct State {
        var task: URLSessionTask?
        var continuation: CheckedContinuation<(Data, Int), any Error>?
        var failure: (any Error)?
        var data = Data()
        var receivedCount: Int64 = 0
        var sentCount: Int64 = 0
        var file: FileHandle?
    }

    private let state: Mutex<State>
    private let limit: Int64
    private let timeout: Duration
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - limit: The maximum size of an answer in bytes.
    ///   - timeout: The maximum time for the answer, in addition to the time that its bytes take at a slow rate.
    ///   - file: The file for the bytes of the answer; nil to return them.
    init(limit: Int64, timeout: TimeInterval, file: FileHandle? = nil) {
        self.limit = limit
        self.timeout = .seconds(timeout)
        state = Mutex(State(file: file))
    }

    /// Runs a task of a session, which is cancelled with the task that waits for it.
    ///
    /// - Returns: The bytes of the answer, if they are not in the file, and its status.
    func run(_ make: (HTTPTransfer) -> URLSessionTask) async throws -> (Data, Int) {
        let watch = Task { await giveUpInTime() }
        defer { watch.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = make(self)
                state.withLock { state in
                    state.continuation = continuation
                    state.task = task
                }
                task.resume()
                // It may have failed before there was a task.
                state.withLock { if $0.failure != nil { $0.task?.cancel() } }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    private func giveUpInTime() async {
        while !Task.isCancelled {
            let count = state.withLock { $0.receivedCount + $0.sentCount }
            let left = start + timeout + .seconds(Double(count) / Self.slowest) - .now
            if left <= .zero {
                return fail(SyncLogError.unreachable(reason: "the answer took too long"))
            }
            try? await Task.sleep(for: left)
        }
    }

    /// Ends the transfer with an error.
    func fail(_ error: any Error) {
        state.withLock { state in
            state.failure = state.failure ?? error
            state.task?.cancel()
        }
    }

    // MARK: The session's reports

    /// Refuses a redirect. The task ends by itself then, and Foundation traps if it is cancelled meanwhile.
    func didRedirect(to host: String, _ refuse: () -> Void) {
        state.withLock { state in
            if state.failure != nil { return }
            state.failure = SyncLogError.unreachable(reason: "the hub's address redirects to \(host)")
            state.task = nil
            refuse()
        }
    }

    func didSend(_ count: Int64) { state.withLock { $0.sentCount = count } }

    func didReceive(_ bytes: Data, _ response: URLResponse?) {
        let isSuccess = (response as? HTTPURLResponse).map { (200..<300).contains($0.statusCode) } ?? false
        let limit = isSuccess ? limit : min(limit, Self.greatestFailure)
        do {
            try state.withLock { state in
                state.receivedCount += Int64(bytes.count)
                if state.failure != nil { return }
                guard state.receivedCount <= limit else {
                    throw SyncLogError.malformed(reason: "the answer has more than \(limit) bytes")
                }
                if isSuccess, let file = state.file {
                    try file.write(contentsOf: bytes)
                } else {
                    state.data.append(bytes)
                }
            }
        } catch {
            fail(error)
        }
    }

    func didComplete(_ response: URLResponse?, _ error: (any Error)?) {
        state.withLock { state in
            guard let continuation = state.continuation else { return }
            (state.continuation, state.task) = (nil, nil)
            if let failure = state.failure ?? error {
                continuation.resume(throwing: failure)
            } else if let response = response as? HTTPURLResponse {
                continuation.resume(returning: (state.data, response.statusCode))
            } else {
                continuation.resume(throwing: SyncLogError.malformed(reason: "the answer does not use HTTP"))
            }
        }
    }
}

/// Hands the reports of a session to its transfers, and refuses redirects: hubs send none.
final class HTTPTransfers: NSObject, URLSessionDataDelegate, Sendable {
    private let transfers = Mutex<[Int: HTTPTransfer]>([:])

    func add(_ transfer: HTTPTransfer, _ task: URLSessionTask) -> URLSessionTask {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
        return task
    }

    private func transfer(_ task: URLSessionTask) -> HTTPTransfer? { transfers.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        transfer(task)?.didRedirect(to: request.url?.host ?? "another address") { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { transfer(task)?.didSend(totalBytesSent) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(dataTask)?.didReceive(data, dataTask.response)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.didComplete(task.response, error)
    }
}
