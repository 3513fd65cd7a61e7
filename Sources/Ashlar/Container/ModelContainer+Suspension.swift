import AshlarSQLite

extension ModelContainer {
    /// Whether the container has let go of its stores; see ``suspend()``.
    public var isSuspended: Bool { pool.isSuspended }

    /// Lets go of the stores' files until ``resume()``: afterwards no connection of the container is open, so that none holds
    /// a lock, and the process may be stopped for any time without keeping others from the stores, or being ended for it.
    ///
    ///     try container.suspend()     // when the scene has entered the background
    ///     try container.resume()      // when it is about to enter the foreground
    ///
    /// iOS ends a process that it stops while it holds a lock on a file in a container that an app shares with its extensions
    /// (the code of that is `0xdead10cc`). Elsewhere a process that is stopped with a lock keeps all others waiting.
    ///
    /// What runs on other threads is interrupted: a fetch, a save or a batch operation throws ``StoreError/suspended(_:)``,
    /// and what it wrote is undone whole, unless it was committed before. A context keeps its changes, and can be saved after
    /// ``resume()``. Whatever would read or write meanwhile throws that error at once rather than to wait, as the program
    /// would be stopped while it waits, its main thread perhaps. What the container does by itself is held: the main context
    /// saves what is pending afterwards, and live results, ``remoteChanges`` and ``history(_:)`` then tell what others
    /// committed meanwhile. States at which contexts stay are given up, as with ``StoreOptions/pinnedLogLimit``.
    ///
    /// It returns as soon as everything has come to its end, within some milliseconds mostly. Call it once for each
    /// container, on any thread, but not in a closure that the container calls while it reads or writes. A container whose
    /// stores are all in memory has nothing to let go of, and goes on. To suspend what is suspended does nothing.
    ///
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` when a closure of the program's own, one in a transaction say, has
    ///   not ended within ``StoreOptions/busyTimeout``. The container is suspended all the same: it lets go of the
    ///   connection with the next call of this or of ``resume()``, and the closure's transaction is undone.
    ///   ``StoreError/nestedWriting(_:)`` in a closure that is called while this thread writes.
    public func suspend() throws {
        try suspending { try pool.suspend() }
        guard pool.isSuspended else { return }
        for store in stores { store.token?.suspend() }
    }

    /// Opens the stores again after ``suspend()``; else does nothing.
    ///
    /// Those who follow what others do are told of commits that came meanwhile. Where the files look as if they might have
    /// been written, they are told that as well. A copy that took a store's place meanwhile, by
    /// ``replaceStore(at:withStoreFrom:)``, is opened if it has the store's identifier, version and
    /// indexes, its history is on or off as the store's was, and neither has a range of identifiers.
    ///
    /// - Throws: ``StoreError`` when a store cannot be opened: ``StoreError/migratedWhileOpen(_:version:)`` and
    ///   ``StoreError/removedWhileOpen(_:)`` when that happened meanwhile, the latter also where the copy is of
    ///   another store; ``StoreError/storeInUse(_:)`` while this process replaces a store;
    ///   ``StoreError/locked(_:waited:doing:)`` while another process migrates it. The container is suspended as before then; call it again, or let go of the container.
    public func resume() throws {
        guard pool.isSuspended else { return }
        var resumed: [OpenStores.Token] = []
        do {
            for case let token? in stores.map(\.token) where try token.resume() { resumed.append(token) }
            try suspending { try pool.resume() }
        } catch {
            for token in resumed { token.suspend() }
            throw error
        }
    }

    private func suspending(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let refusal as WriterLock.Refusal {
            // Nobody but a closure of the program's own keeps the lock for so long.
            switch refusal {
            case .nested: throw StoreError.nestedWriting(configuration.url)
            case .timeout:
                throw StoreError.locked(
                    configuration.url, waited: configuration.options.busyTimeout, doing: "opening the store again")
            }
        } catch let error as SQLiteError {
            throw StoreError.sqlite(error, doing: "keeping the stores in memory while the others are let go of")
        }
    }
}
