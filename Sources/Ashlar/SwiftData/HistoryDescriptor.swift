public import SystemFoundation

/// What a program asks of a store's history, in SwiftData's words.
///
///     var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
///         predicate: #Predicate { $0.token > lastToken && $0.author != "sync" })
///     descriptor.fetchLimit = 100
///     for transaction in try context.fetchHistory(descriptor) { … }
///
/// Comparisons of tokens, authors, times and numbers that are joined by `&&` are asked of the store in SQL; the rest is
/// asked of the transactions that are left.
public struct HistoryDescriptor<Transaction: HistoryTransaction>: Sendable {
    /// What must hold of a transaction; nil for all.
    public var predicate: Predicate<Transaction>?
    /// The most transactions to give; 0 for no limit.
    public var fetchLimit: UInt64 = 0
    /// The order; empty for the oldest first.
    public var sortBy: [SortDescriptor<Transaction>]

    /// Makes a descriptor.
    public init(predicate: Predicate<Transaction>? = nil, sortBy: [SortDescriptor<Transaction>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

/// A transaction of a store's history. SwiftData's protocol of the same name.
public protocol HistoryTransaction: Identifiable, Sendable {
    /// What a program keeps of a transaction, to ask for those after it.
    associatedtype TokenType: Codable, Comparable

    /// When it was committed.
    var timestamp: Date { get }
    /// What it did, in its order.
    var changes: [HistoryChange] { get }
    /// The transaction's place in the history.
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

/// A transaction of a store's history, as SwiftData describes it. ``PersistentHistoryTransaction`` is the same in Core
/// Data's words.
public struct DefaultHistoryTransaction: HistoryTransaction {
    public var timestamp: Date
    public var changes: [HistoryChange]
    public var token: DefaultHistoryToken
    public var transactionIdentifier: Int64
    public var storeIdentifier: String
    public var author: String?
    /// The bundle identifier of the program that saved; empty where it is not known.
    public var bundleIdentifier: String
    /// What tells the process that saved from others; empty where it is not known.
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
    /// Transactions of the store's history. SwiftData's method of the same name.
    ///
    /// - Throws: ``HistoryError``; ``StoreError`` when the store cannot be read; what the predicate throws.
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

    /// Forgets the transactions for which a descriptor's predicate holds, and all before the newest of them, since what
    /// is left would not be whole. SwiftData's method of the same name.
    ///
    /// - Throws: ``HistoryError``, ``StoreError``; what the predicate throws.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        guard let newest = try fetchHistory(descriptor).map(\.token).max() else { return }
        try container.deleteHistory(through: newest)
    }
}
