/// A statement's text and the values for its parameters.
struct BoundStatement: Sendable {
    var text: String
    var values: [SQLiteValue]
    /// By what a connection finds the prepared statement of a text that is used again; nil for other texts.
    var number: Int?
    /// What to run instead when this one takes too long.
    var detour: Detour?
    /// Makes what to run instead where the store lacks an index of the plan: the same without it.
    var unplanned: (@Sendable () throws -> BoundStatement)?

    /// A statement with the same result.
    final class Detour: Sendable {
        /// How many steps SQLite's machine may take before.
        let stepLimit: Int
        let statement: BoundStatement

        init(stepLimit: Int, statement: BoundStatement) {
            self.stepLimit = stepLimit
            self.statement = statement
        }
    }

    init(_ statement: SQLStatement) {
        text = statement.text
        values = statement.values
    }

    init(text: String, values: [SQLiteValue], number: Int) {
        self.text = text
        self.values = values
        self.number = number
    }

    /// The number of rows, as a statement of its own.
    var counted: BoundStatement { mapText { "SELECT count(*) FROM (\($0))" } }

    /// The statement with another text around its own, which binds the same values.
    func mapText(_ transform: @escaping @Sendable (String) -> String) -> BoundStatement {
        var result = self
        result.text = transform(text)
        result.number = nil
        result.detour = detour.map { Detour(stepLimit: $0.stepLimit, statement: $0.statement.mapText(transform)) }
        if let unplanned { result.unplanned = { try unplanned().mapText(transform) } }
        return result
    }
}
