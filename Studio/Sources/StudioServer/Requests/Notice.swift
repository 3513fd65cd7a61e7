import Synchronization

/// The message about the last form, which the next page shows once.
final class Notice: Sendable {
    private let text = Mutex<String?>(nil)

    func show(_ text: String) { self.text.withLock { $0 = text } }

    func take() -> String? {
        text.withLock { text in
            defer { text = nil }
            return text
        }
    }
}
