import AshlarSQLite
import Logging
import Synchronization
public import SystemFoundation

/// Writes the statements that a program runs to a file, for `ashlar advise` to find the indexes that they lack.
///
///     let recorder = try StatementRecorder(to: url)
///     configuration.statementObserver = recorder.observer
///
/// The environment variable `ASHLAR_SQL_RECORD=FILE` does it without a change of the program, and beside any other
/// observer. The file has one line of JSON for a statement, with its text, how often it ran, how long, and how many rows
/// it gave; several lines may be about one, and several programs may write to one file at a time. No values are written:
/// they are parameters, which stand as `?`.
///
/// A statement is in the file as soon as it ran once. How often it ran is written from time to time, and by ``flush()``,
/// at the end of the process, or of the recorder.
public final class StatementRecorder: Sendable {
    /// What a line of the file says of a statement since the line before.
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
        /// What is not yet in the file, by the statement's text.
        var pending: [String: Line] = [:]
        /// The statements that are in the file.
        var known: Set<String> = []
        /// The shapes of texts, which are the same again and again.
        var shapes: [String: StatementShape] = [:]
        var nextFlush: ContinuousClock.Instant
        var interval = Duration.seconds(1)
        var failure: StatementRecorderError?
    }

    /// The most different statements that are kept; a program has hundreds at most, as their values are not in them.
    static let maximumCount = 5000
    /// The greatest length of a statement in bytes.
    static let maximumLength = 100_000

    /// The file.
    public let url: URL
    private let state = Mutex(State(nextFlush: .now))
    private let file: AppendedFile

    /// Makes a recorder that appends to a file, which is made where there is none.
    ///
    /// - Throws: ``StatementRecorderError`` when the file cannot be opened or made.
    public init(to url: URL) throws(StatementRecorderError) {
        self.url = url
        file = try AppendedFile(url)
    }

    deinit { try? flush() }

    /// What tells the recorder of statements: for ``ModelConfiguration/statementObserver`` or
    /// ``ModelContext/statementObserver``. It keeps the recorder.
    public var observer: StatementObserver { StatementObserver { self.record($0) } }

    /// Writes what is not yet in the file.
    ///
    /// - Throws: ``StatementRecorderError`` when it cannot be written now, or could not be before. It is lost then.
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

    /// Appends all that is pending in one piece, so that other processes' lines are not torn.
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
        // The longer a program runs, the less often it has something new to say.
        state.nextFlush = .now + state.interval
        state.interval = min(state.interval * 2, .seconds(600))
    }
}

extension StatementRecorder {
    /// The recorder that the environment variable `ASHLAR_SQL_RECORD` asks for; it writes a last time at the end of the
    /// process.
    static let environment: StatementRecorder? = {
        guard let path = ProcessInfo.processInfo.environment["ASHLAR_SQL_RECORD"], !path.isEmpty else { return nil }
        do throws(StatementRecorderError) {
            let recorder = try StatementRecorder(to: URL(fileURLWithPath: path))
            atexit { try? StatementRecorder.environment?.flush() }
            return recorder
        } catch {
            Logger(label: "ashlar.sql").error("\(error)")
            return nil
        }
    }()
}

/// Why statements are not recorded.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum StatementRecorderError: Error, Sendable, Hashable {
    /// The file cannot be opened or made.
    case notOpened(URL, reason: String)
    /// The file cannot be written, so that counts are missing in it.
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
