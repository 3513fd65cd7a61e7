/// The errors of the service itself. Those of Ashlar are `SaveError` and `StoreError`; see ``ErrorResponses``.
enum ServiceError: Error, Equatable {
    /// A parameter of the path or the query is invalid.
    case invalidParameter(String, reason: String)
    /// The cursor was not made by this service for this store.
    case invalidCursor
    /// The post that the last page ended with was deleted.
    case lostPlace
    /// The object does not exist.
    case notFound(String)
    /// A post or comment names an author that does not exist.
    case unknownAuthor(String)
    /// The post was changed since the client has read it.
    case outdatedRevision(seen: Int64, current: Int64)
    /// A request that makes several posts has none, or too many.
    case invalidCount(Int, allowed: ClosedRange<Int>)
}
