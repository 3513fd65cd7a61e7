import Ashlar
import BenchmarkHarness
import CLoops
import GRDB

/// Fetches all rows as objects of a new identity map, and releases the objects and the map.
struct FetchObjects: Workload {
    static let name = "fetch objects"
    static let unit = "all rows"

    let fetching: ObjectFetching

    init(_ stores: Stores) throws {
        fetching = try ObjectFetching(stores)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        var holder: (any ObjectHolder)? = fetching.makeHolder(contestant)
        try round.measure { try holder?.fetch() }
        round.verify(holder?.checksum ?? Checksum())
        try round.measure { holder = nil }
    }
}

/// Fetches all rows again while all objects are registered, and releases the second array.
struct FetchRegisteredObjects: Workload {
    static let name = "fetch registered"
    static let unit = "all rows, again"

    let fetching: ObjectFetching

    init(_ stores: Stores) throws {
        fetching = try ObjectFetching(stores)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let holder = fetching.makeHolder(contestant)
        try holder.fetch()
        let copy = holder.copy()
        try round.measure { try copy.fetch() }
        round.verify(copy.checksum)
        try round.measure { copy.releaseObjects() }
        // Both share the map, which goes with the first.
        withExtendedLifetime(holder) {}
    }
}
