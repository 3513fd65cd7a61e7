import Ashlar
import Testing

/// Another context's batch beside unsaved deletions.
@Suite struct OthersBatchTests {
    @Test(arguments: [false, true])
    func anObjectWhoseDeletionIsTakenBackHasTheValuesOfAnotherContextsBatch(_ undoes: Bool) throws {
        let container = try ModelContainer(
            for: BankModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        context.automaticallyMergesChangesFromParent = true
        context.undoManager = ModelUndoManager()
        let account = Account(balance: 1, limit: 1, number: 1)
        context.insert(account)
        try context.save()
        let rich = FetchedResultsController(Account.where { $0.balance > 5 }, in: context)
        try rich.performFetch()
        context.delete(account)
        context.processPendingChanges()
        try ModelContext(container).batchUpdate(Account.all) { $0.balance = 9 }
        context.processPendingChanges()
        if undoes { context.undoManager?.undo() } else { context.rollback() }
        context.processPendingChanges()
        #expect(account.balance == 9)
        #expect(rich.fetchedObjects == [account])
        account.balance += 1
        try context.save()
        #expect(try ModelContext(container).fetchValues(Account.all).map(\.balance) == [10])
    }
}
