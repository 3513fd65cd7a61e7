import Ashlar
import RandomNumbers
import RandomSeeds
import Testing

/// Four tasks move money between accounts at the same time, and none is lost or made.
@Suite struct TransferTests {
    /// The ways in which a task has a context.
    enum Isolation: CaseIterable, Sendable {
        case actor, backgroundContext, backgroundTask, mainContext
    }

    private static let accountCount = 3
    private static let opening: Int64 = 1000

    @Test(arguments: Isolation.allCases, seeds(3)) func transfersKeepTheSum(_ isolation: Isolation, _ seed: Seed)
        async throws
    {
        for merges in [false, true] {
            let container = try bank()
            let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        var random = SeededGenerator(seed: seed.number &+ UInt64(worker) &* 7919)
                        // There is one main context, whose tasks take turns. Other workers use their own beside it.
                        let isBeside = isolation == .mainContext && worker > 1
                        let teller = try await Teller.make(
                            isBeside ? .backgroundContext : isolation, container, merges)
                        var outcome = Outcome()
                        for _ in 0..<25 {
                            let transfer = Transfer(random: &random, accountCount: Self.accountCount)
                            if try await teller.carryOut(transfer) {
                                outcome.note(transfer)
                            } else {
                                outcome.refused += 1
                            }
                        }
                        return outcome
                    }
                }
                return try await group.reduce(into: Outcome()) { $0.add($1) }
            }
            let rows = try ModelContext(container).fetchValues(Account.order { $0.number.ascending })
            let expected = (0..<Self.accountCount).map { Self.opening + outcomes.gained[Int64($0), default: 0] }
            #expect(rows.map(\.balance) == expected, "\(isolation), merging: \(merges), \(outcomes.refused) refused")
            #expect(rows.map(\.balance).reduce(0, +) == Self.opening * Int64(Self.accountCount))
            #expect(rows.map(\.moves).reduce(0, +) == outcomes.moves)
        }
    }

    private func bank() throws -> ModelContainer {
        let container = try ModelContainer(
            for: BankModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for number in 0..<Self.accountCount {
            context.insert(Account(balance: Self.opening, number: Int64(number)))
        }
        try context.save()
        return container
    }
}

/// Money that goes from one account to another.
private struct Transfer: Sendable {
    var from: Int64
    var to: Int64
    var amount: Int64

    init(random: inout SeededGenerator, accountCount: Int) {
        from = Int64.random(in: 0..<Int64(accountCount), using: &random)
        to = (from + Int64.random(in: 1..<Int64(accountCount), using: &random)) % Int64(accountCount)
        amount = Int64.random(in: 1...20, using: &random)
    }

    /// Saves the transfer; returns false, with nothing changed, if the save finds a conflict.
    func carryOut(in context: ModelContext) throws -> Bool {
        let accounts = try context.fetch(Account.order { $0.number.ascending })
        let (source, target) = (accounts[Int(from)], accounts[Int(to)])
        source.balance -= amount
        target.balance += amount
        source.moves += 1
        target.moves += 1
        do {
            try context.save()
            return true
        } catch SaveError.conflict {
            context.rollback()
            return false
        }
    }
}

/// The effects of a task's transfers on the accounts, as plain numbers.
private struct Outcome: Sendable {
    var gained: [Int64: Int64] = [:]
    var moves: Int64 = 0
    var refused = 0

    mutating func note(_ transfer: Transfer) {
        gained[transfer.from, default: 0] -= transfer.amount
        gained[transfer.to, default: 0] += transfer.amount
        moves += 2
    }

    mutating func add(_ other: Outcome) {
        gained.merge(other.gained, uniquingKeysWith: +)
        moves += other.moves
        refused += other.refused
    }
}

/// Carries out transfers in a context of its own kind.
private enum Teller: Sendable {
    case actor(TellerActor)
    case backgroundContext(BackgroundContext)
    case backgroundTask(ModelContainer, merges: Bool)
    case mainContext(ModelContainer)

    static func make(
        _ isolation: TransferTests.Isolation, _ container: ModelContainer, _ merges: Bool
    ) async throws -> Teller {
        switch isolation {
        case .actor:
            let actor = TellerActor(modelContainer: container)
            await actor.setMerging(merges)
            return .actor(actor)
        case .backgroundContext:
            let context = container.newBackgroundContext()
            try await context.perform { $0.automaticallyMergesChangesFromParent = merges }
            return .backgroundContext(context)
        case .backgroundTask: return .backgroundTask(container, merges: merges)
        case .mainContext:
            await MainActor.run { container.mainContext.automaticallyMergesChangesFromParent = merges }
            return .mainContext(container)
        }
    }

    func carryOut(_ transfer: Transfer) async throws -> Bool {
        switch self {
        case .actor(let actor): try await actor.carryOut(transfer)
        case .backgroundContext(let context): try await context.perform { try transfer.carryOut(in: $0) }
        case .backgroundTask(let container, let merges):
            try await container.performBackgroundTask { context in
                context.automaticallyMergesChangesFromParent = merges
                return try transfer.carryOut(in: context)
            }
        case .mainContext(let container):
            try await MainActor.run { try transfer.carryOut(in: container.mainContext) }
        }
    }
}

private actor TellerActor: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor

    init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        modelExecutor = DefaultSerialModelExecutor(modelContainer: modelContainer)
    }

    func setMerging(_ merges: Bool) { modelContext.automaticallyMergesChangesFromParent = merges }

    func carryOut(_ transfer: Transfer) throws -> Bool { try transfer.carryOut(in: modelContext) }
}
