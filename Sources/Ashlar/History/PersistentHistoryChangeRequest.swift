public import SystemFoundation

/// Which transactions of a store's history to fetch, and what of them.
///
///     let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
///         .changing(Post.self, ["image", "title"])
///         .by(excluding: ["sync"])
///     for transaction in try container.fetchHistory(request) { … }
///
/// All of it is asked of the store in SQL: the cost depends on the changes after the place that it begins at. Core Data's
/// `NSPersistentHistoryChangeRequest`, with what its fetch request filters by.
public struct PersistentHistoryChangeRequest: Sendable, Hashable {
    /// Where the history is entered.
    public enum Start: Sendable, Hashable {
        /// At the oldest transaction that was not purged.
        case beginning
        /// At the first transaction after a token.
        case token(PersistentHistoryToken)
        /// At the transactions that were committed after a moment.
        case date(Date)
    }

    /// What to give of each transaction.
    public enum ResultType: Sendable, Hashable {
        /// Transactions with their changes.
        case transactionsAndChanges
        /// Transactions alone, whose changes are not read.
        case transactionsOnly
    }

    /// An entity, and which of its updates count.
    struct ChangeFilter: Sendable, Hashable {
        var entity: String
        var includesSubentities: Bool
        /// The properties of which an update must have changed one; nil where every update counts.
        var properties: Set<String>?
    }

    /// Where the answer begins.
    public var start: Start
    /// What the answer has: transactions with their changes unless said otherwise.
    public var resultType = ResultType.transactionsAndChanges
    /// The most transactions to give, the oldest first; 0 for no limit.
    public var fetchLimit = 0
    var changeFilters: [ChangeFilter] = []
    var authors: Set<String?>?
    var excludedAuthors: Set<String?> = []
    var contextNames: Set<String?>?

    /// Makes a request of all that came after a place.
    public init(start: Start = .beginning) {
        self.start = start
    }

    /// All of the history.
    public static var all: Self { Self() }

    /// What came after a token; all of the history where it is nil.
    public static func fetchHistory(after token: PersistentHistoryToken?) -> Self {
        Self(start: token.map(Start.token) ?? .beginning)
    }

    /// What came after a transaction.
    public static func fetchHistory(after transaction: PersistentHistoryTransaction) -> Self {
        fetchHistory(after: transaction.token)
    }

    /// What was committed after a moment.
    public static func fetchHistory(after date: Date) -> Self { Self(start: .date(date)) }

    // MARK: Filters

    /// Only transactions of some authors; nil stands for those without one.
    public func by(_ authors: Set<String?>) -> Self {
        var request = self
        request.authors = authors
        return request
    }

    /// Only transactions of others than some authors; nil stands for those without one.
    public func by(excluding authors: Set<String?>) -> Self {
        var request = self
        request.excludedAuthors = authors
        return request
    }

    /// Only transactions of contexts of some names; nil stands for those without one.
    public func inContexts(named names: Set<String?>) -> Self {
        var request = self
        request.contextNames = names
        return request
    }

    /// Transactions alone, without their changes.
    public var transactionsOnly: Self {
        var request = self
        request.resultType = .transactionsOnly
        return request
    }

    /// At most so many transactions.
    public func limit(_ count: Int) -> Self {
        var request = self
        request.fetchLimit = count
        return request
    }
}
