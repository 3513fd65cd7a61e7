public import AshlarSQLite
public import SystemFoundation

/// The protocol of all errors that Ashlar throws.
///
/// Its text is for developers: it names the operation, the entity, property, file or statement, and the next step. Texts
/// about values that violate rules contain these values.
///
///     do {
///         try context.save()
///     } catch let error as any AshlarError {
///         logger.notice(error.localizedDescription)
///         isFull = error.sqliteError?.code == 13
///     }
///
/// The documentation of each call names the type of its error, usually an enumeration. Later releases may add cases, so
/// the compiler requires an `@unknown default` if another package switches over one.
public protocol AshlarError: LocalizedError, CustomStringConvertible, Sendable {
    /// SQLite's error, if it caused this one; nil for errors that Ashlar detected itself.
    var sqliteError: SQLiteError? { get }
}

extension AshlarError {
    public var errorDescription: String? { description }
    public var sqliteError: SQLiteError? { nil }
}

extension SQLiteError: AshlarError {
    /// The error itself.
    public var sqliteError: SQLiteError? { self }
}

extension StoreError: AshlarError {
    public var sqliteError: SQLiteError? {
        switch self {
        case .migrationFailed(_, _, _, let error), .damaged(_, let error), .sqlite(let error, _): error
        default: nil
        }
    }
}

extension SaveError: AshlarError {
    public var sqliteError: SQLiteError? {
        switch self {
        case .constraint(_, let error), .partlySaved(_, _, let error), .unknownOutcome(let error), .sqlite(let error):
            error
        default: nil
        }
    }
}

extension BatchError: AshlarError {
    public var sqliteError: SQLiteError? {
        switch self {
        case .sqlite(let error, _): error
        case .incomplete(_, let error): (error as? any AshlarError)?.sqliteError
        default: nil
        }
    }
}

extension ArchiveError: AshlarError {}
extension ChangesetError: AshlarError {}
extension ContextError: AshlarError {}
extension FetchError: AshlarError {}
extension HistoryError: AshlarError {}
extension PropertyError: AshlarError {}
extension StatementRecorderError: AshlarError {}
extension ValidationFailure: AshlarError {}
