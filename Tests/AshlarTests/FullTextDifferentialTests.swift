import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Random texts and searches: in the store, in memory, and in a full-text table that the test creates.
@Suite struct FullTextDifferentialTests {
    @Test(arguments: seeds())
    func storeMemoryAndAnotherTableAgree(_ seed: Seed) throws {
        var random = RandomTexts(seed: seed.number)
        let container = try memoryContainer(LibraryModel.self)
        let context = ModelContext(container)
        var tomes: [Tome] = []
        for round in 0..<6 {
            let comment = Testing.Comment(rawValue: "seed \(seed), round \(round)")
            random.change(context, &tomes)
            for isPending in [true, false] {
                if !isPending {
                    if random.generator.oneIn(5) {
                        context.rollback()
                        tomes = try context.fetch(Tome.all)
                    } else {
                        try context.save()
                    }
                    #expect(try container.integrityProblems().isEmpty, comment)
                }
                for _ in 0..<25 { try compare(context, tomes, random.query(), comment) }
            }
        }
    }

    private func compare(
        _ context: ModelContext, _ tomes: [Tome], _ query: FullTextQuery, _ comment: Testing.Comment
    ) throws {
        let comment = Testing.Comment(rawValue: "\(comment): \(query.expression.debugDescription)")
        func expect<Model: Tome>(
            _ type: Model.Type, _ options: String, _ condition: Condition, _ texts: (Tome) -> [String?]
        ) throws {
            let expected = try Self.matching(tomes.filter { $0 is Model }, texts, options, query)
            let found = try context.fetch(FetchDescriptor<Tome>().where { _ in condition })
            #expect(Set(found) == expected && found.count == expected.count, comment)
            #expect(Set(tomes.filter { condition.expression.holds(for: $0) }) == expected, comment)
            let rest = try context.fetchCount(FetchDescriptor<Tome>().where { _ in !condition })
            #expect(rest == tomes.count - expected.count, comment)
        }
        let columns = Tome._ashlarColumns
        try expect(Tome.self, "tokenize = 'unicode61 remove_diacritics 2'", columns.search.matches(query)) {
            [$0.title, $0.text, $0.rank, $0.imprint?.place, $0.writerName]
        }
        try expect(Tome.self, "tokenize = 'trigram'", columns.parts.matches(query)) { [$0.heading] }
        let plots = columns.as(Novelette.self).plots.matches(query)
        try expect(Novelette.self, "tokenize = 'porter unicode61 remove_diacritics 2'", plots) {
            [($0 as? Novelette)?.plot, $0.title]
        }
    }

    /// Returns the objects that are found by a separate full-text table, created without Ashlar's schema.
    private static func matching(
        _ tomes: [Tome], _ texts: (Tome) -> [String?], _ options: String, _ query: FullTextQuery
    ) throws -> Set<Tome> {
        let connection = try Connection(path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        let count = texts(Tome()).count
        let columns = (0..<count).map { "c\($0)" }.joined(separator: ", ")
        try connection.execute("CREATE VIRTUAL TABLE t USING fts5(\(columns), \(options))")
        let places = (0...count).map { "?\($0 + 1)" }.joined(separator: ", ")
        for (index, tome) in tomes.enumerated() {
            let values = texts(tome)
            if values.allSatisfy({ $0 == nil }) { continue }
            let statement = try connection.statement("INSERT INTO t (rowid, \(columns)) VALUES (\(places))")
            statement.bind([.integer(Int64(index))] + values.map { $0.map { .text($0) } ?? .null })
            try statement.run()
        }
        let index = FullTextDescription("t", tableName: "t", columns: [], columnNames: [], options: [options])
        let expression = query.expression(for: index)
        let rows = try connection.rows("SELECT rowid FROM t WHERE t MATCH ?1", [.text(expression)])
        return Set(
            rows.compactMap { row -> Tome? in
                if case .integer(let index) = row[0] { tomes[Int(index)] } else { nil }
            })
    }
}

/// Texts of few words, so that searches find some of them, and texts with unusual characters.
struct RandomTexts {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let words = [
        "wall", "walls", "Wall", "walking", "great", "GREAT", "gréat", "gre\u{301}at", "café", "naïve", "Straße", "ß",
        "日本語", "日本", "한국어", "नमस्ते", "עברית", "🧱", "👩‍👩‍👧", "e\u{301}\u{323}", "İ", "ı", "ﬁne", "Ａ", "x-y", "it's",
        "\"quoted\"",
        "C++", "a.b", "1,000", "\0", "a\0b", "...", "", "AND", "NEAR", "\u{FEFF}", "\u{202E}",
        "long\(String(repeating: "g", count: 3000))",
    ]

    mutating func text() -> String {
        let count = generator.oneIn(30) ? 500 : Int.random(in: 0...5, using: &generator)
        return (0..<count).map { _ in word() }.joined(separator: generator.oneIn(6) ? "" : " ")
    }

    private mutating func word() -> String { Self.words.randomElement(using: &generator) ?? "" }

    private mutating func optionalText() -> String? { generator.oneIn(3) ? nil : text() }

    mutating func query() -> FullTextQuery {
        var text = (0..<Int.random(in: 0...3, using: &generator)).map { _ in word() }.joined(separator: " ")
        if generator.oneIn(3) { text = String(text.prefix(Int.random(in: 0...5, using: &generator))) }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return .anyTerm(text)
        case 1: return .phrase(text)
        case 2: return .prefix(text)
        case 3: return FullTextQuery(text).excluding(FullTextQuery(word()))
        default: return FullTextQuery(text)
        }
    }

    mutating func change(_ context: ModelContext, _ tomes: inout [Tome]) {
        for _ in 0..<Int.random(in: 3...12, using: &generator) {
            let tome = generator.oneIn(3) ? Novelette() : Tome()
            context.insert(tome)
            tomes.append(tome)
            fill(tome)
        }
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            if let tome = tomes.randomElement(using: &generator) { fill(tome) }
        }
        for _ in 0..<Int.random(in: 0...3, using: &generator) where tomes.count > 3 {
            context.delete(tomes.remove(at: Int.random(in: tomes.indices, using: &generator)))
        }
    }

    private mutating func fill(_ tome: Tome) {
        if generator.oneIn(2) { tome.title = text() }
        if generator.oneIn(2) { tome.text = optionalText() }
        if generator.oneIn(4) { tome.rank = optionalText() }
        if generator.oneIn(3) { tome.imprint = generator.oneIn(3) ? nil : Imprint(place: text()) }
        if generator.oneIn(4) { tome.pages += 1 }
        if generator.oneIn(2) { (tome as? Novelette)?.plot = optionalText() }
        if generator.oneIn(3) {
            if generator.oneIn(2) {
                tome.writer = nil
            } else if let writer = tome.writer {
                writer.name = text()
            } else {
                tome.writer = Scribe(name: text())
            }
        }
    }
}
