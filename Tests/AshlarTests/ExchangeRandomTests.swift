import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Stores that make random changes and exchange them at random. In the end all stores must be equal, sound and valid by
/// the model's rules.
@Suite struct ExchangeRandomTests {
    /// The connections between stores. In each pair, the second store is the replica of the first.
    enum Shape: String, CaseIterable {
        case pair = "0-1"
        case star = "0-1 0-2"
        case chain = "0-1 1-2"
    }

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "stores that exchange changes end equal",
        arguments: seeds().flatMap { seed in Shape.allCases.map { (seed, $0) } }
    )
    func exchanging(seed: Seed, shape: Shape) throws {
        var generator = SeededGenerator(seed: seed)
        let fleet = try Fleet(shape, folder, &generator)
        for _ in 0..<Int.random(in: 3...6, using: &generator) {
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let number = Int.random(in: 0..<fleet.stores.count, using: &generator)
                try fleet.write(to: number, &generator)
            }
            let link = fleet.links[Int.random(in: 0..<fleet.links.count, using: &generator)]
            try fleet.exchange(link, &generator)
        }
        try fleet.settle()
        let expected = try StoredRows(fleet.stores[0])
        for (number, store) in fleet.stores.enumerated() {
            let difference = try StoredRows(store).difference(from: expected)
            try #require(difference == nil, "store \(number), seed \(seed), \(shape)")
            try store.expectSound("store \(number), seed \(seed), \(shape)")
            let broken = try HarborRules.broken(in: store)
            try #require(broken == [], "store \(number), seed \(seed), \(shape)")
        }
        #expect(fleet.numbersOfOthers == [], "seed \(seed), \(shape)")
    }
}

/// The contents of all rows of a store, including large values in files, without the versions.
struct StoredRows {
    private var tables: [String: [[String: SQLiteValue]]] = [:]

    init(_ container: ModelContainer) throws {
        try container.pool.write { connection in
            for table in TrackedTable.tables(of: container.model) {
                let shape = try StoredTable(table, connection)
                let names = shape.columns.filter { $0 != "version$" }
                let list = names.map(\.quotedIdentifier).joined(separator: ", ")
                let keys = shape.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
                let rows = try connection.rows("SELECT \(list) FROM \(table.name.quotedIdentifier) ORDER BY \(keys)")
                tables[table.name] = try rows.map { row in
                    let values = try row.map { try ModelContainer.wholeContent($0, connection) }
                    return Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
                }
            }
        }
    }

    func difference(from other: StoredRows) -> String? {
        for (table, rows) in tables.sorted(by: { $0.key < $1.key }) where other.tables[table] != rows {
            let others = other.tables[table] ?? []
            let surplus = rows.filter { !others.contains($0) }
            let missing = others.filter { !rows.contains($0) }
            return "\(table): \(surplus) in place of \(missing)"
        }
        return nil
    }
}

/// The rules of the Harbor model that SQLite does not check.
enum HarborRules {
    static func broken(in container: ModelContainer) throws -> [String] {
        let rules = [
            "one-to-one": """
            SELECT group_concat("id$") FROM "Skipper" WHERE "vessel" IS NOT NULL GROUP BY "vessel" HAVING count(*) > 1
            """,
            "one-to-one, required": """
            SELECT group_concat("id$") FROM "Licence" GROUP BY "holder" HAVING count(*) > 1
            """,
            "own inverse": """
            SELECT "source$" FROM "Vessel$sisters" AS a WHERE NOT EXISTS (SELECT 1 FROM "Vessel$sisters" AS b
                WHERE b."source$" = a."target$" AND b."target$" = a."source$")
            """,
            "derived": """
            SELECT "id$" FROM "Vessel" WHERE "pennantCount" IS NOT
                (SELECT count(*) FROM "Pennant$vessels" WHERE "target$" = "Vessel"."id$")
            """,
            "placeholders": """
            SELECT "name" FROM "Vessel" WHERE instr("name", char(1)) UNION ALL
                SELECT "key" FROM "Pennant" WHERE instr("key", char(1)) UNION ALL
                SELECT "name" FROM "Port" WHERE instr("name", char(1)) UNION ALL
                SELECT "number" FROM "Quay" WHERE "number" < 0
            """,
        ]
        return try container.pool.write { connection in
            try rules.keys.sorted().filter { try !connection.rows(rules[$0] ?? "").isEmpty }
        }
    }
}

/// Stores of the Harbor model; all but the first are replicas of another one.
final class Fleet {
    let stores: [ModelContainer]
    let links: [(primary: Int, replica: Int)]
    /// New objects whose row numbers are outside the range of their store.
    private(set) var numbersOfOthers: [String] = []
    private static let distance: Int64 = 1_000

    init(
        _ shape: ExchangeRandomTests.Shape, _ folder: TemporaryFolder, _ generator: inout SeededGenerator
    ) throws {
        let pairs = shape.rawValue.split(separator: " ").map { $0.split(separator: "-").compactMap { Int($0) } }
        links = pairs.map { ($0[0], $0[1]) }
        func open(_ number: Int) throws -> ModelContainer {
            var configuration = ModelConfiguration(
                url: folder.file("\(number).store"), options: StoreOptions(historyTracking: true))
            configuration.externalStorageThreshold = 64
            return try ModelContainer(for: HarborModel.self, configurations: configuration)
        }
        var stores = [try open(0)]
        try stores[0].setIdentifierRange(1...Self.distance - 1)
        for _ in 0..<3 { try Self.change(ModelContext(stores[0]), 6, &generator) }
        for link in links {
            try stores[link.primary].backUp(to: folder.file("\(link.replica).store"))
            let replica = try open(link.replica)
            let first = Self.distance * Int64(link.replica)
            try replica.becomeReplica(identifiers: first...first + Self.distance - 1)
            stores.append(replica)
        }
        self.stores = stores
    }

    // MARK: Exchanging

    func exchange(_ link: (primary: Int, replica: Int), _ generator: inout SeededGenerator) throws {
        let (primary, replica) = (stores[link.primary], stores[link.replica])
        var changes = try replica.pendingChanges()
        // The changes are sent as JSON, with names in another order.
        if generator.oneIn(3) {
            changes = try JSONDecoder().decode(Changeset.self, from: try JSONEncoder().encode(changes))
        }
        let answer = try primary.reconcile(changes, author: "replica \(link.replica)")
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            // The answer is lost.
            return
        case 1:
            let before = try replica.currentHistoryToken()
            try write(to: link.replica, &generator)
            if try replica.currentHistoryToken() != before {
                do {
                    try replica.adopt(answer)
                    Issue.record("an answer was adopted over a newer change")
                } catch ChangesetError.changedMeanwhile {}
                return
            }
        default: break
        }
        try replica.adopt(answer, author: "primary")
        let difference = try StoredRows(replica).difference(from: StoredRows(primary))
        #expect(difference == nil, "after an answer was adopted")
    }

    /// Exchanges all changes, from the leaves to the root and back.
    func settle() throws {
        for link in links.reversed() + links {
            let answer = try stores[link.primary].reconcile(try stores[link.replica].pendingChanges())
            try stores[link.replica].adopt(answer)
        }
    }

    // MARK: Writing

    /// Saves random changes, except those that the store refuses.
    func write(to number: Int, _ generator: inout SeededGenerator) throws {
        let store = stores[number]
        let before = try store.currentHistoryToken()
        try Self.change(ModelContext(store), Int.random(in: 1...5, using: &generator), &generator)
        if generator.oneIn(6) { try merge(in: store, &generator) }
        let range = try store.identifierRange() ?? 0...0
        for transaction in try store.fetchHistory(.fetchHistory(after: before)) {
            for change in transaction.changes where change.changeType == .insert {
                let row = change.changedObjectID.rowID
                if !range.contains(row) { numbersOfOthers.append("\(change.changedObjectID)") }
            }
        }
    }

    /// Merges two random objects into one.
    private func merge(in store: ModelContainer, _ generator: inout SeededGenerator) throws {
        let context = ModelContext(store)
        let isVessel = generator.oneIn(2)
        let found: [PersistentIdentifier] =
            isVessel
            ? try context.fetch(FetchDescriptor<Vessel>()).map(\.persistentModelID)
            : try context.fetch(FetchDescriptor<Skipper>()).map(\.persistentModelID)
        guard let first = found.randomElement(using: &generator), let second = found.randomElement(using: &generator),
            first != second
        else { return }
        do {
            try store.mergeObjects(first, second, preferring: generator.oneIn(2) ? first : second)
        } catch ChangesetError.notMergeable {
            #expect(first.entityName != second.entityName)
        }
    }

    private static func change(_ context: ModelContext, _ count: Int, _ generator: inout SeededGenerator) throws {
        for _ in 0..<count {
            try HarborChanges(context).make(&generator)
            do {
                try context.save()
            } catch is SaveError {
                // Some values are not unique, and some deletions are denied.
                context.rollback()
            }
        }
    }
}

/// Random changes of the Harbor model's objects, with all kinds of properties.
struct HarborChanges {
    let context: ModelContext

    init(_ context: ModelContext) { self.context = context }

    private func all<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] {
        try context.fetch(FetchDescriptor<Model>()).sorted { $0.persistentModelID < $1.persistentModelID }
    }

    private func any<Model: PersistentModel>(_ type: Model.Type, _ generator: inout SeededGenerator) throws -> Model? {
        try all(type).randomElement(using: &generator)
    }

    private func name(_ generator: inout SeededGenerator) -> String {
        ["Ada", "Bea", "Cleo", "Dora", "Ella", "Fee"][Int.random(in: 0..<6, using: &generator)]
    }

    func make(_ generator: inout SeededGenerator) throws {
        switch Int.random(in: 0..<24, using: &generator) {
        case 0...2: try insertVessel(&generator)
        case 3: context.insert(Pennant(colour: generator.oneIn(2) ? name(&generator) : nil, key: name(&generator)))
        case 4: context.insert(Port(country: generator.oneIn(3) ? nil : "here", name: name(&generator)))
        case 5:
            let quay = Quay(depth: 1.5, number: Int64.random(in: 0..<3, using: &generator))
            context.insert(quay)
            quay.port = try any(Port.self, &generator)
        case 6:
            let skipper = Skipper(name: name(&generator))
            context.insert(skipper)
            if generator.oneIn(2) { context.insert(Licence(number: name(&generator), holder: skipper)) }
        case 7:
            if let skipper = try any(Skipper.self, &generator), skipper.licence == nil {
                context.insert(Licence(number: name(&generator), holder: skipper))
            }
        case 8:
            if let vessel = try any(Vessel.self, &generator) {
                context.insert(Mooring(label: name(&generator), vessel: vessel))
            }
        case 9: context.insert(Route(title: name(&generator)))
        case 10: context.insert(Beacon(range: Double.random(in: 0...9, using: &generator)))
        case 11: try delete(&generator)
        case 12: try any(Pennant.self, &generator)?.key = name(&generator)
        case 13: try any(Quay.self, &generator)?.port = try any(Port.self, &generator)
        case 14:
            let mooring = try any(Mooring.self, &generator)
            if generator.oneIn(2) {
                mooring?.beacon = try any(Beacon.self, &generator)
            } else if let vessel = try any(Vessel.self, &generator) {
                mooring?.vessel = vessel
            }
        case 15:
            guard let port = try any(Port.self, &generator) else { return }
            if let beacon = try any(Beacon.self, &generator) {
                if port.beacons.contains(beacon) { port.beacons.remove(beacon) } else { port.beacons.append(beacon) }
            }
        case 16: try exchangeNames(&generator)
        default:
            if let vessel = try any(Vessel.self, &generator) { try change(vessel, &generator) }
        }
    }

    private func insertVessel(_ generator: inout SeededGenerator) throws {
        let tonnage = Int64.random(in: 0..<100, using: &generator)
        let vessel =
            generator.oneIn(2)
            ? Vessel(name: name(&generator), tonnage: tonnage)
            : Ferry(name: name(&generator), tonnage: generator.oneIn(2) ? tonnage : nil, seats: tonnage)
        context.insert(vessel)
        if generator.oneIn(2) { try change(vessel, &generator) }
    }

    private func delete(_ generator: inout SeededGenerator) throws {
        let object: (any PersistentModel)? =
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: try any(Pennant.self, &generator)
            case 1: try any(Port.self, &generator)
            case 2: try any(Skipper.self, &generator)
            case 3: try any(Route.self, &generator)
            case 4: try any(Beacon.self, &generator)
            case 5: try any(Mooring.self, &generator)
            case 6: try any(Licence.self, &generator)
            default: try any(Vessel.self, &generator)
            }
        if let object { context.delete(object) }
    }

    /// Exchanges the unique values of two objects.
    private func exchangeNames(_ generator: inout SeededGenerator) throws {
        guard let first = try any(Vessel.self, &generator), let second = try any(Vessel.self, &generator) else {
            return
        }
        (first.name, second.name) = (second.name, first.name)
    }

    private func change(_ vessel: Vessel, _ generator: inout SeededGenerator) throws {
        switch Int.random(in: 0..<15, using: &generator) {
        case 0: vessel.name = name(&generator)
        case 14:
            let spot = Spot(latitude: Double.random(in: 0..<9, using: &generator), longitude: 1)
            let berth = Berth(pier: name(&generator), place: 4, spot: generator.oneIn(2) ? spot : nil)
            vessel.berth = generator.oneIn(4) ? nil : berth
        case 1: vessel.tonnage = generator.oneIn(4) ? nil : Int64.random(in: 0..<100, using: &generator)
        case 2: vessel.price = Decimal(Int.random(in: 0..<1000, using: &generator)) / 100
        case 3:
            let byte = UInt8.random(in: 0...9, using: &generator)
            let value = Data(repeating: byte, count: 20 * Int.random(in: 2...9, using: &generator))
            if generator.oneIn(2) { vessel.logbook = value } else { vessel.chart = value }
        case 4: vessel.skipper = try any(Skipper.self, &generator)
        case 5:
            if let pennant = try any(Pennant.self, &generator) {
                if vessel.pennants.contains(pennant) {
                    vessel.pennants.remove(pennant)
                } else {
                    vessel.pennants.insert(pennant)
                }
            }
        case 6, 7:
            if let route = try any(Route.self, &generator) {
                if vessel.routes.contains(route), generator.oneIn(2) {
                    vessel.routes.remove(route)
                } else if !vessel.routes.contains(route) {
                    let position = Int.random(in: 0...route.vessels.count, using: &generator)
                    route.vessels.insert(vessel, at: position)
                } else {
                    route.vessels.move(vessel, to: Int.random(in: 0..<route.vessels.count, using: &generator))
                }
            }
        case 8:
            if vessel.routes.count > 1 { vessel.routes.move(vessel.routes[vessel.routes.count - 1], to: 0) }
        case 9:
            if let other = try any(Vessel.self, &generator) {
                if vessel.sisters.contains(other) { vessel.sisters.remove(other) } else { vessel.sisters.insert(other) }
            }
        case 10: vessel.leader = try any(Vessel.self, &generator)
        case 11: vessel.port = generator.oneIn(3) ? nil : try any(Port.self, &generator)
        case 12:
            if vessel.moorings.count > 1 { vessel.moorings.move(vessel.moorings[0], to: vessel.moorings.count - 1) }
        default:
            if let ferry = vessel as? Ferry {
                ferry.relief = try any(Skipper.self, &generator)
                ferry.seats += 1
            }
        }
    }
}
