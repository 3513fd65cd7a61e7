import Foundation
import PredicateFormat
import RandomNumbers
import RandomSeeds
import Testing

/// Texts of the grammar, with tokens deleted, doubled, exchanged and inserted.
@Suite("Mutations of formats")
struct TokenFuzzTests {
    private static let vocabulary = [
        "(", ")", "{", "}", "[", "]", ",", ".", "+", "-", "*", "/", "**", "==", "=", "!=", "<>", "<", "<=", "=<", ">=",
        "&&",
        "||", "!", "AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS[cd]", "BEGINSWITH", "ENDSWITH[n]", "LIKE", "MATCHES",
        "ANY",
        "ALL", "SOME", "NONE", "SELF", "NULL", "nil", "TRUE", "NO", "TRUEPREDICATE", "FIRST", "LAST", "SIZE", "@count",
        "@avg", "@max", "@distinctUnionOfObjects", "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(", "FETCH(", "$x",
        "$FETCH_SOURCE",
        "%@", "%K", "%d", "%1$@", "%%", "#name", "count:", "sum:(", "now()", "'", "\"", "'text'", "\"a\\u0041\"", "1",
        "-1", "0x1F",
        "1e400", "9223372036854775808", "likes", "author.name", "tags.@count", "_", "😀", "é", "\u{0}", "\u{2028}", "\\",
        "#", "@", "$",
    ]

    @Test func noneCrashesOrHangs() {
        var parsedCount = 0
        let seeds = seeds(3000)
        for seed in seeds {
            var tree = RandomTree(generator: SeededGenerator(seed: seed))
            var tokens = Self.tokens(of: tree.predicate(3).description)
            var generator = SeededGenerator(seed: ~seed.number)
            for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.mutate(&tokens, &generator) }
            let text = tokens.joined(separator: Bool.random(using: &generator) ? " " : "")
            if check(text, seed) { parsedCount += 1 }
        }
        #expect(parsedCount > 0 || seeds.count == 1)
    }

    /// Parses and resolves a text; returns whether it is a predicate.
    private func check(_ text: String, _ seed: Seed) -> Bool {
        do throws(PredicateFormatError) {
            let predicate = try ParsedPredicate(parsing: text)
            let canonical = predicate.description
            let again = try ParsedPredicate(parsing: canonical)
            #expect(again.description == canonical, "seed \(seed): \(text)")
            for error in PredicateResolver(schema: Blog(), entity: "Post", variables: [:]).resolve(predicate).errors {
                expectSound(error, text, seed)
            }
            return true
        } catch {
            expectSound(error, text, seed)
            return false
        }
    }

    /// An error has a message, and marks a part of the text.
    private func expectSound(_ error: PredicateFormatError, _ text: String, _ seed: Seed) {
        #expect(!error.message.isEmpty, "seed \(seed): \(text)")
        #expect(error.range.lowerBound >= 0 && error.range.upperBound <= text.utf8.count + 1, "seed \(seed): \(text)")
    }

    /// Returns words, quoted texts and single characters.
    private static func tokens(of text: String) -> [String] {
        var tokens: [String] = []
        var word = ""
        for character in text {
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
                continue
            }
            if !word.isEmpty { tokens.append(word) }
            word = ""
            if character != " " { tokens.append(String(character)) }
        }
        return word.isEmpty ? tokens : tokens + [word]
    }

    private static func mutate(_ tokens: inout [String], _ generator: inout SeededGenerator) {
        let place = Int.random(in: 0...tokens.count, using: &generator)
        let new = vocabulary[Int.random(in: vocabulary.indices, using: &generator)]
        guard place < tokens.count else { return tokens.append(new) }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: tokens.remove(at: place)
        case 1: tokens.insert(tokens[place], at: place)
        case 2: tokens.swapAt(place, Int.random(in: tokens.indices, using: &generator))
        case 3: tokens[place] = new
        case 4: tokens.removeSubrange(place..<min(tokens.count, place + 8))
        default: tokens.insert(new, at: place)
        }
    }
}
