import DataModel
import RelationalSchema
import Testing

@Suite("Partial indexes and indexes over expressions")
struct IndexExpressionTests {
    private static let attributes: [Attribute] = [
        Attribute(name: "title", type: .string, isOptional: true), Attribute(name: "likes", type: .integer32),
        Attribute(name: "score", type: .double, isOptional: true), Attribute(name: "price", type: .decimal),
        Attribute(name: "date", type: .date), Attribute(name: "isRead", type: .boolean),
        Attribute(name: "identifier", type: .uuid),
    ]

    private func schema(predicate: String? = nil, expression: String? = nil) -> Schema {
        let element =
            expression.map { FetchIndex.Element(expression: $0) } ?? FetchIndex.Element(propertyName: "likes")
        return makeSchema(
            Entity(
                name: "Post", attributes: Self.attributes,
                relationships: [toOne("author", "Author", inverse: "posts"), toMany("tags", "Author")],
                indexes: [FetchIndex(name: "i", elements: [element], partialIndexPredicate: predicate)]),
            Entity(
                name: "Author", attributes: [Attribute(name: "name", type: .string)],
                relationships: [toMany("posts", "Post", inverse: "author")]))
    }

    @Test(arguments: [
        ("likes > 10", "\"likes\" > 10"), ("isRead == YES", "\"isRead\" = 1"), ("isRead == NO", "\"isRead\" = 0"),
        ("title == nil", "\"title\" IS NULL"), ("title != nil", "\"title\" IS NOT NULL"),
        ("title != 'it\\'s'", "\"title\" IS NOT 'it''s'"), ("author == nil", "\"author\" IS NULL"),
        ("title == SELF.title", "\"title\" IS \"title\""), ("likes != score", "\"likes\" IS NOT \"score\""),
        ("NOT likes > 10", "((\"likes\" > 10) IS NOT TRUE)"),
        ("likes > 1 AND (likes < 3 OR score >= 0.5)", "(\"likes\" > 1 AND (\"likes\" < 3 OR \"score\" >= 0.5))"),
        ("likes IN {1, 2}", "\"likes\" IN (1, 2)"),
        ("title IN {'a', nil}", "(\"title\" IN ('a') OR \"title\" IS NULL)"),
        ("likes BETWEEN {1, 5}", "\"likes\" BETWEEN 1 AND 5"), ("price > 1.50", "\"price\" > '1.50'"),
        ("price == 2", "\"price\" = '2'"), ("date > CAST(100, 'NSDate')", "\"date\" > 100"),
        ("title BEGINSWITH 'ab'", "(\"title\" >= 'ab' AND \"title\" < 'ac')"),
        ("title ENDSWITH 'é'", "substr(CAST(\"title\" AS BLOB), -2) = x'c3a9'"),
        ("title CONTAINS 'x'", "instr(\"title\", 'x') > 0"), ("title LIKE 'a*?[b\\\\*'", "\"title\" GLOB 'a*?[[]b[*]'"),
        ("likes * 2 + 1 > score / 2", "((\"likes\" * 2) + 1) > (\"score\" / 2)"), ("TRUEPREDICATE", "1"),
        ("title ==[n] 'x'", "\"title\" = 'x'"), ("abs:(score) > 1", "abs(\"score\") > 1"),
        (
            "identifier == CAST('A0000000-0000-0000-0000-00000000000F', 'NSUUID')",
            "\"identifier\" = x'a000000000000000000000000000000f'"
        ),
        ("TERNARY(isRead == YES, likes, 0) > 1", "CASE WHEN \"isRead\" = 1 THEN \"likes\" ELSE 0 END > 1"),
    ])
    func aPredicateIsACondition(predicate: String, sql: String) throws {
        let schema = schema(predicate: predicate)
        #expect(schema.diagnostics.all.map(\.description) == [])
        #expect(schema.index("index$Post$i")?.condition == sql)
        _ = try makeDatabase(schema)
    }

    @Test(arguments: [
        ("title ==[c] 'x'", "Derive an attribute by canonical:(…), and compare or index that"),
        ("author.name == 'x'", "Derive an attribute from the values of the other objects, and use that"),
        ("ANY tags.name == 'x'", "Derive an attribute from the values of the other objects, and use that"),
        ("tags.@count > 1", "Derive an attribute from the values of the other objects, and use that"),
        ("title MATCHES '.*'", "Use LIKE, BEGINSWITH or ENDSWITH"),
        ("uppercase:(title) == 'X'", "Derive an attribute by this expression, and index that"),
        ("price * 2 > 1", "Compare the attribute itself, or store an integer, such as cents"),
        ("date < now()", ""), ("likes ** 2 > 4", "Multiply"),
    ])
    func whatSQLiteCannotDoIsRefusedWithAWayOut(predicate: String, hint: String) {
        let schema = schema(predicate: predicate)
        #expect(schema.diagnostics.all.map(\.code) == [.invalidPredicate])
        #expect(schema.diagnostics.all.first?.notes == (hint.isEmpty ? [] : [hint]))
        #expect(schema.index("index$Post$i") == nil)
    }

    @Test("row 18: an expression is indexed") func anExpressionIsIndexed() throws {
        let schema = schema(expression: "likes * 2")
        #expect(
            schema.index("index$Post$i")?.definition
                == "CREATE INDEX \"index$Post$i\"\n    ON \"Post\" ((\"likes\" * 2))")
        let database = try makeDatabase(schema)
        let plan = try database.run("EXPLAIN QUERY PLAN SELECT 1 FROM \"Post\" WHERE \"likes\" * 2 > 7")
        #expect(plan.first?.last.flatMap { $0 }?.contains("index$Post$i") == true)
        #expect(
            self.schema(expression: "abs:(likes)").index("index$Post$i")?.definition.hasSuffix("((abs(\"likes\")))")
                == true)
        #expect(self.schema(expression: "random()").diagnostics.all.map(\.code) == [.invalidPredicate])
    }

    /// In SQL, a comparison with NULL is neither true nor false. The condition of an index treats rows without a value
    /// as Swift treats optionals.
    @Test func rowsWithoutAValueAreWhereOptionalsAreInSwift() throws {
        for (predicate, identifiers) in [
            ("title == nil", [1]), ("title != 'a'", [1, 3]), ("NOT title == 'a'", [1, 3]), ("title < 'b'", [2]),
            ("NOT title < 'b'", [1, 3]), ("title IN {'a', nil}", [1, 2]),
        ] {
            let schema = schema(predicate: predicate)
            let database = try makeDatabase(schema)
            for (identifier, title) in [(1, "NULL"), (2, "'a'"), (3, "'b'")] {
                try database.run(
                    """
                    INSERT INTO "Post" ("id$", "title", "likes", "price", "date", "isRead", "identifier")
                    VALUES (\(identifier), \(title), 1, '1', 0, 0, x'00')
                    """)
            }
            let condition = try #require(schema.index("index$Post$i")?.condition)
            let found = try database.column(
                "SELECT \"id$\" FROM \"Post\" INDEXED BY \"index$Post$i\" WHERE \(condition) ORDER BY \"id$\"")
            #expect(found.compactMap { $0 }.compactMap { Int($0) } == identifiers, "\(predicate)")
        }
    }
}
