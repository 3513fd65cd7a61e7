import SystemFoundation

/// The observers of a context. A context without observers has no cost.
struct ContextObservers {
    var observations: [ContextObservation] = []
    var streams:
        [UUID: (kinds: Set<ContextNotification.Kind>, continuation: AsyncStream<ContextNotification>.Continuation)] =
            [:]
    #if FoundationEssentials
        /// Without Foundation, there are no notification centers.
        var notificationCenter: Never? { nil }
    #else
        var notificationCenter: NotificationCenter?
    #endif

    var isEmpty: Bool { observations.isEmpty && streams.isEmpty && notificationCenter == nil }

    /// Ends all notification sequences, and clears the observations' references to the context.
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
        /// The name of the notification before a save, with the context as its object.
        ///
        /// SwiftData has a notification of the same name; Core Data's is `NSManagedObjectContextWillSave`.
        public static let willSave = Notification.Name("ModelContext.willSave")
        /// The name of the notification after a save, with the context as its object.
        ///
        /// SwiftData has a notification of the same name; Core Data's is `NSManagedObjectContextDidSave`.
        public static let didSave = Notification.Name("ModelContext.didSave")
        /// The name of the notification after objects changed in memory.
        ///
        /// Core Data's counterpart is `NSManagedObjectContextObjectsDidChange`.
        public static let objectsDidChange = Notification.Name("ModelContext.objectsDidChange")

        /// The key of the ``ContextNotification`` in the `userInfo` of a notification.
        public static let notificationKey = "ModelContext.notification"

        /// The notification center to which the context posts ``willSave``, ``didSave`` and ``objectsDidChange``.
        ///
        /// It defaults to nil, except on Apple's systems.
        ///
        ///     context.notificationCenter = .default
        public var notificationCenter: NotificationCenter? {
            get { listeners.observers.notificationCenter }
            set {
                listeners.observers.notificationCenter = newValue
                updateEvents()
            }
        }
    #endif

    /// Calls a closure at each event of a kind, on the context's task or actor and before the context continues.
    ///
    /// At ``ContextNotification/Kind/willSave`` the closure may change objects, and its changes are saved too. At the
    /// other events it receives the changes.
    ///
    ///     let observation = context.observe(.willSave) { context, _ in
    ///         for post in context.insertedModelsArray.compactMap({ $0 as? Post }) { post.created = .now }
    ///     }
    ///
    /// - Parameters:
    ///   - kind: The kind of events.
    ///   - handler: The closure to call, with the context and its changes.
    /// - Returns: The observation. You need to keep it only to cancel it.
    @discardableResult
    public func observe(
        _ kind: ContextNotification.Kind, _ handler: @escaping (ModelContext, ContextChanges) -> Void
    ) -> ContextObservation {
        let observation = ContextObservation(self, kind, handler)
        listeners.observers.observations.append(observation)
        updateEvents()
        return observation
    }

    /// Returns the context's future notifications as an asynchronous sequence, which any task may read.
    ///
    /// Notifications wait in memory until they are read. The sequence ends when the context is released.
    ///
    ///     for await notification in context.notifications(of: [.didSave, .objectsDidChange]) {
    ///         print(notification.kind, notification.identifiers.count)
    ///     }
    ///
    /// - Parameter kinds: The kinds of notifications. It defaults to saves.
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
            // A reader that ended leaves its stream in the list.
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
