import Synchronization
import SystemFoundation

/// The files that this process has open as stores, so that none is removed while a container uses it.
///
/// It also keeps this process from reading such a file other than through SQLite. When a process closes a file, POSIX
/// removes all locks that the process has on the file, including SQLite's. Another process would then delete a
/// write-ahead log that is in use.
package final class OpenStores: Sendable {
    package static let shared = OpenStores()

    /// The uses of one file.
    private struct Uses {
        /// The number of users that have it open, or may open it at any time.
        var open = 0
        /// The number of users whose containers are suspended.
        var suspended = 0
        var isExclusive = false

        var isNone: Bool { open == 0 && suspended == 0 && !isExclusive }
    }

    private let uses = Mutex<[String: Uses]>([:])

    /// A use of a file, which lasts as long as this object.
    package final class Token: Sendable {
        fileprivate enum Kind { case open, suspended, exclusive }

        fileprivate let path: String
        private let url: URL
        private let kind: Mutex<Kind>

        fileprivate init(_ url: URL, path: String, _ kind: Kind) {
            (self.url, self.path) = (url, path)
            self.kind = Mutex(kind)
        }

        deinit {
            let kind = kind.withLock { $0 }
            OpenStores.shared.change(path) { uses in
                switch kind {
                case .open: uses.open -= 1
                case .suspended: uses.suspended -= 1
                case .exclusive: uses.isExclusive = false
                }
            }
        }

        /// Records that the file is not open, so that others may remove it.
        func suspend() {
            kind.withLock { kind in
                guard kind == .open else { return }
                kind = .suspended
                OpenStores.shared.change(path) { ($0.open, $0.suspended) = ($0.open - 1, $0.suspended + 1) }
            }
        }

        /// Records that the file is about to be opened again. Throws ``StoreError/storeInUse(_:)`` while other code
        /// removes or replaces it.
        ///
        /// - Returns: False if it was not suspended.
        func resume() throws(StoreError) -> Bool {
            let (isTaken, isResumed) = kind.withLock { kind in
                guard kind == .suspended else { return (false, false) }
                let isTaken = OpenStores.shared.change(path) { uses in
                    if !uses.isExclusive { (uses.open, uses.suspended) = (uses.open + 1, uses.suspended - 1) }
                    return uses.isExclusive
                }
                if !isTaken { kind = .open }
                return (isTaken, !isTaken)
            }
            if isTaken { throw .storeInUse(url) }
            return isResumed
        }
    }

    /// Begins a shared use of a file. The closure inspects the file; it runs only if the file is not open in this
    /// process.
    package func use<Found>(_ url: URL, _ look: () throws -> Found) throws -> (token: Token, found: Found?) {
        let path = Self.path(url)
        return try uses.withLock { uses in
            let known = uses[path] ?? Uses()
            if known.isExclusive { throw StoreError.storeInUse(url) }
            let found = known.open == 0 ? try look() : nil
            uses[path, default: Uses()].open += 1
            return (Token(url, path: path, .open), found)
        }
    }

    /// Begins a use of a file that excludes others in this process, except for suspended containers. The closure
    /// inspects the file.
    package func useAlone<Found>(_ url: URL, _ look: () throws -> Found) throws -> (token: Token, found: Found) {
        let path = Self.path(url)
        return try uses.withLock { uses in
            let known = uses[path] ?? Uses()
            if known.isExclusive || known.open > 0 { throw StoreError.storeInUse(url) }
            let found = try look()
            uses[path, default: Uses()].isExclusive = true
            return (Token(url, path: path, .exclusive), found)
        }
    }

    @discardableResult
    private func change<Result>(_ path: String, _ body: (inout Uses) -> Result) -> Result {
        uses.withLock { uses in
            let result = body(&uses[path, default: Uses()])
            if uses[path]?.isNone == true { uses[path] = nil }
            return result
        }
    }

    /// Returns the same path for a file regardless of the links that lead to it, and even if it does not exist yet.
    package static func path(_ url: URL) -> String {
        FileSystem.canonicalPath(url.path)
    }
}
