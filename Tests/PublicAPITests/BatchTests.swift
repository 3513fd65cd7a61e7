import Ashlar
import Foundation
import Synchronization
import Testing

/// Any number of rows with a few statements, which commit at once.
@Suite struct BatchTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library() }

    @Test func rowsAreUpdated() throws {
        let author = try #require(try context.fetch(Author.where { $0.name == "Shelley" }).first)
        let book = try #require(try library.book("Frankenstein"))
        let count = try context.batchUpdate(Book.where { $0.author == author }) {
            $0.pages += 5
            $0.language = .de
        }
        #expect(count == 2)
        #expect(book.pages == 285 && book.language == .de, "objects in memory follow")
        #expect(try library.saved("The Last Man")?.pages == 475)
    }

    @Test func rowsAreDeleted() throws {
        #expect(try context.batchDelete(Book.where { $0.language == .fr }) == 2)
        #expect(try context.fetchCount(Book.all) == 3)
    }

    @Test func rowsAreInserted() throws {
        let values = (0..<1000).map { Book.Values(pages: $0, title: "Volume \($0)") }
        #expect(try context.batchInsert(contentsOf: values) == 1000)
        #expect(try context.fetchCount(Book.where { $0.title.hasPrefix("Volume") }) == 1000)
        let authors = [Author.Values(name: "Verne", penNames: ["Jules"]), Author.Values(name: "Wells")]
        try context.batchInsert(contentsOf: authors, onConflict: .update(uniqueBy: ["name"]))
        #expect(try context.fetchCount(Author.all) == 3)
    }

    @Test func identifiersAreTold() throws {
        var request = BatchDeleteRequest(Book.where { $0.pages < 100 })
        request.options.resultType = .identifiers
        let result = try context.execute(request)
        #expect(result.count == 2 && result.identifiers?.count == 2)
    }

    @Test func rulesHold() throws {
        #expect(throws: BatchError.self) { try context.batchUpdate(Book.all) { $0.pages = -1 } }
        #expect(throws: BatchError.self) { try context.batchInsert(contentsOf: [Author.Values(name: "Verne")]) }
        #expect(try context.fetchCount(Book.where { $0.pages < 0 }) == 0)
    }

    @Test func onAnyTask() async throws {
        let container = library.container
        #expect(try await container.batchDelete(Book.where { $0.pages == 90 }) == 1)
        let lines = AsyncStream<Book.Values> { continuation in
            for number in 0..<10 { continuation.yield(Book.Values(title: "Line \(number)")) }
            continuation.finish()
        }
        #expect(try await container.batchInsert(contentsOf: lines).count == 10)
    }
    @Test func eachNumberOfRowsIsReportedOnce() throws {
        let progress = Steps()
        let values = (0..<25_000).map { Book.Values(pages: $0, title: "") }
        var options = BatchOptions(progress: progress.note)
        try context.batchInsert(contentsOf: values, options: options)
        #expect(Set(progress.counts).count == progress.counts.count && progress.counts.last == 25_000)
        #expect(progress.counts.count == 3 && progress.totals == [25_000])
        options.chunkSize = 10_000
        progress.reset()
        try context.batchInsert(contentsOf: values.lazy.map { $0 }, options: options)
        #expect(progress.counts == [10_000, 20_000, 25_000] && progress.totals == [25_000])
        progress.reset()
        try context.batchInsert(contentsOf: values.prefix(20_000).lazy.filter { _ in true }, options: options)
        #expect(progress.counts == [10_000, 20_000] && progress.totals == [nil])
    }

    @Test func anUnknownConstraintIsToldWithThoseThatThereAre() throws {
        let authors = [Author.Values(name: "Wells")]
        func refusal(_ policy: BatchConflictPolicy) -> String {
            do {
                try context.batchInsert(contentsOf: authors, onConflict: policy)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(
            refusal(.update(uniqueBy: ["nmae"]))
                == "Nothing was changed: Author has no uniqueness constraint on 'nmae'. "
                + "Name the properties of one that it has: 'name'.")
        #expect(
            refusal(.update(uniqueBy: ["name"], setting: ["pename"]))
                == "Nothing was changed: Author has no properties 'pename'.")
    }

    @Test func rowsOfJSONMayLeaveOutWhatTheirDecoderHasADefaultFor() throws {
        let json = Data(#"[{"name": "North"}, {"name": "South", "latitude": -33.5}]"#.utf8)
        try context.batchInsert(contentsOf: JSONDecoder().decode([Branch.Values].self, from: json))
        #expect(try context.fetch(Branch.order { $0.name }).map(\.latitude) == [0, -33.5])
    }
}

extension Branch.Values {
    private enum Keys: CodingKey { case latitude, longitude, name }

    init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Keys.self)
        self.init(
            latitude: try json.decodeIfPresent(Double.self, forKey: .latitude) ?? 0,
            longitude: try json.decodeIfPresent(Double.self, forKey: .longitude) ?? 0,
            name: try json.decode(String.self, forKey: .name))
    }
}

/// The steps that an insertion reported.
private final class Steps: Sendable {
    private let steps = Mutex<[BatchProgress]>([])

    func note(_ step: BatchProgress) { steps.withLock { $0.append(step) } }
    func reset() { steps.withLock { $0 = [] } }

    var counts: [Int] { steps.withLock { $0.map(\.completedRowCount) } }
    var totals: Set<Int?> { steps.withLock { Set($0.map(\.totalRowCount)) } }
}
