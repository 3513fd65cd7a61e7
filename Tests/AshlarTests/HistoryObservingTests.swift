import Foundation
import Testing

@testable import Ashlar

/// Observing a history, and reading it with SwiftData's API.
@Suite struct HistoryObservingTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func container(_ model: any ManagedObjectModel.Type = PhotoFeedModel.self) throws -> ModelContainer {
        try ModelContainer(
            for: model,
            configurations: ModelConfiguration(url: folder.file(), options: StoreOptions(historyTracking: true)))
    }

    private static func save(_ name: String, _ container: ModelContainer, author: String? = nil) throws {
        let context = ModelContext(container)
        context.author = author
        context.insert(Author(name: name))
        try context.save()
    }

    @Test("row 110: every transaction once and in order, of this and of another container")
    func everyTransactionOnce() async throws {
        let container = try container()
        let other = try self.container()
        for index in 0..<150 { try Self.save("early \(index)", container) }
        let count = 60
        let writers = [container, other].enumerated().map { number, container in
            Task.detached {
                for index in 0..<count { try Self.save("\(number) \(index)", container, author: "\(number)") }
            }
        }
        var seen: [PersistentHistoryTransaction] = []
        for try await transaction in container.history() {
            seen.append(transaction)
            if seen.count == 150 + 2 * count { break }
        }
        for writer in writers { try await writer.value }
        #expect(try seen == container.fetchHistory())
        for author in ["0", "1"] {
            let rows = seen.filter { $0.author == author }.flatMap(\.changes).map(\.changedObjectID.rowID)
            #expect(rows == rows.sorted() && rows.count == count)
        }
        // After a token, with a filter and a limit.
        let request = PersistentHistoryChangeRequest.fetchHistory(after: seen[170]).by(["1"]).limit(5)
        var limited: [PersistentHistoryTransaction] = []
        for try await transaction in container.history(request) { limited.append(transaction) }
        #expect(limited == Array(seen[171...].filter { $0.author == "1" }.prefix(5)))
    }

    @Test func whatAProgramOfAnotherKindCommits() async throws {
        let container = try container()
        var changes = container.history().makeAsyncIterator()
        let program = try ForeignProgram(folder.file())
        for index in 0..<3 {
            #expect(program.run("INSERT INTO Author (name) VALUES ('\(index)')") == nil)
            let transaction = try await changes.next()
            #expect(HistoryTests.texts([try #require(transaction)]) == [["insert Author \(index + 1)"]])
        }
    }

    @Test func theEnd() async throws {
        let container = try container()
        let (seen, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var count = 0
            for try await _ in container.history() {
                count += 1
                continuation.yield()
            }
            return count
        }
        try Self.save("one", container)
        for await _ in seen { break }
        task.cancel()
        #expect(try await task.value == 1)
        let untracked = try memoryContainer()
        await #expect(throws: HistoryError.notTracked(untracked.configuration.url)) {
            for try await _ in untracked.history() {}
        }
        let token = PersistentHistoryToken(tokenValue: [container.storeIdentifier: 99])
        await #expect(throws: HistoryError.tokenExpired(folder.file(), token: token)) {
            for try await _ in container.history(.fetchHistory(after: token)) {}
        }
    }

    // MARK: SwiftData's API

    @Test("row 180: SwiftData's descriptors, changes and tombstones")
    func inSwiftDatasWords() throws {
        let container = try container(StudioModel.self)
        let context = ModelContext(container)
        context.author = "app"
        let product = Product(name: "Chair", price: 3, stock: 7)
        context.insert(product)
        try context.save()
        product.name = "Table"
        product.stock = 8
        try context.save()
        let token = try #require(try container.fetchHistory().last).token
        context.author = "sync"
        context.delete(product)
        try context.save()
        context.author = nil
        context.insert(Product(name: "Bed", price: 4))
        try context.save()

        func fetch(_ predicate: Predicate<DefaultHistoryTransaction>?) throws -> [DefaultHistoryTransaction] {
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
        }
        let all = try fetch(nil)
        #expect(all.map(\.author) == ["app", "app", "sync", nil])
        guard case .insert(let insert) = try #require(all[0].changes.first),
            case .update(let update) = try #require(all[1].changes.first),
            case .delete(let delete) = try #require(all[2].changes.first)
        else {
            Issue.record("\(all)")
            return
        }
        #expect(insert is DefaultHistoryInsert<Product>)
        #expect(insert.changedPersistentIdentifier == update.changedPersistentIdentifier)
        let updated = try #require(update as? DefaultHistoryUpdate<Product>)
        #expect(Set(updated.updatedAttributes) == [\Product.name, \Product.stock])
        let tombstone = try #require(delete as? DefaultHistoryDelete<Product>).tombstone
        #expect(tombstone[\.name] == "Table" && tombstone[\.stock] == 8 && tombstone[\.price] == 3)
        #expect(tombstone[\.released] == nil && tombstone[\.code] == nil)
        #expect(tombstone.map(\.property) == ["name", "price", "stock"])

        #expect(try fetch(#Predicate { $0.token > token }).map(\.author) == ["sync", nil])
        #expect(try fetch(#Predicate { $0.token <= token && $0.author == "app" }).count == 2)
        #expect(try fetch(#Predicate { $0.author != "sync" }).count == 3)
        #expect(try fetch(#Predicate { $0.author == nil }).count == 1)
        #expect(try fetch(#Predicate { $0.author == "sync" || $0.token > token }).count == 2)
        #expect(try fetch(#Predicate { $0.changes.count > 7 }).isEmpty)
        let number = all[1].transactionIdentifier
        #expect(try fetch(#Predicate { number < $0.transactionIdentifier }).count == 2)
        let (start, end) = (Date.distantPast, Date.distantFuture)
        #expect(try fetch(#Predicate { $0.timestamp > start && $0.timestamp < end }).count == 4)
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
        descriptor.fetchLimit = 2
        #expect(try context.fetchHistory(descriptor).map(\.author) == [nil, "sync"])
        try context.deleteHistory(HistoryDescriptor(predicate: #Predicate { $0.author == "app" }))
        #expect(try fetch(nil).map(\.author) == ["sync", nil])
        #expect(try fetch(#Predicate { $0.token > token }).count == 2)
    }
}
