public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A log on a hub.
///
/// The hub is the program `ashlar-hub` in the package `Sync`. Requests use Foundation's networking, with the system's
/// settings for proxies and certificates. Redirects are refused, because another server would get the token.
///
///     let log = HTTPLog(hub: URL(string: "https://hub.example/")!, name: "feed") { try await account.token() }
public final class HTTPLog: SyncLog {
    private let base: String
    private let token: @Sendable () async throws -> String
    private let session: URLSession
    private let transfers = HTTPTransfers()
    /// The maximum size of an answer in bytes, except for snapshots.
    private let limit: Int
    private let timeout: TimeInterval

    /// Creates a log on a hub, without sending a request.
    ///
    /// - Parameters:
    ///   - hub: The hub's address.
    ///   - name: The log's name on the hub: letters, digits, periods, underscores and hyphens.
    ///   - timeout: The maximum time for an answer, in seconds. A long answer may take longer while at least 8,192
    ///     bytes arrive each second.
    ///   - limit: The maximum size of an answer in bytes, decompressed, except for snapshots.
    ///   - token: Returns the token for each request, so that it can be renewed.
    public init(
        hub: URL, name: String, timeout: TimeInterval = 30, limit: Int = 1 << 28,
        token: @escaping @Sendable () async throws -> String
    ) {
        base = hub.appendingPathComponent("v1/logs").appendingPathComponent(name).absoluteString
        self.token = token
        self.limit = limit
        self.timeout = timeout
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.httpShouldSetCookies = false
        // Those that wait for entries take one each.
        configuration.httpMaximumConnectionsPerHost = 16
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    // MARK: Asking

    private func request(
        _ method: String, _ path: [String], _ query: [String: Int64] = [:]
    ) async throws -> URLRequest {
        // The parts consist of letters, digits and hyphens, which need no escaping.
        let items = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        let text = ([base] + path).joined(separator: "/") + (items.isEmpty ? "" : "?\(items)")
        guard let address = URL(string: text) else {
            throw SyncLogError.refused(reason: "\(text) is not the address of a hub")
        }
        var request = URLRequest(url: address)
        request.httpMethod = method
        request.timeoutInterval = timeout
        request.setValue("Bearer \(try await token())", forHTTPHeaderField: "Authorization")
        return request
    }

    /// Runs a request.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes of the answer; nil for that of all answers but snapshots.
    ///   - file: The file for the bytes of the answer; nil to return them.
    private func run(
        _ request: URLRequest, limit: Int64? = nil, file: FileHandle? = nil, _ make: (URLSession) -> URLSessionTask
    ) async throws -> Data {
        let transfer = HTTPTransfer(limit: limit ?? Int64(self.limit), timeout: request.timeoutInterval, file: file)
        do {
            let (data, status) = try await transfer.run { transfers.add($0, make(session)) }
            guard (200..<300).contains(status) else { throw HubProtocol.error(status, data) }
            return data
        } catch let error as URLError {
            if error.code == .cancelled { throw CancellationError() }
            throw SyncLogError.unreachable(reason: error.localizedDescription)
        }
    }

    private func answer(_ request: URLRequest, body: Data? = nil) async throws -> Data {
        var request = request
        if let body {
            request.httpBody = body
            if request.value(forHTTPHeaderField: "Content-Type") == nil {
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            }
        }
        let asked = request
        return try await run(asked) { $0.dataTask(with: asked) }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw SyncLogError.malformed(reason: "the answer cannot be read as \(type)")
        }
    }

    // MARK: Entries

    public func head() async throws -> Int64 {
        try decode(HubProtocol.Head.self, await answer(request("GET", ["head"]))).head
    }

    public func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        let request = try await request("POST", ["entries"], ["after": head])
        let body = try JSONEncoder().encode(entry)
        let data: Data
        do {
            data = try await answer(request, body: body)
        } catch SyncLogError.malformed(let reason) {
            // An answer that was cut may have been a yes. The same entry again is not appended again.
            throw SyncLogError.unreachable(reason: reason)
        }
        return try decode(SyncAppendResult.self, data)
    }

    public func standing(of site: UUID, at position: Int64) async throws -> SyncStanding {
        let request = try await request("GET", ["standing", site.uuidString], ["at": position])
        return try decode(SyncStanding.self, await answer(request))
    }

    public func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        let request = try await request("GET", ["entries"], ["after": position, "limit": Int64(limit)])
        return try decode([LoggedSyncEntry].self, await answer(request))
    }

    public func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        let seconds = min(max(duration.components.seconds, 1), 50)
        var request = try await request("GET", ["wait"], ["after": position, "seconds": seconds])
        request.timeoutInterval = TimeInterval(seconds) + timeout
        return try decode(HubProtocol.Head.self, await answer(request)).head
    }

    public func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        let request = try await request("POST", ["leases"])
        let body = try JSONEncoder().encode(HubProtocol.Lease(site: site, count: count))
        let numbers = try decode(HubProtocol.Numbers.self, await answer(request, body: body))
        guard numbers.first <= numbers.last else {
            throw SyncLogError.malformed(reason: "it gives the numbers from \(numbers.first) to \(numbers.last)")
        }
        return numbers.first...numbers.last
    }

    // MARK: Snapshots

    public func snapshots() async throws -> [SyncSnapshot] {
        try decode([SyncSnapshot].self, await answer(request("GET", ["snapshots"])))
    }

    public func add(_ snapshot: SyncSnapshot, from file: URL) async throws {
        var request = try await request("PUT", ["snapshots", snapshot.id.uuidString])
        request.setValue(
            try JSONEncoder().encode(snapshot).base64EncodedString(), forHTTPHeaderField: HubProtocol.snapshotHeader)
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        let asked = request
        _ = try await run(asked) { $0.uploadTask(with: asked, fromFile: file) }
    }

    public func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
        let request = try await request("GET", ["snapshots", snapshot.id.uuidString])
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        do {
            _ = try await run(request, limit: snapshot.byteCount, file: handle) { $0.dataTask(with: request) }
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }

    public func compact(through position: Int64) async throws {
        _ = try await answer(request("POST", ["compact"], ["through": position]))
    }

    // MARK: Large values

    public func add(_ value: Data, hash: String) async throws {
        var request = try await request("PUT", ["values", hash])
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        _ = try await answer(request, body: value)
    }

    public func value(hash: String) async throws -> Data { try await answer(request("GET", ["values", hash])) }
}
