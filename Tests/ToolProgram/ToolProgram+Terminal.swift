#if os(Linux)
    public import Foundation
    import Glibc

    extension ToolProgram {
        /// A terminal could not be made.
        public struct NoTerminal: Error {
            public var errno: Int32
        }

        /// Runs the tool with its messages, or its results, on a terminal, and returns the terminal's output.
        public static func onTerminal(
            _ arguments: [String], in folder: URL, results: Bool = false, environment: [String: String] = [:]
        ) throws -> String {
            let leader = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            defer { close(leader) }
            // TIOCSPTLCK and TIOCGPTN: Swift's module of the C library lacks the functions for them.
            var lock: Int32 = 0
            var number: Int32 = 0
            guard leader >= 0, ioctl(leader, 0x4004_5431, &lock) == 0, ioctl(leader, 0x8004_5430, &number) == 0 else {
                throw NoTerminal(errno: errno)
            }
            let follower = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
            if follower < 0 { throw NoTerminal(errno: errno) }
            let terminal = FileHandle(fileDescriptor: follower, closeOnDealloc: false)
            do {
                defer { close(follower) }
                _ = try run(
                    arguments, in: folder, environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 },
                    results: results ? terminal : nil, messages: results ? nil : terminal)
            }
            var shown: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(leader, &buffer, buffer.count)
                if count <= 0 { break }
                shown += buffer[..<count]
            }
            return String(decoding: shown, as: UTF8.self)
        }
    }
#endif
