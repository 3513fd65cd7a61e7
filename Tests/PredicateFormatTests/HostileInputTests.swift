import Foundation
import PredicateFormat
import RandomNumbers
import RandomSeeds
import Testing

@Suite("Hostile text")
struct HostileInputTests {
    private static func nested(_ count: Int) -> [String] {
        func around(_ open: String, _ inner: String, _ close: String) -> String {
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        return [
            around("(", "a == 1", ")"), around("(", "a", ")") + " == 1", around("NOT ", "a == 1", ""),
            around("!", "a == 1", ""), "a == " + around("{", "1", "}"), "a == " + around("- ", "a", ""),
            "a == " + around("abs:(", "a", ")"), around("a[", "a", "]") + " == 1",
            around("SUBQUERY(a, $x, ", "a == 1", ")"), around("TERNARY(", "a == 1", ", 1, 2) == 1"),
            around("CAST(", "a", ", 'NSDate')") + " == 1", around("FUNCTION(", "a", ", 'x')") + " == 1",
            "a" + around("[0]", "", "") + " == 1", "a" + around(" + 1", "", "") + " == 1",
            "a" + around(" ** 1", "", "") + " == 1", "a" + around(" UNION b", "", "") + " == 1",
            "a == 1" + around(" AND (a == 1", "", ")"), around("a + (", "a", ")") + " == 1",
        ]
    }

    @Test func aMillionLevelsAreAnError() {
        for text in Self.nested(1_000_000) {
            #expect(parse(text).hasPrefix("too-complex"), "\(text.prefix(40))")
        }
    }

    @Test func whatIsNeverClosedIsAnError() {
        for open in ["(", "{", "a[", "NOT ", "-", "'", "a.", "sum:(", "SUBQUERY(", "ANY ", "a ==", "#", "$", "%", "\\"]
        {
            let result = parse(String(repeating: open, count: 100_000))
            #expect(result.contains("«"), "\(open)")
        }
    }

    @Test func longListsAreNoDeepTrees() throws {
        let count = 10_000
        func repeated(_ text: String, _ separator: String) -> String {
            Array(repeating: text, count: count).joined(separator: separator)
        }
        let texts = [
            repeated("likes == 1", " AND "), repeated("likes == 1", " OR "), "likes IN {\(repeated("1", ", "))}",
            repeated("author.favorite", ".") + ".likes == 1",
        ]
        for text in texts {
            let resolution = try resolve(text)
            #expect(resolution.errors.isEmpty)
            #expect(try ParsedPredicate(parsing: text).description == text)
        }
        let names = try ParsedPredicate(parsing: repeated("a", ".") + " == 1")
        #expect(names.description.utf8.count > count)
    }

    @Test func tooManyComparisonsAreAnErrorThatNamesTheLimit() {
        let count = PredicateFormatLimits.comparisonCount + 1
        for separator in [" AND ", " OR "] {
            let text = Array(repeating: "likes == 1", count: count).joined(separator: separator)
            #expect {
                try ParsedPredicate(parsing: text)
            } throws: { error in
                let error = error as? PredicateFormatError
                return error?.code == .tooComplex && error?.message == "the predicate has more than 10000 comparisons"
            }
        }
    }

    /// On other platforms, threads have half a megabyte of stack, and many builds are debug builds.
    @Test func theDeepestPredicatesFitOnASmallStack() async {
        let depth = PredicateFormatLimits.depth
        let results = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
            let thread = Thread {
                var results: [String] = []
                let chains = (1...depth * 2).map { count in
                    "likes == " + Array(repeating: "likes", count: count).joined(separator: " + ")
                }
                for text in (1...depth).flatMap(Self.nested) + chains {
                    guard let predicate = try? ParsedPredicate(parsing: text) else { continue }
                    let resolution = PredicateResolver(schema: Blog(), entity: "Post").resolve(predicate)
                    let same = try? ParsedPredicate(parsing: predicate.description).withoutRanges
                    if same != predicate.withoutRanges { results.append(text) }
                    if resolution.root == nil && resolution.errors.isEmpty { results.append(text) }
                }
                continuation.resume(returning: results)
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(results.isEmpty)
    }

    @Test(arguments: seeds(5)) func noMutationCrashes(seed: Seed) {
        let formats = [
            "ANY tags.name BEGINSWITH[cd] 'a\\u00e9' AND NOT (likes + 1 > 0x1F OR title IN {'x', \"y\", nil})",
            "SUBQUERY(related, $x, $x.likes > 3 && $x.author == author).@count >= $count",
            "date > FUNCTION(now(), 'dateByAddingTimeInterval:', -60) || TERNARY(isRead == YES, 1.5e3, -likes) < score",
            "indexed:by:(latitude, 'byLocation') BETWEEN {20, $high} AND #size == %@ AND %K.name LIKE[c] %2$@",
            "related[FIRST].author.posts.@avg.score ** 2 == sum:({1, likes}) - (score * -2)",
        ].map { Array($0.utf8) }
        let pieces = [
            "(", ")", "{", "}", "[", "]", "'", "\"", "\\", ".", ",", "@", "$", "%", "#", ":", "!", "=", "NOT ", " AND ",
            "ANY ", "é", "\u{0}", "-", "**", "SUBQUERY(", "self", "nil", "9999999999999999999999", "[cd]", ".@count",
        ].map { Array($0.utf8) }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            var bytes = formats[Int.random(in: 0..<formats.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let start = Int.random(in: 0...bytes.count, using: &generator)
                let end = min(bytes.count, start + Int.random(in: 0...8, using: &generator))
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.removeSubrange(start..<end)
                case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
                case 2:
                    bytes.replaceSubrange(
                        start..<end, with: pieces[Int.random(in: 0..<pieces.count, using: &generator)])
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: start)
                }
            }
            check(String(decoding: bytes, as: UTF8.self))
        }
    }

    private func check(_ text: String) {
        let length = text.utf8.count
        do throws(PredicateFormatError) {
            let predicate = try ParsedPredicate(parsing: text)
            let again = try ParsedPredicate(parsing: predicate.description)
            #expect(again.withoutRanges == predicate.withoutRanges, "\(text)")
            let resolution = PredicateResolver(schema: Blog(), entity: "Post").resolve(predicate)
            #expect((resolution.root == nil) != resolution.errors.isEmpty, "\(text)")
            for error in resolution.errors {
                #expect(error.range.lowerBound >= 0 && error.range.upperBound <= length, "\(text)")
            }
        } catch {
            #expect(error.range.lowerBound >= 0 && error.range.upperBound <= length, "\(text)\n\(error)")
        }
    }
}
