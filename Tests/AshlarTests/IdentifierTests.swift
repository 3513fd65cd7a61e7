import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Names as quoted identifiers of SQL.
@Suite struct IdentifierTests {
    @Test(arguments: seeds()) func quotes(seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let parts = ["", "a", "\"", "name$2", "été", "a long name that no small string holds", "🗿", ".", "\0"]
        for _ in 0..<(500 * TestEffort.factor) {
            func name() -> String {
                (0..<Int.random(in: 0...3, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                    .joined()
            }
            func quoted(_ name: String) -> String {
                "\"" + name.flatMap { $0 == "\"" ? "\"\"" : String($0) } + "\""
            }
            let (row, column) = (name(), name())
            #expect(row.quotedIdentifier == quoted(row), "seed \(seed)")
            #expect(String.qualifiedIdentifier(row, column) == quoted(row) + "." + quoted(column), "seed \(seed)")
        }
    }
}
