import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

extension ChangesetTests {
    // MARK: SQLite's own format

    /// SQLite's session extension, if this machine's library contains it.
    private typealias Apply =
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutableRawPointer?, OpaquePointer?,
            @convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32, UnsafeMutableRawPointer?
        ) -> Int32

    private static var apply: Apply? {
        dlopen(nil, RTLD_NOW).flatMap { dlsym($0, "sqlite3changeset_apply") }
            .map { unsafeBitCast($0, to: Apply.self) }
    }

    @Test(.enabled(if: apply != nil, "this SQLite has no session extension")) func sqliteAppliesIt() throws {
        let apply = try #require(Self.apply)
        let (first, second, token) = try pair()
        try first.execute(
            """
            UPDATE Post SET likes = 9, image = x'0102', text = 'é' || char(0) || 'x', latitude = -0.25 WHERE title = 'One';
            DELETE FROM Post WHERE title = 'Two';
            INSERT INTO Author (name) VALUES ('Byron');
            INSERT INTO Post (title, timestamp, author, likes) VALUES ('Three', 3.5, 2, 9223372036854775807)
            """)
        var data = try first.changeset(.fetchHistory(after: token)).data
        let code = try second.pool.write { connection in
            let count = Int32(data.count)
            return data.withUnsafeMutableBytes { bytes in
                apply(connection.database, count, bytes.baseAddress, nil, { _, _, _ in 2 }, nil)
            }
        }
        #expect(code == SQLITE_OK)
        #expect(try Self.rows(second) == Self.rows(first))
    }

    @Test(arguments: seeds(1)) func malformedBytes(_ seed: Seed) throws {
        let (first, second, token) = try pair()
        try first.execute("UPDATE Post SET likes = 9, text = 'abc'; INSERT INTO Author (name) VALUES ('Byron')")
        let whole = try first.changeset(.fetchHistory(after: token))
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var changeset = whole
            if generator.oneIn(2) {
                let count = Int.random(in: 0..<whole.data.count, using: &generator)
                changeset.data = Data(whole.data.prefix(count))
            }
            for _ in 0..<Int.random(in: 0...3, using: &generator) where !changeset.data.isEmpty {
                var bytes = Array(changeset.data)
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                changeset.data = Data(bytes)
            }
            var reader = ChangesetReader(changeset.data)
            do {
                while try reader.next() != nil {}
            } catch {
                guard case .malformed = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        // A changeset for an unknown table and a truncated changeset are refused as a whole.
        var other = whole
        other.data = Data(String(decoding: whole.data, as: UTF8.self).replacing("Author", with: "Nobody").utf8)
        #expect(throws: ChangesetError.self) { try second.apply(Changeset(data: other.data)) }
        #expect(throws: ChangesetError.self) { try second.apply(Changeset(data: whole.data.dropLast())) }
        #expect(try second.integer("SELECT max(likes) FROM Post") == 0)
    }
}
