import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar
@testable import AshlarSQLite

/// Prepared statements that are found by the numbers of their texts.
@Suite struct NumberedStatementTests {
    private func withConnection(_ body: (Connection) throws -> Void) throws {
        try memoryContainer().pool.lendReader(to: body)
    }

    /// A statement whose only row is its number.
    private func statement(_ number: Int) -> BoundStatement {
        BoundStatement(text: "SELECT \(number)", values: [], number: number)
    }

    @Test(arguments: seeds()) func eachNumberHasItsText(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        try withConnection { connection in
            for _ in 0..<(3000 * TestEffort.factor) {
                // Half of the numbers are small and dense; many of the others have the same place in every list.
                let number = random.oneIn(2) ? random.number(1..<700) : random.number(1..<40) * 65_536
                let statement = try connection.statement(statement(number))
                defer { statement.reset() }
                #expect(try statement.step())
                #expect(statement.integer(0) == Int64(number))
            }
        }
    }

    @Test func aStatementIsKept() throws {
        try withConnection { connection in
            // The second numbers share a place until the list grows, and the third do so even in the greatest list.
            for numbers in [[1, 2, 3], [1, 17, 33], [5, 5 + NumberedStatements.greatestCount]] {
                let first = try numbers.map { try connection.statement(statement($0)) }
                let second = try numbers.map { try connection.statement(statement($0)) }
                #expect(zip(first, second).allSatisfy { $0 === $1 })
            }
        }
    }

    @Test func placesAreTaken() throws {
        try withConnection { connection in
            var known = NumberedStatements()
            let statements = try (0..<4).map { try connection.prepare("SELECT \($0)") }
            let other = NumberedStatements.greatestCount
            #expect(known[1] == nil)
            for (number, statement) in zip([1, 17, 2, 3], statements) { known.note(statement, number) }
            #expect(known[1] === statements[0] && known[17] === statements[1])
            #expect(known[2] === statements[2] && known[3] === statements[3])
            #expect(known[33] == nil && known[0] == nil)
            known.note(statements[3], 1 + other)
            #expect(known[1] == nil && known[1 + other] === statements[3] && known[17] === statements[1])
            known.removeAll()
            #expect(known[1] == nil && known[17] == nil)
        }
    }
}
