import Ashlar
import RandomNumbers
import RandomSeeds
import Testing

/// Contexts, children and grandchildren that write at the same time, under any merge policy. A change has the same
/// effect on its context as on a plain yard. After every save, both sides of each relationship agree, lists and history
/// lead to the stored state, and a context without changes equals a fresh one.
@Suite struct GraphConflictOracleTests {
    @Test(arguments: seeds(3)) func contextsThatWriteAtOnceStaySound(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<100).map { _ in GraphConflictOperation(random: &random) }
        expectSuccess(operations) { operations in try GraphConflictRun().failure(of: operations) }
    }
}

struct GraphConflictOperation: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case edit, badge, save, rollback, undo, redo, process, policy, merges, refresh, drop, update, delete, insert
    }

    let kind: Kind
    let context: Int
    let depth: Int
    let seed: UInt64

    var description: String { "\(kind) \(context).\(depth) \(seed)" }

    init(random: inout SeededGenerator) {
        seed = UInt64(random.number(0..<1_000_000))
        context = random.number(0..<3)
        depth = random.oneIn(4) ? (random.oneIn(3) ? 2 : 1) : 0
        switch random.number(0..<50) {
        case 0..<26: kind = .edit
        case 26: kind = .badge
        case 27..<36: kind = .save
        case 36: kind = .rollback
        case 37, 38: kind = .undo
        case 39: kind = .redo
        case 40: kind = .process
        case 41, 42: kind = .policy
        case 43: kind = .merges
        case 44: kind = .refresh
        case 45: kind = .drop
        case 46, 47: kind = .update
        case 48: kind = .delete
        default: kind = .insert
        }
    }
}

private final class GraphConflictRun {
    private struct Place {
        let context: ModelContext
        let list: YardList
        var children: [ModelContext] = []
        var policy = Policy.objectTrump
        /// Whether a merge may have left two keepers with one locker, which is a conflict that the next save throws.
        var mayShareLockers = false
    }

    private let container: ModelContainer
    private var places: [Place]
    private var history: YardHistory
    private var newKey: Int64 = 0
    private var log: [String] = []
    /// Whether undo may have inserted an object again that another context saved too, under the same key.
    private var mayHaveTwins = false

    init() throws {
        let container = try ModelContainer(
            for: YardModel.self,
            configurations: ModelConfiguration(
                isStoredInMemoryOnly: true, options: StoreOptions(historyTracking: true)))
        self.container = container
        places = try (0..<3).map { number in
            let context = ModelContext(container)
            context.automaticallyMergesChangesFromParent = true
            context.mergePolicy = .mergeByPropertyObjectTrump
            if number > 0 { context.undoManager = ModelUndoManager() }
            return Place(context: context, list: try YardList(context))
        }
        history = try YardHistory(container)
    }

    func failure(of operations: [GraphConflictOperation]) throws -> String? {
        for operation in operations {
            do {
                let failure = try perform(operation) ?? difference()
                // Undo of a saved deletion makes a new row, and a policy of another context may have kept the old one.
                if mayHaveTwins, failure?.hasSuffix(" twice") == true { return nil }
                if let failure { return "\(failure) after \(log)" }
            } catch YardError.notOne where mayHaveTwins {
                return nil
            } catch {
                return "threw \(error) after \(log)"
            }
        }
        return try container.integrityProblems().first.map { "\($0) after \(log)" }
    }

    private func context(_ operation: GraphConflictOperation) -> ModelContext {
        let place = places[operation.context]
        if operation.depth == 0 { return place.context }
        for depth in place.children.count..<max(operation.depth, place.children.count) {
            let parent = depth == 0 ? place.context : places[operation.context].children[depth - 1]
            let child = ModelContext(parent: parent)
            child.automaticallyMergesChangesFromParent = true
            places[operation.context].children.append(child)
        }
        return places[operation.context].children[operation.depth - 1]
    }

    private func perform(_ operation: GraphConflictOperation) throws -> String? {
        var random = SeededGenerator(seed: operation.seed)
        let context = context(operation)
        let name = "\(operation.context).\(operation.depth)"
        log.append("\(name) \(operation.kind)")
        let points = Int64(random.number(0..<12))
        switch operation.kind {
        case .edit: return try edit(context, name, &random)
        case .badge:
            let keeper = try context.fetch(Keeper.order { $0.key.ascending }).randomElement(using: &random)
            keeper?.badge = random.oneIn(2) ? nil : points
        case .save:
            do {
                try context.save()
            } catch let error as SaveError {
                log.append("rollback after \(error)")
                context.rollback()
            }
        case .rollback: context.rollback()
        case .undo:
            context.undoManager?.undo()
            mayHaveTwins = mayHaveTwins || !context.insertedModelsArray.isEmpty
        case .redo:
            context.undoManager?.redo()
            mayHaveTwins = mayHaveTwins || !context.insertedModelsArray.isEmpty
        case .process: context.processPendingChanges()
        case .policy:
            let policy = Policy.allCases.randomElement(using: &random) ?? .error
            log[log.count - 1] += " \(policy)"
            context.mergePolicy = policy.policy
            if operation.depth == 0 { places[operation.context].policy = policy }
            if policy == .error { places[operation.context].mayShareLockers = true }
        case .merges:
            let root = places[operation.context].context
            root.automaticallyMergesChangesFromParent.toggle()
            if root.automaticallyMergesChangesFromParent {
                try root.refreshAllObjects()
                try places[operation.context].list.fetch()
            }
        case .refresh: try context.refreshAllObjects()
        case .drop: places[operation.context].children = []
        case .update:
            try places[operation.context].context.batchUpdate(Keeper.where { $0.points < points + 20 }) {
                $0.points += points
            }
        case .insert:
            newKey += 1
            try places[operation.context].context.batchInsert(contentsOf: [Keeper.Values(key: newKey, points: points)])
        case .delete:
            let kind = Yard.Kind.allCases.randomElement(using: &random) ?? .keeper
            log[log.count - 1] += " \(kind) < \(points / 2)"
            do {
                try places[operation.context].context.batchDelete(kind, below: points / 2)
            } catch let error as BatchError {
                log.append("\(error)")
            }
        }
        return nil
    }

    /// Performs a change, and compares its effects on the context with those on a plain yard.
    private func edit(_ context: ModelContext, _ name: String, _ random: inout SeededGenerator) throws -> String? {
        let reading = try YardReading(context)
        var yard = reading.yard
        newKey += 1
        let edit = YardEdit.any(&random, yard, newKey: newKey)
        if context.parent?.parent != nil, edit.changesAnOrder { return nil }
        log[log.count - 1] = "\(name) \(edit)"
        if case .delete(let kind, let key) = edit, yard.denies(kind, key) {
            try context.perform(edit)
            return nil
        }
        try context.perform(edit)
        // Rows that a child or a context without merging read at different times may contradict each other.
        let isCurrent = context.parent == nil && context.automaticallyMergesChangesFromParent
        if !isCurrent, !reading.problems.isEmpty { return nil }
        yard.perform(edit)
        return try YardReading(context).yard.difference(from: yard).map { "\(name) \($0)" }
    }

    private func difference() throws -> String? {
        let stored = try YardReading(ModelContext(container))
        if let wrong = try stored.problems.first ?? history.failure(stored) { return "the store: \(wrong)" }
        for (index, place) in places.enumerated() where place.context.automaticallyMergesChangesFromParent {
            place.context.processPendingChanges()
            let reading = try YardReading(place.context)
            let isDenied = place.context.deletedModelsArray.contains { $0 is Crew || $0 is Guild }
            if !place.context.hasChanges, place.policy != .error { places[index].mayShareLockers = false }
            let wrong = reading.problems.first { !places[index].mayShareLockers || !$0.hasPrefix("locker ") }
            if !isDenied, let wrong { return "context \(index): \(wrong)" }
            if let wrong = place.list.difference(from: reading.yard) { return "context \(index): \(wrong)" }
            if place.context.hasChanges { continue }
            if let wrong = reading.yard.difference(from: stored.yard) { return "context \(index) \(wrong)" }
        }
        return nil
    }
}
