import Foundation

/// What a server answered.
struct Answer {
    var status: Int
    var text: String
}

/// A connection that sends bytes as they are, which no client for HTTP does.
enum RawConnection {
    struct Failure: Error {
        var what: String
    }

    static func answer(_ bytes: Data, _ port: Int) throws -> Answer {
        #if canImport(Darwin)
            let stream = SOCK_STREAM
        #else
            let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let socket = socket(AF_INET, stream, 0)
        if socket < 0 { throw Failure(what: "socket") }
        defer { close(socket) }
        var time = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
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
                #if canImport(Darwin)
                    let count = send(socket, base + sent, bytes.count - sent, 0)
                #else
                    // The server may have hung up on what is too long.
                    let count = send(socket, base + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                #endif
                if count <= 0 { break }
                sent += count
            }
        }
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count <= 0 { break }
            received += buffer[..<count]
        }
        let text = String(decoding: received, as: UTF8.self)
        return Answer(status: text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, text: text)
    }
}
