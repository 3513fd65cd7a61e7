public import SystemFoundation

/// A request for transactions of a store's history, as in SwiftData.
///
///     var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
///         predicate: #Predicate { $0.token > lastToken && $0.author != "sync" })
///     descriptor.fetchLimit = 100
///     for transaction in try context.fetchHistory(descriptor) { … }
///
/// The store evaluates comparisons of tokens, authors, times and numbers that are joined by `&&`. The rest of the
/// predicate is evaluated in memory. ``PersistentHistoryChangeRequest`` is Ashlar's own form.
public struct HistoryDescriptor<Transaction: HistoryTransaction>: Sendable {
    /// The condition on transactions; nil for all.
    public var predicate: Predicate<Transaction>?
    /// The maximum number of transactions; 0 sets no limit.
    public var fetchLimit: UInt64 = 0
    /// The order of the transactions; empty for the oldest first.
    public var sortBy: [SortDescriptor<Transaction>]

    /// Creates a request.
    ///
    ///     let descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    ///
    /// - Parameters:
    ///   - predicate: The condition on transactions; nil for all.
    ///   - sortBy: The order; empty for the oldest first.
    public init(predicate: Predicate<Transaction>? = nil, sortBy: [SortDescriptor<Transaction>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

/// A transaction of a store's history. SwiftData has a protocol of the same name.
public protocol HistoryTransaction: Identifiable, Sendable {
    /// The type of the transaction's place in the history.
    associatedtype TokenType: Codable, Comparable

    /// The time of the commit.
    var timestamp: Date { get }
    /// The changes in their order.
    var changes: [HistoryChange] { get }
    /// The transaction's place in the history, to fetch the later ones.
    var token: TokenType { get }
    /// The transaction's number in its store.
    var transactionIdentifier: Int64 { get }
    /// The store's UUID.
    var storeIdentifier: String { get }
    /// The author of the context that saved.
    var author: String? { get }
}

/// SwiftData's name of ``PersistentHistoryToken``.
public typealias DefaultHistoryToken = PersistentHistoryToken

/// A transaction of a store's history, as SwiftData describes it.
///
/// ``PersistentHistoryTransaction`` is the counterpart with Core Data's names.
public struct DefaultHistoryTransaction: HistoryTransaction {
    public var timestamp: Date
    public var changes: [HistoryChange]
    public var token: DefaultHistoryToken
    public var transactionIdentifier: Int64
    public var storeIdentifier: String
    public var author: String?
    /// The bundle identifier of the program that saved; empty if it is unknown.
    public var bundleIdentifier: String
    /// The identifier of the process that saved; empty if it is unknown.
    public var processIdentifier: String

    public var id: Int64 { transactionIdentifier }

    init(_ transaction: PersistentHistoryTransaction, _ model: ModelDescription) {
        timestamp = transaction.timestamp
        changes = transaction.changes.compactMap { HistoryChange($0, model) }
        token = transaction.token
        transactionIdentifier = transaction.transactionNumber
        storeIdentifier = transaction.storeID
        author = transaction.author
        bundleIdentifier = transaction.bundleID ?? ""
        processIdentifier = transaction.processID ?? ""
    }
}

extension ModelContext {
    /// Returns transactions of the store's history. SwiftData has a method of the same name.
    ///
    ///     let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    ///
    /// - Parameter descriptor: The transactions to return.
    /// - Throws: ``HistoryError`` if the history is off or a token has expired, ``StoreError`` if the store cannot be
    ///   read, or the predicate's error.
    public func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        let limit = Int(clamping: descriptor.fetchLimit)
        var request = PersistentHistoryChangeRequest.all
        request.fetchLimit = descriptor.sortBy.isEmpty ? limit : 0
        var transactions = try container.readHistory { readers in
            try readers.transactions(limit: request.fetchLimit) { reader in
                try reader.transactions(reader.conditions(of: descriptor.predicate), request) { found in
                    try descriptor.predicate?.evaluate(DefaultHistoryTransaction(found, container.model)) ?? true
                }
            }.map { DefaultHistoryTransaction($0, container.model) }
        }
        if !descriptor.sortBy.isEmpty {
            transactions.sort(using: descriptor.sortBy)
            if limit > 0 { transactions = Array(transactions.prefix(limit)) }
        }
        return transactions
    }

    /// Deletes the transactions for which a predicate holds, and all before the newest of them.
    ///
    /// The older ones would be incomplete otherwise. SwiftData has a method of the same name.
    ///
    ///     let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
    ///         predicate: #Predicate { $0.token < lastToken })
    ///     try context.deleteHistory(descriptor)
    ///
    /// - Parameter descriptor: The transactions to delete.
    /// - Throws: ``HistoryError`` if there is no history, ``StoreError`` if the store cannot be written, or the
    ///   predicate's error.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        guard let newest = try fetchHistory(descriptor).map(\.token).max() else { return }
        try container.deleteHistory(through: newest)
    }
}
