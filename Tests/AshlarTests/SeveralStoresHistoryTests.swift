import Foundation
import Testing

@testable import Ashlar

/// Each of a container's stores has a history of its own, and a fetch returns the history of all of them.
@Suite struct SeveralStoresHistoryTests {
    let folder: TemporaryFolder
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        folder = try TemporaryFolder()
        container = try Outpost.container(in: folder, options: StoreOptions(historyTracking: true))
        context = ModelContext(container)
        context.author = "filler"
    }

    private func entities(_ transactions: [PersistentHistoryTransaction]) -> [String] {
        transactions.flatMap(\.changes).map { $0.changedObjectID.entityName }
    }

    private func identifiers(_ store: Int) -> String { container.stores[store].storeIdentifier }

    @Test("row 135: a save of objects in several stores is a transaction in each")
    func aSaveIsATransactionInEach() throws {
        try Outpost.fill(context)
        let transactions = try container.fetchHistory()
        #expect(Set(transactions.map(\.storeID)) == Set((0..<3).map(identifiers)) && transactions.count == 3)
        #expect(transactions.allSatisfy { $0.author == "filler" })
        for transaction in transactions {
            #expect(transaction.changes.allSatisfy { $0.changedObjectID.storeIdentifier == transaction.storeID })
        }
        #expect(
            Set(entities(transactions)) == ["Emblem", "Memo", "Reminder", "Preference", "Landmark", "Visit"])
        context.insert(Preference(key: "more"))
        try context.save()
        let token = try #require(transactions.last?.token)
        #expect(entities(try container.fetchHistory(.fetchHistory(after: token))) == ["Preference"])
        #expect(try container.isHistoryTracked())
    }

    @Test("row 137: every token says how far each store was told")
    func tokensSayHowFarEachStoreWasTold() throws {
        for number in 0..<12 {
            switch number % 3 {
            case 0: context.insert(Memo(title: "\(number)"))
            case 1: context.insert(Preference(key: "\(number)"))
            default: context.insert(Landmark(name: "\(number)"))
            }
            try context.save()
        }
        let all = try container.fetchHistory()
        #expect(all.count == 12)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.token < $1.token && $0.timestamp <= $1.timestamp })
        for (index, transaction) in all.enumerated() {
            let rest = try container.fetchHistory(.fetchHistory(after: transaction.token))
            #expect(rest.map(\.changes) == all[(index + 1)...].map(\.changes))
            let decoded = try JSONDecoder().decode(
                PersistentHistoryToken.self, from: JSONEncoder().encode(transaction.token))
            let token = decoded
            let typed = try context.fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
            #expect(typed.map(\.transactionIdentifier) == all[(index + 1)...].map(\.transactionNumber))
        }
        // Fetches one transaction at a time, as a program that keeps its place does.
        var request = PersistentHistoryChangeRequest.all
        request.fetchLimit = 1
        var seen: [PersistentHistoryTransaction] = []
        while let next = try container.fetchHistory(request).first {
            seen.append(next)
            request.start = .token(next.token)
        }
        #expect(seen.map(\.changes) == all.map(\.changes))
        #expect(try container.currentHistoryToken() == all.last?.token)
    }

    @Test("row 140: purging") func purging() throws {
        try Outpost.fill(context)
        let token = try container.currentHistoryToken()
        context.insert(Memo(title: "later"))
        context.insert(Landmark(name: "later"))
        try context.save()
        try container.deleteHistory(before: token)
        #expect(entities(try container.fetchHistory(.fetchHistory(after: token))).sorted() == ["Landmark", "Memo"])
        try container.deleteHistory(before: Date())
        #expect(entities(try container.fetchHistory()).isEmpty)
        #expect(throws: HistoryError.self) { try container.fetchHistory(.fetchHistory(after: token)) }
        #expect(throws: HistoryError.self) {
            try container.fetchHistory(.fetchHistory(after: PersistentHistoryToken(tokenValue: [identifiers(0): 0])))
        }
        #expect(throws: HistoryError.self) {
            try container.fetchHistory(.fetchHistory(after: PersistentHistoryToken(tokenValue: ["other": 1])))
        }
    }

    @Test("row 139: batch operations and other programs")
    func batchOperationsAndOtherPrograms() throws {
        _ = try context.batchInsert(contentsOf: (0..<5).map { Landmark.Values(name: "\($0)") })
        _ = try context.batchUpdate(Landmark.where { $0.name == "3" }) { $0.latitude = 3 }
        var transactions = try container.fetchHistory()
        #expect(transactions.map(\.author) == ["filler", "filler"] && transactions[0].changes.count == 5)
        #expect(transactions[1].changes.map(\.updatedProperties) == [["latitude"]])
        let other = try ForeignDatabase.connect(container.stores[1].url)
        try other.execute("INSERT INTO \"Preference\" (\"key\") VALUES ('foreign')")
        transactions = try container.fetchHistory(.fetchHistory(after: transactions[1].token))
        #expect(entities(transactions) == ["Preference"] && transactions.map(\.author) == [nil])
        // A container of one of the stores alone has that store's.
        let alone = try ModelContainer(
            for: OutpostModel.self, configurations: Outpost.configurations(in: folder)[1])
        #expect(entities(try alone.fetchHistory()) == ["Preference"])
    }

    @Test("row 141: the stores are followed together") func theStoresAreFollowedTogether() async throws {
        let token = try container.currentHistoryToken()
        let following = Task { [container] in
            var seen: [String] = []
            for try await transaction in container.history(.fetchHistory(after: token)) {
                seen += transaction.changes.map { $0.changedObjectID.entityName }
                if seen.count == 3 { break }
            }
            return seen
        }
        for object in [0, 1, 2] {
            switch object {
            case 0: context.insert(Landmark(name: "a"))
            case 1: context.insert(Preference(key: "b"))
            default: context.insert(Memo(title: "c"))
            }
            try context.save()
        }
        #expect(try await following.value == ["Landmark", "Preference", "Memo"])
    }

    @Test func oneStoreMayBeLeftOut() throws {
        let folder = try TemporaryFolder()
        var configurations = Outpost.configurations(in: folder)
        configurations[2].options.historyTracking = true
        let container = try ModelContainer(for: OutpostModel.self, configurations: configurations)
        let context = ModelContext(container)
        try Outpost.fill(context)
        let transactions = try container.fetchHistory()
        #expect(transactions.map(\.storeID) == [container.stores[2].storeIdentifier])
        #expect(Set(entities(transactions)) == ["Landmark", "Visit"])
        do {
            _ = try container.changeset(.all)
            Issue.record("a changeset is of one store")
        } catch StoreError.singleStoreRequired {}
    }

    @Test("row 138: what was changed elsewhere is merged") func whatWasChangedElsewhereIsMerged() throws {
        try Outpost.fill(context)
        let reading = ModelContext(container)
        let landmark = try #require(try reading.fetchFirst(Landmark.all))
        let preference = try #require(try reading.fetchFirst(Preference.all))
        let token = try container.currentHistoryToken()
        _ = try context.batchUpdate(Landmark.all) { $0.name = "changed" }
        _ = try context.batchUpdate(Preference.all) { $0.setting = "changed" }
        for transaction in try container.fetchHistory(.fetchHistory(after: token)) {
            try reading.mergeChanges(from: transaction.objectIDNotification())
        }
        #expect(landmark.name == "changed" && preference.setting == "changed")
    }
}
