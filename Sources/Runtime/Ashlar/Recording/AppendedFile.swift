import FileErrors
import SystemFoundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A file to which several processes append at the same time.
final class AppendedFile: Sendable {
    private let url: URL
    private let handle: FileHandle

    /// Opens a file, or creates it.
    init(_ url: URL) throws(StatementRecorderError) {
        self.url = url
        #if os(Windows)
            do {
                if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
                handle = try FileHandle(forWritingTo: url)
            } catch {
                throw .notOpened(url, reason: FileErrorReason.text(error))
            }
        #else
            // Statements reveal a user's searches, so only the user may read the file.
            let descriptor = open(url.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            if descriptor < 0 { throw .notOpened(url, reason: String(cString: strerror(errno))) }
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        #endif
    }

    /// Appends bytes in a single write, as far as the system supports it.
    func append(_ data: Data) throws(StatementRecorderError) {
        do {
            #if os(Windows)
                try handle.seekToEnd()
            #endif
            try handle.write(contentsOf: data)
        } catch {
            throw .notWritten(url, reason: FileErrorReason.text(error))
        }
    }
}
