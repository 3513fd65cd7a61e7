public import AshlarSQLite
public import SystemFoundation

/// An error of Ashlar's. Its text says what was being done, on which entity, property, file or statement, and what to do
/// next.
///
///     do {
///         try context.save()
///     } catch let error as any AshlarError {
///         alert = error.localizedDescription
///         isFull = error.sqliteError?.code == 13
///     }
///
/// Which error a call throws is documented with it, mostly an enumeration. Later releases may add cases, so that the
/// compiler asks for an `@unknown default` where another package switches over one.
public protocol AshlarError: LocalizedError, CustomStringConvertible, Sendable {
    /// What SQLite answered, where it is why the error was thrown; nil for what Ashlar found itself.
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
