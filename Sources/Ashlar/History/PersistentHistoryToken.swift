/// A place in the history of a store, after one of its transactions: what came later can be fetched.
///
/// A token may be kept as long as you like, and as JSON, say. Of a container with several stores it is a place in each of
/// their histories. Core Data's `NSPersistentHistoryToken`, SwiftData's `DefaultHistoryToken`.
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
    /// Orders tokens of one store by time. Of several stores that both tokens know, the one whose UUID comes first
    /// decides.
    public static func < (left: PersistentHistoryToken, right: PersistentHistoryToken) -> Bool {
        func isBefore(_ stores: Set<String>) -> Bool? {
            for store in stores.sorted() {
                let (first, second) = (left.tokenValue[store] ?? 0, right.tokenValue[store] ?? 0)
                if first != second { return first < second }
            }
            return nil
        }
        let (stores, others) = (Set(left.tokenValue.keys), Set(right.tokenValue.keys))
        return isBefore(stores.intersection(others)) ?? isBefore(stores.symmetricDifference(others)) ?? false
    }
}
