/// A trigger that keeps something in step with the rows of a table, whichever program writes them.
public struct Trigger: Sendable, Hashable {
    public var name: String
    public var tableName: String
    /// The statement that creates the trigger.
    public var definition: String
}
