import Ashlar
import Testing

/// A context's own batch beside its unsaved changes.
@Suite struct OwnBatchTests {
    let context: ModelContext
    let account: Account

    init() throws {
        context = ModelContext(
            try ModelContainer(for: BankModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        account = Account(balance: 1, limit: 1, number: 1)
        context.insert(account)
        try context.save()
    }

    @Test(arguments: [false, true])
    func anObjectWhoseDeletionIsTakenBackHasTheValuesOfAnOwnBatch(_ undoes: Bool) throws {
        context.undoManager = ModelUndoManager()
        context.delete(account)
        context.processPendingChanges()
        try context.batchUpdate(Account.all) { $0.balance = 9 }
        if undoes { context.undoManager?.undo() } else { context.rollback() }
        #expect(try context.fetch(Account.where { $0.balance == 9 }) == [account] && account.balance == 9)
        account.balance += 1
        try context.save()
        #expect(try ModelContext(context.container).fetchValues(Account.all).map(\.balance) == [10])
    }

    @Test func ownChangesStayOnTopOfAnOwnBatch() throws {
        account.limit = 5
        context.delete(account)
        try context.batchUpdate(Account.all) { ($0.balance, $0.limit) = (9, 9) }
        context.insert(account)
        #expect(account.balance == 9 && account.limit == 5)
        try context.save()
        let stored = try ModelContext(context.container).fetchValues(Account.all)
        #expect(stored.map(\.balance) == [9] && stored.map(\.limit) == [5])
    }
}
