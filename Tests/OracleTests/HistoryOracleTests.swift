import Ashlar
import RandomNumbers
import RandomSeeds
import Testing

/// Transactions of several authors, each compared with the difference between the states before and after it.
@Suite struct HistoryOracleTests {
    @Test(arguments: seeds(3)) func transactionsAreTheDifferencesOfStates(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<100).map { _ in HistoryOperation(random: &random) }
        expectSuccess(operations) { operations in try HistoryRun().failure(of: operations) }
    }
}

struct HistoryOperation: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case edits, child, batchUpdate, batchDelete, batchInsert, rollback, purge
    }

    let kind: Kind
    let seed: UInt64

    var description: String { "\(kind) \(seed)" }

    init(random: inout SeededGenerator) {
        seed = UInt64(random.number(0..<1_000_000))
        switch random.number(0..<20) {
        case ..<13: kind = .edits
        case 13: kind = .child
        case 14: kind = .batchUpdate
        case 15: kind = .batchDelete
        case 16: kind = .batchInsert
        case 17: kind = .rollback
        default: kind = .purge
        }
    }
}

/// The changes of a transaction in plain Swift.
private struct Change {
    var inserted: Set<String> = []
    var deleted: Set<String> = []
    /// The properties that differ, and those that may also change because other members moved.
    var updated: [String: (differing: Set<String>, possible: Set<String>)] = [:]

    init(from before: Yard, to after: Yard) {
        for kind in Yard.Kind.allCases {
            let (old, new) = (before.points[kind] ?? [:], after.points[kind] ?? [:])
            for key in new.keys where old[key] == nil { inserted.insert("\(kind) \(key)") }
            for key in old.keys where new[key] == nil { deleted.insert("\(kind) \(key)") }
            for (key, points) in new where old[key] != points { note(kind, key, "points") }
        }
        references(before.guilds, after.guilds, .crew, "guild")
        references(before.crews, after.crews, .keeper, "crew")
        references(Self.owners(before), Self.owners(after), .chore, "owner")
        for pair in before.crafts.symmetricDifference(after.crafts) {
            note(.keeper, pair.keeper, "crafts")
            note(.craft, pair.craft, "keepers")
        }
        for keeper in Set(before.routes.keys).union(after.routes.keys) {
            let (old, new) = (before.routes[keeper] ?? [], after.routes[keeper] ?? [])
            if old != new { note(.keeper, keeper, "routes") }
            for route in Set(old).symmetricDifference(new) { note(.route, route, "keepers") }
        }
        // The reference changes at one of the two sides.
        for keeper in Set(before.lockers.keys).union(after.lockers.keys)
        where before.lockers[keeper] != after.lockers[keeper] {
            note(.keeper, keeper, "locker", isCertain: false)
            for locker in [before.lockers[keeper], after.lockers[keeper]] {
                if let locker { note(.locker, locker, "keeper", isCertain: false) }
            }
        }
        for keeper in Set(before.chores.keys).union(after.chores.keys)
        where before.chores[keeper] != after.chores[keeper] {
            for chore in after.chores[keeper] ?? [] { note(.chore, chore, "owner", isCertain: false) }
        }
        for key in inserted.union(deleted) { updated[key] = nil }
    }

    private static func owners(_ yard: Yard) -> [Int64: Int64] {
        var owners: [Int64: Int64] = [:]
        for (keeper, chores) in yard.chores { for chore in chores { owners[chore] = keeper } }
        return owners
    }

    private mutating func references(
        _ before: [Int64: Int64], _ after: [Int64: Int64], _ kind: Yard.Kind, _ property: String
    ) {
        for key in Set(before.keys).union(after.keys) where before[key] != after[key] { note(kind, key, property) }
    }

    private mutating func note(_ kind: Yard.Kind, _ key: Int64, _ property: String, isCertain: Bool = true) {
        var noted = updated["\(kind) \(key)"] ?? ([], [])
        if isCertain { noted.differing.insert(property) }
        noted.possible.insert(property)
        updated["\(kind) \(key)"] = noted
    }

    /// The first difference between a transaction and these changes.
    func difference(_ transaction: PersistentHistoryTransaction, _ names: [PersistentIdentifier: String]) -> String? {
        var (inserted, deleted) = (Set<String>(), Set<String>())
        var told: [String: Set<String>] = [:]
        for change in transaction.changes {
            let name = names[change.changedObjectID] ?? "an unknown object"
            switch change.changeType {
            case .insert: inserted.insert(name)
            case .delete: deleted.insert(name)
            case .update: told[name] = change.updatedProperties
            }
        }
        if inserted != self.inserted { return "inserted \(inserted), not \(self.inserted)" }
        if deleted != self.deleted { return "deleted \(deleted), not \(self.deleted)" }
        for (name, properties) in updated where !properties.differing.isSubset(of: told[name] ?? []) {
            return "\(name) has \(told[name] ?? []), not \(properties.differing)"
        }
        for (name, properties) in told where !properties.isSubset(of: updated[name]?.possible ?? []) {
            return "\(name) has \(properties), of which \(updated[name]?.possible ?? []) changed"
        }
        return nil
    }
}

private final class HistoryRun {
    private let container: ModelContainer
    private let contexts: [ModelContext]
    private var states: [PersistentIdentifier: String] = [:]
    private var yard = Yard()
    private var transactions: [PersistentHistoryTransaction] = []
    private var token: PersistentHistoryToken
    private var newKey: Int64 = 0
    private var log: [String] = []
    private static let authors: [String?] = [nil, "Ada", "Grace"]

    init() throws {
        let container = try ModelContainer(
            for: YardModel.self,
            configurations: ModelConfiguration(
                isStoredInMemoryOnly: true, options: StoreOptions(historyTracking: true)))
        self.container = container
        contexts = (0..<3).map { number in
            let context = ModelContext(container)
            context.automaticallyMergesChangesFromParent = true
            context.name = "\(number)"
            return context
        }
        token = try container.currentHistoryToken()
    }

    func failure(of operations: [HistoryOperation]) throws -> String? {
        for operation in operations {
            do {
                if let failure = try perform(operation) { return "\(failure) after \(log)" }
            } catch {
                return "threw \(error) after \(log)"
            }
        }
        return try container.integrityProblems().first.map { "\($0) after \(log)" }
    }

    private func perform(_ operation: HistoryOperation) throws -> String? {
        var random = SeededGenerator(seed: operation.seed)
        let context = contexts[random.number(0..<contexts.count)]
        context.author = Self.authors.randomElement(using: &random) ?? nil
        log.append("\(operation.kind)")
        let points = Int64(random.number(0..<12))
        switch operation.kind {
        case .edits:
            try edit(context, &random)
            try context.save()
        case .child:
            let child = ModelContext(parent: context)
            try edit(child, &random)
            try child.save()
            try context.save()
        case .rollback:
            try edit(context, &random)
            context.rollback()
            try context.save()
        case .batchUpdate:
            try context.batchUpdate(Keeper.where { $0.points < points + 20 }) { $0.points = points }
        case .batchDelete:
            do {
                try context.batchDelete(Yard.Kind.allCases.randomElement(using: &random) ?? .keeper, below: points / 2)
            } catch let error as BatchError {
                log.append("\(error)")
            }
        case .batchInsert:
            newKey += 1
            try context.batchInsert(contentsOf: [Keeper.Values(key: newKey, points: points)])
        case .purge:
            guard let first = transactions.randomElement(using: &random) else { break }
            try container.deleteHistory(before: first)
            let purged = transactions.prefix { $0.token < first.token }
            transactions.removeFirst(purged.count)
            if let last = purged.dropLast().last {
                do {
                    _ = try container.fetchHistory(.fetchHistory(after: last.token))
                    return "a purged token is not expired"
                } catch HistoryError.tokenExpired {}
            }
        }
        return try difference(context) ?? filters(&random)
    }

    private func edit(_ context: ModelContext, _ random: inout SeededGenerator) throws {
        var yard = try YardReading(context).yard
        for _ in 0..<random.number(1..<6) {
            newKey += 1
            let edit = YardEdit.any(&random, yard, newKey: newKey)
            if case .delete(let kind, let key) = edit, yard.denies(kind, key) { continue }
            log.append("\(edit)")
            try context.perform(edit)
            yard.perform(edit)
        }
    }

    private func difference(_ context: ModelContext) throws -> String? {
        let stored = try YardReading(ModelContext(container))
        let change = Change(from: yard, to: stored.yard)
        let new = try container.fetchHistory(.fetchHistory(after: token))
        let names = states.merging(stored.identifiers) { $1 }
        (yard, states) = (stored.yard, names)
        if new.isEmpty {
            let isNothing = change.inserted.isEmpty && change.deleted.isEmpty && change.updated.isEmpty
            return isNothing ? nil : "the history lacks \(change)"
        }
        if new.count > 1 { return "one save is \(new.count) transactions" }
        (token, transactions) = (new[0].token, transactions + new)
        if new[0].author != context.author { return "the author is \(new[0].author ?? "nil")" }
        return change.difference(new[0], names)
    }

    /// The first filter whose result differs from that of the same filter in Swift.
    private func filters(_ random: inout SeededGenerator) throws -> String? {
        let author = Self.authors.randomElement(using: &random) ?? nil
        let name = "\(random.number(0..<3))"
        let all = PersistentHistoryChangeRequest.all
        func expect(
            _ what: String, _ request: PersistentHistoryChangeRequest,
            _ isIncluded: (PersistentHistoryTransaction) -> Bool
        ) throws -> String? {
            let found = try container.fetchHistory(request).map(\.transactionNumber)
            let expected = transactions.filter(isIncluded).map(\.transactionNumber)
            return found == expected ? nil : "of \(what) there are \(found), not \(expected)"
        }
        func hasChange(_ transaction: PersistentHistoryTransaction, _ entity: String, _ property: String?) -> Bool {
            transaction.changes.contains { change in
                guard change.changedObjectID.entityName == entity else { return false }
                guard change.changeType == .update, let property else { return true }
                return change.updatedProperties.contains(property)
            }
        }
        let answers: [String?] = [
            try expect("all", all) { _ in true },
            try expect("an author", all.by([author])) { $0.author == author },
            try expect("others", all.by(excluding: [author])) { $0.author != author },
            try expect("a context", all.inContexts(named: [name])) { $0.contextName == name },
            try expect("keepers", all.changing(Keeper.self)) { hasChange($0, "Keeper", nil) },
            try expect("keepers of crafts", all.changing(Craft.self, ["keepers"])) {
                hasChange($0, "Craft", "keepers")
            },
            try expect("points", all.changing(Keeper.self, ["points"])) { hasChange($0, "Keeper", "points") },
        ]
        return answers.compactMap(\.self).first
    }
}
