import AshlarSQLite
import Synchronization
public import SystemFoundation

/// A recorder that writes a program's statements to a file, from which `ashlar advise` suggests indexes.
///
///     let recorder = try StatementRecorder(to: url)
///     configuration.statementObserver = recorder.observer
///
/// The environment variable `ASHLAR_SQL_RECORD=FILE` does the same without a change of the program, in addition to
/// other observers. The file has one line of JSON for a statement: its text, count, duration and number of rows.
/// Several lines may be about one statement, and several programs may write to one file. Values are not written;
/// parameters appear as `?`.
///
/// A statement is written when it first runs. Its count is written from time to time, by ``flush()``, at the end of the
/// process, and at the end of the recorder.
public final class StatementRecorder: Sendable {
    /// The content of a line of the file: a statement's counts since its previous line.
    private struct Line: Encodable {
        var sql: String
        var count = 0
        var microseconds: Int64 = 0
        var rows = 0
        /// The length of the longest list of values; nil without one.
        var list: Int?

        mutating func add(_ event: StatementEvent, _ shape: StatementShape) {
            count += 1
            rows += event.rowCount
            let (seconds, attoseconds) = event.duration.components
            microseconds += seconds * 1_000_000 + attoseconds / 1_000_000_000_000
            if shape.listSize > 0 { list = max(list ?? 0, shape.listSize) }
        }
    }

    private struct State {
        /// The counts that are not yet in the file, by the statement's text.
        var pending: [String: Line] = [:]
        /// The statements that are in the file.
        var known: Set<String> = []
        /// The shapes of statement texts, which occur repeatedly.
        var shapes: [String: StatementShape] = [:]
        var nextFlush: ContinuousClock.Instant
        var interval = Duration.seconds(1)
        var failure: StatementRecorderError?
    }

    /// The maximum number of different statements to keep. A program has hundreds at most, because they do not contain
    /// values.
    static let maximumCount = 5000
    /// The greatest length of a statement in bytes.
    static let maximumLength = 100_000

    /// The file.
    public let url: URL
    private let state = Mutex(State(nextFlush: .now))
    private let file: AppendedFile

    /// Creates a recorder that appends to a file, which is created if it does not exist.
    ///
    ///     let recorder = try StatementRecorder(to: url)
    ///
    /// - Parameter url: The file.
    /// - Throws: ``StatementRecorderError/notOpened(_:reason:)`` if the file cannot be opened or created.
    public init(to url: URL) throws(StatementRecorderError) {
        self.url = url
        file = try AppendedFile(url)
    }

    deinit { try? flush() }

    /// The observer for ``ModelConfiguration/statementObserver`` or ``ModelContext/statementObserver``. It retains the
    /// recorder.
    ///
    ///     context.statementObserver = try StatementRecorder(to: url).observer
    public var observer: StatementObserver { StatementObserver { self.record($0) } }

    /// Writes everything that is not yet in the file.
    ///
    ///     let recorder = try StatementRecorder(to: url)
    ///     try recorder.flush()
    ///
    /// - Throws: ``StatementRecorderError/notWritten(_:reason:)`` if it cannot be written, or could not be before. It
    ///   is lost then.
    public func flush() throws(StatementRecorderError) {
        let failure = state.withLock { state in
            write(&state)
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    func record(_ event: StatementEvent) {
        guard StatementShape.isOfModel(event.sql), event.sql.utf8.count <= Self.maximumLength else { return }
        state.withLock { state in
            let shape = Self.shape(of: event.sql, &state)
            let isNew = !state.known.contains(shape.sql)
            if isNew, state.known.count >= Self.maximumCount { return }
            state.known.insert(shape.sql)
            state.pending[shape.sql, default: Line(sql: shape.sql)].add(event, shape)
            if isNew || ContinuousClock.now >= state.nextFlush { write(&state) }
        }
    }

    private static func shape(of sql: String, _ state: inout State) -> StatementShape {
        if let shape = state.shapes[sql] { return shape }
        if state.shapes.count >= maximumCount { state.shapes = [:] }
        let shape = StatementShape(sql)
        state.shapes[sql] = shape
        return shape
    }

    /// Appends all pending lines in a single write, so that lines of other processes are not split.
    private func write(_ state: inout State) {
        if state.pending.isEmpty { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = Data()
        for line in state.pending.values.sorted(by: { $0.sql < $1.sql }) {
            guard let bytes = try? encoder.encode(line) else { continue }
            data += bytes + Data("\n".utf8)
        }
        state.pending = [:]
        do throws(StatementRecorderError) {
            try file.append(data)
        } catch {
            state.failure = error
        }
        // The longer a program runs, the fewer new statements it has.
        state.nextFlush = .now + state.interval
        state.interval = min(state.interval * 2, .seconds(600))
    }
}

extension StatementRecorder {
    /// The recorder of the environment variable `ASHLAR_SQL_RECORD`. It also writes at the end of the process.
    static let environment: StatementRecorder? = {
        guard let path = ProcessInfo.processInfo.environment["ASHLAR_SQL_RECORD"], !path.isEmpty else { return nil }
        do throws(StatementRecorderError) {
            let recorder = try StatementRecorder(to: URL(fileURLWithPath: path))
            atexit { try? StatementRecorder.environment?.flush() }
            return recorder
        } catch {
            RuntimeWarning.report("\(error)")
            return nil
        }
    }()
}

/// An error of recording statements.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum StatementRecorderError: Error, Sendable, Hashable {
    /// The file cannot be opened or created.
    case notOpened(URL, reason: String)
    /// The file cannot be written, so it lacks counts.
    case notWritten(URL, reason: String)
}

extension StatementRecorderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notOpened(let url, let reason):
            "Statements cannot be recorded in \(url.path): \(reason). Name a file in a folder that can be written."
        case .notWritten(let url, let reason):
            "Recorded statements could not be written to \(url.path): \(reason). Make room, and record them anew."
        }
    }
}
