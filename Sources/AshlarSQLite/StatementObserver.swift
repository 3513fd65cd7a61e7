import SystemFoundation

/// Who is told of the statements that contexts run: a log, or a program's own metrics.
///
///     configuration.statementObserver = .log(.plan)
///     context.statementObserver = StatementObserver(slowerThan: .milliseconds(50)) { metrics.record($0) }
///
/// Set one on `ModelConfiguration` for all contexts of a container, or on a `ModelContext`. Without one, nothing is
/// measured and nothing paid. The environment variable `ASHLAR_SQL_DEBUG=1`, to 4, logs the statements of a program that
/// says nothing. Core Data's `com.apple.CoreData.SQLDebug`.
public struct StatementObserver: Sendable {
    /// How much is told of a statement. Each level tells all that those below it do.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// The text, the time, and the number of rows.
        case statements = 1
        /// The values that are bound. They can be private.
        case values
        /// The rows. They can be private.
        case rows
        /// The query plan, for which SQLite prepares each statement once more.
        case plan

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// How much is told.
    public let level: Level
    /// Only statements that take at least so long are told of; all when nil.
    public let threshold: Duration?
    package let handler: @Sendable (StatementEvent) -> Void
    /// Two observers are equal when one is a copy of the other.
    private let identity = UUID()

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - level: How much to tell.
    ///   - threshold: The least time of a statement to tell of; nil for all statements.
    ///   - handler: Gets each statement after it ended, on the thread that ran it, before the call of the context returns.
    ///     It must not use the container or its contexts.
    public init(
        level: Level = .statements, slowerThan threshold: Duration? = nil,
        _ handler: @escaping @Sendable (StatementEvent) -> Void
    ) {
        self.level = level
        self.threshold = threshold
        self.handler = handler
    }

    /// Combines the observer with another one. Each receives the details that it asked for.
    package func joined(with other: StatementObserver?) -> StatementObserver {
        guard let other, other != self else { return self }
        let both = [self, other]
        let thresholds = both.compactMap(\.threshold)
        return StatementObserver(
            level: max(level, other.level), slowerThan: thresholds.count == 2 ? thresholds.min() : nil
        ) { event in
            for observer in both where observer.threshold.map({ event.duration >= $0 }) ?? true {
                observer.handler(event)
            }
        }
    }
}

extension StatementObserver: Hashable {
    public static func == (left: StatementObserver, right: StatementObserver) -> Bool {
        left.identity == right.identity
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
