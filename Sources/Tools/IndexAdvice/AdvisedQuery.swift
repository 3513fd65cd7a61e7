public import DataModel

/// A statement to find indexes for.
public struct AdvisedQuery: Sendable, Hashable {
    /// The origin of a statement.
    public enum Origin: Sendable, Hashable {
        /// A fetch request template.
        case template(String, ofEntity: String)
        /// A fetched property.
        case fetchedProperty(String, ofEntity: String)
        /// A program that ran it.
        case recorded
    }

    public var origin: Origin
    public var sql: String
    /// The place in the model; nil for a statement that a program ran.
    public var location: SourceLocation?
    /// The number of runs by a program and their duration; nil for a query of the model.
    public var usage: RecordedUsage?

    /// Makes a statement to find indexes for.
    package init(origin: Origin, sql: String, location: SourceLocation? = nil, usage: RecordedUsage? = nil) {
        self.origin = origin
        self.sql = sql
        self.location = location
        self.usage = usage
    }

    /// The query in a sentence.
    public var title: String {
        switch origin {
        case .template(let name, let entity): "Fetch request '\(name)' of '\(entity)'"
        case .fetchedProperty(let name, let entity): "Fetched property '\(name)' of '\(entity)'"
        case .recorded: "A recorded statement"
        }
    }

    /// The weight of the query, which depends on the recorded time if there is any.
    var importance: Double { usage.map { 1 + $0.seconds * 1000 + Double($0.count) / 1000 } ?? 1 }
}

/// The number of runs of a statement, and their total duration.
public struct RecordedUsage: Sendable, Hashable {
    public var count: Int
    public var seconds: Double
    /// The total number of returned rows.
    public var rowCount: Int

    public init(count: Int, seconds: Double, rowCount: Int) {
        self.count = count
        self.seconds = seconds
        self.rowCount = rowCount
    }
}
