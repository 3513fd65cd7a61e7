public import Ashlar
import AshlarSQLite
import CStoreFaults

extension ModelContainer {
    /// Runs a closure while the disk of the container's stores fails.
    ///
    /// Use it to test how a program handles disk errors.
    ///
    ///     #expect(throws: StoreError.self) {
    ///         try container.failing(.diskFull, after: 3) { try context.save() }
    ///     }
    ///
    /// SQLite's file layer returns the errors, so all code above it runs as on a failing disk. Only the files of the
    /// container's stores fail, for every user of them in this process. Afterwards the disk works again, and the store
    /// contains exactly the committed data.
    ///
    /// The container closes and reopens its stores before, so that nothing is read from memory. Pinned contexts lose
    /// their state. It must not be called in a transaction.
    ///
    /// - Parameters:
    ///   - fault: The kind of failure.
    ///   - count: The number of operations of this kind that succeed before.
    ///   - times: The number of operations that then fail; nil for all until the closure ends.
    ///   - body: The work to do meanwhile.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error. ``StoreFaultError``, also if the closure ends without an error and nothing
    ///   failed. `StoreError` if the stores cannot be reopened.
    public func failing<Result>(
        _ fault: StoreFault, after count: Int = 0, times: Int? = nil, _ body: () throws -> Result
    ) throws -> Result {
        let running = try RunningFault(fault, of: self, after: count, times: times)
        do {
            let result = try body()
            try running.end()
            return result
        } catch {
            running.cancel()
            throw error
        }
    }

    /// Runs an asynchronous closure while the disk of the container's stores fails.
    ///
    /// See ``failing(_:after:times:_:)``.
    ///
    /// - Parameters:
    ///   - fault: The kind of failure.
    ///   - count: The number of operations of this kind that succeed before.
    ///   - times: The number of operations that then fail; nil for all until the closure ends.
    ///   - isolation: The actor that the closure runs on. It defaults to the caller's.
    ///   - body: The work to do meanwhile.
    /// - Returns: The closure's result.
    /// - Throws: The errors of the synchronous method.
    public func failing<Result>(
        _ fault: StoreFault, after count: Int = 0, times: Int? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let running = try RunningFault(fault, of: self, after: count, times: times)
        do {
            let result = try await body()
            try running.end()
            return result
        } catch {
            running.cancel()
            throw error
        }
    }
}

/// A fault of all stores of a container.
private final class RunningFault {
    private let fault: StoreFault
    private let after: Int
    private var numbers: [Int32] = []

    init(_ fault: StoreFault, of container: ModelContainer, after: Int, times: Int?) throws {
        self.fault = fault
        self.after = after
        let paths = container.configurations.filter { !$0.isStoredInMemoryOnly }.map(\.url.path)
        if paths.isEmpty { throw StoreFaultError.noFile }
        let code = CStoreFaultsInstall()
        if code != SQLITE_OK { throw StoreFaultError.notInstalled(code: code) }
        // Connections that were opened before do not use the layer.
        try container.suspend()
        try container.resume()
        for path in paths {
            let number = CStoreFaultsBegin(path, fault.operations, fault.code, Int64(after), Int64(times ?? -1))
            if number == 0 {
                cancel()
                throw StoreFaultError.notInstalled(code: SQLITE_NOMEM)
            }
            numbers.append(number)
        }
    }

    /// Ends it; throws if nothing failed.
    func end() throws {
        let (seen, failed) = stop()
        if failed == 0 { throw StoreFaultError.notReached(fault, after: after, operations: Int(seen)) }
    }

    func cancel() { _ = stop() }

    private func stop() -> (seen: Int64, failed: Int64) {
        var (seen, failed): (Int64, Int64) = (0, 0)
        for number in numbers {
            var counts: (Int64, Int64) = (0, 0)
            CStoreFaultsEnd(number, &counts.0, &counts.1)
            seen += counts.0
            failed += counts.1
        }
        numbers = []
        return (seen, failed)
    }

    deinit { cancel() }
}
