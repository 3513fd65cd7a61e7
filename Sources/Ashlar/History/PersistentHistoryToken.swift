/// A place in the history of a store, after one of its transactions: what came later can be fetched.
///
/// A token may be kept as long as you like, and as JSON, say. It is of one store, but has room for several. Core Data's
/// `NSPersistentHistoryToken`, SwiftData's `DefaultHistoryToken`.
public struct PersistentHistoryToken: Codable, Hashable, Sendable {
    /// The number of the newest transaction that counts as seen, by the UUIDs of stores.
    public var tokenValue: [String: Int64]

    /// Makes a token of numbers; those of transactions are in their tokens.
    public init(tokenValue: [String: Int64]) {
        self.tokenValue = tokenValue
    }

    init(_ storeIdentifier: String, _ number: Int64) {
        tokenValue = [storeIdentifier: number]
    }
}

extension PersistentHistoryToken: Comparable {
    /// Orders tokens of one store by time. Of several stores, the one whose UUID comes first decides.
    public static func < (left: PersistentHistoryToken, right: PersistentHistoryToken) -> Bool {
        for store in Set(left.tokenValue.keys).union(right.tokenValue.keys).sorted() {
            let (first, second) = (left.tokenValue[store] ?? 0, right.tokenValue[store] ?? 0)
            if first != second { return first < second }
        }
        return false
    }
}

/// SwiftData's name of the token.
public typealias DefaultHistoryToken = PersistentHistoryToken
