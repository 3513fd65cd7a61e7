import AshlarSQLite
import SystemFoundation

extension StatementObserver {
    /// Returns the observer of a context, combined with that of the environment variable `ASHLAR_SQL_RECORD`.
    static func recording(_ observer: StatementObserver?) -> StatementObserver? {
        guard let recording = environmentRecording else { return observer }
        return recording.joined(with: observer)
    }

    private static let environmentRecording = StatementRecorder.environment?.observer

    /// The observer that the environment variable `ASHLAR_SQL_DEBUG` specifies.
    static let environment = observer(named: ProcessInfo.processInfo.environment["ASHLAR_SQL_DEBUG"])

    /// Returns the observer for a value of the environment variable; nil unless it is a number of at least 1.
    static func observer(named value: String?, writingTo output: ErrorOutput = .shared) -> StatementObserver? {
        guard let number = value.flatMap({ Int($0) }), number > 0 else { return nil }
        return StatementObserver(level: Level(rawValue: number) ?? .plan) { event in output.write("\(event)") }
    }
}
