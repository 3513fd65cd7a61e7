import AshlarSQLite

extension ModelContainer {
    // MARK: The replica

    /// Makes the store, a copy of another one, a replica of that store, its primary.
    ///
    ///     try primary.backUp(to: url)
    ///     let replica = try ModelContainer(for: PhotoFeedModel.self, configurations: ModelConfiguration(url: url))
    ///     try replica.becomeReplica(identifiers: 1_000_000_000...1_999_999_999)
    ///
    /// Call it once, before anything is saved in the copy. Then both stores may be written, and exchange changes with
    /// ``pendingChanges()``, ``reconcile(_:author:resolvingConflicts:)`` and ``adopt(_:author:)``. A replica can be the
    /// primary of others. The history of both must be on, and each needs its own range of identifiers; see
    /// ``setIdentifierRange(_:)``.
    ///
    /// - Parameters:
    ///   - identifiers: The numbers for objects that are inserted into this store; no other store may use them.
    ///   - token: The place in the primary's history that this store has, if it is not a fresh copy, for example if
    ///     both stores were empty. Later changes of the primary come with the first exchange.
    /// - Throws: ``HistoryError/notTracked(_:)`` if the history is off, or ``StoreError`` if the store cannot be
    ///   written.
    public func becomeReplica(
        identifiers: ClosedRange<Int64>, at token: PersistentHistoryToken? = nil
    ) throws {
        try requireOneStore("becoming a replica")
        // The history records the changes of other programs as transactions of their own.
        let current = try currentHistoryToken()
        try setIdentifierRange(identifiers)
        try stores[0].write("becoming a replica") { connection in
            try connection.transaction {
                try ReplicaState(primary: token ?? current, own: current).write(connection)
            }
        }
    }

    /// Returns the changes of this replica that its primary has not answered yet, as the present rows.
    ///
    ///     let changes = try replica.pendingChanges()
    ///
    /// Nothing is marked as sent: the changes are pending until an answer is adopted. Changes that are sent twice, for
    /// example after an answer was lost, count as later changes.
    ///
    /// - Throws: ``ChangesetError/notReplica`` if the store is not a replica. ``HistoryError/tokenExpired(_:token:)``
    ///   if pending history was deleted. ``ChangesetError/unreadableFile(_:reason:)`` if the file of a large value is
    ///   missing. ``StoreError`` if the store cannot be read.
    public func pendingChanges() throws -> Changeset {
        try requireOneStore("making a changeset")
        return try readHistory { readers in
            let reader = readers.readers[0]
            let state = try ReplicaState(reader.connection)
            var changes = try changeset(
                of: reader.net(.fetchHistory(after: state.own)), reader, tellsTransientRows: true)
            changes.base = state.primary
            return changes
        }
    }

    /// Changes the replica to the state of its primary in an answer, in one transaction.
    ///
    ///     let changes = try replica.pendingChanges()
    ///     try replica.adopt(primary.reconcile(changes))
    ///
    /// Contexts merge the changes as they merge saves. If two objects got the same unique values, they may have been
    /// merged, and one of the identifiers is no longer valid.
    ///
    /// - Parameters:
    ///   - answer: The primary's answer of ``reconcile(_:author:resolvingConflicts:)`` to ``pendingChanges()``.
    ///   - author: The author of the transaction in this store's history.
    /// - Throws: ``ChangesetError/changedMeanwhile`` if something was saved here since ``pendingChanges()``; exchange
    ///   the changes again. Another ``ChangesetError``, ``HistoryError``, or ``StoreError``. Nothing is adopted then.
    public func adopt(_ answer: Changeset, author: String? = nil) throws {
        try requireOneStore("adopting an answer")
        guard let base = answer.base, let answered = answer.answered, let token = answer.token else {
            throw ChangesetError.notOfReplica
        }
        try writeChanges("adopting an answer", author, to: stores[0]) { connection in
            let state = try ReplicaState(connection)
            let before = try HistoryReader(connection, self, stores[0])
            guard state.primary == base, before.currentToken == answered else { throw ChangesetError.changedMeanwhile }
            let changes = try connection.recordingHistory(of: HistoryOrigin(author: author)) {
                let adoption = ChangesetAdoption(self, connection)
                try adoption.adopt(answer)
                return adoption.changes
            }
            let own = try HistoryReader(connection, self, stores[0]).currentToken
            try ReplicaState(primary: token, own: own).write(connection)
            return ((), changes)
        }
    }

    // MARK: The primary

    /// Applies the pending changes of a replica to this store, its primary, and returns the rows that the replica must
    /// change.
    ///
    ///     // the replica
    ///     let changes = try replica.pendingChanges()
    ///     // the primary
    ///     let answer = try primary.reconcile(changes, author: "phone")
    ///     // the replica
    ///     try replica.adopt(answer)
    ///
    /// Changes take effect in the order in which the primary applies them, whatever the time at which they were made.
    /// The answer has the present rows of everything that either store changed since the last exchange. After the
    /// replica adopts it, both stores are the same, however conflicts were resolved.
    ///
    /// - Parameters:
    ///   - changes: The ``pendingChanges()`` of a replica of this store.
    ///   - author: The author of the transaction in this store's history.
    ///   - resolvingConflicts: Resolves a conflict; it must not use the store. It defaults to
    ///     ``ChangesetConflict/defaultResolution``.
    /// - Returns: The answer, for ``adopt(_:author:)`` of the replica.
    /// - Throws: ``HistoryError/tokenExpired(_:token:)`` if this store's history does not reach back far enough; create
    ///   the replica again. ``ChangesetError``, ``StoreError``, or the closure's error. Nothing is applied then.
    public func reconcile(
        _ changes: Changeset, author: String? = nil,
        resolvingConflicts: @escaping (ChangesetConflict) throws -> ChangesetConflict.Resolution = {
            $0.defaultResolution
        }
    ) throws -> Changeset {
        try requireOneStore("reconciling a changeset")
        guard let base = changes.base, changes.answered == nil, let told = changes.token else {
            throw ChangesetError.notOfReplica
        }
        return try writeChanges("reconciling a changeset", author, to: stores[0]) { connection in
            let before = try HistoryReader(connection, self, stores[0])
            var own = try before.net(.fetchHistory(after: base))
            let application = ChangesetApplication(self, connection, own: own, isAnswered: true, resolvingConflicts)
            try connection.recordingHistory(of: HistoryOrigin(author: author)) { try application.apply(changes) }
            let reader = try HistoryReader(connection, self, stores[0])
            let done = try reader.net(.fetchHistory(after: before.currentToken))
            let settled = try application.tables.settledRows(changes, own, done)
            own.add(done)
            for change in try application.tables.changes(of: changes) {
                if let key = change.historyKey { own.delete(change.table.name, key) }
            }
            var answer = try rows(of: own, without: settled, reader)
            answer.base = base
            answer.answered = told
            return (answer, application.changes)
        }
    }
}

extension HistoryNet {
    /// Adds the rows of another part of the history, as rows that may have changed in any way.
    mutating func add(_ other: HistoryNet) {
        for (table, rows) in other.rows {
            for key in rows.keys { delete(table, key) }
        }
    }
}

extension ChangedTables {
    /// Returns the rows whose state in this store is that of the changeset, and which no other change concerned. The
    /// replica has them already.
    ///
    /// - Parameters:
    ///   - own: The changes of this store since the last exchange with the replica.
    ///   - done: The changes that applying the changeset made.
    func settledRows(
        _ changeset: Changeset, _ own: HistoryNet, _ done: HistoryNet
    ) throws -> [String: Set<HistoryNet.Key>] {
        var settled: [String: Set<HistoryNet.Key>] = [:]
        for change in try changes(of: changeset) {
            let name = change.table.name
            guard let key = change.historyKey, own.rows[name]?[key] == nil else { continue }
            let stored = try change.table.values(of: change.key, connection)
            let effect = done.rows[name]?[key]
            let isSettled: Bool
            switch (change.operation, stored) {
            case (.delete, nil): isSettled = true
            case (.insert, let stored?):
                isSettled = try change.table.columns.allSatisfy {
                    try !change.table.isWritable($0) || change.new[$0] == content(stored[$0] ?? .null)
                }
            case (.update, let stored?):
                // The replica lacks changes of any other column.
                guard let columns = effect.map({ $0.columns }) ?? [] else {
                    isSettled = false
                    break
                }
                isSettled =
                    try columns.allSatisfy { !change.table.isWritable($0) || change.new[$0] != nil }
                    && change.new.allSatisfy { name, value in
                        try !change.table.isWritable(name) || value == content(stored[name] ?? .null)
                    }
            default: isSettled = false
            }
            if isSettled { settled[name, default: []].insert(key) }
        }
        return settled
    }

    /// Returns a value with the bytes of its file in place of a reference to the file.
    func content(_ value: SQLiteValue) throws -> SQLiteValue {
        try ModelContainer.content(value, connection)
    }
}
