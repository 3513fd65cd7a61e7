import AshlarSQLite

/// One transaction of a batch operation on the connection that writes.
///
/// Others read the previous state until the commit. An error or a cancellation rolls back the entire transaction.
struct BatchTransaction {
    let container: ModelContainer
    /// The store that the operation writes. Deletion rules never lead to another store.
    let store: PersistentStore
    let cancellation: FetchCancellation?
    /// The transaction that the operation is a part of; nil if it has its own.
    var outer: ContextTransaction?
    /// The tables whose rows the operation may change.
    var roots: Set<UInt16> = []
    /// The operation, for errors.
    let doing: String

    func run<Result>(_ connection: Connection, _ body: (Connection) throws -> Result) throws -> Result {
        do {
            return try runAll(connection, body)
        } catch let error as SQLiteError {
            // The connection pool turns this code into the error that another process is writing.
            if error.code == SQLITE_BUSY { throw error }
            if error.code == SQLITE_CORRUPT { throw StoreError.damaged(store.url, error) }
            if let attributes = container.model.overflowingAttributes(error) {
                throw BatchError.derivedOverflow(attributes)
            }
            throw BatchError.sqlite(error, doing: doing)
        } catch let error as ExternalDataError {
            throw BatchError.externalData(file: error.url, reason: error.reason)
        }
    }

    private func runAll<Result>(_ connection: Connection, _ body: (Connection) throws -> Result) throws -> Result {
        if let outer { return try runPart(of: outer, connection, body) }
        try stopNotingDerivedChanges(connection)
        try connection.begin(writing: store.schemaName)
        var isCommitting = false
        let result: Result
        do {
            if let cancellation {
                result = try cancellation.run(connection, body)
            } else {
                result = try body(connection)
            }
            try connection.forEachExternalData { try $0.synchronize() }
            isCommitting = true
            try commit(connection)
        } catch {
            // A failed commit may already have rolled back.
            let isOpen = !connection.isInAutocommit
            defer { connection.forEachExternalData { $0.rollBack(isCertain: isOpen || !isCommitting) } }
            try connection.rollBack()
            throw error
        }
        connection.forEachExternalData { $0.finish(connection) }
        return result
    }

    private func runPart<Result>(
        of outer: ContextTransaction, _ connection: Connection, _ body: (Connection) throws -> Result
    ) throws -> Result {
        try outer.part(writing: [store], roots, connection) {
            try stopNotingDerivedChanges(connection)
            let result = try cancellation?.run(connection, body) ?? body(connection)
            // The commit would detect it too, but could not say which operation caused it.
            if connection.hasBrokenReferences, let broken = try brokenReference(connection) { throw broken }
            return result
        }
    }

    private func commit(_ connection: Connection) throws {
        do {
            try connection.execute("COMMIT")
        } catch  where error.extendedCode == SQLITE_CONSTRAINT | (3 << 8) {
            // The transaction is still open, so that its rows can be read.
            if let broken = try brokenReference(connection) { throw broken }
            throw error
        }
    }

    /// Suspends the temporary triggers that report derived rows to a save, because they would note each row of a batch.
    private func stopNotingDerivedChanges(_ connection: Connection) throws {
        guard connection.state.notesDerivedChanges else { return }
        for root in container.model.rootsWithDerivedColumns {
            try connection.execute("DROP TRIGGER IF EXISTS temp.\"derived$\(root.number.root)\"")
        }
        try connection.execute("DROP TABLE IF EXISTS temp.\"derived$\"")
        connection.state.notesDerivedChanges = false
    }

    // MARK: References

    /// Returns the error of the model for an invalid reference: a denied deletion, or a missing value.
    private func brokenReference(_ connection: Connection) throws -> BatchError? {
        guard let broken = try container.brokenReference(connection, in: store) else { return nil }
        if let denying = broken.denying {
            return .deletionDenied(entity: denying.entity.name, relationship: denying.relationship.name, object: nil)
        }
        return .brokenReference(
            entity: broken.entity.name, relationship: broken.relationship.name, object: broken.object)
    }
}
