/// Whether a context takes over what others save, and what waits for it.
struct MergeSubscription {
    /// The saves of others that the context is to merge; nil while it merges nothing by itself.
    private(set) var inbox: MergeInbox?

    init() {}

    var isOn: Bool { inbox != nil }

    /// Has the hub put into an inbox what others save.
    mutating func begin(_ hub: SaveHub, wake: (@Sendable () -> Void)?) {
        let inbox = MergeInbox(wake: wake)
        self.inbox = inbox
        hub.add(inbox)
    }

    /// Forgets what waits, and what comes.
    mutating func end(_ hub: SaveHub) {
        guard let inbox else { return }
        hub.remove(inbox)
        self.inbox = nil
    }
}
