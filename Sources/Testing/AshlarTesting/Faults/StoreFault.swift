import AshlarSQLite
import CStoreFaults

/// A kind of disk failure, for `ModelContainer.failing(_:after:times:_:)`.
///
///     let faults: [StoreFault] = [.diskFull, .writeError, .readError]
public struct StoreFault: Sendable, Hashable, CustomStringConvertible {
    /// The name of the failure.
    public let description: String
    let operations: Int32
    let code: Int32

    /// The disk is full: `SQLITE_FULL`.
    public static let diskFull = StoreFault(
        description: "diskFull", operations: Int32(CStoreFaultsWrite), code: SQLITE_FULL)
    /// A write fails, completely or partly: `SQLITE_IOERR_WRITE`.
    public static let writeError = StoreFault(
        description: "writeError", operations: Int32(CStoreFaultsWrite), code: SQLITE_IOERR | 3 << 8)
    /// Written data cannot be synchronized to the disk: `SQLITE_IOERR_FSYNC`.
    ///
    /// With the default of `StoreOptions.synchronous`, a save does not wait for the disk; a checkpoint does.
    public static let synchronizationError = StoreFault(
        description: "synchronizationError", operations: Int32(CStoreFaultsSynchronize), code: SQLITE_IOERR | 4 << 8)
    /// A read fails: `SQLITE_IOERR_READ`.
    public static let readError = StoreFault(
        description: "readError", operations: Int32(CStoreFaultsRead), code: SQLITE_IOERR | 1 << 8)
    /// The read data is not a database: `SQLITE_CORRUPT`. The file itself is not damaged.
    public static let corrupted = StoreFault(
        description: "corrupted", operations: Int32(CStoreFaultsRead), code: SQLITE_CORRUPT)
    /// Another process holds the write lock: `SQLITE_BUSY`, after `StoreOptions.busyTimeout`.
    ///
    /// Set a short timeout for the test. Reads succeed.
    public static let locked = StoreFault(
        description: "locked", operations: Int32(CStoreFaultsLock), code: SQLITE_BUSY)
    /// The process is killed during a write that arrives only in part, as if the user had ended it.
    ///
    /// Use it in an exit test, or in a program that the test starts.
    ///
    ///     await #expect(processExitsWith: .signal(SIGKILL)) {
    ///         try container.failing(.killed, after: 3) { try context.save() }
    ///     }
    ///
    /// A killed process leaves exactly its writes. So kills after each number of writes are all possible kills, and the
    /// same number is the same kill. Files of large values are not counted, because they are written before the rows. A
    /// power failure differs: it may lose written data that was not synchronized.
    public static let killed = StoreFault(
        description: "killed", operations: Int32(CStoreFaultsWrite | CStoreFaultsSynchronize),
        code: Int32(CStoreFaultsKilled))
}

/// An error of making a store fail.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum StoreFaultError: Error, Sendable, Hashable {
    /// The container has no store in a file. Create it with `ModelContainer.temporary(for:)`.
    case noFile
    /// SQLite does not accept the file layer that fails, or there is no memory.
    case notInstalled(code: Int32)
    /// The closure did too few operations, so nothing failed and the test would prove nothing.
    case notReached(StoreFault, after: Int, operations: Int)
}

extension StoreFaultError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noFile:
            "The container has no store in a file, so no operation on a file can fail. Make one with "
                + "ModelContainer.temporary(for:)."
        case .notInstalled(let code): "SQLite cannot be made to fail (code \(code))."
        case .notReached(let fault, let after, let operations):
            "Nothing failed: \(after) operations were to be let through before \(fault), and there were \(operations). "
                + "Let fewer through, or do more."
        }
    }
}
