import Synchronization

/// A statement's text and the values for its parameters.
package struct BoundStatement: Sendable {
    package var text: String
    package var values: [SQLiteValue]
    /// By what a connection finds the prepared statement of a text that is used again; nil for other texts.
    package var number: Int?
    /// What to run instead when this one takes too long.
    package var detour: Detour?
    /// Makes what to run instead where the store lacks an index of the plan: the same without it.
    package var unplanned: (@Sendable () throws -> BoundStatement)?

    /// A statement with the same result.
    package final class Detour: Sendable {
        /// How many steps SQLite's machine may take before.
        package let stepLimit: Int
        package let statement: BoundStatement

        package init(stepLimit: Int, statement: BoundStatement) {
            self.stepLimit = stepLimit
            self.statement = statement
        }
    }

    private static let lastNumber = Atomic<Int>(0)

    /// A ``number`` that no other text has.
    package static func newNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    package init(text: String, values: [SQLiteValue], number: Int? = nil) {
        self.text = text
        self.values = values
        self.number = number
    }

    /// The number of rows, as a statement of its own.
    package var counted: BoundStatement { mapText { "SELECT count(*) FROM (\($0))" } }

    /// The statement with another text around its own, which binds the same values.
    package func mapText(_ transform: @escaping @Sendable (String) -> String) -> BoundStatement {
        var result = self
        result.text = transform(text)
        result.number = nil
        result.detour = detour.map { Detour(stepLimit: $0.stepLimit, statement: $0.statement.mapText(transform)) }
        if let unplanned { result.unplanned = { try unplanned().mapText(transform) } }
        return result
    }
}
