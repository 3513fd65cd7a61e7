#if FoundationEssentials && !os(Windows)
    /// A lock that its owning thread may take again, like Foundation's class of this name, which `FoundationEssentials`
    /// lacks.
    ///
    /// `@unchecked Sendable`: its only content is the system's lock, which is made for several threads.
    package final class NSRecursiveLock: @unchecked Sendable {
        // At a place of its own, since the C library goes by the address.
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

        package init() {
            mutex.initialize(to: pthread_mutex_t())
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
            pthread_mutex_init(mutex, &attributes)
            pthread_mutexattr_destroy(&attributes)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        package func lock() { pthread_mutex_lock(mutex) }

        package func unlock() { pthread_mutex_unlock(mutex) }

        package func `try`() -> Bool { pthread_mutex_trylock(mutex) == 0 }

        package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
            lock()
            defer { unlock() }
            return try body()
        }
    }
#endif
