import AshlarSQLite
import Containers
import SystemFoundation

/// Writing in one transaction. Foreign keys are checked at its commit, so the order can follow other needs.
///
/// Changed references come first, because a deletion would cascade to rows that are being moved away from it. Deletions
/// follow, which free unique values; then other changes and insertions. Changes and insertions go through each table in
/// the order of the rowids.
extension PendingSave {
    func write() throws {
        // Others may change the settled rows again: each failed attempt is a save of theirs.
        var attempts = 100
        while true {
            collisions = []
            do {
                return try commit()
            } catch SaveError.notUnique where mayExchangeValues {
                exchanged.formUnion(collisions)
            } catch is VersionConflict where attempts > 0 {
                attempts -= 1
                try resolveNewMembers()
                try resolveTakenPartners()
                try resolveVersionConflicts()
                try noteOrdersOfReturned()
            } catch is VersionConflict {
                if let object = conflicting.first(where: { $0.record.state == .inserted }) {
                    throw SaveError.takenValues(of: object, object.entity.schema.uniquenessConstraints.first ?? [])
                }
                throw SaveError.conflict(
                    try conflicting.map { try conflict(over: $0) } + newMemberConflicts
                        + takenPartners.map { conflicts.conflict($0, try conflicts.storedRow(of: $0.object)) })
            } catch SaveError.notUnique(let object, let properties, let values) where attempts > 0 {
                attempts -= 1
                // Another process may have taken the value since it was looked up.
                guard try resolveConstraintConflicts() else {
                    throw SaveError.notUnique(object, properties: properties, values: values)
                }
            }
        }
    }

    private func commit() throws {
        do {
            try surroundings.store.writeObserved { try commit($0) }
        } catch let error as SQLiteError {
            throw saveError(error, nil)
        } catch let error as ExternalDataError {
            throw SaveError.externalData(nil, file: error.url, reason: error.reason)
        }
    }

    private func commit(_ connection: Connection) throws {
        if let transaction = surroundings.store.currentTransaction { return try write(connection, within: transaction) }
        try prepareToNoteDerivedChanges(connection)
        try begin(connection)
        var isCommitting = false
        do {
            try connection.recordingHistory(of: surroundings.store.historyOrigin) { try writeAll(connection) }
            try connection.forEachExternalData { try $0.synchronize() }
            isCommitting = true
            try connection.execute("COMMIT")
        } catch {
            defer { connection.forEachExternalData { $0.rollBack(isCertain: !isCommitting) } }
            try connection.rollBack()
            if isCommitting { try findCommittedStores(connection, error) }
            throw error
        }
        connection.forEachExternalData { $0.finish(connection) }
        connection.historyDidCommit()
    }

    /// Writes the changes as a part of a transaction that is committed later.
    private func write(_ connection: Connection, within transaction: ContextTransaction) throws {
        try transaction.part(writing: writtenStores(), writtenRoots, connection) {
            try prepareToNoteDerivedChanges(connection)
            try connection.recordingHistory(of: surroundings.store.historyOrigin) { try writeAll(connection) }
        }
    }

    /// Locks the stores that the save writes against other processes.
    private func begin(_ connection: Connection) throws {
        if container.placement.isSimple { return try connection.begin(writing: "main") }
        try connection.begin(writing: writtenStores())
    }

    private func writeAll(_ connection: Connection) throws {
        let marks = try assignRowIDs(connection)
        partners = WantedPartners()
        (lastUpdate, lastDeletion) = (nil, nil)
        defer {
            lastUpdate?.end()
            (lastUpdate, lastDeletion) = (nil, nil)
        }
        try freeExchangedValues(connection)
        conflicting = try conflictDetections.filter { try !hasSameVersion($0, connection) }.map(\.object)
        let written =
            hasGatheredUpdates
            ? updates : RowKey.sort(updates.filter { !$0.isEmpty }) { RowKey(root: $0.row.root, rowID: $0.rowID) }
        let foreignCommits = container.pool.foreignCommits
        try container.noteForeignCommits(connection)
        // Reads need not check for commits of others meanwhile. With several stores, only those that are written are
        // locked.
        foreignCommits.areExcluded = container.placement.isSimple
        defer { foreignCommits.areExcluded = false }
        if foreignCommits.exist {
            conflicting += try silentlyOverwritten(written, connection)
        }
        if hasChangedReferences || !hasGatheredUpdates { try write(written, ofReferences: true, connection) }
        // Cascaded rows are deleted before their owners, because SQLite's own cascades are limited in depth.
        try deleteAll(connection)
        try write(written, ofReferences: false, connection)
        if !conflicting.isEmpty { throw VersionConflict() }
        try insertAll(connection)
        try writeUnknownRawValues(connection)
        try findTakenPartners(connection)
        if let marks { try restore(marks, connection) }
        try writeLinks(connection)
        try checkReferences(connection)
        try noteDerivedChanges(connection)
    }

    /// Returns whether the row of an object that is not written still has the version that the program read.
    private func hasSameVersion(_ detection: ConflictDetection, _ connection: Connection) throws -> Bool {
        let object = detection.object
        guard object.record.state == .persisted else { return true }
        return try version(of: object.entity, object.record.rowID, connection) == detection.version
    }

    // MARK: Statements

    func run(_ statement: Statement, _ object: ManagedObject?) throws {
        if let error = statement.bindingError {
            statement.reset()
            statement.externalData?.discardUnconfirmed()
            if let error = error as? ExternalDataError {
                throw SaveError.externalData(object?.identifier, file: error.url, reason: error.reason)
            }
            if error is NotANumber, object != nil { throw SaveError.validation(notANumberFailures()) }
            if let object {
                if let failure = error as? BindingFailure { throw refusal(failure, of: object, statement) }
                throw SaveError.conversion(object.identifier, error)
            }
            throw UnattributedConversionError()
        }
        do {
            try statement.run()
            statement.externalData?.confirm()
        } catch {
            statement.externalData?.discardUnconfirmed()
            if error.code == SQLITE_TOOBIG {
                throw SaveError.valueTooLarge(
                    object?.identifier, entity: object?.entity.name, property: nil, limit: statement.lengthLimit)
            }
            throw saveError(error, object)
        }
    }

    /// Returns the error if SQLite refused a value of an object.
    private func refusal(_ failure: BindingFailure, of object: ManagedObject, _ statement: Statement) -> SaveError {
        guard failure.isTooLarge else { return SaveError.sqlite(failure.error) }
        defer { statement.reset() }
        // Each statement has its values at other positions. Values in files are not too large.
        let column = object.entity.ownColumns.first { column in
            if object.entity.columns[column].isExternal, statement.externalData != nil { return false }
            statement.reset()
            object.bind(column, to: statement, 1)
            return statement.bindingError is BindingFailure
        }
        return SaveError.valueTooLarge(
            object.identifier, entity: object.entity.name,
            property: column.map { object.entity.columns[$0].property }, limit: statement.lengthLimit)
    }

    /// Runs a statement that writes several rows. Returns false if a constraint or a value was refused and the
    /// transaction is unchanged.
    func runForRows(_ statement: Statement, _ connection: Connection) throws -> Bool {
        do {
            try run(statement, nil)
            return true
        } catch let error as SaveError
            where error.isConstraint || error.isTooLarge || connection.hasRefusedPendingRows
        {
            // A trigger may roll back the transaction, or fail and keep earlier writes.
            if connection.changes > 0 || connection.isInAutocommit { throw error }
            return false
        }
    }

    /// Returns the version of a row; nil if it does not exist.
    func version(of entity: EntityDescription, _ rowID: Int64, _ connection: Connection) throws -> Int64? {
        try connection.integer(
            "SELECT \"version$\" FROM \(entity.tableName.quotedIdentifier) WHERE \"id$\" = ?1", [.integer(rowID)])
    }

    // MARK: Errors

    private func saveError(_ error: SQLiteError, _ object: ManagedObject?) -> any Error {
        if let attributes = container.model.overflowingAttributes(error) {
            return SaveError.derivedOverflow(attributes, object?.identifier)
        }
        guard error.code == SQLITE_CONSTRAINT else { return SaveError.sqlite(error) }
        let unique: Set<Int32> = [2067, 1555, 2579]
        if unique.contains(error.extendedCode), let object {
            // "UNIQUE constraint failed: Post.name, Post.day"
            let parts = error.message.split(separator: ":").last?.split(separator: ",") ?? []
            let names = parts.compactMap { $0.split(separator: ".").last.map(String.init) }
            let columns = names.compactMap { name in
                object.entity.ownColumns.first { object.entity.columns[$0].name == name }
            }
            // An index that another program added may contain anything.
            if columns.count == names.count { return SaveError.takenValues(of: object, columns) }
            return SaveError.notUnique(object.identifier, properties: names, values: [])
        }
        return SaveError.constraint(object?.identifier, error)
    }
}

extension SaveError {
    /// Whether a constraint of the table refused a row.
    var isConstraint: Bool {
        switch self {
        case .constraint, .notUnique, .derivedOverflow: true
        default: false
        }
    }

    /// Whether SQLite refused a value because of its size.
    var isTooLarge: Bool { if case .valueTooLarge = self { true } else { false } }
}

/// A value without data among those of several rows, before its object is known.
struct UnattributedConversionError: Error {}
