import PredicateFormat
import Testing

@Suite("Variables and arguments")
struct VariableTests {
    @Test(arguments: [
        ("title == $x", ResolvedType.value(.string)), ("$x == title", .value(.string)),
        ("rank > $x", .value(.integer16)),
        ("rank > $x AND likes < $x", .value(.integer32)), ("likes < $x AND score > $x", .value(.double)),
        ("price > $x", .value(.decimal)), ("date BETWEEN {$x, now()}", .value(.date)),
        ("author == $x", .object(entity: "Author")), ("author.favorite == $x AND SELF == $x", .object(entity: "Video")),
        ("title IN $x", .collection(of: .value(.string))), ("ANY tags.name IN $x", .collection(of: .value(.string))),
        ("author IN $x", .collection(of: .object(entity: "Author"))),
        ("likes BETWEEN $x", .bounds(of: .value(.integer32))),
        ("title CONTAINS[cd] $x", .value(.string)), ("tags CONTAINS $x", .object(entity: "Tag")),
        ("$x IN tags", .object(entity: "Tag")), ("ANY tags == $x", .object(entity: "Tag")),
        ("ANY tags.name == $x", .value(.string)), ("tags.@count > $x", .value(.integer64)),
        ("related.@avg.likes > $x", .value(.double)), ("likes + $x > 3", .value(.integer32)),
        ("$x * 2 > score", .value(.double)), ("-$x < score", .value(.double)),
        ("{$x, 1} CONTAINS likes", .value(.integer32)),
        ("isRead == $x", .value(.boolean)), ("identifier == $x", .value(.uuid)), ("image == $x", .value(.binary)),
        ("uppercase:($x) == title", .value(.string)), ("TERNARY(isRead == YES, $x, 'a') == title", .value(.string)),
        ("SUBQUERY(tags, $t, $t.name == $x).@count > 0", .value(.string)),
        ("ANY $x == title", .collection(of: .value(.string))),
        ("date > now() - $x", .value(.double)), ("$x == nil OR title == $x", .value(.string)),
        ("$x IN title", .value(.string)),
        ("$y == $x AND title == $y", .value(.string)),
        ("date > FUNCTION($x, 'dateByAddingTimeInterval:', 5)", .value(.date)),
        ("$x.name == 'a' AND author == $x", .object(entity: "Author")),
    ])
    func typesAreInferred(text: String, type: ResolvedType) throws {
        let resolution = try resolve(text)
        #expect(resolution.errors.map(\.description) == [])
        #expect(resolution.variables["x"] == type)
        #expect(resolution.variableNames.contains("x"))
        #expect(!resolution.variableNames.contains("t"))
    }

    @Test(arguments: [
        (
            "title == $x AND likes == $x",
            "conflicting-variable «$x» '$x' stands for an integer here, but for a string before; use two variables"
        ),
        (
            "isRead == $x OR likes == $x",
            "conflicting-variable «$x» '$x' stands for an integer here, but for a Boolean before; use two variables"
        ),
        (
            "author == $x AND ANY tags == $x",
            "conflicting-variable «$x» '$x' stands for an object of Tag here, but for an object of Author before; use two variables"
        ),
        (
            "title == $x AND title IN $x",
            "conflicting-variable «$x» '$x' stands for many values, each a string here, but for a string before; use two variables"
        ),
        ("$x == nil", "unknown-variable «$x» the type of '$x' is unknown; compare it with a property once"),
        (
            "$x == 1 AND $y == $z",
            "unknown-variable «$y» the type of '$y' is unknown; compare it with a property once"
        ),
        (
            "$x.name == title",
            "unknown-variable «$x» the type of '$x' is not known, so its properties are not; compare the object itself with a relationship"
        ),
    ])
    func mistakes(text: String, error: String) throws {
        #expect(try errors(text).first == error)
    }

    @Test func namesComeInTheOrderOfTheText() throws {
        #expect(try resolve("likes > $b AND title == $a AND rank < $b").variableNames == ["b", "a"])
    }

    @Test func variablesCanBeDeclared() throws {
        let text = "$FETCH_SOURCE.name == title AND author == $FETCH_SOURCE"
        let resolution = try resolve(text, variables: ["FETCH_SOURCE": .object(entity: "Author")])
        #expect(resolution.errors.isEmpty)
        #expect(resolution.variables == ["FETCH_SOURCE": .object(entity: "Author")])
        let wrong = try resolve("likes == $FETCH_SOURCE", variables: ["FETCH_SOURCE": .object(entity: "Author")])
        #expect(wrong.errors.map(\.code) == [.incompatibleTypes])
    }

    @Test func subqueryVariablesHideOthers() throws {
        let resolution = try resolve("SUBQUERY(tags, $x, $x.name == 'a').@count > 0 AND likes == $x")
        #expect(resolution.errors.isEmpty)
        #expect(resolution.variables == ["x": .value(.integer32)])
    }

    @Test func argumentsHaveTypes() throws {
        let resolution = try resolve("title == %@ AND likes > %d AND author IN %@ AND %@ == %@ AND price < %f")
        #expect(resolution.errors.isEmpty)
        #expect(resolution.arguments[0] == .value(.string))
        #expect(resolution.arguments[1] == .value(.integer64))
        #expect(resolution.arguments[2] == .collection(of: .object(entity: "Author")))
        #expect(resolution.arguments[3] == .unknown)
        #expect(resolution.arguments[5] == .value(.double))
        #expect(try resolve("title == %d").errors.map(\.code) == [.incompatibleTypes])
    }
}

@Suite("Derived attributes")
struct DerivationTests {
    private func derive(_ text: String) throws -> Resolution<ResolvedExpression> {
        PredicateResolver(schema: Blog(), entity: "Post").resolveDerivation(try ParsedExpression(parsing: text))
    }

    @Test(arguments: [
        ("title", ResolvedType.value(.string)), ("author.name", .value(.string)),
        ("author.favorite.score", .value(.double)),
        ("canonical:(title)", .value(.string)), ("uppercase:(author.name)", .value(.string)),
        ("lowercase:(title)", .value(.string)), ("tags.@count", .value(.integer64)),
        ("related.likes.@sum", .value(.integer64)), ("related.score.@sum", .value(.double)), ("now()", .value(.date)),
        ("author.posts.@count", .value(.integer64)), ("place.city", .value(.string)),
    ])
    func maintainableOnes(text: String, type: ResolvedType) throws {
        let resolution = try derive(text)
        #expect(resolution.errors.map(\.description) == [])
        #expect(resolution.root?.type == type)
    }

    @Test(arguments: [
        (
            "related.@sum.likes",
            "invalid-derivation «@sum» '@sum' must be the last part of a derivation expression; write it after 'likes'"
        ),
        ("tags.name", "invalid-derivation «tags.name» an attribute cannot be derived by this expression"),
        ("author", "invalid-derivation «author» an attribute cannot be derived by this expression"),
        ("likes + 1", "invalid-derivation «likes + 1» an attribute cannot be derived by this expression"),
        ("'x'", "invalid-derivation «'x'» an attribute cannot be derived by this expression"),
        (
            "related.score.@avg",
            "invalid-derivation «related.score.@avg» an attribute cannot be derived by this expression"
        ),
        ("abs:(likes)", "invalid-derivation «abs:(likes)» an attribute cannot be derived by this expression"),
        ("canonical:(lowercase:(title))", "invalid-derivation «canonical:(lowercase:(title))» an attribute"),
        ("author.nam", "unknown-property «nam» Author has no property 'nam'; did you mean 'name'?"),
        ("canonical:(likes)", "incompatible-types «likes» 'canonical:' takes a string, but 'likes' is an integer"),
    ])
    func others(text: String, error: String) throws {
        let found = try derive(text).errors.map { summary($0, in: text) }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(error) == true, "\(found)")
    }
}
