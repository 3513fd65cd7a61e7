import Ashlar
import RandomNumbers
import RandomSeeds
import Testing

/// Three contexts that change orders at the same time, each those of its own keepers.
@Suite struct OrderOracleTests {
    @Test(arguments: seeds(3)) func ordersAreThoseOfThePlainModel(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<100).map { _ in ShareOperation(random: &random, orders: 28) }
        expectSuccess(operations) { operations in try ShareRun(lists: []).failure(of: operations) }
    }
}

/// Lists in three contexts that write at the same time, each its own keepers.
@Suite struct ListOracleTests {
    @Test(arguments: seeds(3)) func listsAreFilteredAndSortedAsInPlainSwift(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<100).map { _ in ShareOperation(random: &random, orders: 4) }
        expectSuccess(operations) { operations in
            try ShareRun(lists: [.byPoints, .byCrew, .busiest, .all]).failure(of: operations)
        }
    }
}

struct ShareOperation: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case edit, order, save, rollback, undo, redo, process, child, drop, update, insert, refresh, policy
    }

    let kind: Kind
    let context: Int
    let seed: UInt64

    var description: String { "\(kind) \(context) \(seed)" }

    init(random: inout SeededGenerator, orders: Int) {
        seed = UInt64(random.number(0..<1_000_000))
        context = random.number(0..<ShareRun.contexts)
        switch random.number(0..<56) {
        case 0..<orders: kind = .order
        case ..<32: kind = .edit
        case ..<40: kind = .save
        case 40: kind = .rollback
        case ..<44: kind = .undo
        case ..<46: kind = .redo
        case 46: kind = .process
        case ..<49: kind = .child
        case 49: kind = .drop
        case ..<52: kind = .update
        case 52: kind = .insert
        case 53: kind = .refresh
        default: kind = .policy
        }
    }
}

extension Yard {
    /// Takes over the facts about the objects of one share. A share has the keys with one remainder.
    mutating func take(_ share: Int, from other: Yard) {
        func isShared(_ key: Int64) -> Bool { key % Int64(ShareRun.contexts) == Int64(share) }
        func merge<Value>(_ own: [Int64: Value], _ others: [Int64: Value]) -> [Int64: Value] {
            own.filter { !isShared($0.key) }.merging(others.filter { isShared($0.key) }) { $1 }
        }
        for kind in Kind.allCases { points[kind] = merge(points[kind] ?? [:], other.points[kind] ?? [:]) }
        guilds = merge(guilds, other.guilds)
        crews = merge(crews, other.crews)
        lockers = merge(lockers, other.lockers)
        chores = merge(chores, other.chores)
        routes = merge(routes, other.routes)
        crafts = crafts.filter { !isShared($0.keeper) }.union(other.crafts.filter { isShared($0.keeper) })
    }
}

extension YardEdit {
    /// The keys of the objects that the change concerns; nil for deletions that have effects on other shares.
    fileprivate var owned: [Int64]? {
        switch self {
        case .insert(_, let key, _), .setPoints(_, let key, _), .delete(.keeper, let key), .delete(.chore, let key),
            .setGuild(let key, _), .setCrew(let key, _), .addKeeper(_, let key), .removeKeeper(_, let key),
            .addCraft(let key, _, _), .removeCraft(let key, _, _), .assignCrafts(let key, _),
            .placeRoute(let key, _, _), .removeRoute(let key, _, _), .assignRoutes(let key, _),
            .addKeeperToRoute(_, let key):
            [key]
        case .delete: nil
        case .setLocker(let first, let second), .setKeeper(let first, let second), .setOwner(let first, let second):
            [first] + (second.map { [$0] } ?? [])
        case .placeChore(let keeper, let chore, _), .removeChore(let keeper, let chore): [keeper, chore]
        case .assignChores(let keeper, let chores): [keeper] + chores
        }
    }
}

/// Contexts that write at the same time without conflicts, and the yard of each.
final class ShareRun {
    static let contexts = 3

    private struct Place {
        let context: ModelContext
        let lists: [YardList]
        var yard = Yard()
        var child: (context: ModelContext, yard: Yard)?
        var undone: [Yard] = []
        var redone: [Yard] = []
    }

    private let container: ModelContainer
    private var places: [Place] = []
    private var committed = Yard() { didSet { isStoreRead = false } }
    /// Whether the store and all contexts were compared since the last commit.
    private var isStoreRead = false
    private var newKey: Int64 = 0
    private var log: [String] = []

    init(lists: [YardListRule]) throws {
        let container = try ModelContainer(
            for: YardModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        self.container = container
        let first = ModelContext(container)
        for kind in Yard.Kind.allCases {
            for _ in 0..<(kind == .chore ? 9 : 6) {
                newKey += 1
                let edit = YardEdit.insert(kind, newKey, points: newKey % 40)
                try first.perform(edit)
                committed.perform(edit)
            }
        }
        try first.save()
        for _ in 0..<Self.contexts {
            let context = ModelContext(container)
            context.automaticallyMergesChangesFromParent = true
            context.undoManager = ModelUndoManager()
            places.append(Place(context: context, lists: try lists.map { try YardList(context, $0) }, yard: committed))
        }
    }

    func failure(of operations: [ShareOperation]) throws -> String? {
        for operation in operations {
            do {
                if let failure = try perform(operation) ?? difference(after: operation) {
                    return "\(failure) after \(log)"
                }
            } catch {
                return "threw \(error) after \(log)"
            }
        }
        return try container.integrityProblems().first.map { "\($0) after \(log)" }
    }

    private func perform(_ operation: ShareOperation) throws -> String? {
        var random = SeededGenerator(seed: operation.seed)
        let index = operation.context
        let (context, child) = (places[index].context, places[index].child)
        log.append("\(index) \(operation.kind)")
        switch operation.kind {
        case .edit, .order:
            let yard = child?.yard ?? places[index].yard
            guard let edit = edit(operation, yard, &random) else { break }
            log[log.count - 1] = "\(index)\(child == nil ? "" : " child") \(edit)"
            try (child?.context ?? context).perform(edit)
            if child != nil {
                places[index].child?.yard.perform(edit)
            } else {
                var after = yard
                after.perform(edit)
                context.processPendingChanges()
                change(index, to: after)
            }
        case .save:
            if let child {
                try child.context.save()
                context.processPendingChanges()
                change(index, to: child.yard)
            } else {
                try context.save()
                committed.take(index, from: places[index].yard)
                tellOthers(index)
            }
        case .rollback:
            if let child {
                child.context.rollback()
                let yard = places[index].yard
                places[index].child?.yard = yard
            } else {
                context.rollback()
                places[index].yard = committed
                forgetUndo(index)
            }
        case .undo where child == nil:
            if context.undoManager?.canUndo != !places[index].undone.isEmpty { return "canUndo is wrong" }
            guard let before = places[index].undone.last, !takesBackShared(before) else { break }
            places[index].undone.removeLast()
            places[index].redone.append(places[index].yard)
            context.undoManager?.undo()
            places[index].yard = before
        case .redo where child == nil:
            if context.undoManager?.canRedo != !places[index].redone.isEmpty { return "canRedo is wrong" }
            guard let after = places[index].redone.popLast() else { break }
            places[index].undone.append(places[index].yard)
            context.undoManager?.redo()
            places[index].yard = after
        case .process: context.processPendingChanges()
        case .child where child == nil:
            let child = ModelContext(parent: context)
            child.automaticallyMergesChangesFromParent = true
            places[index].child = (child, places[index].yard)
        case .drop: places[index].child = nil
        case .update where child == nil:
            let keys = committed.keys(.keeper).filter { $0 % Int64(Self.contexts) == Int64(index) }
            let same = keys.filter { places[index].yard.points[.keeper]?[$0] == committed.points[.keeper]?[$0] }
            guard let key = same.randomElement(using: &random) else { break }
            let points = Int64(random.number(0..<40))
            try context.batchUpdate(Keeper.where { $0.key == key }) { $0.points = points }
            committed.perform(.setPoints(.keeper, key, points))
            places[index].yard.perform(.setPoints(.keeper, key, points))
            forgetUndo(index)
            tellOthers(index)
        case .insert where child == nil:
            let key = newKey(of: index)
            try context.batchInsert(contentsOf: [Keeper.Values(key: key, points: 15)])
            committed.perform(.insert(.keeper, key, points: 15))
            places[index].yard.perform(.insert(.keeper, key, points: 15))
            forgetUndo(index)
            tellOthers(index)
        case .refresh: try context.refreshAllObjects()
        case .policy: context.mergePolicy = (Policy.allCases.randomElement(using: &random) ?? .error).policy
        default: log.removeLast()
        }
        return nil
    }

    /// Whether a yard lacks a stored object that the keepers of other shares may refer to.
    private func takesBackShared(_ before: Yard) -> Bool {
        Yard.Kind.allCases.contains { kind in
            ![.keeper, .chore].contains(kind)
                && committed.points[kind]?.keys.contains { before.points[kind]?[$0] == nil } == true
        }
    }

    private func newKey(of share: Int) -> Int64 {
        newKey += Int64(Self.contexts)
        return newKey / Int64(Self.contexts) * Int64(Self.contexts) + Int64(share)
    }

    /// A change of the objects of the context's share.
    private func edit(_ operation: ShareOperation, _ yard: Yard, _ random: inout SeededGenerator) -> YardEdit? {
        let key = newKey(of: operation.context)
        for _ in 0..<40 {
            let edit =
                operation.kind == .order ? YardEdit.ofAnOrder(&random, yard) : YardEdit.any(&random, yard, newKey: key)
            guard let edit, let owned = edit.owned else { continue }
            if owned.allSatisfy({ $0 % Int64(Self.contexts) == Int64(operation.context) }) { return edit }
        }
        return nil
    }

    private func change(_ index: Int, to yard: Yard) {
        if places[index].yard == yard { return }
        places[index].undone.append(places[index].yard)
        places[index].redone = []
        places[index].yard = yard
    }

    private func tellOthers(_ share: Int) {
        for index in places.indices where index != share {
            places[index].yard.take(share, from: committed)
            places[index].child?.yard.take(share, from: committed)
            for step in places[index].undone.indices { places[index].undone[step].take(share, from: committed) }
            for step in places[index].redone.indices { places[index].redone[step].take(share, from: committed) }
        }
    }

    private func forgetUndo(_ index: Int) {
        places[index].context.undoManager?.removeAllActions()
        (places[index].undone, places[index].redone) = ([], [])
    }

    private func difference(after operation: ShareOperation) throws -> String? {
        let readsAll = !isStoreRead
        if readsAll {
            isStoreRead = true
            let stored = try YardReading(ModelContext(container))
            if let wrong = stored.yard.difference(from: committed) ?? stored.problems.first {
                return "the store \(wrong)"
            }
        }
        for (index, place) in places.enumerated() where readsAll || index == operation.context {
            place.context.processPendingChanges()
            let reading = try YardReading(place.context)
            if let wrong = reading.yard.difference(from: place.yard) ?? reading.problems.first {
                return "context \(index) \(wrong)"
            }
            for (number, list) in place.lists.enumerated() {
                if let wrong = list.difference(from: place.yard) { return "context \(index), list \(number): \(wrong)" }
            }
            guard let child = place.child else { continue }
            let own = try YardReading(child.context)
            if let wrong = own.yard.difference(from: child.yard) ?? own.problems.first {
                return "the child of context \(index) \(wrong)"
            }
        }
        return nil
    }
}
