/// The subscription of a context to the saves of other contexts.
struct MergeSubscription {
    /// The saves that the context has yet to merge; nil if it does not merge automatically.
    private(set) var inbox: MergeInbox?

    init() {}

    var isOn: Bool { inbox != nil }

    /// Subscribes to the hub, which then adds the saves of others to the inbox.
    mutating func begin(_ hub: SaveHub, wake: (@Sendable () -> Void)?) {
        let inbox = MergeInbox(wake: wake)
        self.inbox = inbox
        hub.add(inbox)
    }

    /// Cancels the subscription, and discards the saves in the inbox.
    mutating func end(_ hub: SaveHub) {
        guard let inbox else { return }
        hub.remove(inbox)
        self.inbox = nil
    }
}
