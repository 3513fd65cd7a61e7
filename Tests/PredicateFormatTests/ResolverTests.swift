import PredicateFormat
import Testing

@Suite("Names and types")
struct ResolverTests {
    @Test(arguments: [
        "title == 'x'", "likes > 3 AND score < 1.5", "isRead == YES", "isRead == 1", "likes == TRUE", "isRead != likes",
        "title == nil", "nil != author", "author == nil", "author.name BEGINSWITH[cd] 'x'", "SELF.author.name == 'x'",
        "author.favorite == SELF", "author.favorite.objectID == SELF", "title.length > 3", "length:(title) > 3",
        "place.city == 'x'", "place == nil", "colors == nil", "image != nil", "price == 1.10", "price + likes > score",
        "identifier == '01234567-89ab-CDEF-0123-456789ABCDEF'", "link == 'https://example.org'",
        "date > CAST(0, 'NSDate')", "date < now()", "date > now() - 60", "date - now() < 60", "60 + date < now()",
        "date > FUNCTION(now(), 'dateByAddingTimeInterval:', -60 * 60)", "CAST(likes, 'NSString') == '1'",
        "likes BETWEEN {1, 5}", "title BETWEEN {'a', 'b'}", "date BETWEEN {CAST(0, 'NSDate'), now()}",
        "likes IN {1, 2, nil}", "title IN[c] {'a', 'b'}", "'x' IN title", "title IN {}", "SELF IN author.posts",
        "ANY tags.name == 'x'", "NONE tags.name IN {'x'}", "ALL related.likes > 3", "ANY related.tags.name == 'x'",
        "ANY tags == nil", "tags.@count > 2", "related.@sum.likes > 2", "related.likes.@sum > 2",
        "related.@avg.score > 2", "related.date.@max < now()",
        "tags.name CONTAINS 'x'", "related CONTAINS SELF", "related[FIRST].title == 'x'", "related[SIZE] > 2",
        "count:(tags) > 2", "max:(related.score) > 2", "max:({likes, 2}) > 1", "sum:({likes, score}) > 1",
        "SUBQUERY(related, $x, $x.likes > likes AND $x.author == author).@count > 0",
        "SUBQUERY(related, $x, $x.likes > 1).@max.score > 0", "ANY SUBQUERY(related, $x, $x.likes > 1).title == 'x'",
        "SUBQUERY(related, $x, SUBQUERY($x.tags, $y, $y.name == $x.title).@count > 0).@count > 0",
        "TERNARY(isRead == YES, likes, score) > 1", "uppercase:(title) == 'X'", "abs:(likes - 3) < 2", "-likes < 0",
        "bitwiseAnd:with:(likes, 1) == 1", "noindex:(likes) == 1", "indexed:by:(latitude, 'byLocation') BETWEEN {1, 2}",
        "CAST(SELF, 'Video').duration > 3", "#size > 1", "TRUEPREDICATE", "1 == 1",
        "title LIKE '*' OR NOT title MATCHES '.'", "words MATCHES 'a b'", "author.favorite.words MATCHES $text",
        "ANY author.posts.words MATCHES 'a'", "SUBQUERY(related, $x, $x.words MATCHES 'a').@count > 0",
        "likes ** 2 > 4", "modulus:by:(likes, 2) == 0", "ANY {1, 2} == likes", "sqrt:(likes) > score",
    ])
    func sensiblePredicatesHaveNoErrors(text: String) throws {
        let resolution = try resolve(text)
        #expect(resolution.errors.map { summary($0, in: text) } == [])
        #expect(resolution.root != nil)
    }

    @Test func bothSpellingsOfAnAggregateAreOne() throws {
        let texts = ["related.@sum.likes", "related.likes.@sum", "sum:(related.likes)"]
        let found = try texts.map { text in
            let parsed = try ParsedExpression(parsing: text)
            let resolution = PredicateResolver(schema: Blog(), entity: "Post").resolve(parsed)
            guard case .collectionOperator(.sum, let path) = resolution.root?.kind else { return "\(resolution)" }
            return path.steps.map(\.name).joined(separator: ".") + " \(resolution.root?.type == .value(.integer64))"
        }
        #expect(found == ["related.likes true", "related.likes true", "related.likes true"])
    }

    @Test func stepsKnowTheirProperties() throws {
        let resolution = try resolve("author.name == 'x'")
        guard case .comparison(let comparison) = resolution.root?.kind, case .path(let path) = comparison.left.kind
        else {
            Issue.record("\(resolution)")
            return
        }
        #expect(path.root == .evaluatedObject)
        #expect(path.type == .value(.string))
        #expect(path.steps.map(\.owner) == [.entity("Post"), .entity("Author")])
        #expect(path.steps.map(\.property) == [.toOne(destination: "Author"), .attribute(.string)])
        #expect(path.steps.map(\.range) == [0..<6, 7..<11])
    }

    @Test func literalsBecomeWhatTheyAreComparedWith() throws {
        for (text, type) in [
            ("identifier == '01234567-89AB-CDEF-0123-456789ABCDEF'", ValueType.uuid), ("link == 'x'", .uri),
        ] {
            guard case .comparison(let comparison) = try resolve(text).root?.kind else {
                Issue.record("\(text)")
                continue
            }
            #expect(comparison.right.type == .value(type))
        }
    }

    @Test(arguments: [
        (
            "words == 'x'",
            "invalid-operator «==» 'words' is a full-text index, and '==' has no meaning for it; write words MATCHES \"words to find\""
        ),
        (
            "words MATCHES title",
            "invalid-operator «title» 'words' is a full-text index, which matches a string, but 'title' is computed of the object; write the words to find in quotes, or pass them"
        ),
        (
            "title == words",
            "invalid-operator «words» 'words' is a full-text index, which stands on the left of MATCHES"
        ),
        ("words.name == 'x'", "unknown-property «name» 'words' is a full-text index and has no property 'name'"),
        ("titel == 'x'", "unknown-property «titel» Post has no property 'titel'; did you mean 'title'?"),
        ("likse > 1", "unknown-property «likse» Post has no property 'likse'"),
        ("author.nam == 'x'", "unknown-property «nam» Author has no property 'nam'; did you mean 'name'?"),
        ("author.nmae == 'x'", "unknown-property «nmae» Author has no property 'nmae'; did you mean 'name'?"),
        ("author.Name == 'x'", "unknown-property «Name» Author has no property 'Name'; did you mean 'name'?"),
        ("title.name == 'x'", "unknown-property «name» 'title' is a string and has no property 'name'"),
        ("place.town == 'x'", "unknown-property «town» Place has no property 'town'"),
        ("tags.count > 1", "unknown-property «count» Tag has no property 'count'; did you mean '@count'?"),
        (
            "draft == 1",
            "unusable-property «draft» 'draft' of Post cannot be used in a predicate, because it is transient"
        ),
        (
            "SUBQUERY(tags, $t, name == 'x').@count > 0",
            "unknown-property «name» Post has no property 'name'; within SUBQUERY, a property of the element is written $t.name"
        ),
        (
            "tags.name == 'x'",
            "to-many «tags.name» 'tags.name' has many values, but '==' compares one; write ANY tags.name or ALL tags.name, or use a collection operator such as @count"
        ),
        (
            "'x' == tags.name",
            "to-many «tags.name» 'tags.name' has many values, but '==' compares one; write IN, or put ANY and 'tags.name' on the left"
        ),
        (
            "tags == nil",
            "to-many «tags» 'tags' has many values, but '==' compares one; write ANY tags or ALL tags, or use a collection operator such as @count"
        ),
        (
            "tags.name LIKE 'x'",
            "to-many «tags.name» 'tags.name' has many values, but 'LIKE' compares one; write ANY tags.name or ALL tags.name, or use a collection operator such as @count"
        ),
        ("ANY title == 'x'", "to-many «title» 'ANY' needs many values, but 'title' has one; remove 'ANY'"),
        ("author.@count > 1", "to-many «@count» '@count' needs a to-many relationship before it"),
        ("@count > 1", "to-many «@count» '@count' needs a to-many relationship before it"),
        (
            "author.posts.tags.@count > 1",
            "to-many «@count» '@count' needs exactly one to-many relationship before it; write SUBQUERY for the others"
        ),
        (
            "related.likes.@count > 1",
            "to-many «@count» '@count' counts objects, and not the values of one of their attributes; write '@count' after the relationship"
        ),
        (
            "tags.@sum > 1",
            "invalid-operator «@sum» '@sum' has no meaning for an object of Tag; name the attribute, as in items.@sum.price"
        ),
        ("tags.@sum.name > 1", "invalid-operator «@sum» '@sum' has no meaning for a string"),
        (
            "tags.@unionOfObjects.name == 1",
            "unsupported «@unionOfObjects» '@unionOfObjects' cannot be computed by a store; the operators are @count, @sum, @avg, @min and @max"
        ),
        (
            "tags + 1 > 2",
            "to-many «tags» '+' takes one value, but 'tags' has many; a collection operator such as @count makes one of them"
        ),
        ("likes == '5'", "incompatible-types «'5'» 'likes' is an integer, but '\"5\"' is a string; remove the quotes"),
        ("title == 5", "incompatible-types «5» 'title' is a string, but '5' is an integer; write it in quotes"),
        ("title == YES", "incompatible-types «YES» 'title' is a string, but 'YES' is a Boolean"),
        ("isRead == 2", "incompatible-types «2» 'isRead' is a Boolean, which 2 is not; write YES or NO"),
        (
            "date > 5",
            "incompatible-types «5» 'date' is a date, but '5' is an integer; write CAST(seconds since 2001, \"NSDate\"), or a $VARIABLE"
        ),
        (
            "identifier == 'x'",
            "incompatible-types «'x'» 'identifier' is a UUID, but '\"x\"' is a string; a UUID is written as \"01234567-89AB-CDEF-0123-456789ABCDEF\""
        ),
        (
            "author == 'Ann'",
            "incompatible-types «'Ann'» 'author' is an object of Author, but '\"Ann\"' is a string; compare with an attribute of the object"
        ),
        (
            "author == SELF",
            "incompatible-types «SELF» 'author' is an object of Author, but 'SELF' is an object of Post; compare with an attribute of the object"
        ),
        ("likes IN {1, 'x'}", "incompatible-types «'x'» 'likes' is an integer, but '\"x\"' is a string"),
        ("likes BETWEEN {1, 'x'}", "incompatible-types «'x'» 'likes' is an integer, but '\"x\"' is a string"),
        (
            "author IN tags",
            "incompatible-types «tags» 'author' is an object of Author, but 'tags' has many values, each an object of Tag"
        ),
        (
            "tags CONTAINS 'x'",
            "incompatible-types «'x'» 'tags' is an object of Tag, but '\"x\"' is a string; compare with an attribute of the object"
        ),
        ("likes BETWEEN {1}", "argument-count «{1}» 'BETWEEN' needs two values on its right, but there is 1"),
        ("likes BETWEEN 1", "invalid-operator «1» 'BETWEEN' needs two values on its right; write a list, as in {1, 2}"),
        (
            "likes IN 1",
            "invalid-operator «1» 'IN' needs many values on its right, but '1' is an integer; write a list, as in {1, 2}"
        ),
        (
            "likes BEGINSWITH '1'",
            "invalid-operator «BEGINSWITH» 'BEGINSWITH' compares strings, but 'likes' is an integer"
        ),
        (
            "title LIKE nil",
            "invalid-operator «LIKE» 'LIKE' compares strings, but 'nil' is nil; nil is compared with == and !="
        ),
        ("title < nil", "invalid-operator «<» '<' needs an order, but 'nil' is nil; nil is compared with == and !="),
        ("author < SELF.author", "invalid-operator «<» '<' needs an order, but 'author' is an object of Author"),
        (
            "likes ==[c] 1",
            "invalid-operator «==[c]» the options [c] are for strings, but 'likes' is an integer; remove [c]"
        ),
        ("colors == colors", "invalid-operator «==» a transformable value can be compared with nil only"),
        (
            "canonical:(likes) == 'x'",
            "incompatible-types «likes» 'canonical:' takes a string, but 'likes' is an integer"
        ),
        ("title + 1 > 2", "incompatible-types «title» '+' takes numbers, but 'title' is a string"),
        ("-title == 1", "incompatible-types «title» '-' takes a number, but 'title' is a string"),
        (
            "bitwiseAnd:with:(score, 1) == 1",
            "incompatible-types «score» 'bitwiseAnd:with:' takes integers, but 'score' is a number"
        ),
        ("median:(tags.name) == 1", "unsupported «median:(tags.name)» a store cannot compute 'median:'"),
        (
            "sum:(likes) == 1",
            "to-many «likes» 'sum:' needs a to-many relationship or a list; write sum:(items.price) or sum:({a, b}); for all objects, "
                + "fetch the value first, and give it as an argument"
        ),
        (
            "indexed:by:(latitude, 'byLocatio') == 1",
            "unknown-index «'byLocatio'» Post has no index 'byLocatio'; did you mean 'byLocation'?"
        ),
        (
            "FUNCTION(title, 'foo') == 'x'",
            "unsupported «FUNCTION(title, 'foo')» a store cannot call the method 'foo'; the only method is 'dateByAddingTimeInterval:'; other functions are called as name:(argument)"
        ),
        ("CAST(title, 'NSFoo') == 'x'", "incompatible-types «CAST(title, 'NSFoo')» 'CAST' has no type 'NSFoo'"),
        (
            "CAST(author, 'Tag') == nil",
            "incompatible-types «CAST(author, 'Tag')» an object of Author is never one of Tag"
        ),
        (
            "tags[FIRST].name == 'x'",
            "invalid-operator «tags[FIRST]» a relationship without an order has no first or last element; make the relationship ordered, or use ANY"
        ),
        ("title[0] == 'x'", "to-many «title» brackets follow a collection, but 'title' is a string"),
        (
            "SUBQUERY(title, $x, $x == 1).@count > 1",
            "to-many «title» 'SUBQUERY' needs a path with exactly one to-many relationship; write SUBQUERY(children, $x, $x.name == …)"
        ),
        (
            "tags UNION tags == 1",
            "unsupported «tags UNION tags» a store cannot compute UNION; write two comparisons joined by AND or OR"
        ),
        ("%K == 1", "syntax «%K» the key path of '%K' is not known yet"),
    ])
    func mistakes(text: String, error: String) throws {
        let found = try errors(text)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(error) == true, "\(found)")
    }

    @Test func everyMistakeIsReportedInOrder() throws {
        let found = try errors("nam == 1 AND (title == 5 OR NOT tags == nil) AND author.nam == 'x'")
        #expect(
            found.map { $0.prefix { $0 != " " } } == [
                "unknown-property", "incompatible-types", "to-many", "unknown-property",
            ])
    }

    @Test func aPredicateWithThousandsOfMistakesReportsTheFirst() throws {
        let text = Array(repeating: "nothing == 1", count: 5000).joined(separator: " AND ")
        #expect(try errors(text).count == PredicateFormatLimits.errorCount)
    }

    @Test func treesThatNoParserMadeAreChecked() {
        for function in BuiltInFunction.allCases where !function.argumentCounts.contains(0) {
            let expression = ParsedExpression(.function(function, arguments: []))
            let resolution = PredicateResolver(schema: Blog(), entity: "Post").resolve(expression)
            #expect(resolution.errors.map(\.code) == [.argumentCount])
        }
    }
}
