public import Ashlar
import AshlarSQLite
import CStoreFaults

extension ModelContainer {
    /// Runs a closure while the disk of the container's stores fails.
    ///
    ///     #expect(throws: StoreError.self) {
    ///         try container.failing(.diskFull, after: 3) { try context.save() }
    ///     }
    ///
    /// SQLite gets the errors from its own file layer, so that all between it and the program does what it does on such a
    /// disk. Only the files of the container's stores fail, whoever opens them in this process; other stores and other
    /// tests go on. Afterwards the disk is sound again, and so is the store: what was committed is there, and nothing by
    /// halves.
    ///
    /// The container lets go of its stores and opens them again before, so that nothing is read from memory: contexts that
    /// stay at a state lose it, and it must not be called within a transaction.
    ///
    /// - Parameters:
    ///   - fault: What fails.
    ///   - count: How many operations of this kind are let through before.
    ///   - times: How many fail then; all until the closure ends when nil.
    ///   - body: What is done meanwhile.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``StoreFaultError``, also where the closure ends without an error and nothing failed;
    ///   `StoreError` where the stores cannot be let go of and opened again.
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

    /// Runs a closure that waits for others while the disk of the container's stores fails.
    ///
    /// - Throws: As the other one.
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
        // Connections that were opened before know nothing of the layer.
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

    /// Ends it; throws where nothing failed.
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
