import PredicateFormat
import Testing

@Suite("Constructs of the language")
struct SyntaxTests {
    @Test(arguments: [
        ("a = 1", "a == 1"), ("a==1", "a == 1"), ("a != 1", "a != 1"), ("a <> 1", "a != 1"), ("a < 1", "a < 1"),
        ("a <= 1", "a <= 1"), ("a =< 1", "a <= 1"), ("a > 1", "a > 1"), ("a >= 1", "a >= 1"), ("a => 1", "a >= 1"),
        ("a beginswith 'x'", "a BEGINSWITH \"x\""), ("a ENDSWITH 'x'", "a ENDSWITH \"x\""),
        ("a Contains 'x'", "a CONTAINS \"x\""), ("a LIKE '*?x'", "a LIKE \"*?x\""),
        ("a MATCHES '\\\\d+'", "a MATCHES \"\\\\d+\""), ("a IN {1, 2}", "a IN {1, 2}"), ("a IN {}", "a IN {}"),
        ("a BETWEEN { 1 , $x }", "a BETWEEN {1, $x}"), ("'x' IN a", "\"x\" IN a"),
    ])
    func operators(text: String, canonical: String) {
        #expect(parse(text) == canonical)
    }

    @Test(arguments: [
        ("[c]", "[c]"), ("[d]", "[d]"), ("[n]", "[n]"), ("[w]", "[w]"), ("[l]", "[l]"), ("[cd]", "[cd]"),
        ("[DC]", "[cd]"), ("[ cdl ]", "[cdl]"),
    ])
    func options(text: String, canonical: String) {
        #expect(parse("a ==\(text) 'x'") == "a ==\(canonical) \"x\"")
        #expect(parse("a contains \(text)'x'") == "a CONTAINS\(canonical) \"x\"")
    }

    @Test func optionsHaveTheBitsOfCoreData() {
        #expect(ComparisonOptions.caseInsensitive.rawValue == 1)
        #expect(ComparisonOptions.diacriticInsensitive.rawValue == 2)
        #expect(ComparisonOptions.normalized.rawValue == 4)
        #expect(ComparisonOptions.localeSensitive.rawValue == 8)
    }

    @Test(arguments: [
        ("ANY a.b == 1", "ANY a.b == 1"), ("some a.b == 1", "ANY a.b == 1"), ("ALL a.b > 1", "ALL a.b > 1"),
        ("NONE a.b == 1", "NOT ANY a.b == 1"), ("NOT ALL a.b == 1", "NOT ALL a.b == 1"),
        ("x == 1 AND ANY a.b IN {1}", "x == 1 AND ANY a.b IN {1}"),
        ("ANY a.b + 1 == 1 OR x == 1", "ANY a.b + 1 == 1 OR x == 1"),
    ])
    func quantifiers(text: String, canonical: String) {
        #expect(parse(text) == canonical)
    }

    @Test(arguments: [
        ("TRUEPREDICATE", "TRUEPREDICATE"), ("falsepredicate", "FALSEPREDICATE"),
        ("NOT TRUEPREDICATE", "NOT TRUEPREDICATE"),
        ("((a == 1))", "a == 1"), ("(((a)) == ((1)))", "a == 1"), ("!a == 1", "NOT a == 1"),
        ("!(a == 1 && b == 2) || c == 3", "NOT (a == 1 AND b == 2) OR c == 3"),
        ("NOT NOT a == 1", "NOT NOT a == 1"),
    ])
    func predicates(text: String, canonical: String) {
        #expect(parse(text) == canonical)
    }

    @Test(arguments: [
        ("1", "1"), ("-1", "-1"), ("- 1", "-1"), ("0x1F", "31"), ("0o17", "15"), ("0b101", "5"), ("1.50", "1.50"),
        (".5", "0.5"), ("1e3", "1e3"), ("6.02E+23", "6.02E+23"), ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"), ("9223372036854775808", "9223372036854775808"),
        ("--5", "-(-5)"), ("-a", "-a"), ("-(a + 1)", "-(a + 1)"), ("- -a", "--a"), ("TRUE", "YES"), ("yes", "YES"),
        ("FALSE", "NO"),
        ("No", "NO"), ("nil", "nil"), ("NULL", "nil"), ("'a\"b'", "\"a\\\"b\""), ("\"it's\"", "\"it's\""),
        ("'it\\'s'", "\"it's\""), ("'\\n\\t\\r\\\\'", "\"\\n\\t\\r\\\\\""), ("'\\u00e9'", "\"é\""),
        ("'\\uD83D\\uDE00'", "\"😀\""), ("'\\u0001'", "\"\\u0001\""), ("''", "\"\""), ("'%@'", "\"%@\""),
    ])
    func literals(text: String, canonical: String) {
        #expect(parseExpression(text) == canonical)
    }

    @Test func numbersKeepTheirKind() throws {
        #expect(try ParsedExpression(parsing: "-9223372036854775808").kind == .constant(.integer(.min)))
        #expect(try ParsedExpression(parsing: "9223372036854775808").kind == .constant(.decimal("9223372036854775808")))
        #expect(try ParsedExpression(parsing: "1.50").kind == .constant(.decimal("1.50")))
    }

    @Test(arguments: [
        ("SELF", "SELF"), ("self.name", "SELF.name"), ("name", "name"), ("author.name", "author.name"),
        ("author . name", "author.name"), ("#size", "#size"), ("a.#first", "a.#first"), ("a.size", "a.#size"),
        ("$author", "$author"), ("$author.name", "$author.name"), ("$in.in", "$in.#in"), ("größe", "größe"),
        ("名前", "名前"),
        ("items.@count", "items.@count"), ("items.@sum.price", "items.@sum.price"),
        ("items.price.@avg", "items.price.@avg"),
        ("@count", "@count"), ("a.@distinctUnionOfObjects.b", "a.@distinctUnionOfObjects.b"), ("(a).b", "a.b"),
        ("(a + b).c", "(a + b).c"), ("a[FIRST]", "a[FIRST]"), ("a[last].b", "a[LAST].b"), ("a[SIZE]", "a[SIZE]"),
        ("a[0]", "a[0]"), ("a[b + 1][2]", "a[b + 1][2]"), ("(-5)[0]", "(-5)[0]"),
    ])
    func keyPaths(text: String, canonical: String) {
        #expect(parseExpression(text) == canonical)
    }

    @Test(arguments: [
        ("now()", "now()"), ("random()", "random()"), ("sum:(a)", "sum:(a)"), ("max:(a, 1, $b)", "max:(a, 1, $b)"),
        ("add:to:(1, 2)", "add:to:(1, 2)"), ("raise:toPower:(a, 2)", "raise:toPower:(a, 2)"),
        ("canonical:(name)", "canonical:(name)"), ("indexed:by:(latitude, 'x')", "indexed:by:(latitude, \"x\")"),
        ("FUNCTION(now(), 'dateByAddingTimeInterval:', -60)", "FUNCTION(now(), \"dateByAddingTimeInterval:\", -60)"),
        ("function(a, 'b')", "FUNCTION(a, \"b\")"), ("CAST(0, 'NSDate')", "CAST(0, \"NSDate\")"),
        ("castObject:toType:(0, 'NSDate')", "CAST(0, \"NSDate\")"), ("objectFrom:withIndex:(a, 1)", "a[1]"),
        ("valueForKeyPath:(a, 'b.size')", "a.b.#size"), ("valueForKeyPath:($a, 'b')", "$a.b"),
        ("TERNARY(a == 1 OR b == 2, 'x', c)", "TERNARY(a == 1 OR b == 2, \"x\", c)"),
        ("SUBQUERY(a.b, $x, $x.c == 1).@count", "SUBQUERY(a.b, $x, $x.c == 1).@count"),
        ("a UNION b", "a UNION b"), ("a INTERSECT {1}", "a INTERSECT {1}"),
        ("a MINUS b MINUS c", "(a MINUS b) MINUS c"),
        ("{}", "{}"), ("{{1, 2}, 'x', nil}", "{{1, 2}, \"x\", nil}"),
    ])
    func calls(text: String, canonical: String) {
        #expect(parseExpression(text) == canonical)
    }

    @Test func everyFunctionCanBeCalled() {
        for function in BuiltInFunction.allCases {
            let count = function.isAggregate ? 3 : function.argumentCounts.lowerBound
            let call = "\(function.rawValue)(\(["a", "b", "c"].prefix(count).joined(separator: ", ")))"
            #expect(parseExpression(call) == call)
        }
    }

    @Test func argumentsAreNumbered() throws {
        #expect(parse("%K == %@ AND a.%K.b > %d") == "%1$K == %2$@ AND a.%3$K.b > %4$lld")
        #expect(parse("a IN {%i, %lu, %lf, %hhd, %qi, %x}") == "a IN {%1$lld, %2$llu, %3$f, %4$lld, %5$lld, %6$llu}")
        #expect(parse("a == %2$@ AND b == %1$@") == "a == %2$@ AND b == %1$@")
        #expect(throws: PredicateFormatError.self) { try ParsedPredicate(parsing: "a == %@", allowsArguments: false) }
    }

    @Test func keyPathsTakeThePlacesOfTheirArguments() throws {
        let predicate = try ParsedPredicate(parsing: "%K == 1 AND SELF.%K.c < 2")
        #expect(
            try predicate.replacingKeyPathArguments([0: "size", 1: "a.@count"]).description
                == "#size == 1 AND SELF.a.@count.c < 2")
        #expect(throws: PredicateFormatError.self) { try predicate.replacingKeyPathArguments([0: "a"]) }
        #expect(throws: PredicateFormatError.self) { try predicate.replacingKeyPathArguments([0: "a b", 1: "x"]) }
        #expect(throws: PredicateFormatError.self) { try predicate.replacingKeyPathArguments([0: "a..b", 1: "x"]) }
    }

    @Test func everyNodeKnowsItsPlace() throws {
        let text = "é == 'ü' AND NOT (author.name  BEGINSWITH[c] $x)"
        let bytes = Array(text.utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let predicate = try ParsedPredicate(parsing: text)
        guard case .and(let both) = predicate.kind, case .comparison(let first) = both[0].kind,
            case .not(let inner) = both[1].kind, case .comparison(let second) = inner.kind,
            case .keyPath(nil, let components) = second.left.kind
        else {
            Issue.record("\(predicate)")
            return
        }
        #expect(part(predicate.range) == text)
        #expect(part(first.left.range) == "é")
        #expect(part(first.right.range) == "'ü'")
        #expect(part(both[1].range) == "NOT (author.name  BEGINSWITH[c] $x)")
        #expect(part(inner.range) == "(author.name  BEGINSWITH[c] $x)")
        #expect(part(second.operatorRange) == "BEGINSWITH[c]")
        #expect(components.map { part($0.range) } == ["author", "name"])
        #expect(part(second.right.range) == "$x")
    }
}

@Suite("Precedence")
struct PrecedenceTests {
    @Test(arguments: [
        ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
        ("a == 1 AND b == 2 OR c == 3", "(a == 1 AND b == 2) OR c == 3"),
        ("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
        ("NOT a == 1 AND b == 2", "NOT a == 1 AND b == 2"), ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
        ("a == 1 AND (b == 2 AND c == 3)", "a == 1 AND (b == 2 AND c == 3)"),
        ("a == 1 AND b == 2 AND c == 3", "a == 1 AND b == 2 AND c == 3"),
    ])
    func predicates(text: String, canonical: String) {
        #expect(parse(text) == canonical)
    }

    @Test(arguments: [
        ("a + b * c", "a + b * c"), ("(a + b) * c", "(a + b) * c"), ("a - b - c", "a - b - c"),
        ("a - (b - c)", "a - (b - c)"), ("a * b ** c", "a * b ** c"), ("a ** b ** c", "(a ** b) ** c"),
        ("-a ** b", "-a ** b"), ("-(a ** b)", "-(a ** b)"), ("a / b * c", "a / b * c"), ("a / (b * c)", "a / (b * c)"),
        ("a - -1", "a - -1"), ("a UNION b + c", "a UNION b + c"), ("-a.b", "-a.b"),
    ])
    func expressions(text: String, canonical: String) {
        #expect(parseExpression(text) == canonical)
    }

    @Test func treesHaveTheShape() throws {
        func plain(_ text: String) throws -> ParsedExpression { try ParsedExpression(parsing: text).withoutRanges }
        let (a, b, c) = (try plain("a"), try plain("b"), try plain("c"))
        func join(_ join: ArithmeticOperator, _ left: ParsedExpression, _ right: ParsedExpression) -> ParsedExpression {
            ParsedExpression(.arithmetic(join, left, right))
        }
        #expect(try plain("a - b - c") == join(.subtract, join(.subtract, a, b), c))
        #expect(try plain("a + b * c") == join(.add, a, join(.multiply, b, c)))
        #expect(try plain("-a ** b") == join(.power, ParsedExpression(.negation(a)), b))
    }
}
