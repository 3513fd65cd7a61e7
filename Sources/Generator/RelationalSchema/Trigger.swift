/// A trigger that synchronises something with the rows of a table, for every program that writes them.
public struct Trigger: Sendable, Hashable {
    public var name: String
    public var tableName: String
    /// The statement that creates the trigger.
    public var definition: String
}
