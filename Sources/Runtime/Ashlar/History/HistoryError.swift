public import SystemFoundation

/// An error of reading or deleting a store's history.
///
///     do {
///         let transactions = try container.fetchHistory(.fetchHistory(after: token))
///     } catch HistoryError.tokenExpired {
///         token = try container.currentHistoryToken()
///     }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum HistoryError: Error, Sendable, Hashable {
    /// The store does not record its history. Open it with ``StoreOptions/historyTracking`` set to true.
    case notTracked(URL)
    /// Another container or program turned the history off after this container was opened.
    ///
    /// Open the store again with ``StoreOptions/historyTracking`` set to true, and read its data again. Changes
    /// meanwhile were not recorded.
    case turnedOff(URL)
    /// Changes after the token are missing.
    ///
    /// They were deleted, the history was turned off and on, or the store was restored to an earlier state. Read the
    /// store's data again, and continue from ``ModelContainer/currentHistoryToken()``. The counterparts are Core Data's
    /// error 134301 and SwiftData's `historyTokenExpired`.
    case tokenExpired(URL, token: PersistentHistoryToken)
    /// The token belongs to another store.
    case tokenOfOtherStore(URL, token: PersistentHistoryToken)
    /// The record of a change is invalid.
    ///
    /// Turn the history off and on again (``StoreOptions/historyTracking``), which deletes it, and read the store's
    /// data again.
    case damaged(URL, change: Int64, reason: String)
    /// The model has no entity, or the entity has no property, of this name.
    case unknownProperty(entity: String, property: String?)
}

extension HistoryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notTracked(let url):
            "The store \(url.path) records no history. Open it with StoreOptions.historyTracking set to true."
        case .turnedOff(let url):
            "The store \(url.path) records no history any more: it was turned off elsewhere, by opening the store with "
                + "StoreOptions.historyTracking set to false. Open it again with true, and read the data that you need again."
        case .tokenExpired(let url, let token):
            "The history of \(url.path) after the token \(token.tokenValue) is not whole any more. Read the data that you "
                + "need from the store again, and continue from its current token."
        case .tokenOfOtherStore(let url, let token):
            "The token \(token.tokenValue) belongs to another store than \(url.path)."
        case .damaged(let url, let change, let reason):
            "The history of \(url.path) is damaged at change \(change): \(reason). Open the store with "
                + "StoreOptions.historyTracking false, and then true, to begin it anew."
        case .unknownProperty(let entity, nil): "The model has no entity \(entity)."
        case .unknownProperty(let entity, let property?): "\(entity) has no stored property \(property)."
        }
    }
}
