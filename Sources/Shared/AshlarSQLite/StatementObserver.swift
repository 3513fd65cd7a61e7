import SystemFoundation

/// An observer of the statements that contexts execute, for a log or a program's metrics.
///
///     context.statementObserver = StatementObserver(slowerThan: .milliseconds(50)) { metrics.record($0) }
///
/// Set one on `ModelConfiguration` for all contexts of a container, or on a `ModelContext`. Without one, nothing is
/// measured. The environment variable `ASHLAR_SQL_DEBUG` with a value from 1 to 4 prints the statements of a program
/// that sets none, to standard error. The product `AshlarLogging` has observers that write to swift-log. Core Data's
/// counterpart is `com.apple.CoreData.SQLDebug`.
public struct StatementObserver: Sendable {
    /// The amount of information about a statement. Each level includes those before it.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// The text, the duration, and the number of rows.
        case statements = 1
        /// The bound values, which may be private.
        case values
        /// The rows, which may be private.
        case rows
        /// The query plan, for which SQLite prepares each statement once more.
        case plan

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The amount of information about a statement.
    public let level: Level
    /// The minimum duration of reported statements; nil reports all.
    public let threshold: Duration?
    package let handler: @Sendable (StatementEvent) -> Void
    /// Two observers are equal when one is a copy of the other.
    private let identity = UUID()

    /// Creates an observer.
    ///
    ///     context.statementObserver = StatementObserver(level: .values) { event in
    ///         print(event.expandedSQL ?? event.sql)
    ///     }
    ///
    /// - Parameters:
    ///   - level: The amount of information about a statement.
    ///   - threshold: The minimum duration of reported statements; nil reports all.
    ///   - handler: Receives each statement after it ended, on the thread that executed it, before the context's call
    ///     returns. It must not use the container or its contexts.
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
