import Synchronization
import SystemFoundation

/// Warnings about errors that no call can throw.
///
/// They go to standard error, unless the program passed a log to `ModelContainer.logWarnings(to:)` of `AshlarLogging`.
package enum RuntimeWarning {
    private static let receiver = Mutex<(@Sendable (String) -> Void)?>(nil)
    /// Receives the warnings of a task in place of everything else; for tests.
    @TaskLocal static var observer: (@Sendable (String) -> Void)?

    /// Sends later warnings to a closure; nil for standard error.
    package static func send(to receiver: (@Sendable (String) -> Void)?) {
        self.receiver.withLock { $0 = receiver }
    }

    static func report(_ text: String) {
        if let observer { return observer(text) }
        if let receiver = receiver.withLock({ $0 }) { return receiver(text) }
        ErrorOutput.shared.write("Warning of Ashlar: \(text)")
    }
}

/// The program's standard error, to which the runtime writes lines.
struct ErrorOutput: Sendable {
    static let shared = ErrorOutput(FileHandle(fileDescriptor: 2, closeOnDealloc: false))

    private let file: FileHandle

    init(_ file: FileHandle) { self.file = file }

    /// Writes a line in a single piece, so that lines of several threads do not mix. Errors of a closed output are
    /// ignored.
    func write(_ line: String) { try? file.write(contentsOf: Data("\(line)\n".utf8)) }
}
