#if ASHLAR_THREAD_SANITIZER
    import SystemFoundation

    /// Takes the place of the standard library's mutex in builds for ThreadSanitizer, which does not see that one on
    /// Linux and reports what it guards as races.
    ///
    /// It may be shared, since its value is reached under the lock alone.
    final class Mutex<Value>: @unchecked Sendable {
        private let lock = NSLock()
        /// Where nothing else is: the address of a value without a size may be another's.
        private let value: UnsafeMutablePointer<Value>

        init(_ value: sending Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
        }

        func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value.pointee)
        }

        func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard lock.try() else { return nil }
            defer { lock.unlock() }
            return try body(&value.pointee)
        }
    }
#endif
