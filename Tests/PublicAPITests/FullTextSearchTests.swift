import Ashlar
import Foundation
import Testing

/// The division of typed texts into words, and the differences between words that an index ignores.
@Suite struct FullTextSearchTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library(isEmpty: true) }

    private func insert(_ titles: String...) throws {
        for title in titles { context.insert(Book(title: title)) }
        try context.save()
    }

    /// The titles that a query finds, saved and unsaved.
    private func found(_ query: FullTextQuery) throws -> Set<String> {
        let saved = Set(try ModelContext(library.container).fetch(Book.where { $0.search.matches(query) }).map(\.title))
        for book in try context.fetch(Book.all) { book.pages += 1 }
        #expect(Set(try context.fetch(Book.where { $0.search.matches(query) }).map(\.title)) == saved)
        return saved
    }

    @Test(arguments: [
        "great/wall", "great,wall", "great-wall", "“great” (wall)", "great♥wall", "great\u{0}wall", "great\twall",
    ])
    func punctuationDividesWords(_ text: String) throws {
        try insert("only great", "the wall, great", "a great wall", "greatwall")
        #expect(try found(.allTerms(text)) == ["the wall, great", "a great wall"])
        #expect(try found(FullTextQuery(text)) == ["the wall, great", "a great wall"])
        #expect(try found(.anyTerm(text)) == ["only great", "the wall, great", "a great wall"])
        #expect(try found(.phrase(text)) == ["a great wall"])
        #expect(try found(.prefix("wall," + text.dropLast(2))) == ["the wall, great", "a great wall"])
        #expect(try found(FullTextQuery.anyTerm("the").excluding(.anyTerm(text))).isEmpty)
    }

    @Test func aTextWithoutWordsFindsNothing() throws {
        try insert("a - b", "!")
        for text in ["", " ", "-", "\"", "!?", "\u{0}"] {
            #expect(try found(.allTerms(text)).isEmpty && found(.anyTerm(text)).isEmpty && found(.prefix(text)).isEmpty)
        }
    }

    @Test func marksStayWithinTheirWord() throws {
        try insert("हिन्दी भाषा", "द न ह", "שָׁלוֹם")
        #expect(try found(.allTerms("हिन्दी")) == ["हिन्दी भाषा"])
        #expect(try found(.anyTerm("שָׁלוֹם")) == ["שָׁלוֹם"])
    }

    @Test func caseIsFoldedInAllScriptsAndMarksInLatinAlone() throws {
        try insert("École", "e\u{301}cole", "ΣΟΦΙΑ", "ЧАЙ", "Ωμέγα", "Ёлка")
        #expect(try found("ecole") == ["École", "e\u{301}cole"])
        #expect(try found("σοφια") == ["ΣΟΦΙΑ"])
        #expect(try found("чай") == ["ЧАЙ"])
        // As the documentation says.
        #expect(try found("ωμεγα").isEmpty && found("елка").isEmpty && found("чаи").isEmpty)
        #expect(try found("ωμέγα") == ["Ωμέγα"] && found("ёлка") == ["Ёлка"])
        #expect(try found(FullTextQuery("ЧАЙ".decomposedStringWithCanonicalMapping)).isEmpty)
    }

    @Test func manyQueriesAreExcludedOneAfterTheOther() throws {
        try insert("great wall", "great word7", "great word999", "great word1000")
        let words = (0..<1000).map { FullTextQuery("word\($0)") }
        let query: FullTextQuery = words.reduce("great") { $0.excluding($1) }
        #expect(try found(query) == ["great wall", "great word1000"])
        // A query that is excluded may itself exclude words.
        #expect(try found(FullTextQuery("great").excluding(query)) == ["great word7", "great word999"])
    }

    @Test func exclusionsWithinEachOtherHaveALimit() throws {
        try insert("even", "even odd")
        func nested(_ depth: Int) -> FullTextQuery {
            (1..<depth).reduce(FullTextQuery("even").excluding("none").excluding("odd")) { query, _ in
                FullTextQuery("even").excluding("none").excluding(query)
            }
        }
        #expect(try found(nested(12)) == ["even odd"])
        #expect(try found(nested(11)) == ["even"])
        for descriptor in [
            Book.where { $0.search.matches(nested(13)) }, Book.order { $0.search.rank(of: nested(13)).ascending },
        ] {
            let error = try #require(throws: FetchError.self) { try context.fetch(descriptor) }
            #expect(error.description.contains("more than 12 exclusions within each other"), "\(error)")
        }
    }

    @Test func aQueryComesBackFromItsEncodedForm() throws {
        let query = FullTextQuery.allTerms("great/wall").excluding(.prefix("a-b"))
        let coded = try JSONDecoder().decode(FullTextQuery.self, from: JSONEncoder().encode(query))
        #expect(coded == query)
        let older = try JSONDecoder().decode(FullTextQuery.self, from: Data(#"{"expression":"\"great\""}"#.utf8))
        try insert("great")
        #expect(try found(older) == ["great"])
    }
}
