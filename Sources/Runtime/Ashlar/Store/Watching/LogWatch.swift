import Dispatch
import Synchronization
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

/// Detects writes to a write-ahead log.
///
/// Apple's systems use kqueue, Linux and Android inotify. If the system has neither, has no more watches, or cannot
/// watch a network volume, the file's length and date are checked from time to time.
struct LogWatch: Sendable {
    let path: String
    /// Whether to check the file from time to time, even if the system reports changes.
    var polls = false
    let queue: DispatchQueue

    /// The time between two checks, in milliseconds.
    private static let interval = 500

    /// Returns the source that calls a closure when the log is written.
    func makeSource(_ handler: @escaping @Sendable () -> Void) -> any DispatchSourceProtocol {
        polls ? makePollingSource(handler) : makeSystemSource(handler) ?? makePollingSource(handler)
    }

    private func makePollingSource(_ handler: @escaping @Sendable () -> Void) -> any DispatchSourceProtocol {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let last = LastStamp(FileSystem.stamp(ofFile: path))
        source.setEventHandler { [path] in
            if last.replace(with: FileSystem.stamp(ofFile: path)) { handler() }
        }
        let interval = DispatchTimeInterval.milliseconds(Self.interval)
        source.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(Self.interval / 5))
        return source
    }

    /// The file's attributes at the last check.
    private final class LastStamp: Sendable {
        private let stamp: Mutex<FileSystem.Stamp?>

        init(_ stamp: FileSystem.Stamp?) { self.stamp = Mutex(stamp) }

        /// Returns whether the file's attributes changed, or whether another write might leave them the same.
        func replace(with new: FileSystem.Stamp?) -> Bool {
            stamp.withLock { stamp in
                defer { stamp = new }
                return stamp != new || new.map { !$0.isOld } ?? false
            }
        }
    }

    /// Returns the system's source of notifications; nil if there is none.
    private func makeSystemSource(_ handler: @escaping @Sendable () -> Void) -> (any DispatchSourceProtocol)? {
        #if canImport(Darwin)
            let descriptor = open(path, O_EVTONLY)
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
            source.setEventHandler(handler: handler)
            source.setCancelHandler { close(descriptor) }
            return source
        #elseif os(Linux) || os(Android)
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            guard inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
                close(descriptor)
                return nil
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                // Only the fact of an event matters, but the events must be read from the queue.
                var buffer = [UInt8](repeating: 0, count: 4096)
                while read(descriptor, &buffer, buffer.count) > 0 {}
                handler()
            }
            source.setCancelHandler { close(descriptor) }
            return source
        #else
            return nil
        #endif
    }
}
