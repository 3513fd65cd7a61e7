import Synchronization
import SystemFoundation

/// The files that this process has open as stores, so that nobody takes one away from under a container.
///
/// It also keeps this process from reading such a file other than through SQLite: when a process closes a file, POSIX
/// takes away all locks that it has on the file, SQLite's too, and another process would then delete a write-ahead log
/// that is in use.
final class OpenStores: Sendable {
    static let shared = OpenStores()

    private enum Use {
        case open(Int)
        case exclusive
    }

    private let uses = Mutex<[String: Use]>([:])

    /// What was asked for and is given back when it goes.
    final class Token: Sendable {
        fileprivate let path: String

        fileprivate init(path: String) { self.path = path }

        deinit { OpenStores.shared.end(path) }
    }

    /// Begins to use a file as others may too. The closure looks at the file; it runs only when nobody has it open here.
    func use<Found>(_ url: URL, _ look: () throws -> Found) throws -> (token: Token, found: Found?) {
        let path = Self.path(url)
        return try uses.withLock { uses in
            switch uses[path] {
            case .exclusive: throw StoreError.storeInUse(url)
            case .open(let count):
                uses[path] = .open(count + 1)
                return (Token(path: path), nil)
            case nil:
                let found = try look()
                uses[path] = .open(1)
                return (Token(path: path), found)
            }
        }
    }

    /// Begins to use a file alone in this process. The closure looks at the file.
    func useAlone<Found>(_ url: URL, _ look: () throws -> Found) throws -> (token: Token, found: Found) {
        let path = Self.path(url)
        return try uses.withLock { uses in
            if uses[path] != nil { throw StoreError.storeInUse(url) }
            let found = try look()
            uses[path] = .exclusive
            return (Token(path: path), found)
        }
    }

    private func end(_ path: String) {
        uses.withLock { uses in
            if case .open(let count) = uses[path], count > 1 { uses[path] = .open(count - 1) } else { uses[path] = nil }
        }
    }

    /// One path for a file, whichever links lead to it, and whether or not it exists yet.
    static func path(_ url: URL) -> String {
        FileSystem.canonicalPath(url.path)
    }
}
