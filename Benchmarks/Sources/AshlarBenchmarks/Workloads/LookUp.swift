import BenchmarkHarness

/// Looks up as many random identifiers as there are rows, one by one and within one read, with an empty map at first.
///
/// Repeated identifiers are found in the map. GRDB has no map and reads them again.
struct LookUp: Workload {
    static let name = "look up"
    static let unit = "as many random identifiers as rows"
    static let contestants = Contestant.allCases

    private let searches: IdentifierSearches

    init(_ stores: Stores) throws {
        searches = try IdentifierSearches(stores, isOneRead: true, limit: .max)
    }

    func run(_ contestant: Contestant, _ round: Round) throws { try searches.run(contestant, round) }
}

/// Looks up random identifiers one by one, each in a read of its own.
struct SmallRead: Workload {
    static let name = "small read"
    static let unit = "10,000 reads of one row"
    static let contestants = Contestant.allCases

    private let searches: IdentifierSearches

    init(_ stores: Stores) throws {
        searches = try IdentifierSearches(stores, isOneRead: false, limit: 10_000)
    }

    func run(_ contestant: Contestant, _ round: Round) throws { try searches.run(contestant, round) }
}

/// Looks up the same identifiers in a context that has all objects; the C loop reads them, as in ``LookUp``.
struct LookUpRegistered: Workload {
    static let name = "look up registered"
    static let unit = "as many random identifiers as rows, again"
    static let contestants: [Contestant] = [.cLoop, .ashlar]

    private let searches: IdentifierSearches

    init(_ stores: Stores) throws {
        searches = try IdentifierSearches(stores, isOneRead: true, limit: .max)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .cLoop { try searches.run(contestant, round) } else { try searches.runRegistered(round) }
    }
}
