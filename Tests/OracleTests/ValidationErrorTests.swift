import Ashlar
import Testing

/// Errors that a program's own validation throws.
@Suite struct ValidationErrorTests {
    let context: ModelContext

    init() throws {
        context = ModelContext(
            try ModelContainer(for: BankModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    @Test func aSaveThrowsTheErrorItself() throws {
        context.insert(Ticket(number: -1))
        #expect(throws: NegativeNumber(number: -1)) { try context.save() }
    }

    @Test func severalFailuresKeepTheirErrors() throws {
        for number in [-1, 5, -2] as [Int64] { context.insert(Ticket(number: number)) }
        let error = #expect(throws: SaveError.self) { try context.save() }
        guard case .validation(let failures) = error else { throw try #require(error) }
        #expect(failures.compactMap { $0.underlyingError as? NegativeNumber }.map(\.number) == [-1, -2])
    }
}

struct NegativeNumber: Error, Equatable {
    var number: Int64
}

extension Ticket: ValidatedModel {
    func validate(for operation: SaveOperation) throws {
        if number < 0 { throw NegativeNumber(number: number) }
    }
}
