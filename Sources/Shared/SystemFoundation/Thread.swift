#if FoundationEssentials && !os(Windows)
    /// Threads of the system, like Foundation's class of this name, which `FoundationEssentials` lacks.
    package enum Thread {
        private final class Body: Sendable {
            let run: @Sendable () -> Void

            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }

        /// Runs a closure on a thread of its own, or on this one if the system cannot create another.
        package static func detachNewThread(_ body: @escaping @Sendable () -> Void) {
            let box = Unmanaged.passRetained(Body(body))
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
            defer { pthread_attr_destroy(&attributes) }
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            let code = pthread_create(
                &thread, &attributes,
                { body in
                    #if canImport(Darwin)
                        Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
                    #else
                        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
                    #endif
                    return nil
                }, box.toOpaque())
            if code != 0 { box.takeRetainedValue().run() }
        }

        /// Whether the program began with this thread.
        package static var isMainThread: Bool {
            #if canImport(Darwin)
                pthread_main_np() != 0
            #else
                // No module has `gettid`. On Linux, this link has both numbers; if it cannot be read, the answer is
                // true.
                var link = [CChar](repeating: 0, count: 64)
                guard readlink("/proc/thread-self", &link, link.count - 1) > 0 else { return true }
                let numbers = link.prefix { $0 != 0 }.split(separator: CChar(UInt8(ascii: "/"))).map(Array.init)
                return numbers.first == numbers.last
            #endif
        }
    }
#endif
