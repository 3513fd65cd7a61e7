import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import LanguageServer

@Suite struct DocumentTextTests {
    static let text = "a\u{E9}\u{1F600}b\r\n\u{4E2D}\rc\n\nlast"

    @Test func positionsCountUnitsOfTheEncoding() {
        let text = DocumentText(Array(Self.text.utf8))
        // Behind the emoji: 1 + 2 + 4 bytes, or 1 + 1 + 2 units.
        #expect(text.position(of: 7, .utf8) == Position(line: 0, character: 7))
        #expect(text.position(of: 7, .utf16) == Position(line: 0, character: 4))
        #expect(text.offset(of: Position(line: 0, character: 4), .utf16) == 7)
        // Within a character, its beginning counts.
        #expect(text.offset(of: Position(line: 0, character: 3), .utf16) == 3)
        #expect(text.offset(of: Position(line: 0, character: 5), .utf8) == 3)
        // Beyond the end of a line or of the text, the end counts.
        #expect(text.offset(of: Position(line: 0, character: 99), .utf16) == 8)
        #expect(text.offset(of: Position(line: 99, character: 0), .utf16) == Self.text.utf8.count)
        #expect(text.position(of: 10, .utf16) == Position(line: 1, character: 0))
        #expect(text.position(of: 14, .utf16) == Position(line: 2, character: 0))
    }

    @Test(arguments: [PositionEncoding.utf8, .utf16])
    func everyOffsetHasItsPosition(_ encoding: PositionEncoding) {
        let text = DocumentText(Array(Self.text.utf8))
        var offset = 0
        for scalar in Self.text.unicodeScalars {
            // Within a line break there is no position.
            if scalar != "\n" || text.bytes[offset - 1] != 0x0D {
                #expect(text.offset(of: text.position(of: offset, encoding), encoding) == offset)
            }
            offset += String(scalar).utf8.count
        }
    }

    @Test(arguments: seeds(20))
    func incrementalChangesGiveTheTextOfTheClient(_ seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let encoding = seed.number % 2 == 0 ? PositionEncoding.utf8 : .utf16
        var text = DocumentText(Array(Self.text.utf8))
        var expected = Self.text.unicodeScalars.map { String($0) }
        let pieces = ["", "x", "\u{1F680}\u{E9}", "\n", "<entity>\n", "\u{4E2D}"]
        for _ in 0..<50 {
            let start = Int.random(in: 0...expected.count, using: &generator)
            let end = Int.random(in: start...expected.count, using: &generator)
            let piece = try #require(pieces.randomElement(using: &generator))
            // No position lies between the two signs of a line break.
            func isInBreak(_ index: Int) -> Bool {
                index > 0 && index < expected.count && expected[index] == "\n" && expected[index - 1] == "\r"
            }
            if isInBreak(start) || isInBreak(end) { continue }
            func position(_ index: Int) -> JSONValue {
                text.position(of: expected[..<index].joined().utf8.count, encoding).json
            }
            text.apply(
                [["range": ["start": position(start), "end": position(end)], "text": .string(piece)]], encoding)
            expected.replaceSubrange(start..<end, with: piece.unicodeScalars.map { String($0) })
            #expect(text.bytes == Array(expected.joined().utf8))
        }
    }
}
