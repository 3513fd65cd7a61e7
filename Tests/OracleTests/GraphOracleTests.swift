import Ashlar
import RandomNumbers
import RandomSeeds
import Testing

/// Contexts that write by turns, with children and grandchildren, beside plain yards of their objects.
@Suite struct GraphOracleTests {
    @Test(arguments: seeds(3)) func contextsThatWriteByTurnsHoldWhatThePlainModelSays(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<100).map { _ in GraphOperation(random: &random) }
        expectSuccess(operations) { operations in try GraphRun().failure(of: operations) }
    }
}

struct GraphOperation: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case edit, child, drop, save, rollback, undo, redo, turn, batchUpdate, batchDelete, batchInsert, denied, refresh
        case reset, policy, orders
    }

    let kind: Kind
    /// The seed of the operation's choices. They stay the same if other operations are left out.
    let seed: UInt64

    var description: String { "\(kind) \(seed)" }

    init(random: inout SeededGenerator) {
        seed = UInt64(random.number(0..<1_000_000))
        switch random.number(0..<56) {
        case 0..<24: kind = .edit
        case 24..<28: kind = .orders
        case 28..<30: kind = .child
        case 30: kind = .drop
        case 31..<38: kind = .save
        case 38: kind = .rollback
        case 39..<42: kind = .undo
        case 42, 43: kind = .redo
        case 44..<47: kind = .turn
        case 47, 48: kind = .batchUpdate
        case 49: kind = .batchDelete
        case 50: kind = .batchInsert
        case 51: kind = .denied
        case 52, 53: kind = .refresh
        case 54: kind = .policy
        default: kind = .reset
        }
    }
}

/// Contexts of a store, and the yards that they are compared with.
private final class GraphRun {
    private let container: ModelContainer
    private let roots: [ModelContext]
    private let lists: [YardList]
    private var history: YardHistory
    private var committed = Yard() { didSet { isStoreRead = false } }
    /// Whether the store and the other contexts were compared since the last commit.
    private var isStoreRead = false
    /// The context that writes, its child and the child's child, with the yard of each.
    private var writer: Int = 0
    private var levels: [(context: ModelContext, yard: Yard)]
    private var undone: [Yard] = []
    private var redone: [Yard] = []
    private var newKey: Int64 = 0
    private var log: [String] = []

    init() throws {
        let container = try ModelContainer(
            for: YardModel.self,
            configurations: ModelConfiguration(
                isStoredInMemoryOnly: true, options: StoreOptions(historyTracking: true)))
        self.container = container
        roots = (0..<3).map { _ in
            let context = ModelContext(container)
            context.automaticallyMergesChangesFromParent = true
            context.undoManager = ModelUndoManager()
            return context
        }
        lists = try roots.map { try YardList($0) }
        history = try YardHistory(container)
        levels = [(roots[0], committed)]
    }

    private var yard: Yard { levels[levels.count - 1].yard }
    private var context: ModelContext { levels[levels.count - 1].context }

    func failure(of operations: [GraphOperation]) throws -> String? {
        for operation in operations {
            do {
                if let failure = try perform(operation) ?? difference() { return "\(failure) after \(log)" }
            } catch {
                return "threw \(error) after \(log)"
            }
        }
        return try container.integrityProblems().first.map { "\($0) after \(log)" }
    }

    private func perform(_ operation: GraphOperation) throws -> String? {
        var random = SeededGenerator(seed: operation.seed)
        let isClean = levels.count == 1 && yard == committed && !context.hasChanges
        log.append("\(operation.kind)")
        switch operation.kind {
        case .edit, .orders:
            newKey += 1
            let isOrder = operation.kind == .orders
            guard
                let edit = isOrder
                    ? YardEdit.ofAnOrder(&random, yard) : YardEdit.any(&random, yard, newKey: newKey)
            else { break }
            if case .delete(let kind, let key) = edit, yard.denies(kind, key) { break }
            if levels.count > 2, edit.changesAnOrder { break }
            log[log.count - 1] = "\(edit)"
            let before = yard
            try context.perform(edit)
            context.processPendingChanges()
            levels[levels.count - 1].yard.perform(edit)
            if levels.count == 1, yard != before {
                undone.append(before)
                redone = []
            }
        case .child where levels.count < 3:
            let child = ModelContext(parent: context)
            levels.append((child, yard))
        case .drop where levels.count > 1: levels.removeLast()
        case .save: try save()
        case .rollback:
            context.rollback()
            levels[levels.count - 1].yard = levels.count > 1 ? levels[levels.count - 2].yard : committed
            if levels.count == 1 { forgetUndo() }
        case .undo where levels.count == 1:
            guard context.undoManager?.canUndo == !undone.isEmpty else { return "canUndo is wrong" }
            guard let before = undone.popLast() else { break }
            redone.append(yard)
            context.undoManager?.undo()
            levels[0].yard = before
        case .redo where levels.count == 1:
            guard context.undoManager?.canRedo == !redone.isEmpty else { return "canRedo is wrong" }
            guard let after = redone.popLast() else { break }
            undone.append(yard)
            context.undoManager?.redo()
            levels[0].yard = after
        case .turn:
            while levels.count > 1 {
                try save()
                levels.removeLast()
            }
            try save()
            forgetUndo()
            writer = random.number(0..<roots.count)
            levels = [(roots[writer], committed)]
            forgetUndo()
        case .batchUpdate, .batchDelete, .batchInsert:
            guard isClean else { break }
            try batch(operation.kind, &random)
            levels[0].yard = committed
            forgetUndo()
        case .denied:
            let crews = yard.keys(.crew).filter { yard.denies(.crew, $0) }
            guard isClean, let crew = crews.randomElement(using: &random) else { break }
            context.delete(try context.crew(crew))
            do {
                try context.save()
                return "a crew with keepers was deleted"
            } catch SaveError.validation {
                context.rollback()
                forgetUndo()
            }
        case .refresh: try context.refreshAllObjects()
        case .policy:
            let policy = Policy.allCases.randomElement(using: &random) ?? .error
            context.mergePolicy = policy.policy
        case .reset:
            guard isClean else { break }
            context.reset()
            forgetUndo()
            try lists[writer].fetch()
        default: log.removeLast()
        }
        return nil
    }

    private func save() throws {
        try context.save()
        if levels.count > 1 {
            let saved = levels[levels.count - 1].yard
            let isChange = levels[levels.count - 2].yard != saved
            if levels.count == 2, isChange {
                undone.append(levels[0].yard)
                redone = []
            }
            levels[levels.count - 2].context.processPendingChanges()
            levels[levels.count - 2].yard = saved
        } else {
            committed = yard
        }
    }

    private func forgetUndo() {
        levels[0].context.undoManager?.removeAllActions()
        (undone, redone) = ([], [])
    }

    private func batch(_ kind: GraphOperation.Kind, _ random: inout SeededGenerator) throws {
        let points = Int64(random.number(0..<12))
        switch kind {
        case .batchUpdate:
            try context.batchUpdate(Keeper.where { $0.points < points + 20 }) { $0.points += points }
            for (key, old) in committed.points[.keeper] ?? [:] where old < points + 20 {
                committed.points[.keeper]?[key] = old + points
            }
        case .batchInsert:
            newKey += 2
            try context.batchInsert(contentsOf: [
                Keeper.Values(key: newKey, points: points), Keeper.Values(key: newKey - 1, points: 9),
            ])
            committed.perform(.insert(.keeper, newKey, points: points))
            committed.perform(.insert(.keeper, newKey - 1, points: 9))
        default:
            let kind = Yard.Kind.allCases.randomElement(using: &random) ?? .keeper
            let leaving = (committed.points[kind] ?? [:]).filter { $0.value < points }.keys
            let isDenied = leaving.contains { committed.denies(kind, $0) }
            do {
                try context.batchDelete(kind, below: points)
                for key in leaving { committed.delete(kind, key) }
            } catch let error as BatchError where isDenied {
                log.append("\(error)")
            }
        }
    }

    private func difference() throws -> String? {
        for (level, (context, yard)) in levels.enumerated().reversed() {
            let reading = try YardReading(context)
            if let wrong = reading.yard.difference(from: yard) ?? reading.problems.first {
                return "level \(level) \(wrong)"
            }
            if let wrong = try groups(context, yard) { return "level \(level) \(wrong)" }
        }
        context.processPendingChanges()
        if let wrong = lists[writer].difference(from: levels[0].yard) { return "context \(writer) \(wrong)" }
        if isStoreRead { return nil }
        isStoreRead = true
        let stored = try YardReading(ModelContext(container))
        if let wrong = stored.yard.difference(from: committed) ?? stored.problems.first { return "the store \(wrong)" }
        if let wrong = try history.failure(stored) { return wrong }
        for (index, root) in roots.enumerated() where index != writer {
            root.processPendingChanges()
            let reading = try YardReading(root)
            if let wrong = reading.yard.difference(from: committed) ?? reading.problems.first
                ?? lists[index].difference(from: committed)
            {
                return "context \(index) \(wrong)"
            }
        }
        return nil
    }

    /// The difference between the numbers of keepers with the same points, and with the same crew.
    private func groups(_ context: ModelContext, _ yard: Yard) throws -> String? {
        let rows = try context.fetch(
            Keeper.all.group { $0.points }.select { ($0.points, .count) }.order { $0.points.ascending })
        let found = rows.map { "\($0.0): \($0.1)" }
        let expected = Dictionary(grouping: (yard.points[.keeper] ?? [:]).values) { $0 }.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value.count)" }
        if found != expected { return "has the groups \(found), not \(expected)" }
        let many = try context.fetchCount(Keeper.where { $0.chores.count > 1 || $0.crew.points > 20 })
        let plain = yard.keys(.keeper).count { keeper in
            (yard.chores[keeper]?.count ?? 0) > 1
                || (yard.crews[keeper].flatMap { yard.points[.crew]?[$0] } ?? 0) > 20
        }
        return many == plain ? nil : "counts \(many) keepers, not \(plain)"
    }
}
