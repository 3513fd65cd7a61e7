import Synchronization

/// Limits the requests of each client. A client may send the requests of two seconds at once, and regains them over
/// time.
final class RequestRates: Sendable {
    private struct Account {
        var left: Double
        var time: ContinuousClock.Instant
    }

    /// The greatest number of accounts. Further ones share one.
    private static let greatestCount = 100_000

    private let rate: Double
    private let accounts = Mutex<[String: Account]>([:])

    init(_ rate: Double) { self.rate = rate }

    func allows(_ name: String) -> Bool {
        let now = ContinuousClock.now
        return accounts.withLock { accounts in
            func left(_ account: Account) -> Double {
                min(2 * rate, account.left + rate * ((now - account.time) / .seconds(1)))
            }
            // A full account contains no information.
            if accounts.count >= Self.greatestCount { accounts = accounts.filter { left($1) < 2 * rate } }
            let name = accounts[name] == nil && accounts.count >= Self.greatestCount ? "" : name
            var account = accounts[name] ?? Account(left: 2 * rate, time: now)
            account = Account(left: left(account), time: now)
            let isAllowed = account.left >= 1
            if isAllowed { account.left -= 1 }
            accounts[name] = account
            return isAllowed
        }
    }
}

/// Limits requests before their tokens are looked up: those with known tokens by token, and others by address.
final class HubRates: Sendable {
    private let tokens: RequestRates
    private let strangers: RequestRates
    private let known = Mutex<Set<String>>([])

    init(_ limits: HubLimits) {
        tokens = RequestRates(limits.requestsPerSecond)
        strangers = RequestRates(limits.strangersPerSecond)
    }

    func allows(_ token: String, from address: String) -> Bool {
        known.withLock { $0.contains(token) } ? tokens.allows(token) : strangers.allows(address)
    }

    /// Notes whether a token was found.
    func note(_ token: String, isKnown: Bool) {
        known.withLock { known in
            if !isKnown {
                known.remove(token)
            } else if !known.contains(token) {
                if known.count >= 100_000 { known.removeAll() }
                known.insert(token)
            }
        }
    }
}
