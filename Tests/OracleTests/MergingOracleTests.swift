import Ashlar
import RandomNumbers
import RandomSeeds
import Testing

/// Three contexts that change the same rows, beside plain values for the store and each context.
@Suite struct MergingOracleTests {
    @Test(arguments: seeds(10)) func contextsHoldWhatThePlainModelSays(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<100).map { _ in MergingOperation(random: &random) }
        expectSuccess(operations) { operations in try MergingRun().failure(of: operations) }
    }
}

/// The attributes that the operations change; the changes of `moves` add up.
enum Field: String, CaseIterable, Sendable {
    case balance, limit, moves
}

enum Policy: CaseIterable, Sendable {
    case error, storeTrump, objectTrump, overwrite, rollback

    var policy: MergePolicy {
        switch self {
        case .error: .error
        case .storeTrump: .mergeByPropertyStoreTrump
        case .objectTrump: .mergeByPropertyObjectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }
}

enum MergingOperation: Sendable {
    case set(context: Int, row: Int, Field, Int64)
    case save(Int)
    case fetch(Int)
    case process(Int)
    case rollback(Int)
    case refresh(Int, row: Int, keepsChanges: Bool)
    case policy(Int, Policy)
    case merges(Int, Bool)
    case batch(Int, row: Int, Field, Int64)

    static let contexts = 3
    static let rows = 2

    init(random: inout SeededGenerator) {
        let context = random.number(0..<Self.contexts)
        let row = random.number(0..<Self.rows)
        let field = Field.allCases.randomElement(using: &random) ?? .balance
        // No value comes twice, so a change never restores an earlier value.
        let value = Int64.random(in: 1...1_000_000_000, using: &random)
        switch random.number(0..<20) {
        case 0..<8: self = .set(context: context, row: row, field, value)
        case 8..<12: self = .save(context)
        case 12: self = .fetch(context)
        case 13: self = .process(context)
        case 14: self = .rollback(context)
        case 15: self = .refresh(context, row: row, keepsChanges: random.oneIn(2))
        case 16, 17: self = .policy(context, Policy.allCases.randomElement(using: &random) ?? .error)
        case 18: self = .merges(context, random.oneIn(2))
        default: self = .batch(context, row: row, field, value)
        }
    }
}

private typealias Values = [Field: Int64]

/// The store and the contexts in plain Swift.
private struct World {
    struct Row {
        var values: Values
        var version = 1
    }

    /// Properties that both sides changed, as a merge found them.
    struct Conflict {
        var fields: Set<Field>
        var stored: Row
        var isReported = false
    }

    struct Object {
        /// The stored values that the context read last.
        var base: Values
        var own: Values
        var version: Int
        var conflict: Conflict?
        /// Whether the context counts the object as changed, whatever it holds.
        var isListed = false

        init(_ row: Row) { (base, own, version) = (row.values, row.values, row.version) }

        var changed: Set<Field> { Set(Field.allCases.filter { own[$0] != base[$0] }) }

        /// Takes over a row. The object keeps its changes in the given fields, and in those that add up.
        mutating func take(_ row: Row, keeping kept: Set<Field>) {
            let before = self
            self = Object(row)
            for field in kept { own[field] = before.own[field] }
            if before.changed.contains(.moves), let mine = before.own[.moves], let base = before.base[.moves],
                let theirs = row.values[.moves], theirs != base
            {
                own[.moves] = theirs + mine - base
            }
            isListed = before.isListed && !changed.isEmpty
        }

        /// The fields that both sides changed and that do not add up.
        func conflicting(_ row: Row) -> Set<Field> {
            changed.filter { row.values[$0] != base[$0] }.subtracting([.moves])
        }

        /// Takes over a row by a policy; returns false if the policy leaves a conflict.
        mutating func settle(_ row: Row, _ policy: Policy) -> Bool {
            switch policy {
            case .error: return false
            case .storeTrump: take(row, keeping: changed.filter { row.values[$0] == base[$0] })
            case .objectTrump: take(row, keeping: changed)
            // No policy loses a change that adds up.
            case .overwrite: take(row, keeping: changed.union([.balance, .limit]))
            case .rollback: take(row, keeping: changed.intersection([.moves]))
            }
            return true
        }

        /// Merges a row that others saved.
        mutating func merge(_ row: Row, _ policy: Policy) {
            if policy == .error, conflict?.stored.version == row.version { return }
            let both = conflicting(row)
            if both.isEmpty { return take(row, keeping: changed) }
            if settle(row, policy) { return }
            let before = self
            take(row, keeping: changed)
            for field in both { base[field] = before.base[field] }
            version = before.version
            conflict = Conflict(fields: both, stored: row)
        }

        /// Sets a field, and settles its conflict if a save has reported it.
        mutating func set(_ field: Field, _ value: Int64) {
            own[field] = value
            isListed = true
            guard var known = conflict, known.isReported else { return }
            known.fields.remove(field)
            conflict = known
            if !known.fields.isEmpty { return }
            (base, version, conflict) = (known.stored.values, known.stored.version, nil)
        }
    }

    struct Context {
        var objects: [Object]
        var policy = Policy.error
        var merges = false
        /// The rows that others wrote and the context has yet to merge.
        var inbox: [Int] = []
        /// Rows that a rollback reads.
        var noted: Set<Int> = []
    }

    var rows: [Row]
    var contexts: [Context]

    init() {
        let rows = (0..<MergingOperation.rows).map { _ in Row(values: [.balance: 0, .limit: 0, .moves: 0]) }
        self.rows = rows
        contexts = (0..<MergingOperation.contexts).map { _ in Context(objects: rows.map(Object.init)) }
    }

    mutating func mergeInbox(_ context: Int) {
        for row in contexts[context].inbox { merge(row, context) }
        contexts[context].inbox = []
    }

    private mutating func merge(_ row: Int, _ context: Int) {
        contexts[context].objects[row].merge(rows[row], contexts[context].policy)
        if contexts[context].objects[row].conflict != nil { contexts[context].noted.insert(row) }
    }

    private mutating func wrote(_ row: Int, _ context: Int) {
        for other in contexts.indices where other != context && contexts[other].merges {
            contexts[other].inbox.append(row)
        }
    }

    /// Returns false if the save throws a conflict.
    mutating func save(_ context: Int) -> Bool {
        var saved = contexts[context].objects
        var unresolved: [Int: Int] = [:]
        for row in saved.indices where !saved[row].changed.isEmpty && saved[row].version != rows[row].version {
            let both = saved[row].conflicting(rows[row])
            let addsUp = saved[row].changed == [.moves]
            if both.isEmpty, contexts[context].merges || addsUp {
                saved[row].take(rows[row], keeping: saved[row].changed)
            } else if !saved[row].settle(rows[row], contexts[context].policy) {
                unresolved[row] = rows[row].version
            }
        }
        if !unresolved.isEmpty {
            mergeInbox(context)
            // The row may have been saved before the context began to merge automatically.
            for row in unresolved.keys
            where contexts[context].merges && contexts[context].objects[row].conflict == nil {
                merge(row, context)
            }
            for row in contexts[context].objects.indices {
                guard let conflict = contexts[context].objects[row].conflict else { continue }
                contexts[context].objects[row].conflict?.isReported = unresolved[row] == conflict.stored.version
            }
            return false
        }
        for row in saved.indices {
            let wasChanged = !contexts[context].objects[row].changed.isEmpty
            if !saved[row].changed.isEmpty {
                rows[row] = Row(values: saved[row].own, version: rows[row].version + 1)
            } else if !wasChanged, !(saved[row].isListed && contexts[context].noted.contains(row)) {
                saved[row].isListed = false
                continue
            }
            // Others also look at a row that a policy left nothing to write to.
            if wasChanged { wrote(row, context) }
            saved[row] = Object(rows[row])
        }
        contexts[context].objects = saved
        contexts[context].noted = []
        mergeInbox(context)
        return true
    }

    mutating func fetch(_ context: Int) {
        mergeInbox(context)
        for row in rows.indices where contexts[context].objects[row].changed.isEmpty {
            contexts[context].objects[row] = Object(rows[row])
        }
    }

    mutating func rollback(_ context: Int) {
        for row in rows.indices {
            contexts[context].objects[row].own = contexts[context].objects[row].base
            contexts[context].objects[row].conflict = nil
            let isListed = contexts[context].objects[row].isListed
            contexts[context].objects[row].isListed = false
            if isListed, contexts[context].noted.contains(row) { contexts[context].objects[row] = Object(rows[row]) }
        }
        contexts[context].noted = []
    }

    mutating func refresh(_ context: Int, _ row: Int, keepsChanges: Bool) {
        mergeInbox(context)
        let kept = keepsChanges ? contexts[context].objects[row].changed : []
        let before = contexts[context].objects[row]
        contexts[context].objects[row].take(rows[row], keeping: kept)
        if !keepsChanges || before.changed.isEmpty { contexts[context].objects[row] = Object(rows[row]) }
    }

    mutating func batch(_ context: Int, _ row: Int, _ field: Field, _ value: Int64) {
        mergeInbox(context)
        let others = rows.indices.filter {
            contexts[context].objects[$0].isListed && contexts[context].objects[$0].version != rows[$0].version
        }
        rows[row].values[field] = value
        rows[row].version += 1
        // Contexts compare the whole table after a batch. The context's own batch does not conflict with it.
        for row in rows.indices { wrote(row, context) }
        for row in rows.indices where contexts[context].objects[row].version != rows[row].version {
            if others.contains(row) {
                merge(row, context)
                continue
            }
            contexts[context].objects[row].take(rows[row], keeping: contexts[context].objects[row].changed)
        }
    }
}

/// Contexts of a store, and the plain values that they are compared with.
private final class MergingRun {
    let container: ModelContainer
    let contexts: [ModelContext]
    let objects: [[Account]]
    var world = World()

    init() throws {
        container = try ModelContainer(
            for: BankModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let first = ModelContext(container)
        for row in 0..<MergingOperation.rows { first.insert(Account(number: Int64(row))) }
        try first.save()
        let container = container
        contexts = (0..<MergingOperation.contexts).map { _ in ModelContext(container) }
        objects = try contexts.map { try $0.fetch(Account.order { $0.number.ascending }) }
    }

    func failure(of operations: [MergingOperation]) throws -> String? {
        for (index, operation) in operations.enumerated() {
            if let failure = try failure(of: operation) { return "step \(index): \(operation): \(failure)" }
        }
        return nil
    }

    private func failure(of operation: MergingOperation) throws -> String? {
        switch operation {
        case .set(let context, let row, let field, let value):
            let account = objects[context][row]
            switch field {
            case .balance: account.balance = value
            case .limit: account.limit = value
            case .moves: account.moves = value
            }
            world.contexts[context].objects[row].set(field, value)
        case .save(let context):
            var isSaved = true
            do { try contexts[context].save() } catch SaveError.conflict { isSaved = false }
            if isSaved != world.save(context) { return isSaved ? "saved" : "refused" }
        case .fetch(let context):
            _ = try contexts[context].fetch(Account.all)
            world.fetch(context)
        case .process(let context):
            contexts[context].processPendingChanges()
            world.mergeInbox(context)
        case .rollback(let context):
            contexts[context].rollback()
            world.rollback(context)
        case .refresh(let context, let row, let keepsChanges):
            try contexts[context].refresh(objects[context][row], mergeChanges: keepsChanges)
            world.refresh(context, row, keepsChanges: keepsChanges)
        case .policy(let context, let policy):
            contexts[context].mergePolicy = policy.policy
            world.contexts[context].policy = policy
        case .merges(let context, let merges):
            contexts[context].automaticallyMergesChangesFromParent = merges
            if !merges { world.contexts[context].inbox = [] }
            world.contexts[context].merges = merges
        case .batch(let context, let row, let field, let value):
            try contexts[context].batchUpdate(Account.where { $0.number == Int64(row) }) { columns in
                switch field {
                case .balance: columns.balance = value
                case .limit: columns.limit = value
                case .moves: columns.moves = value
                }
            }
            world.batch(context, row, field, value)
        }
        return try difference()
    }

    private func difference() throws -> String? {
        let rows = try ModelContext(container).fetchValues(Account.order { $0.number.ascending })
        for (row, values) in rows.enumerated() {
            let found: Values = [.balance: values.balance, .limit: values.limit, .moves: values.moves]
            if found != world.rows[row].values { return "the store has \(found), not \(world.rows[row].values)" }
        }
        for (context, accounts) in objects.enumerated() {
            for (row, account) in accounts.enumerated() {
                let found: Values = [.balance: account.balance, .limit: account.limit, .moves: account.moves]
                let expected = world.contexts[context].objects[row].own
                if found != expected { return "context \(context) has of row \(row) \(found), not \(expected)" }
            }
        }
        return nil
    }
}
