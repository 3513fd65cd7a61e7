/// A place in the history of a store, after one of its transactions.
///
/// Keep the token of the last transaction that you processed, for example as JSON, and fetch the later ones.
///
///     let data = try JSONEncoder().encode(container.currentHistoryToken())
///     let kept = try JSONDecoder().decode(PersistentHistoryToken.self, from: data)
///     let transactions = try container.fetchHistory(.fetchHistory(after: kept))
///
/// If a container has several stores, the token is a place in each of their histories. The counterparts are Core Data's
/// `NSPersistentHistoryToken` and SwiftData's `DefaultHistoryToken`.
public struct PersistentHistoryToken: Codable, Hashable, Sendable {
    /// The number of the last processed transaction in each store, by the UUIDs of the stores.
    public var tokenValue: [String: Int64]

    /// Creates a token from the numbers of transactions.
    ///
    /// - Parameter tokenValue: The number of the last processed transaction in each store, by the UUIDs of the stores.
    public init(tokenValue: [String: Int64]) {
        self.tokenValue = tokenValue
    }

    init(_ storeIdentifier: String, _ number: Int64) {
        tokenValue = [storeIdentifier: number]
    }
}

extension PersistentHistoryToken: Comparable {
    /// Orders the tokens of a store by time.
    ///
    /// If the tokens contain several stores, the first store, by the order of UUIDs, with different numbers decides.
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
