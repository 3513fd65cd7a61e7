@_spi(Hub) import AshlarSync
import Foundation
import HTTPTypes
public import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Answers the requests of stores to logs. It stores nothing itself, so any number of servers can use one database.
public struct HubServer: Sendable {
    private let backend: any HubBackend
    private let limits: HubLimits
    private let logger: Logger
    private let counts = HubCounts()
    private let rates: HubRates
    private let turns = AppendTurns()

    /// - Parameters:
    ///   - backend: The storage of the logs and tokens.
    ///   - logger: The logger for requests and their results.
    public init(_ backend: any HubBackend, limits: HubLimits = HubLimits(), logger: Logger) {
        self.backend = backend
        self.limits = limits
        self.logger = logger
        rates = HubRates(limits)
    }

    /// The program that listens at an address.
    ///
    /// - Parameters:
    ///   - certificate: The certificate and key for HTTPS; nil to serve HTTP.
    ///   - onRunning: Receives the port when the server listens.
    public func application(
        host: String, port: Int, certificate: HubCertificate? = nil,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let plain = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionLimits(limits)],
                httpDecoderConfiguration: .init(maxHeaderListSize: 1 << 16)))
        let server = try certificate?.encrypting(plain) ?? plain
        return Application(
            router: router(), server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections, logger: logger)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    // MARK: Answering

    private struct Asked {
        var log: any SyncLog
        var access: HubAccess
        var request: Request
        var context: HubContext

        /// Refuses a request that the token does not allow.
        func require(_ wanted: HubAccess) throws {
            guard access.includes(wanted) else {
                throw SyncLogError.forbidden(
                    reason: "it allows to \(access.rawValue), and not to \(wanted.rawValue)")
            }
        }

        func number(_ name: String) throws -> Int64 {
            guard let text = request.uri.queryParameters[Substring(name)], let number = Int64(text), number >= 0 else {
                throw SyncLogError.refused(reason: "'\(name)' has to be a number")
            }
            return number
        }

        func body(upTo limit: Int) async throws -> Data {
            do {
                let buffer = try await request.body.collect(upTo: limit)
                return Data(buffer.readableBytesView)
            } catch let error as HTTPError where error.status == .contentTooLarge {
                throw SyncLogError.tooLarge(limit: Int64(limit))
            } catch is NIOTooManyBytesError {
                throw SyncLogError.tooLarge(limit: Int64(limit))
            }
        }

        func decode<Value: Decodable>(_ type: Value.Type, upTo limit: Int) async throws -> Value {
            let bytes = try await body(upTo: limit)
            guard let value = try? JSONDecoder().decode(type, from: bytes) else {
                throw SyncLogError.refused(reason: "the body cannot be read as \(type)")
            }
            return value
        }
    }

    private func router() -> Router<HubContext> {
        let router = Router(context: HubContext.self)
        router.get("health") { _, _ in
            let isWell = await backend.isReachable()
            return Self.json(["isWell": isWell], status: isWell ? .ok : .serviceUnavailable)
        }
        router.get("metrics") { request, _ in
            var text = counts.text
            if let token = limits.metricsToken, request.headers[.authorization] == "Bearer \(token)" {
                do { text += try await backend.metrics() } catch { logger.error("GET metrics: \(error)") }
            }
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
        let base = "v1/logs/:log/"
        func add(
            _ method: HTTPRequest.Method, _ path: String, _ access: HubAccess,
            _ answer: @escaping @Sendable (Asked) async throws -> Response
        ) {
            router.on(RouterPath(base + path), method: method) { request, context in
                await respond(request, context, access, path, answer)
            }
        }
        add(.get, "head", .read) { Self.json(HubProtocol.Head(head: try await $0.log.head())) }
        add(.get, "entries", .read) { asked in
            Self.json(
                try await asked.log.entries(after: asked.number("after"), limit: min(Int(asked.number("limit")), 5000)))
        }
        add(.get, "standing/:site", .read) { asked in
            guard let site = UUID(uuidString: try asked.context.parameters.require("site")) else {
                throw SyncLogError.refused(reason: "a site is a UUID")
            }
            return Self.json(try await asked.log.standing(of: site, at: asked.number("at")))
        }
        add(.post, "entries", .write) { asked in
            let entry = try await asked.decode(SyncEntry.self, upTo: limits.entryBytes)
            try Self.check(entry)
            // Another version of the model sends all others to an update.
            if entry.kind != .changes || entry.snapshot != nil { try asked.require(.administer) }
            let head = try asked.number("after")
            let name = try asked.context.parameters.require("log")
            let result = try await turns.append(of: entry.site, to: name) {
                try await asked.log.append(entry, after: head)
            }
            if case .appended = result { counts.add("ashlar_hub_entries_total") }
            return Self.json(result)
        }
        add(.get, "wait", .read) { asked in
            let seconds = min(try asked.number("seconds"), 55)
            return Self.json(
                HubProtocol.Head(
                    head: try await asked.log.waitForEntries(after: asked.number("after"), atMost: .seconds(seconds))))
        }
        add(.post, "leases", .write) { asked in
            let wish = try await asked.decode(HubProtocol.Lease.self, upTo: 4096)
            let range = try await asked.log.leaseIdentifiers(site: wish.site, count: wish.count)
            return Self.json(HubProtocol.Numbers(first: range.lowerBound, last: range.upperBound))
        }
        add(.get, "snapshots", .read) { Self.json(try await $0.log.snapshots()) }
        add(.put, "snapshots/:id", .write) { try await keepSnapshot($0) }
        add(.get, "snapshots/:id", .read) { try await sendSnapshot($0) }
        add(.post, "compact", .administer) { asked in
            try await asked.log.compact(through: asked.number("through"))
            return Self.json([String: String]())
        }
        add(.put, "values/:hash", .write) { asked in
            let hash = try asked.context.parameters.require("hash")
            try await asked.log.add(asked.body(upTo: limits.entryBytes), hash: hash)
            return Self.json([String: String]())
        }
        add(.get, "values/:hash", .read) { asked in
            let bytes = try await asked.log.value(hash: asked.context.parameters.require("hash"))
            return Response(
                status: .ok, headers: [.contentType: "application/octet-stream"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
        return router
    }

    private func respond(
        _ request: Request, _ context: HubContext, _ access: HubAccess, _ path: String,
        _ answer: @Sendable (Asked) async throws -> Response
    ) async -> Response {
        let response: Response
        do {
            response = try await answer(try await permitted(request, context, access))
        } catch let error as SyncLogError {
            let (status, failure) = HubProtocol.failure(error)
            var shown = failure
            if status >= 500 {
                // The reason may name addresses and files of the database: it is for the operator alone.
                logger.error("\(request.method) \(path): \(error)")
                shown.reason = "the hub cannot use its database now"
            }
            response = Self.json(shown, status: HTTPResponse.Status(code: status))
        } catch is CancellationError {
            response = Self.json(
                HubProtocol.Failure(error: "unreachable", reason: "the hub is being stopped"),
                status: .serviceUnavailable)
        } catch {
            // The text is for the operator alone, as above.
            logger.error("\(request.method) \(path): \(error)")
            response = Self.json(
                HubProtocol.Failure(error: "unreachable", reason: "the hub failed"), status: .internalServerError)
        }
        counts.add("ashlar_hub_requests_total{path=\"\(path)\",status=\"\(response.status.code)\"}")
        logger.debug("\(request.method) \(path) \(response.status.code)")
        return response
    }

    /// Returns the request with its log and rights, if the token allows the access.
    private func permitted(
        _ request: Request, _ context: HubContext, _ access: HubAccess
    ) async throws -> Asked {
        let name = try context.parameters.require("log")
        guard LogName.isValid(name) else { throw SyncLogError.refused(reason: "a log's name has \(LogName.rule)") }
        let header = request.headers[.authorization] ?? ""
        guard header.hasPrefix("Bearer "), header.utf8.count <= 512 else {
            throw SyncLogError.unauthorized(reason: "there is no token")
        }
        let token = String(header.dropFirst(7))
        guard rates.allows(token, from: context.remoteAddress?.ipAddress ?? "") else {
            throw SyncLogError.tooManyRequests(seconds: 1)
        }
        let permission = try await backend.permission(of: token, toLog: name)
        rates.note(token, isKnown: permission != nil)
        guard let permission else {
            throw SyncLogError.unauthorized(reason: "it is not valid for this log, or has expired")
        }
        let asked = Asked(
            log: try await backend.log(named: name, for: permission.holder), access: permission.access,
            request: request, context: context)
        try asked.require(access)
        if let position = request.uri.queryParameters["after"].flatMap({ Int64($0) }) {
            await backend.noteReading(of: name, by: permission.holder, through: position)
        }
        return asked
    }

    /// Refuses an entry with texts that no program writes, which others would have to keep.
    private static func check(_ entry: SyncEntry) throws {
        guard let values = entry.largeValues else {
            throw SyncLogError.refused(
                reason: "the entry does not list its large values. Update the program to a newer version of Ashlar")
        }
        guard entry.count > 0, entry.modelHash.utf8.count <= 200, (entry.author ?? "").utf8.count <= 1000,
            values.allSatisfy({ $0.utf8.count == 64 })
        else { throw SyncLogError.refused(reason: "the entry's count, version, author or list of values is not valid") }
    }

    // MARK: Snapshots

    private func keepSnapshot(_ asked: Asked) async throws -> Response {
        let id = try asked.context.parameters.require("id")
        guard let field = HTTPField.Name(HubProtocol.snapshotHeader), let header = asked.request.headers[field],
            let description = Data(base64Encoded: header),
            let snapshot = try? JSONDecoder().decode(SyncSnapshot.self, from: description), snapshot.id.uuidString == id
        else { throw SyncLogError.refused(reason: "the header \(HubProtocol.snapshotHeader) does not describe it") }
        // Every new store begins with it. That of position 0 begins the log, which only one store can.
        if snapshot.position != 0 || snapshot.isProposed { try asked.require(.administer) }
        return try await withTemporaryFile { file in
            guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
                throw SyncLogError.unreachable(reason: "the hub cannot write files")
            }
            let handle = try FileHandle(forWritingTo: file)
            defer { try? handle.close() }
            var hash = ContentHash()
            var count = 0
            for try await part in asked.request.body {
                count += part.readableBytes
                if count > limits.snapshotBytes { throw SyncLogError.tooLarge(limit: Int64(limits.snapshotBytes)) }
                part.withUnsafeReadableBytes { hash.update($0) }
                try handle.write(contentsOf: Data(part.readableBytesView))
            }
            guard count == Int(snapshot.byteCount), hash.finalize() == snapshot.hash else {
                throw SyncLogError.refused(reason: "the snapshot's bytes do not match its description")
            }
            try await asked.log.add(snapshot, from: file)
            return Self.json([String: String]())
        }
    }

    private func sendSnapshot(_ asked: Asked) async throws -> Response {
        let id = try asked.context.parameters.require("id")
        guard let snapshot = try await asked.log.snapshots().first(where: { $0.id.uuidString == id }) else {
            throw SyncLogError.missing("the snapshot \(id)")
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-hub-\(UUID().uuidString)")
        try await asked.log.read(snapshot, to: file)
        let handle = try FileHandle(forReadingFrom: file)
        // The file is there as long as it is open.
        try FileManager.default.removeItem(at: file)
        let body = ResponseBody(contentLength: Int(snapshot.byteCount)) { writer in
            defer { try? handle.close() }
            while let bytes = try handle.read(upToCount: 1 << 18), !bytes.isEmpty {
                try await writer.write(ByteBuffer(bytes: bytes))
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: body)
    }

    private func withTemporaryFile<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-hub-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    // MARK: Bytes

    private static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        let bytes = (try? JSONEncoder().encode(value)) ?? Data("{}".utf8)
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// Counters since the program began, in the format of Prometheus.
final class HubCounts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    var text: String {
        counts.withLock { counts in counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined() }
    }
}

/// A request with the address that it comes from.
struct HubContext: RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
