#if ASHLAR_THREAD_SANITIZER
    import SystemFoundation

    /// Replaces the standard library's mutex in builds for ThreadSanitizer, which does not recognize that mutex on
    /// Linux and reports access to its value as races.
    ///
    /// It may be shared, because its value is accessed only under the lock.
    final class Mutex<Value>: @unchecked Sendable {
        private let lock = NSLock()
        /// An address of its own: that of a value without a size may be another value's.
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
