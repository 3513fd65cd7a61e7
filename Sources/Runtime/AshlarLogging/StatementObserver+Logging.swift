public import Ashlar
public import Logging

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
}
