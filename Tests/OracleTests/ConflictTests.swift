import Ashlar
import Testing

/// A property that a context and another one changed, in a context that merges changes of others.
@Suite struct ConflictTests {
    let container: ModelContainer
    let context: ModelContext
    let account: Account

    init() throws {
        container = try ModelContainer(
            for: BankModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        account = Account(balance: 1000, holder: "Ada", number: 1)
        context.insert(account)
        try context.save()
        context.automaticallyMergesChangesFromParent = true
    }

    private func elsewhere(_ change: (Account) -> Void) throws {
        let other = ModelContext(container)
        change(try #require(try other.fetch(Account.all).first))
        try other.save()
    }

    private var stored: Account.Values {
        get throws { try #require(try ModelContext(container).fetchValues(Account.all).first) }
    }

    /// The operation by which the context notices the other save: the save itself, or a fetch, a merge or an own batch
    /// before it.
    enum Occasion: CaseIterable {
        case save, fetch, processing, notification, ownBatch
    }

    private func meet(_ occasion: Occasion, _ change: (Account) -> Void) throws {
        switch occasion {
        case .save: try elsewhere(change)
        case .fetch:
            try elsewhere(change)
            _ = try context.fetch(Account.all)
        case .processing:
            try elsewhere(change)
            context.processPendingChanges()
        case .ownBatch:
            try elsewhere(change)
            try context.batchUpdate(Account.where { $0.number == 99 }) { $0.limit = 1 }
            _ = try ModelContext(container).batchInsert(contentsOf: [Account.Values(number: 98)])
            try context.batchUpdate(Account.where { $0.number == 98 }) { $0.limit = 1 }
            try ModelContext(container).batchDelete(Account.where { $0.number == 98 })
        case .notification:
            context.automaticallyMergesChangesFromParent = false
            try elsewhere(change)
            try context.mergeChanges(
                from: ContextNotification(updatedIdentifiers: [account.persistentModelID]))
        }
    }

    @Test(arguments: Occasion.allCases) func theErrorPolicyThrowsWithBothValues(_ occasion: Occasion) throws {
        account.balance -= 10
        try meet(occasion) { $0.balance += 500 }
        #expect(account.balance == 990)
        for _ in 0..<2 {
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .conflict(let conflicts) = error else { return #expect(Bool(false), "\(error as Any)") }
            let conflict = try #require(conflicts.first)
            #expect(conflicts.count == 1 && conflict.object == account.persistentModelID)
            #expect(conflict.values["balance"] == .integer(990))
            #expect(conflict.storedValues["balance"] == .integer(1500))
            #expect(try context.fetch(Account.all).first === account)
        }
        #expect(try stored.balance == 1500)
        context.rollback()
        #expect(account.balance == 1500 && !context.hasChanges)
    }

    @Test(arguments: Occasion.allCases) func policiesSettleAPropertyOfBothSides(_ occasion: Occasion) throws {
        for (policy, expected, limit) in [
            (MergePolicy.mergeByPropertyStoreTrump, Int64(1500), Int64(7)), (.rollback, 1500, 0),
            (.mergeByPropertyObjectTrump, 990, 7), (.overwrite, 990, 7),
        ] {
            try elsewhere { ($0.balance, $0.limit) = (1000, 0) }
            try context.refresh(account)
            context.automaticallyMergesChangesFromParent = true
            context.mergePolicy = policy
            (account.balance, account.limit) = (990, 7)
            try meet(occasion) { $0.balance = 1500 }
            try context.save()
            #expect(try stored.balance == expected && stored.limit == limit, "\(policy)")
            #expect(account.balance == expected && account.limit == limit, "\(policy)")
        }
    }

    @Test(arguments: Occasion.allCases) func changesOfDifferentPropertiesCombine(_ occasion: Occasion) throws {
        account.balance -= 10
        try meet(occasion) { $0.holder = "Grace" }
        if occasion == .notification { context.automaticallyMergesChangesFromParent = true }
        try context.save()
        #expect(try stored.balance == 990 && stored.holder == "Grace")
        #expect(try context.fetch(Account.where { $0.holder == "Grace" && $0.balance == 990 }) == [account])
    }

    @Test func withoutMergingAnotherVersionIsAConflict() throws {
        context.automaticallyMergesChangesFromParent = false
        account.balance -= 10
        try elsewhere { $0.holder = "Grace" }
        #expect(throws: SaveError.self) { try context.save() }
    }

    @Test(arguments: [false, true], Occasion.allCases)
    func sumsKeepBothSides(_ merges: Bool, _ occasion: Occasion) throws {
        context.automaticallyMergesChangesFromParent = merges
        for policy in [MergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite] {
            context.mergePolicy = policy
            let before = try stored.moves
            try context.refresh(account)
            account.moves += 1
            try meet(occasion) { $0.moves += 1 }
            try context.save()
            #expect(try stored.moves == before + 2 && account.moves == before + 2)
        }
    }

    @Test(
        arguments: [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback],
        Occasion.allCases)
    func aConflictOfAnotherPropertyKeepsChangesThatAddUp(_ policy: MergePolicy, _ occasion: Occasion) throws {
        context.mergePolicy = policy
        for isHere in [false, true] {
            let before = try stored.moves
            try context.refresh(account)
            account.balance += 1
            if isHere { account.moves += 1 }
            try meet(occasion) { account in
                account.balance += 2
                if !isHere { account.moves += 1 }
            }
            context.automaticallyMergesChangesFromParent = true
            try context.save()
            #expect(try stored.moves == before + 1 && account.moves == before + 1, "\(isHere)")
        }
    }

    @Test func aPropertyThatIsSetAgainAfterTheErrorIsSettled() throws {
        account.balance -= 10
        try meet(.processing) { $0.balance += 500 }
        // Before a save reports the conflict, another change does not settle it.
        account.balance -= 10
        #expect(throws: SaveError.self) { try context.save() }
        account.holder = "Grace"
        #expect(throws: SaveError.self) { try context.save() }
        account.balance = 1480
        try context.save()
        #expect(try stored.balance == 1480 && stored.holder == "Grace")
    }

    @Test func anotherSaveAfterTheSettledOneIsANewConflict() throws {
        account.balance -= 10
        try meet(.processing) { $0.balance += 500 }
        #expect(throws: SaveError.self) { try context.save() }
        account.balance = 1490
        try elsewhere { $0.balance += 1 }
        #expect(throws: SaveError.self) { try context.save() }
        #expect(try stored.balance == 1501)
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try stored.balance == 1490)
    }

    @Test func aDetectedConflictLastsThroughFetches() throws {
        context.detectConflicts(for: account)
        context.insert(Account(balance: account.balance, number: 2))
        try elsewhere { $0.balance += 500 }
        _ = try context.fetch(Account.all)
        #expect(throws: SaveError.self) { try context.save() }
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try ModelContext(container).fetchCount(Account.all) == 2)
    }

    @Test func aSettledPropertyStaysSettledBesideAnothersBatch() throws {
        account.balance -= 10
        try elsewhere { $0.balance += 500 }
        #expect(throws: SaveError.self) { try context.save() }
        let other = ModelContext(container)
        try other.batchInsert(contentsOf: [Account.Values(number: 98)])
        try other.batchUpdate(Account.where { $0.number == 98 }) { $0.limit = 1 }
        _ = try context.fetch(Account.all)
        account.balance = 1490
        try context.save()
        #expect(try ModelContext(container).fetchValues(Account.where { $0.number == 1 }).map(\.balance) == [1490])
    }

    @Test func aRefreshSettlesAConflict() throws {
        account.balance -= 10
        try meet(.processing) { $0.balance += 500 }
        try context.refresh(account)
        #expect(account.balance == 990)
        try context.save()
        #expect(try stored.balance == 990)
        account.balance -= 10
        try meet(.processing) { $0.balance = 7 }
        try context.refresh(account, mergeChanges: false)
        #expect(account.balance == 7 && account.changedProperties.isEmpty)
    }

    @Test func aChangeThatIsTakenBackIsNoConflict() throws {
        context.undoManager = ModelUndoManager()
        account.balance -= 10
        try meet(.processing) { $0.balance += 500 }
        #expect(throws: SaveError.self) { try context.save() }
        context.undoManager?.undo()
        try context.save()
        #expect(try stored.balance == 1500)
        #expect(account.balance == 1500)
    }

    @Test func anotherContextsBatchIsAConflictToo() throws {
        account.balance -= 10
        try ModelContext(container).batchUpdate(Account.all) { $0.balance = 1500 }
        #expect(try context.fetch(Account.all).first?.balance == 990)
        #expect(throws: SaveError.self) { try context.save() }
        #expect(try stored.balance == 1500)
    }

    @Test func aCustomPolicyIsAskedByTheMerge() throws {
        context.mergePolicy = .custom { _, object, stored, original in
            guard let object = object as? Account, let stored = stored as? Account, let original = original as? Account
            else { return .error }
            object.balance += stored.balance - original.balance
            return .mergeByPropertyObjectTrump
        }
        account.balance -= 10
        try meet(.processing) { $0.balance += 500 }
        #expect(account.balance == 1490)
        context.mergePolicy = .error
        try context.save()
        #expect(try stored.balance == 1490)
    }

    @Test @MainActor func anAutosaveReportsAConflictOnce() throws {
        let main = container.mainContext
        let same: Account = try main.model(for: account.persistentModelID)
        var reported: [[MergeConflict]] = []
        main.autosaveFailureHandler = { _, error in
            if case SaveError.conflict(let conflicts) = error { reported.append(conflicts) }
        }
        same.balance -= 10
        try elsewhere { $0.balance += 500 }
        for _ in 0..<3 { main.processPendingChanges() }
        #expect(reported.count == 1 && reported.first?.first?.storedValues["balance"] == .integer(1500))
        #expect(try main.fetch(Account.all).first?.balance == 990 && main.hasChanges)
        same.balance = 1490
        main.processPendingChanges()
        #expect(try stored.balance == 1490 && !main.hasChanges && reported.count == 1)
    }

    @Test @MainActor func withoutAHandlerAnAutosaveLetsFetchesGoOn() throws {
        let main = container.mainContext
        let same: Account = try main.model(for: account.persistentModelID)
        same.balance -= 10
        try elsewhere { $0.balance += 500 }
        for _ in 0..<3 {
            main.processPendingChanges()
            #expect(try main.fetch(Account.all).first?.balance == 990)
        }
        #expect(throws: SaveError.self) { try main.save() }
        try main.refresh(same)
        try main.save()
        #expect(try stored.balance == 990)
    }

    @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump])
    func aCompositeThatBecomesNilGoesAsAWhole(_ policy: MergePolicy) throws {
        account.address = Address(city: "Bath", street: "High Street")
        try context.save()
        context.automaticallyMergesChangesFromParent = false
        context.mergePolicy = policy
        account.address = nil
        try elsewhere { $0.address?.street = "Low Street" }
        try context.save()
        let isStores = "\(policy)" == "\(MergePolicy.mergeByPropertyStoreTrump)"
        #expect(try stored.address == (isStores ? Address(city: "Bath", street: "Low Street") : nil))
        #expect(account.address == (try stored.address))
    }
}
