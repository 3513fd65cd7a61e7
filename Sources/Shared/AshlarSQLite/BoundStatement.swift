import Synchronization

/// A statement's text and the values for its parameters.
package struct BoundStatement: Sendable {
    package var text: String
    package var values: [SQLiteValue]
    /// The number by which a connection finds the prepared statement of a reused text; nil for other texts.
    package var number: Int?
    /// The statement that runs instead if this one takes too long.
    package var detour: Detour?
    /// Makes the statement that runs instead if the store lacks an index of the plan.
    package var unplanned: (@Sendable () throws -> BoundStatement)?

    /// A statement with the same result.
    package final class Detour: Sendable {
        /// The number of virtual machine steps before the detour.
        package let stepLimit: Int
        package let statement: BoundStatement

        package init(stepLimit: Int, statement: BoundStatement) {
            self.stepLimit = stepLimit
            self.statement = statement
        }
    }

    private static let lastNumber = Atomic<Int>(0)

    /// A new ``number``, which no other text has.
    package static func newNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    package init(text: String, values: [SQLiteValue], number: Int? = nil) {
        self.text = text
        self.values = values
        self.number = number
    }

    /// The statement that counts the rows of this one.
    package var counted: BoundStatement { mapText { "SELECT count(*) FROM (\($0))" } }

    /// The statement with a text around its own. It binds the same values.
    package func mapText(_ transform: @escaping @Sendable (String) -> String) -> BoundStatement {
        var result = self
        result.text = transform(text)
        result.number = nil
        result.detour = detour.map { Detour(stepLimit: $0.stepLimit, statement: $0.statement.mapText(transform)) }
        if let unplanned { result.unplanned = { try unplanned().mapText(transform) } }
        return result
    }
}
