import Ashlar
import CLoops
import Foundation

/// The plan that Ashlar chooses against all plans forced by hand: boxes of several sizes, all rows in the order of
/// time, the first 20 or their number.
final class PlanBenchmark {
    private let store: FilledStore
    private let rounds: Int
    private let shares: [Double]
    /// The position of the only request to run, by Ashlar alone, so that a profiler sees nothing else; nil measures
    /// all.
    private let query: Int?
    /// Whether the time of each plan is printed too.
    var showsPlans = false
    private var worst = 0.0

    /// Makes a benchmark of boxes that hold some shares of the posts.
    init(_ store: FilledStore, shares: [Double], rounds: Int, query: Int? = nil) {
        self.query = query
        self.store = store
        self.shares = shares
        self.rounds = rounds
    }

    /// A box that holds a share of the posts.
    struct Box {
        var latitude: ClosedRange<Double>
        var longitude: ClosedRange<Double>

        init(share: Double) {
            let side = share.squareRoot()
            let south = -60 + 135 * (1 - side) / 2
            let west = -180 + 360 * (1 - side) / 2
            latitude = south...(south + 135 * side)
            longitude = west...(west + 360 * side)
        }
    }

    enum Request: String, CaseIterable {
        case all = "all"
        case first = "first 20"
        case count = "count"
    }

    func run() throws {
        if let query { return try profile(query) }
        print("\n| posts | box | asked for | Ashlar ms | best by hand ms | ratio | plan by hand | SQLite's choice |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for share in shares {
            for request in Request.allCases { try measure(Box(share: share), share, request) }
        }
        print("\nworst ratio: \(String(format: "%.2f", worst))\n")
        try measureTalk()
    }

    /// Runs a request a hundred times: 1 to 3 by Ashlar, 4 to 6 by the first plan by hand and so on.
    private func profile(_ number: Int) throws {
        let (plan, position) = (number - 1).quotientAndRemainder(dividingBy: Request.allCases.count)
        let request = Request.allCases[position]
        let context = ModelContext(store.container)
        for share in shares {
            let box = Box(share: share)
            var body = { try self.ashlar(box, request, context) }
            if plan > 0 {
                let statement = try store.connection.statement(Self.plans(box, request)[plan - 1].1)
                body = { try HandWritten.run(statement, counts: request == .count) }
            }
            let rows = try body()
            let time = try ProcessorTime.milliseconds {
                try Measured.run { for _ in 0..<100 { _ = try body() } }
            }
            print("\(share * 100) %, \(request.rawValue): \(rows) in \(formatted(time / 100)) ms")
        }
    }

    private func measure(_ box: Box, _ share: Double, _ request: Request) throws {
        var contest = Contest()
        let context = ModelContext(store.container)
        contest.add("Ashlar") { try self.ashlar(box, request, context) }
        for (name, sql) in Self.plans(box, request) {
            contest.add(name) { [connection = store.connection] in
                try HandWritten.run(connection.statement(sql), counts: request == .count)
            }
        }
        try contest.run(rounds: rounds)
        let results = contest.results
        guard Set(results.map(\.rows)).count == 1 else {
            throw ConnectionError(description: "the plans give \(results.map { "\($0.name) \($0.rows)" })")
        }
        let best = results.dropFirst().min { $0.milliseconds < $1.milliseconds } ?? results[0]
        let own = results.first { $0.name == "SQLite" }?.milliseconds ?? 0
        let ratio = results[0].milliseconds / best.milliseconds
        worst = max(worst, ratio)
        print(
            "| \(store.rows) | \(share * 100) % | \(request.rawValue) | \(formatted(results[0].milliseconds)) "
                + "| \(formatted(best.milliseconds)) | \(String(format: "%.2f", ratio)) | \(best.name) "
                + "| \(String(format: "%.1f", own / best.milliseconds)) × |")
        if showsPlans { for plan in results { print("    \(formatted(plan.milliseconds)) ms: \(plan.name)") } }
        fflush(nil)
    }

    private func ashlar(_ box: Box, _ request: Request, _ context: ModelContext) throws -> Int {
        let query = Post.where { $0.latitude.isIn(box.latitude) && $0.longitude.isIn(box.longitude) }
        switch request {
        case .all: return try context.fetchValues(query.order { $0.timestamp.descending }).count
        case .first: return try context.fetchValues(query.order { $0.timestamp.descending }.limit(20)).count
        case .count: return try context.fetchCount(query)
        }
    }

    /// Every way to find the rows, as an expert forces it.
    private static func plans(_ box: Box, _ request: Request) -> [(String, String)] {
        let exact = """
            "latitude" >= \(box.latitude.lowerBound) AND "latitude" <= \(box.latitude.upperBound)
            AND "longitude" >= \(box.longitude.lowerBound) AND "longitude" <= \(box.longitude.upperBound)
            """
        let found = """
            "latitude$max" >= \(box.latitude.lowerBound) AND "latitude$min" <= \(box.latitude.upperBound)
            AND "longitude$max" >= \(box.longitude.lowerBound) AND "longitude$min" <= \(box.longitude.upperBound)
            """
        let candidates = #"SELECT "id$" AS "candidate" FROM "rtree$Post$byPlace" WHERE \#(found)"#
        let columns = request == .count ? "count(*)" : HandWritten.columns
        let end =
            switch request {
            case .all: #"ORDER BY "timestamp" DESC"#
            case .first: #"ORDER BY "timestamp" DESC LIMIT 20"#
            case .count: ""
            }
        var plans = [
            ("SQLite", #"SELECT \#(columns) FROM "Post" WHERE "id$" IN (\#(candidates)) AND \#(exact) \#(end)"#),
            ("SQLite without R-tree", #"SELECT \#(columns) FROM "Post" WHERE \#(exact) \#(end)"#),
            ("scan", #"SELECT \#(columns) FROM "Post" NOT INDEXED WHERE \#(exact) \#(end)"#),
            (
                "R-tree, IN",
                #"SELECT \#(columns) FROM "Post" NOT INDEXED WHERE "id$" IN (\#(candidates)) AND \#(exact) \#(end)"#
            ),
            (
                "R-tree, CROSS JOIN",
                #"SELECT \#(columns) FROM (\#(candidates)) CROSS JOIN "Post" NOT INDEXED "#
                    + #"ON "id$" = "candidate" WHERE \#(exact) \#(end)"#
            ),
        ]
        if request == .count {
            let within = """
                +"latitude$min" >= \(box.latitude.lowerBound) AND +"latitude$max" <= \(box.latitude.upperBound)
                AND +"longitude$min" >= \(box.longitude.lowerBound) AND +"longitude$max" <= \(box.longitude.upperBound)
                """
            let row = #"EXISTS (SELECT 1 FROM "Post" WHERE "id$" = "box"."id$" AND \#(exact))"#
            plans.append(
                (
                    "R-tree, rows of the edge",
                    #"SELECT count(*) FROM "rtree$Post$byPlace" AS "box" WHERE \#(found) AND (\#(within) OR \#(row))"#
                ))
        } else {
            let wanted =
                #"SELECT "id$" AS "wanted", "timestamp" AS "time" FROM (\#(candidates)) CROSS JOIN "Post" NOT INDEXED "#
                + #"ON "id$" = "candidate" WHERE \#(exact) \#(end)"#
            plans.append(
                (
                    "R-tree, sorted before reading",
                    #"SELECT \#(columns) FROM (\#(wanted)) CROSS JOIN "Post" NOT INDEXED ON "id$" = "wanted" "#
                        + #"ORDER BY "time" DESC"#
                ))
            let walk = #"SELECT \#(columns) FROM "Post" INDEXED BY "index$Post$byTimestamp" WHERE "#
            plans.append(("index on time", walk + exact + " " + end))
            plans.append(("index on time, R-tree", walk + #"+"id$" IN (\#(candidates)) AND \#(exact) \#(end)"#))
        }
        return plans
    }

    /// The talk's example: 5 % of the posts as objects, against the same fetch without the R-tree.
    private func measureTalk() throws {
        let box = Box(share: 0.05)
        var contest = Contest()
        for (name, container) in [("with", store.container), ("without", store.plainContainer)] {
            contest.add(name) {
                let query = Post.where { $0.latitude.isIn(box.latitude) && $0.longitude.isIn(box.longitude) }
                return try ModelContext(container).fetch(query.order { $0.timestamp.descending }).count
            }
        }
        try contest.run(rounds: rounds)
        let times = contest.results.map(\.milliseconds)
        print(
            "5 % of \(store.rows) posts as objects by time: \(formatted(times[0])) ms with the R-tree, "
                + "\(formatted(times[1])) ms without: \(String(format: "%.2f", times[0] / times[1]))")
    }
}
