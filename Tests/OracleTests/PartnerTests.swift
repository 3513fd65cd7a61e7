import Ashlar
import Testing

/// Two contexts give a locker to different keepers, and the first context merges the other's save.
@Suite struct PartnerTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let locker: Locker
    /// The keeper that the other context assigns to the locker.
    private let theirs: Keeper
    /// The keeper that this context assigns to it.
    private let own: Keeper

    private static let storePolicies = [MergePolicy.mergeByPropertyStoreTrump, .rollback]
    private static let objectPolicies = [MergePolicy.mergeByPropertyObjectTrump, .overwrite]

    init() throws {
        container = try ModelContainer(
            for: YardModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        locker = Locker(key: 1, points: 0)
        (theirs, own) = (Keeper(key: 1, points: 0), Keeper(key: 2, points: 0))
        context.insert(locker)
        context.insert(theirs)
        context.insert(own)
        try context.save()
    }

    /// The operation by which the context notices the other save.
    enum Merge: CaseIterable {
        case automatic, notification, fetch, ownBatch
    }

    private func assignElsewhere() throws {
        let other = ModelContext(container)
        let keeper: Keeper = try other.model(for: theirs.persistentModelID)
        keeper.locker = try other.model(for: locker.persistentModelID)
        try other.save()
    }

    private func assignElsewhereAndMerge(_ merge: Merge = .automatic) throws {
        if merge == .fetch { theirs.points = 7 }
        context.automaticallyMergesChangesFromParent = merge == .automatic || merge == .fetch
        try assignElsewhere()
        switch merge {
        case .automatic: context.processPendingChanges()
        case .fetch: _ = try context.fetch(Keeper.all)
        case .notification:
            try context.mergeChanges(from: ContextNotification(updatedIdentifiers: [theirs.persistentModelID]))
        case .ownBatch: try context.batchUpdate(Keeper.where { $0.key == 1 }) { $0.points = 1 }
        }
    }

    /// The lockers of keepers in the store, by their keys.
    private func stored() throws -> [Int64: Int64] {
        let reading = try YardReading(ModelContext(container))
        #expect(reading.problems == [])
        return reading.yard.lockers
    }

    private func sidesAgree() throws -> Bool { try YardReading(context).problems.isEmpty }

    @Test(arguments: objectPolicies, Merge.allCases)
    func aMergeTakesThePartnerForTheContextsObject(_ policy: MergePolicy, _ merge: Merge) throws {
        context.mergePolicy = policy
        own.locker = locker
        try assignElsewhereAndMerge(merge)
        #expect(own.locker === locker && locker.keeper === own && theirs.locker == nil)
        #expect(try sidesAgree())
        #expect(try context.fetch(Keeper.where { $0.locker == locker }) == [own])
        try context.save()
        #expect(try stored() == [2: 1])
        #expect(theirs.locker == nil && !context.hasChanges)
    }

    @Test(arguments: objectPolicies) func anObjectThatWasNeverSavedTakesThePartner(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        let new = Keeper(key: 3, points: 0)
        new.locker = locker
        try assignElsewhereAndMerge()
        #expect(try new.locker === locker && locker.keeper === new && sidesAgree())
        try context.save()
        #expect(try stored() == [3: 1])
    }

    @Test(arguments: storePolicies, [Merge.automatic, .notification, .fetch])
    func aMergeLeavesThePartnerToTheOtherSave(_ policy: MergePolicy, _ merge: Merge) throws {
        context.mergePolicy = policy
        own.locker = locker
        try assignElsewhereAndMerge(merge)
        #expect(own.locker == nil && locker.keeper === theirs && theirs.locker === locker)
        #expect(try sidesAgree())
        try context.save()
        #expect(try stored() == [1: 1])
        #expect(!context.hasChanges)
    }

    @Test(arguments: storePolicies, [Merge.automatic, .notification, .fetch])
    func anObjectKeepsItsFormerPartner(_ policy: MergePolicy, _ merge: Merge) throws {
        let former = Locker(key: 2, points: 0)
        own.locker = former
        try context.save()
        context.mergePolicy = policy
        own.locker = locker
        try assignElsewhereAndMerge(merge)
        #expect(own.locker === former && locker.keeper === theirs && theirs.locker === locker)
        #expect(try sidesAgree())
        try context.save()
        #expect(try stored() == [1: 1, 2: 2])
        #expect(!context.hasChanges)
    }

    @Test func anObjectWhoseFormerPartnerWasGivenAwayGetsNone() throws {
        let former = Locker(key: 2, points: 0)
        own.locker = former
        try context.save()
        context.mergePolicy = .mergeByPropertyStoreTrump
        own.locker = locker
        let heir = Keeper(key: 3, points: 0)
        former.keeper = heir
        try assignElsewhereAndMerge()
        #expect(own.locker == nil && former.keeper === heir && locker.keeper === theirs)
        try context.save()
        #expect(try stored() == [1: 1, 3: 2])
    }

    @Test func theErrorPolicyLeavesTheConflictToTheSave() throws {
        own.locker = locker
        try assignElsewhereAndMerge()
        for _ in 0..<2 {
            #expect(own.locker === locker && locker.keeper === own && theirs.locker === locker)
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .conflict(let conflicts) = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(conflicts.map(\.object) == [own.persistentModelID])
            #expect(conflicts.map(\.kind) == [.notUnique(["locker"])])
        }
        context.rollback()
        #expect(try own.locker == nil && locker.keeper === theirs && sidesAgree() && !context.hasChanges)
    }

    /// The ways to keep the context's own assignment after the error.
    enum Decision: CaseIterable {
        case refresh, refreshAll, setAgain, setAgainFromLocker, policy
    }

    @Test(arguments: Decision.allCases, [false, true])
    func theProgramKeepsThePartnerAfterTheError(_ decision: Decision, _ merges: Bool) throws {
        context.automaticallyMergesChangesFromParent = merges
        own.locker = locker
        try assignElsewhere()
        #expect(throws: SaveError.self) { try context.save() }
        switch decision {
        case .refresh: try context.refresh(own)
        case .refreshAll: try context.refreshAllObjects()
        case .setAgain:
            try context.refresh(theirs)
            own.locker = locker
        case .setAgainFromLocker:
            try context.refresh(theirs)
            locker.keeper = own
        case .policy: context.mergePolicy = .mergeByPropertyObjectTrump
        }
        if decision != .policy { #expect(theirs.locker == nil) }
        try context.save()
        #expect(try stored() == [2: 1])
        #expect(theirs.locker == nil && locker.keeper === own)
    }

    @Test func theProgramGivesThePartnerUpAfterTheError() throws {
        own.locker = locker
        try assignElsewhereAndMerge()
        #expect(throws: SaveError.self) { try context.save() }
        try context.refresh(own, mergeChanges: false)
        #expect(own.locker == nil && locker.keeper === theirs)
        try context.save()
        #expect(try stored() == [1: 1])
    }

    @Test func aCustomPolicyDecidesInAMerge() throws {
        context.mergePolicy = .custom { conflict, object, stored, _ in
            let isOverLocker = conflict.kind == .notUnique(["locker"])
            return isOverLocker && (object as? Keeper)?.key == 2 && (stored as? Keeper)?.key == 1
                ? .mergeByPropertyStoreTrump : .error
        }
        own.locker = locker
        try assignElsewhereAndMerge()
        #expect(own.locker == nil && locker.keeper === theirs)
    }

    @Test func anUndoAfterAMergeUndoesTheContextsChange() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.undoManager = ModelUndoManager()
        own.locker = locker
        try assignElsewhereAndMerge()
        theirs.points = 7
        context.undoManager?.undo()
        #expect(theirs.points == 0 && own.locker === locker)
        context.undoManager?.undo()
        #expect(try own.locker == nil && sidesAgree())
        context.rollback()
        #expect(theirs.locker === locker && locker.keeper === theirs)
    }

    @Test func aListThatFollowsTheContextIsNotified() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let list = FetchedResultsController(Keeper.where { $0.locker != nil }, in: context)
        try list.performFetch()
        own.locker = locker
        try assignElsewhereAndMerge()
        #expect(list.fetchedObjects == [own])
    }
}
