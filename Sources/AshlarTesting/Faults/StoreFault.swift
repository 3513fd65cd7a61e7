import AshlarSQLite
import CStoreFaults

/// Something that fails of the disk that a store is on, for `ModelContainer.failing(_:after:times:_:)`.
public struct StoreFault: Sendable, Hashable, CustomStringConvertible {
    /// What it is called.
    public let description: String
    let operations: Int32
    let code: Int32

    /// Nothing more can be written: `SQLITE_FULL`.
    public static let diskFull = StoreFault(
        description: "diskFull", operations: Int32(CStoreFaultsWrite), code: SQLITE_FULL)
    /// What is written does not arrive, or a part of it: `SQLITE_IOERR_WRITE`.
    public static let writeError = StoreFault(
        description: "writeError", operations: Int32(CStoreFaultsWrite), code: SQLITE_IOERR | 3 << 8)
    /// What was written is not on the disk for sure: `SQLITE_IOERR_FSYNC`. With `StoreOptions.synchronous` at its default
    /// a save does not wait for the disk; a checkpoint does.
    public static let synchronizationError = StoreFault(
        description: "synchronizationError", operations: Int32(CStoreFaultsSynchronize), code: SQLITE_IOERR | 4 << 8)
    /// What is read does not come: `SQLITE_IOERR_READ`.
    public static let readError = StoreFault(
        description: "readError", operations: Int32(CStoreFaultsRead), code: SQLITE_IOERR | 1 << 8)
    /// What is read is no database: `SQLITE_CORRUPT`. Nothing is damaged in truth.
    public static let corrupted = StoreFault(
        description: "corrupted", operations: Int32(CStoreFaultsRead), code: SQLITE_CORRUPT)
    /// Another process writes and does not end: `SQLITE_BUSY`, after `StoreOptions.busyTimeout`; make that short for the
    /// test. Reading goes on.
    public static let locked = StoreFault(
        description: "locked", operations: Int32(CStoreFaultsLock), code: SQLITE_BUSY)
    /// The process is killed in the middle of writing, of which a part has arrived: as if the user had ended it. For a program that the
    /// test started, or an exit test:
    ///
    ///     await #expect(processExitsWith: .signal(SIGKILL)) {
    ///         try container.failing(.killed, after: 3) { try context.save() }
    ///     }
    ///
    /// All that a killed process leaves is what it wrote, so that kills after each number of writes are all the kills there are to a
    /// database, and the same number is the same kill. Files of large values are not counted: they are written before the rows. It is
    /// no power failure, which may lose what was written and not synchronized.
    public static let killed = StoreFault(
        description: "killed", operations: Int32(CStoreFaultsWrite | CStoreFaultsSynchronize),
        code: Int32(CStoreFaultsKilled))
}

/// Why nothing of a store failed.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum StoreFaultError: Error, Sendable, Hashable {
    /// The container has no store in a file. Make it with `ModelContainer.temporary(for:)`.
    case noFile
    /// SQLite does not let the layer in that makes operations fail, or there is no memory.
    case notInstalled(code: Int32)
    /// The closure did fewer operations than were to be let through before, so that nothing failed: the test would show
    /// nothing.
    case notReached(StoreFault, after: Int, operations: Int)
}

extension StoreFaultError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noFile:
            "The container has no store in a file, of which something could fail. Make one with "
                + "ModelContainer.temporary(for:)."
        case .notInstalled(let code): "SQLite cannot be made to fail (code \(code))."
        case .notReached(let fault, let after, let operations):
            "Nothing failed: \(after) operations were to be let through before \(fault), and there were \(operations). "
                + "Let fewer through, or do more."
        }
    }
}
