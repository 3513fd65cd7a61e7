import AshlarSQLite

extension ModelContainer {
    /// Whether the container is suspended, so that none of its connections is open.
    ///
    /// See ``suspend()`` and ``resume()``. While it is true, reads and saves throw ``StoreError/suspended(_:)``.
    ///
    ///     if container.isSuspended { try container.resume() }
    public var isSuspended: Bool { pool.isSuspended }

    /// Closes all connections of the container until ``resume()``, so that no file lock remains.
    ///
    /// iOS ends a process that is suspended while it holds a lock on a file in a shared container (code `0xdead10cc`).
    /// On other systems, a stopped process with a lock blocks all others. Call this method before the system suspends
    /// the process.
    ///
    ///     try container.suspend()     // when the scene has entered the background
    ///     try container.resume()      // when it is about to enter the foreground
    ///
    /// Work on other threads is interrupted: a fetch, save or batch operation throws ``StoreError/suspended(_:)``, and
    /// its writes are rolled back unless they were committed. New reads and writes throw that error at once. Contexts
    /// keep their changes and can save after ``resume()``. Autosaves, live results, ``remoteChanges`` and
    /// ``history(_:)`` continue after ``resume()``. Pinned query generations are given up, as with
    /// ``StoreOptions/pinnedLogLimit``.
    ///
    /// The method returns when all work has ended, usually within milliseconds. Call it once for each container, on any
    /// thread, but not in a closure that the container calls while it reads or writes. Containers with only stores in
    /// memory ignore it, and so do suspended ones.
    ///
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` if a closure of the program has not ended within
    ///   ``StoreOptions/busyTimeout``. The container is suspended nevertheless: the next call of this method or of
    ///   ``resume()`` closes the connection and rolls back the closure's transaction. ``StoreError/nestedWriting(_:)``
    ///   if it is called in a closure while this thread writes.
    public func suspend() throws {
        try suspending { try pool.suspend() }
        guard pool.isSuspended else { return }
        for store in stores { store.token?.suspend() }
    }

    /// Opens the stores again after ``suspend()``; otherwise does nothing.
    ///
    /// Observers of remote changes are notified of commits that others made meanwhile, and also if the files may have
    /// been written. If ``replaceStore(at:withStoreFrom:allowingMissingLargeValues:)`` replaced a store meanwhile, the copy is opened under three
    /// conditions. It must have the same identifier, version and indexes; its history must be on or off as before; and
    /// neither may have a range of identifiers.
    ///
    ///     try container.resume()
    ///
    /// - Throws: ``StoreError/migratedWhileOpen(_:version:)`` or ``StoreError/removedWhileOpen(_:)`` if that happened
    ///   meanwhile. The latter is also thrown if another store took its place. ``StoreError/storeInUse(_:)`` while this
    ///   process replaces a store, and ``StoreError/locked(_:waited:doing:)`` while another process migrates it. The
    ///   container then stays suspended; call the method again, or release the container.
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
            // Only a closure of the program can keep the lock for so long.
            switch refusal {
            case .nested: throw StoreError.nestedWriting(configuration.url)
            case .timeout:
                throw StoreError.locked(
                    configuration.url, waited: configuration.options.busyTimeout, doing: "opening the store again")
            }
        } catch let error as SQLiteError {
            throw StoreError.sqlite(error, doing: "keeping the stores in memory while the others are released")
        }
    }
}
