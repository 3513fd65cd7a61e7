public import SystemFoundation

/// Reads regular files, and refuses all others: opening a pipe waits for its writer, and a device may never end.
public enum RegularFile {
    /// A pipe, a socket or a device is in the place of a file.
    private struct Refusal: Error, CustomStringConvertible {
        let description = "It is a pipe, a socket or a device, and not a regular file"
    }

    /// Returns the first bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A symbolic link is followed.
    ///   - count: The most bytes to read.
    /// - Throws: An error whose reason ``FileErrorReason`` returns.
    public static func bytes(atPath path: String, upToCount count: Int = .max) throws -> Data {
        #if os(Windows)
            return try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: count) ?? Data()
        #else
            // With this flag, the system opens a pipe without waiting.
            let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor < 0 { throw systemError }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var status = stat()
            if fstat(descriptor, &status) != 0 { throw systemError }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return try file.read(upToCount: min(count, Int(clamping: status.st_size))) ?? Data()
            case S_IFDIR: throw POSIXError(.EISDIR)
            default: throw Refusal()
            }
        #endif
    }

    /// The error of the system call that failed.
    private static var systemError: any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
