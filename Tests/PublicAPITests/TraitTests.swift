import Ashlar
import AshlarTesting
import AshlarTestingTraits
import Testing

/// Traits that give tests containers, and limit their queries.
@Suite(.inMemoryContainer(for: LibraryModel.self)) struct TraitTests {
    @Test(arguments: 1...3) func eachCaseHasAContainerOfItsOwn(_ number: Int) throws {
        let context = ModelContext(try .ofTest)
        #expect(try context.fetchCount(Author.all) == 0)
        context.insert(Author(name: "\(number)"))
        try context.save()
    }

    @Test(.temporaryContainer(for: LibraryModel.self)) func aTestMayHaveOneOnDisk() throws {
        #expect(try !ModelContainer.ofTest.configuration.isStoredInMemoryOnly)
    }

    @Test(.queryLimit(1, allowsFullScans: false)) func aTestKeepsToItsLimit() async throws {
        let container = try ModelContainer.ofTest
        _ = try ModelContext(container).fetch(Book.where { $0.year == 1 })
    }

    @Test func whatIsBeyondTheLimitIsAnIssue() async throws {
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await QueryLimitTrait.queryLimit(1, allowsFullScans: false).provideScope(for: test, testCase: nil) {
                let context = ModelContext(try .ofTest)
                _ = try context.fetchCount(Author.all)
                _ = try context.fetch(Book.where { $0.pages == 1 })
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("ran 2 queries, and may run 1") }
                || issue.comments.contains { $0.rawValue.contains("all of Book") }
        }
    }
}

@Test func withoutATraitThereIsNoContainer() {
    #expect(throws: TestContainerError.none) { try ModelContainer.ofTest }
}
