import Foundation

/// What a server answered.
struct Answer {
    var status: Int
    var text: String

    /// What is behind the fields of the answer.
    var body: String { text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "" }
}

/// A connection that sends bytes as they are, which no client for HTTP does.
enum RawConnection {
    struct Failure: Error {
        var what: String
    }

    /// What comes back for some bytes.
    ///
    /// - Parameters:
    ///   - isComplete: Whether what came so far is all; otherwise all is what comes until the server closes the connection.
    ///   - milliseconds: How long a silence may last.
    static func answer(
        _ bytes: Data, _ port: Int, milliseconds: Int = 120_000,
        isComplete: @escaping @Sendable (Data) -> Bool = { _ in false }
    ) async throws -> Answer {
        // It waits on a thread of its own: the server needs those of tasks, and those of queues.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try waitForAnswer(bytes, port, milliseconds, isComplete) })
            }
        }
    }

    private static func waitForAnswer(
        _ bytes: Data, _ port: Int, _ milliseconds: Int, _ isComplete: (Data) -> Bool
    ) throws -> Answer {
        #if canImport(Darwin)
            let (stream, flags) = (SOCK_STREAM, Int32(0))
        #else
            // The server may have hung up on what is too long.
            let (stream, flags) = (Int32(SOCK_STREAM.rawValue), Int32(MSG_NOSIGNAL))
        #endif
        let socket = socket(AF_INET, stream, 0)
        if socket < 0 { throw Failure(what: "socket") }
        defer { close(socket) }
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: .init(milliseconds % 1000 * 1000))
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if connected != 0 { throw Failure(what: "connect") }
        var sent = 0
        bytes.withUnsafeBytes { bytes in
            while sent < bytes.count, let base = bytes.baseAddress {
                let count = send(socket, base + sent, bytes.count - sent, flags)
                if count <= 0 { break }
                sent += count
            }
        }
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isComplete(received) {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count <= 0 { break }
            received += buffer[..<count]
        }
        let text = String(decoding: received, as: UTF8.self)
        return Answer(status: text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, text: text)
    }
}
