import AshlarSQLite
import AwkwardText
import Foundation
import RandomNumbers
import RandomSeeds
import SQLQuoting
import Testing

/// Literals that SQLite reads back bit by bit.
@Suite struct LiteralTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(
            opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
    }

    private func read(_ write: (inout [UInt8]) -> Void) throws -> SQLiteValue {
        var bytes = Array("SELECT ".utf8)
        write(&bytes)
        return try #require(try connection.rows(String(decoding: bytes, as: UTF8.self)).first?.first)
    }

    private func check(_ number: Double) throws {
        guard case .real(let found) = try read({ SQLQuotation.append(literalOf: number, to: &$0) }) else {
            Issue.record("\(number) is read as another type")
            return
        }
        #expect(found.bitPattern == number.bitPattern, "\(number) is read as \(found)")
    }

    @Test func numbersAtTheEdges() throws {
        for number in [
            0, 0.1, 1, 123456789.25, 0x1p52, 0x1p53 + 2, 1e15, 1e16, 1e18, 1e19, 1e22, 1e23, 1e300,
            .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude,
            Double(bitPattern: 0xF_FFFF_FFFF_FFFF), .infinity,
            2.935258927367838, 3.673953257716845, 0.1 + 0.2, 762000000.1234567,
        ] as [Double] {
            try check(number)
            if number != 0 { try check(-number) }
        }
    }

    /// Numbers of all sizes, and numbers close to each other, like measurements and dates.
    @Test(arguments: seeds(2)) func randomNumbers(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let number = Double(bitPattern: random.next())
            if number.isFinite { try check(number) }
            try check(Double(Int64.random(in: -1 << 40...1 << 40, using: &random)) / 1e6)
            try check(Double.random(in: -1000...1000, using: &random))
        }
    }

    /// Texts with apostrophes, NUL and bytes that are not UTF-8, and any bytes.
    @Test(arguments: seeds(2)) func randomBytes(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let letters: [UInt8] = [
                0x27, 0x27, 0x61, 0x22, 0xC3, 0xA9, random.oneIn(4) ? 0 : 0x62, random.oneIn(4) ? 0xFF : 0x63,
            ]
            let text = (0..<random.number(0..<12)).map { _ in letters[random.number(0..<letters.count)] }
            let written = try read { bytes in
                text.withUnsafeBufferPointer { SQLQuotation.append(literalOf: $0, to: &bytes) }
            }
            guard case .text = written else {
                Issue.record("\(text) is read as another type")
                continue
            }
            let hexadecimal = try read { bytes in
                bytes += "hex(CAST(".utf8
                text.withUnsafeBufferPointer { SQLQuotation.append(literalOf: $0, to: &bytes) }
                bytes += " AS BLOB))".utf8
            }
            #expect(hexadecimal == .text(text.map { String(format: "%02X", $0) }.joined()), "\(text)")
            let blob = try read { bytes in text.withUnsafeBytes { SQLQuotation.append(literalOf: $0, to: &bytes) } }
            #expect(blob == .blob(Data(text)))
        }
    }
}
