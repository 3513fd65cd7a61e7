public import SystemFoundation

/// A request for transactions of a store's history, and for parts of their changes.
///
///     let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
///         .changing(Post.self, ["image", "title"])
///         .by(excluding: ["sync"])
///     for transaction in try container.fetchHistory(request) { … }
///
/// The store evaluates it in SQL, so the cost depends on the changes after its start. Core Data's counterpart is
/// `NSPersistentHistoryChangeRequest` with its fetch request.
public struct PersistentHistoryChangeRequest: Sendable, Hashable {
    /// The start of a request.
    public enum Start: Sendable, Hashable {
        /// The oldest transaction that was not deleted.
        case beginning
        /// The first transaction after a token.
        case token(PersistentHistoryToken)
        /// The first transaction that was committed after a date.
        case date(Date)
    }

    /// The parts of a transaction to return.
    public enum ResultType: Sendable, Hashable {
        /// Transactions with their changes.
        case transactionsAndChanges
        /// Transactions without their changes, which are not read.
        case transactionsOnly
    }

    /// An entity, and the updates of it that match.
    struct ChangeFilter: Sendable, Hashable {
        var entity: String
        var includesSubentities: Bool
        /// The properties that make an update match if it changes at least one of them; nil if every update matches.
        var properties: Set<String>?
    }

    /// The start of the result.
    public var start: Start
    /// The parts of a transaction to return. It defaults to transactions with their changes.
    public var resultType = ResultType.transactionsAndChanges
    /// The maximum number of transactions, the oldest first; 0, the default, sets no limit.
    public var fetchLimit = 0
    var changeFilters: [ChangeFilter] = []
    var authors: Set<String?>?
    var excludedAuthors: Set<String?> = []
    var contextNames: Set<String?>?

    /// Creates a request for all transactions after a start.
    ///
    ///     let request = PersistentHistoryChangeRequest(start: .date(yesterday))
    ///
    /// - Parameter start: The start. It defaults to the beginning of the history.
    public init(start: Start = .beginning) {
        self.start = start
    }

    /// A request for the whole history.
    ///
    ///     let transactions = try container.fetchHistory(.all)
    public static var all: Self { Self() }

    /// Returns a request for the transactions after a token, or for all if it is nil.
    ///
    ///     let transactions = try container.fetchHistory(.fetchHistory(after: token))
    ///
    /// - Parameter token: The token of the last processed transaction.
    public static func fetchHistory(after token: PersistentHistoryToken?) -> Self {
        Self(start: token.map(Start.token) ?? .beginning)
    }

    /// Returns a request for the transactions after another one.
    ///
    ///     let later = try container.fetchHistory(.fetchHistory(after: transaction))
    ///
    /// - Parameter transaction: The last processed transaction.
    public static func fetchHistory(after transaction: PersistentHistoryTransaction) -> Self {
        fetchHistory(after: transaction.token)
    }

    /// Returns a request for the transactions that were committed after a date.
    ///
    ///     let recent = try container.fetchHistory(.fetchHistory(after: yesterday))
    ///
    /// - Parameter date: The date.
    public static func fetchHistory(after date: Date) -> Self { Self(start: .date(date)) }

    // MARK: Filters

    /// Returns the request, restricted to transactions of certain authors.
    ///
    ///     let request = PersistentHistoryChangeRequest.all.by(["sync"])
    ///
    /// - Parameter authors: The authors; nil stands for transactions without one.
    public func by(_ authors: Set<String?>) -> Self {
        var request = self
        request.authors = authors
        return request
    }

    /// Returns the request without transactions of certain authors.
    ///
    /// Use it to ignore a program's own changes.
    ///
    ///     let request = PersistentHistoryChangeRequest.all.by(excluding: ["sync"])
    ///
    /// - Parameter authors: The authors; nil stands for transactions without one.
    public func by(excluding authors: Set<String?>) -> Self {
        var request = self
        request.excludedAuthors = authors
        return request
    }

    /// Returns the request, restricted to transactions of contexts with certain names.
    ///
    ///     let request = PersistentHistoryChangeRequest.all.inContexts(named: ["import"])
    ///
    /// - Parameter names: The names of contexts; nil stands for those without one.
    public func inContexts(named names: Set<String?>) -> Self {
        var request = self
        request.contextNames = names
        return request
    }

    /// The request for transactions without their changes.
    ///
    ///     let transactions = try container.fetchHistory(.fetchHistory(after: token).transactionsOnly)
    public var transactionsOnly: Self {
        var request = self
        request.resultType = .transactionsOnly
        return request
    }

    /// Returns the request with a maximum number of transactions.
    ///
    ///     let oldest = try container.fetchHistory(.all.limit(100))
    ///
    /// - Parameter count: The maximum number of transactions.
    public func limit(_ count: Int) -> Self {
        var request = self
        request.fetchLimit = count
        return request
    }
}
