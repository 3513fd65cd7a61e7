import AshlarCoreData
import AwkwardText
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Searches in full-text indexes, in all notations.
@Suite struct FullTextTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try memoryContainer(LibraryModel.self)
        context = ModelContext(container)
    }

    private func fill() {
        let lu = Scribe(life: "A physician who wrote", name: "Lu Xun")
        let eve = Scribe(name: "Ève Müller")
        context.insert(lu)
        context.insert(eve)
        for (title, text, pages, writer) in [
            ("The Great Wall", "Stones, and a wall of stones", 10, lu as Scribe?), ("Great expectations", nil, 20, eve),
            ("Of walls", "Naïve café-goers meet at the great hall", 30, lu), ("Nothing", nil, 40, nil),
        ] {
            context.insert(Tome(pages: Int64(pages), text: text, title: title, writer: writer))
        }
        context.insert(Novelette(imprint: Imprint(place: "Ürümqi"), title: "Walking", plot: "She walked on the wall"))
    }

    private func titles(_ descriptor: FetchDescriptor<Tome>) throws -> [String] {
        try context.fetch(descriptor).map(\.title).sorted()
    }

    private func expect(
        _ expected: [String], _ condition: (Columns<Tome>) -> Condition,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let descriptor = Tome.where(condition)
        #expect(try titles(descriptor) == expected.sorted(), sourceLocation: sourceLocation)
        #expect(try context.fetchCount(descriptor) == expected.count, sourceLocation: sourceLocation)
    }

    /// Runs each search before the objects are saved, and after.
    private func inBothStates(_ body: () throws -> Void) throws {
        fill()
        try body()
        try context.save()
        try body()
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test func wordsAreFoundWhereverTheyAre() throws {
        try inBothStates {
            try expect(["The Great Wall"]) { $0.search.matches("great wall") }
            try expect(["The Great Wall"]) { $0.search.matches("WALL  gréat") }
            try expect(["The Great Wall", "Great expectations", "Of walls"]) { $0.search.matches("great") }
            try expect(["The Great Wall", "Of walls"]) { $0.search.matches(.anyTerm("wall hall")) }
            try expect(["The Great Wall"]) { $0.search.matches(.phrase("wall of stones")) }
            try expect([]) { $0.search.matches(.phrase("stones wall")) }
            try expect(["The Great Wall", "Of walls", "Walking"]) { $0.search.matches(.prefix("wal")) }
            try expect(["Of walls"]) { $0.search.matches(.prefix("great wal").excluding("stones")) }
            // A derived attribute, a leaf of a composite, and words with marks.
            try expect(["Walking"]) { $0.search.matches("urumqi") }
            try expect(["Of walls"]) { $0.search.matches("naive cafe") }
            try expect([]) { $0.search.matches("") }
            try expect([]) { $0.search.matches(" \n ") }
            try expect(["Nothing"]) { !$0.search.matches(.prefix("w")) && !$0.search.matches(.prefix("g")) }
        }
    }

    @Test func derivedTextsAreFoundOnceTheyAreSaved() throws {
        try inBothStates {
            let isSaved = !context.hasChanges
            try expect(isSaved ? ["The Great Wall", "Of walls"] : []) { $0.search.matches("xun") }
            // A term in which the tokenizer finds no tokens is ignored.
            try expect(isSaved ? ["The Great Wall", "Great expectations"] : []) { $0.parts.matches("reat wa") }
            try expect(isSaved ? ["The Great Wall"] : []) { $0.parts.matches(.phrase("reat wa")) }
        }
        let lu = try #require(try context.fetch(Scribe.where { $0.fullText.matches("xun") }).first)
        lu.name = "Zhou"
        try context.save()
        try expect([]) { $0.search.matches("xun") }
        try expect(["The Great Wall", "Of walls"]) { $0.search.matches("zhou") }
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test func relationshipsAndEntitiesBelow() throws {
        try inBothStates {
            try expect(["Great expectations"]) { $0.writer.fullText.matches("muller") }
            try expect(["The Great Wall", "Of walls"]) { $0.writer.fullText.matches("physician lu") }
            try expect(["Walking"]) { $0.as(Novelette.self).plots.matches("walks") }
            try expect([]) { $0.as(Novelette.self).plots.matches("great") }
            // The index has the name of a member that every class has.
            try expect(["Walking"]) { $0.as(Novelette.self).values_.matches("urumqi") }
            let scribes = try context.fetch(Scribe.where { $0.volumes.contains { $0.search.matches("stones") } })
            #expect(scribes.map(\.name) == ["Lu Xun"])
            #expect(try context.fetch(Novelette.where { $0.search.matches("walking") }).count == 1)
        }
        // An unsaved change of a related object affects the result.
        let eve = try #require(try context.fetch(Scribe.where { $0.name == "Ève Müller" }).first)
        eve.life = "physician"
        try expect(["The Great Wall", "Of walls", "Great expectations"]) { $0.writer.fullText.matches("physician") }
    }

    @Test func foundationPredicatesContainQueries() throws {
        try inBothStates {
            let query = FullTextQuery.prefix("great wal")
            let predicate = #Predicate<Tome> { $0.search.contains(query) && $0.pages > 15 }
            #expect(try titles(FetchDescriptor(predicate: predicate)) == ["Of walls"])
            let all = try context.fetch(Tome.all)
            #expect(try all.filter { try predicate.evaluate($0) }.map(\.title) == ["Of walls"])
            let negated = #Predicate<Tome> { !$0.search.contains(query) }
            #expect(try titles(FetchDescriptor(predicate: negated)).count == 3)
            let related = #Predicate<Scribe> { $0.volumes.contains { $0.search.contains(query) } }
            #expect(try context.fetch(FetchDescriptor(predicate: related)).map(\.name) == ["Lu Xun"])
            let cast = #Predicate<Tome> { ($0 as? Novelette)?.plots.contains(query) == true }
            #expect(try titles(FetchDescriptor(predicate: cast)).isEmpty)
        }
    }

    @Test func formatStringsMatch() throws {
        func found(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> [String] {
            let condition = try Condition(for: Tome.self, format: format, arguments: arguments)
            return try titles(Tome.where { _ in condition })
        }
        try inBothStates {
            #expect(try found("search MATCHES 'great wall'") == ["The Great Wall"])
            #expect(try found("search MATCHES %@ AND pages > 20", "great") == ["Of walls"])
            #expect(try found("%K MATCHES %@", "search", "\"NEAR(*") == [])
            #expect(try found("writer.fullText MATCHES 'lu'") == ["Of walls", "The Great Wall"])
            #expect(try found("NOT search MATCHES 'great'") == ["Nothing", "Walking"])
            #expect(try found("title MATCHES '.*wall.*'") == ["Of walls"])
            #expect(try titles(Tome.about(WORDS: "great", pages: 20)) == ["Of walls"])
            #expect(try titles(Tome.byWritersAbout(words: "lu")) == ["Of walls", "The Great Wall"])
            let any = try Condition(for: Scribe.self, format: "ANY volumes.search MATCHES 'stones'")
            #expect(try context.fetch(Scribe.where { _ in any }).map(\.name) == ["Lu Xun"])
        }
        for format in [
            "search == 'x'", "search CONTAINS 'x'", "search MATCHES[c] 'x'", "search MATCHES title", "search MATCHES 3",
            "title MATCHES search", "search.length > 3", "search == nil", "search IN {'x'}", "pages > search",
        ] {
            #expect(throws: FetchError.self, "\(format)") { try Condition(for: Tome.self, format: format) }
        }
    }

    /// No text that a user types is an error.
    @Test(arguments: [
        "\"", "\"\"", "'", "*", "^", "(", ")", "AND", "OR", "NOT", "NEAR", "NEAR(", "a AND", "a OR OR b", "title:great",
        "{title}:", "-", "+", ":", "\\", "great\"wall", "great AND \"", "\0", "a\0b", "great\0", "...", "?%_", "🧱",
        "é\u{301}\u{301}", "\u{FEFF}", "\u{202E}great", "--", ";DROP TABLE Tome", "great -wall", "+great", "rank:1",
        "𝓰",
    ])
    func noTextIsAMistake(_ text: String) throws {
        fill()
        let queries = [FullTextQuery(text), .anyTerm(text), .phrase(text), .prefix(text), .prefix(text + " q")]
        let all = queries + queries.map { $0.excluding(FullTextQuery(text)) }
        func found() throws -> [[String]] {
            try all.flatMap { query in
                [
                    try titles(Tome.where { $0.search.matches(query) }),
                    try titles(Tome.where { $0.as(Novelette.self).plots.matches(query) }),
                ]
            }
        }
        let pending = try found()
        try context.save()
        #expect(try found() == pending)
    }

    @Test func longTextsAndManyTerms() throws {
        let words = (0..<20_000).map { "w\($0)" }
        context.insert(Tome(text: words.joined(separator: " "), title: "long"))
        for _ in 0..<2 {
            try expect(["long"]) { $0.search.matches("w19999 w0") }
            try expect(["long"]) { $0.search.matches(FullTextQuery(words.prefix(2000).joined(separator: " "))) }
            try expect(["long"]) { $0.search.matches(.anyTerm(words.suffix(2000).joined(separator: " "))) }
            try expect(["long"]) { $0.search.matches(.phrase(words.prefix(500).joined(separator: " "))) }
            try expect([]) { $0.search.matches(FullTextQuery(String(repeating: "x", count: 100_000))) }
            try context.save()
        }
    }

    @Test func expressionsOfFTS5() throws {
        try inBothStates {
            let query = try FullTextQuery(expression: "title : great NOT wall", for: \Tome.search)
            try expect(["Great expectations"]) { $0.search.matches(query) }
            let near = try FullTextQuery(expression: "NEAR(naïve meet, 3)", for: \Tome.search)
            try expect(["Of walls"]) { $0.search.matches(near) }
        }
        for (expression, part) in [
            ("\"", "unterminated"), ("AND", "syntax"), ("nowhere : x", "nowhere"), ("", "syntax"),
        ] {
            #expect {
                _ = try FullTextQuery(expression: expression, for: \Tome.search)
            } throws: { error in
                guard case FetchError.invalidFullTextQuery(expression, index: "Tome.search", let reason) = error else {
                    return false
                }
                return reason.contains(part)
            }
        }
        #expect(throws: FetchError.self) { try FullTextQuery(expression: "a\0b", for: \Tome.search) }
    }

    /// The SQL of the statements, for review.
    @Test func theStatements() throws {
        let query = FullTextQuery.prefix("great \"wal")
        let descriptor = Tome.where { $0.search.matches(query) && $0.writer.fullText.matches("lu") }
            .order { $0.search.rank(of: query).ascending }
        let statement = try descriptor.statement(selecting: "1", limit: nil, offset: nil)
        #expect(
            statement.text == """
                SELECT 1 FROM "Tome" WHERE \
                ("Tome"."id$" IN (SELECT "rowid" FROM "fulltext$Tome$search" WHERE "fulltext$Tome$search" MATCH ?1) AND \
                "Tome"."writer" IN (SELECT "rowid" FROM "fulltext$Scribe$fullText" WHERE "fulltext$Scribe$fullText" MATCH ?2)) \
                ORDER BY (SELECT "value$" FROM (SELECT "rowid" AS "row$", \
                bm25("fulltext$Tome$search", 10.0, 1.0, 1.0, 1.0, 5.0) AS "value$" FROM "fulltext$Tome$search" \
                WHERE "fulltext$Tome$search" MATCH ?3 LIMIT -1) WHERE "row$" = "Tome"."id$"), "Tome"."id$"
                """)
        #expect(statement.values.prefix(2) == [.text("\"great\" \"wal\" *"), .text("\"lu\"")])
    }

    @Test func whatFitsBestComesFirst() throws {
        fill()
        try context.save()
        let query = FullTextQuery.anyTerm("great wall")
        let best = Tome.where { $0.search.matches(query) }.order { $0.search.rank(of: query).ascending }
        #expect(try context.fetch(best).map(\.title) == ["The Great Wall", "Great expectations", "Of walls"])
        #expect(try context.fetch(best.limit(1)).map(\.title) == ["The Great Wall"])
        let expected = try container.text(
            """
            SELECT group_concat("title", '; ') FROM (SELECT "title" FROM "fulltext$Tome$search"
            WHERE "fulltext$Tome$search" MATCH 'great OR wall'
            ORDER BY bm25("fulltext$Tome$search", 10.0, 1.0, 1.0, 1.0, 5.0))
            """)
        #expect(try context.fetch(best).map(\.title).joined(separator: "; ") == expected)
        let worst = Tome.where { $0.search.matches(query) }.order { $0.search.rank(of: query).descending }
        #expect(try context.fetch(worst).map(\.title) == ["Of walls", "Great expectations", "The Great Wall"])
        // Unsaved objects have no rank, and changed ones have the rank of their saved texts.
        context.insert(Tome(title: "Wall, unsaved"))
        let wall = try #require(try context.fetch(best.limit(2)).last)
        wall.text = "great great wall"
        #expect(
            try context.fetch(best).map(\.title)
                == ["Wall, unsaved", "The Great Wall", "Great expectations", "Of walls"])
        #expect(try context.fetch(best.offset(1).limit(2)).map(\.title) == ["The Great Wall", "Great expectations"])
        let child = ModelContext(parent: context)
        #expect(
            try child.fetch(best).map(\.title)
                == ["Wall, unsaved", "The Great Wall", "Great expectations", "Of walls"])
        let plan = try context.queryPlan(of: best)
        #expect(plan.contains { $0.contains("SEARCH Tome USING INTEGER PRIMARY KEY") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN Tome") })
    }

    @Test func partsOfTextsWithMarks() throws {
        fill()
        let query = FullTextQuery.anyTerm("stones cafe")
        let parts = Tome.where { $0.search.matches(query) }.order { $0.title.ascending }.select {
            ($0.title, $0.search.highlight($0.text, of: query), $0.search.snippet(of: query, terms: 3))
        }
        let strange = Tome.where { $0.search.matches(query) }.select {
            $0.search.snippet($0.text, of: query, opening: "'", closing: "\"", ellipsis: "…\0", terms: 1000)
        }
        var states: [[String]] = []
        for _ in 0..<2 {
            let found = try context.fetch(parts)
            #expect(found.map(\.0) == ["Of walls", "The Great Wall"])
            #expect(found[0].1 == "Naïve <b>café</b>-goers meet at the great hall")
            #expect(found[1].1 == "<b>Stones</b>, and a wall of <b>stones</b>")
            states.append(found.map { $0.2 ?? "" } + (try context.fetch(strange).map { $0 ?? "" }.sorted()))
            try context.save()
        }
        #expect(states[0] == states[1])
        #expect(throws: FetchError.self) {
            try context.fetch(Tome.all.select { $0.search.highlight($0.number, of: query) })
        }
    }
}

/// Texts that users type are terms to find, whatever characters they contain, and never part of the query's structure.
@Suite struct FullTextQuotationTests {
    @Test func noTextIsAMistakeOrGetsPastAnExclusion() throws {
        let context = ModelContext(try memoryContainer(LibraryModel.self))
        context.insert(Tome(pages: 1, text: nil, title: "great wall"))
        context.insert(Tome(pages: 2, text: nil, title: "great secret plan"))
        try context.save()
        func count(_ query: FullTextQuery) throws -> Int {
            try context.fetchCount(Tome.where { $0.search.matches(query) })
        }
        #expect(try count(FullTextQuery("great").excluding("secret")) == 1)
        for scalar in AwkwardText.scalars {
            let escape = FullTextQuery("x\"\(scalar))OR(great)OR(x\"\(scalar)")
            #expect(try count(escape.excluding("secret")) == 0, "\(scalar.value)")
            // The results depend on the tokenizer, but the queries are always valid.
            let queries: [FullTextQuery] = [
                .phrase("\"\(scalar)"), .prefix("\(scalar)\"\(scalar)"), .anyTerm("great\"\(scalar)\""),
            ]
            for query in queries { _ = try count(query.excluding("wall")) }
        }
    }
}
