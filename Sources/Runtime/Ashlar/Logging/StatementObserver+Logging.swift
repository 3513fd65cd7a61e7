import AshlarSQLite
public import Logging
import SystemFoundation

extension StatementObserver {
    /// Returns an observer that writes statements to a log of swift-log.
    ///
    /// It writes at the level `info`, or at `warning` with a threshold.
    ///
    ///     configuration.statementObserver = .log(slowerThan: .milliseconds(50))
    ///
    /// - Parameters:
    ///   - level: The amount to write.
    ///   - threshold: The minimum duration of a statement to write; nil for all statements.
    ///   - logger: The log. It defaults to one with the label `ashlar.sql`.
    public static func log(
        _ level: Level = .statements, slowerThan threshold: Duration? = nil, to logger: Logger? = nil
    ) -> StatementObserver {
        let logger = logger ?? Logger(label: "ashlar.sql")
        let logLevel: Logger.Level = threshold == nil ? .info : .warning
        return StatementObserver(level: level, slowerThan: threshold) { event in
            logger.log(level: logLevel, "\(event)")
        }
    }

    /// The observer of a context, with that of the environment variable `ASHLAR_SQL_RECORD` beside it.
    static func recording(_ observer: StatementObserver?) -> StatementObserver? {
        guard let recording = environmentRecording else { return observer }
        return recording.joined(with: observer)
    }

    private static let environmentRecording = StatementRecorder.environment?.observer

    /// The observer that the environment variable `ASHLAR_SQL_DEBUG` specifies.
    static let environment = observer(named: ProcessInfo.processInfo.environment["ASHLAR_SQL_DEBUG"])

    /// The observer of a value of the environment variable; anything but a number of at least 1 is none.
    static func observer(named value: String?) -> StatementObserver? {
        guard let number = value.flatMap({ Int($0) }), number > 0 else { return nil }
        return .log(Level(rawValue: number) ?? .plan)
    }
}
