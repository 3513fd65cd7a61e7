import SystemFoundation

/// Those who want to know what happens in a context. A context without any pays nothing.
struct ContextObservers {
    var observations: [ContextObservation] = []
    var streams:
        [UUID: (kinds: Set<ContextNotification.Kind>, continuation: AsyncStream<ContextNotification>.Continuation)] =
            [:]
    #if FoundationEssentials
        /// There are none without Foundation.
        var notificationCenter: Never? { nil }
    #else
        var notificationCenter: NotificationCenter?
    #endif

    var isEmpty: Bool { observations.isEmpty && streams.isEmpty && notificationCenter == nil }

    /// Tells those who read of notifications that none comes any more, and lets go of the context.
    func end() {
        for observation in observations { observation.forgetContext() }
        for stream in streams.values { stream.continuation.finish() }
    }

    func wants(_ kind: ContextNotification.Kind) -> Bool {
        notificationCenter != nil || observations.contains { $0.kind == kind }
            || streams.values.contains { $0.kinds.contains(kind) }
    }
}

extension ModelContext {
    #if !FoundationEssentials
        /// Posted before a save, with the context as its object. SwiftData's `ModelContext.willSave`.
        public static let willSave = Notification.Name("ModelContext.willSave")
        /// Posted after a save, with the context as its object. SwiftData's `ModelContext.didSave`.
        public static let didSave = Notification.Name("ModelContext.didSave")
        /// Posted when objects changed in memory. Core Data's `NSManagedObjectContextObjectsDidChange`.
        public static let objectsDidChange = Notification.Name("ModelContext.objectsDidChange")

        /// The key under which a notification's `userInfo` has a ``ContextNotification``.
        public static let notificationKey = "ModelContext.notification"

        /// The centre to which the context posts ``willSave``, ``didSave`` and ``objectsDidChange``; nil for none, which
        /// is the default everywhere but on Apple's systems.
        public var notificationCenter: NotificationCenter? {
            get { listeners.observers.notificationCenter }
            set {
                listeners.observers.notificationCenter = newValue
                updateEvents()
            }
        }
    #endif

    /// Calls a closure at an occasion, where the context runs and before it goes on.
    ///
    /// At ``ContextNotification/Kind/willSave`` the closure may change the graph; the changes are saved with the others.
    /// At the others it gets what changed. Keep the returned value only in order to cancel.
    @discardableResult
    public func observe(
        _ kind: ContextNotification.Kind, _ handler: @escaping (ModelContext, ContextChanges) -> Void
    ) -> ContextObservation {
        let observation = ContextObservation(self, kind, handler)
        listeners.observers.observations.append(observation)
        updateEvents()
        return observation
    }

    /// What happens in the context from now on, as an asynchronous sequence that may be read on any task.
    ///
    /// It ends when the context goes. Notifications wait in memory until they are read.
    public func notifications(
        of kinds: Set<ContextNotification.Kind> = [.didSave]
    ) -> AsyncStream<ContextNotification> {
        let (stream, continuation) = AsyncStream.makeStream(of: ContextNotification.self)
        let number = UUID()
        listeners.observers.streams[number] = (kinds, continuation)
        updateEvents()
        return stream
    }

    func remove(_ observation: ContextObservation) {
        observation.forgetContext()
        listeners.observers.observations.removeAll { $0 === observation }
        updateEvents()
    }

    func notify(_ kind: ContextNotification.Kind, _ changes: @autoclosure () -> ContextChanges) {
        guard !listeners.observers.isEmpty, listeners.observers.wants(kind) else { return }
        let changes = changes()
        for observation in listeners.observers.observations where observation.kind == kind {
            observation.handler(self, changes)
        }
        guard !listeners.observers.streams.isEmpty || listeners.observers.notificationCenter != nil else { return }
        let notification = changes.notification(kind, author: author)
        for (number, stream) in listeners.observers.streams where stream.kinds.contains(kind) {
            // A reader that is gone leaves its stream behind.
            if case .terminated = stream.continuation.yield(notification) { listeners.observers.streams[number] = nil }
        }
        #if !FoundationEssentials
            let name =
                switch kind {
                case .willSave: Self.willSave
                case .didSave: Self.didSave
                case .objectsDidChange: Self.objectsDidChange
                }
            listeners.observers.notificationCenter?.post(
                name: name, object: self, userInfo: [Self.notificationKey: notification])
        #endif
    }
}
