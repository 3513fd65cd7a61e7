import AshlarSync
import CLibPQ
import Foundation

/// An error of PostgreSQL, with its SQLSTATE for programs.
public struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The five characters of the SQLSTATE; empty if the server sent none.
    public var state: String
    /// The message of the server or the client library.
    public var message: String

    public var description: String { state.isEmpty ? message : "\(message) (\(state))" }

    /// Whether the server was not reachable, or ended the connection. The same may succeed on another connection.
    var isLost: Bool {
        state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") || state.hasPrefix("53") || isOutdated
    }
    /// Whether the server no longer has a prepared statement, or had to prepare it again after a change of the tables
    /// that changes the types of its result.
    private var isOutdated: Bool { state == "26000" || state == "0A000" }
    /// Whether the server did not answer in time. It is asked again later, and not at once.
    var isTimeout: Bool { state == Self.timeout }
    /// The SQLSTATE of a statement that took too long.
    fileprivate static let timeout = "57014"
    /// Whether another transaction was in the way.
    var isRetryable: Bool { state == "40001" || state == "40P01" || state == "23505" }
}

/// A value that a statement gets.
enum PostgresValue {
    case text(String)
    case integer(Int64)
    case bytes(Data)
    case null
}

/// One connection to a server, for one thread at a time.
final class PostgresConnection {
    private let handle: OpaquePointer
    /// The names of the statements that the server has prepared, by their text. There are as many as this package has.
    private var prepared: [String: String] = [:]
    /// The maximum time for an answer.
    private var patience: Duration
    /// True if the wait for an answer was given up.
    private var isAbandoned = false

    /// Connects.
    ///
    /// - Parameter patience: The maximum time for connecting, and for each answer.
    init(_ address: String, patience: Duration) throws {
        guard let handle = PQconnectStart(address) else {
            throw PostgresError(state: "", message: "there is no memory for a connection")
        }
        self.handle = handle
        self.patience = patience
        // The handle is freed by deinit, which runs after an error, too, as all properties have values.
        try connect()
        // The server's notices are ignored.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0 else { throw lost }
        try limitStatements()
    }

    deinit { PQfinish(handle) }

    /// Whether the connection can be used again.
    var isGood: Bool {
        !isAbandoned && PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    /// Runs a closure with statements that may take an hour.
    func patiently<Result>(_ body: () throws -> Result) throws -> Result {
        let before = patience
        patience = .seconds(3600)
        try limitStatements()
        defer {
            patience = before
            try? limitStatements()
        }
        return try body()
    }

    /// Has the server end statements whose answers this connection no longer waits for.
    private func limitStatements() throws {
        try run("SET statement_timeout = \(patience.components.seconds * 1000)")
    }

    private func connect() throws {
        let end = ContinuousClock.now + patience
        var wanted = PGRES_POLLING_WRITING
        while wanted != PGRES_POLLING_OK {
            guard PQstatus(handle) != CONNECTION_BAD, wanted != PGRES_POLLING_FAILED else { throw lost }
            try wait(for: wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: end)
            wanted = PQconnectPoll(handle)
        }
    }

    private var lost: PostgresError { PostgresError(state: "", message: Self.message(handle)) }

    /// Waits until the server sent something, or takes something.
    private func wait(for events: some BinaryInteger, until end: ContinuousClock.Instant) throws {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        guard descriptor.fd >= 0 else { throw lost }
        while true {
            let left = (end - ContinuousClock.now) / Duration.milliseconds(1)
            guard left > 0 else {
                isAbandoned = true
                throw PostgresError(state: PostgresError.timeout, message: "the server did not answer in time")
            }
            let count = poll(&descriptor, 1, Int32(left.rounded(.up)))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw PostgresError(state: "", message: String(cString: strerror(errno))) }
        }
    }

    /// Waits for the last result of a statement.
    private func result(_ isSent: Int32) throws -> OpaquePointer? {
        guard isSent == 1 else { throw lost }
        let end = ContinuousClock.now + patience
        while true {
            let rest = PQflush(handle)
            if rest == 0 { break }
            guard rest > 0 else { throw lost }
            try wait(for: POLLIN | POLLOUT, until: end)
            guard PQconsumeInput(handle) == 1 else { throw lost }
        }
        var last: OpaquePointer?
        do {
            while true {
                while PQisBusy(handle) == 1 {
                    try wait(for: POLLIN, until: end)
                    guard PQconsumeInput(handle) == 1 else { throw lost }
                }
                guard let next = PQgetResult(handle) else { return last }
                PQclear(last)
                last = next
            }
        } catch {
            PQclear(last)
            throw error
        }
    }

    private static func message(_ handle: OpaquePointer) -> String {
        String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs one statement, and returns its rows as texts. Bytes have the form that PostgreSQL gives them in texts.
    ///
    /// A statement with values is prepared when it first runs on the connection. So there must be few different texts.
    ///
    /// - Parameter isKept: False for a text that is one of many, which the server does not keep.
    @discardableResult
    func run(_ sql: String, _ values: [PostgresValue] = [], isKept: Bool = true) throws -> [[String?]] {
        var buffers: [UnsafeMutablePointer<CChar>?] = []
        var lengths: [Int32] = []
        var formats: [Int32] = []
        defer { for buffer in buffers { buffer?.deallocate() } }
        func add(_ bytes: some Collection<UInt8>, format: Int32) {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[bytes.count] = 0
            buffers.append(buffer)
            lengths.append(Int32(bytes.count))
            formats.append(format)
        }
        for value in values {
            switch value {
            case .text(let text): add(Array(text.utf8), format: 0)
            case .integer(let number): add(Array("\(number)".utf8), format: 0)
            case .bytes(let data):
                let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: data.count + 1)
                data.copyBytes(to: UnsafeMutableRawBufferPointer(start: buffer, count: data.count))
                buffers.append(buffer)
                lengths.append(Int32(data.count))
                formats.append(1)
            case .null:
                buffers.append(nil)
                lengths.append(0)
                formats.append(0)
            }
        }
        let pointers = buffers.map { $0.map { UnsafePointer($0) } }
        let count = Int32(values.count)
        let result =
            if values.isEmpty {
                try self.result(PQsendQuery(handle, sql))
            } else if isKept {
                try self.result(
                    PQsendQueryPrepared(handle, try prepare(sql, count), count, pointers, lengths, formats, 0))
            } else {
                try self.result(PQsendQueryParams(handle, sql, count, nil, pointers, lengths, formats, 0))
            }
        defer { PQclear(result) }
        return try rows(result)
    }

    /// Returns the name of a prepared statement.
    private func prepare(_ sql: String, _ count: Int32) throws -> String {
        if let name = prepared[sql] { return name }
        let name = "ashlar\(prepared.count)"
        let result = try result(PQsendPrepare(handle, name, sql, count, nil))
        defer { PQclear(result) }
        _ = try rows(result)
        prepared[sql] = name
        return name
    }

    /// Runs a closure in a transaction.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    /// Runs statements without values, all in one transaction.
    func runScript(_ sql: String) throws {
        let result = try result(PQsendQuery(handle, sql))
        defer { PQclear(result) }
        _ = try rows(result)
    }

    private func rows(_ result: OpaquePointer?) throws -> [[String?]] {
        guard let result else { throw lost }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
        default:
            let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? ""
            throw PostgresError(state: state, message: Self.message(handle))
        }
        let width = PQnfields(result)
        return (0..<PQntuples(result)).map { row in
            (0..<width).map { column in
                PQgetisnull(result, row, column) == 1
                    ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }

    // MARK: Notifications

    /// Waits for notifications of the server, some milliseconds at most, and returns their texts.
    func notifications(waiting milliseconds: Int32) throws -> [String] {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard descriptor.fd >= 0 else { throw PostgresError(state: "", message: "the connection is gone") }
        let count = poll(&descriptor, 1, milliseconds)
        if count < 0 && errno != EINTR { throw PostgresError(state: "", message: String(cString: strerror(errno))) }
        if count > 0, PQconsumeInput(handle) == 0 { throw PostgresError(state: "", message: Self.message(handle)) }
        var found: [String] = []
        while let notice = PQnotifies(handle) {
            found.append(String(cString: notice.pointee.extra))
            PQfreemem(notice)
        }
        return found
    }
}

extension String {
    /// The bytes that PostgreSQL writes as hexadecimal digits behind `\x`.
    var postgresBytes: Data? {
        let digits = utf8.dropFirst(2)
        guard utf8.starts(with: [0x5C, 0x78]), digits.count % 2 == 0 else { return nil }
        func value(_ digit: UInt8) -> UInt8? {
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x61...0x66: digit - 0x57
            default: nil
            }
        }
        var data = Data(capacity: digits.count / 2)
        var place = digits.startIndex
        while place < digits.endIndex {
            let next = digits.index(after: place)
            guard let high = value(digits[place]), let low = value(digits[next]) else { return nil }
            data.append(high << 4 | low)
            place = digits.index(after: next)
        }
        return data
    }
}
