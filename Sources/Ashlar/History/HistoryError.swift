public import SystemFoundation

/// Why a history cannot be read.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum HistoryError: Error, Sendable, Hashable {
    /// The store's history is off. Open it with ``StoreOptions/historyTracking`` set to true.
    case notTracked(URL)
    /// The store's history was on when the container was opened, and another container or program turned it off. Open the
    /// store anew with ``StoreOptions/historyTracking`` set to true, and read anew what you need of it: what changed
    /// meanwhile is not recorded.
    case turnedOff(URL)
    /// What came after the token is not all there any more: it was purged, the history was turned off and on, or the
    /// store was put back to an earlier state. Read anew what you need of the store, and go on from
    /// ``ModelContainer/currentHistoryToken()``. Core Data's error 134301, SwiftData's `historyTokenExpired`.
    case tokenExpired(URL, token: PersistentHistoryToken)
    /// The token is of another store.
    case tokenOfOtherStore(URL, token: PersistentHistoryToken)
    /// What the store recorded at a change is nothing that Ashlar wrote. Turn the history off and on again
    /// (``StoreOptions/historyTracking``), which forgets it, and read anew what you need of the store.
    case damaged(URL, change: Int64, reason: String)
    /// The model has no entity, or the entity no property, of this name.
    case unknownProperty(entity: String, property: String?)
}

extension HistoryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notTracked(let url):
            "The store \(url.path) records no history. Open it with StoreOptions.historyTracking set to true."
        case .turnedOff(let url):
            "The store \(url.path) records no history any more: it was turned off elsewhere, by opening the store with "
                + "StoreOptions.historyTracking set to false. Open it anew with true, and read anew what you need of it."
        case .tokenExpired(let url, let token):
            "The history of \(url.path) after the token \(token.tokenValue) is not whole any more. Read what you need "
                + "of the store anew, and go on from its current token."
        case .tokenOfOtherStore(let url, let token):
            "The token \(token.tokenValue) is of another store than \(url.path)."
        case .damaged(let url, let change, let reason):
            "The history of \(url.path) is damaged at change \(change): \(reason). Open the store with "
                + "StoreOptions.historyTracking false, and then true, to begin it anew."
        case .unknownProperty(let entity, nil): "The model has no entity \(entity)."
        case .unknownProperty(let entity, let property?): "\(entity) has no stored property \(property)."
        }
    }
}
