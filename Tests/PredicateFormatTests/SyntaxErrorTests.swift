import PredicateFormat
import Testing

@Suite("Errors of syntax")
struct SyntaxErrorTests {
    @Test(arguments: [
        ("", "syntax «» an expression is expected, but the end of the text follows"),
        ("a ==", "syntax «» an expression is expected, but the end of the text follows"),
        ("a", "syntax «a» an operator is expected after this expression; compare it, as in '… == YES'"),
        ("YES", "syntax «YES» an operator is expected after this expression; write TRUEPREDICATE"),
        ("a AND b == 1", "syntax «AND» an operator is expected, but 'AND' follows; compare it, as in '… == YES'"),
        ("(a", "syntax «(» '(' has no ')'"), ("(a == 1", "syntax «(» '(' has no ')'"),
        ("a == 1)", "syntax «)» ')' has no '(' before it"),
        ("a == 'x", "syntax «'» the string that begins here has no end; a ' is missing"),
        ("a == \"x'", "syntax «\"» the string that begins here has no end; a \" is missing"),
        ("a == 'x\\", "syntax «'» the string that begins here has no end; write \\\\ for a backslash"),
        ("a == '\\d'", "syntax «\\d» '\\d' is not an escape sequence; write \\\\ for a backslash, as in '\\\\d'"),
        (
            "a == '\\uD800'",
            "syntax «\\uD800» the escape sequence is half a pair of surrogates; write the character itself"
        ),
        ("a == '\\u12'", "syntax «\\u» '\\u' must be followed by four hexadecimal digits"),
        ("a === 1", "syntax «===» '===' is not an operator; the operators of comparison are ==, !=, <, <=, > and >="),
        ("a STARTSWITH 'x'", "syntax «STARTSWITH» 'STARTSWITH' is not an operator; write BEGINSWITH"),
        ("a BEGINWITH 'x'", "syntax «BEGINWITH» 'BEGINWITH' is not an operator; did you mean 'BEGINSWITH'?"),
        ("a IS nil", "syntax «IS» 'IS' is not an operator; write =="),
        (
            "a NOT IN {1}",
            "syntax «NOT» an operator is expected, but 'NOT' follows; NOT stands before the whole comparison, as in NOT (a IN b)"
        ),
        ("a == 1 == 2", "syntax «==» '==' cannot follow a predicate; comparisons are joined by AND"),
        ("a == 1 b == 2", "syntax «b» 'b' cannot follow a predicate; comparisons are joined by AND"),
        (
            "a == 1 'x'",
            "syntax «'x'» the text should end here, but a string follows; predicates are joined by AND or OR"
        ),
        ("a == 1 & b == 2", "syntax «&» '&' has no meaning here; write && or AND"),
        ("a | b", "syntax «|» '|' has no meaning here; write || or OR"),
        (
            "a ==[x] 'b'",
            "syntax «x» options are expected in brackets after an operator; they are c, d, n, l and w, as in [cd]"
        ),
        (
            "a ==[] 'b'",
            "syntax «]» options are expected in brackets after an operator; they are c, d, n, l and w, as in [cd]"
        ),
        ("a ==[c 'b'", "syntax «'b'» ']' is expected after the options of an operator, but a string follows"),
        ("a == “x”", "syntax «“» '“' has no meaning here; strings stand in straight quotes, ' or \""),
        ("a == {1, 2", "syntax «{» '{' has no '}'"),
        ("a == {1,", "syntax «» an expression is expected, but the end of the text follows"),
        ("a == {1 2}", "syntax «2» ',' or '}' is expected, but a number follows"),
        ("a IN (1, 2)", "syntax «,» ')' is expected, but ',' follows; a list stands in braces, as in {1, 2}"),
        (
            "size == 1",
            "syntax «size» an expression is expected, but 'size' follows; 'size' is a keyword; write #size for a property of this name"
        ),
        (
            "a == NOT b",
            "syntax «NOT» an expression is expected, but 'NOT' follows; NOT stands before the whole comparison"
        ),
        (
            "a == ANY b",
            "syntax «ANY» an expression is expected, but 'ANY' follows; ANY stands before the left side of a comparison"
        ),
        ("ANY a", "syntax «» an operator is expected after 'ANY' and an expression, but the end of the text follows"),
        (
            "(a == 1) + 2 == 3",
            "syntax «(a == 1)» an expression is expected, but this is a predicate; TERNARY(predicate, a, b) makes a value of a predicate"
        ),
        ("a. == 1", "syntax «==» the name of a property is expected after '.', but '==' follows"),
        ("a.5 == 1", "syntax «.5» an operator is expected, but a number follows; compare it, as in '… == YES'"),
        ("5a == 1", "syntax «5a» a number must not be followed by 'a'"),
        ("0xZ == 1", "syntax «0xZ» a hexadecimal number must not be followed by 'Z'"),
        ("0b12 == 1", "syntax «0b12» '0b12' is not binary"),
        ("0xFFFFFFFFFFFFFFFFF == 1", "syntax «0xFFFFFFFFFFFFFFFFF» the number is too large"),
        ("1e999 == a", "syntax «1e999» the number is too large"),
        (
            "a == %z",
            "syntax «%z» '%z' is not a placeholder for an argument; write %@ for a value, or %K for a key path"
        ),
        ("a == %5d", "syntax «%5» a placeholder has no width or precision; write %1$@ for the first argument"),
        ("$ == 1", "syntax «$» '$' must be followed by the name of a variable"),
        ("a == \u{0}", "syntax «\u{0}» the control character 0 has no meaning here"),
    ])
    func syntax(text: String, error: String) {
        #expect(parse(text) == error)
    }

    @Test(arguments: [
        (
            "a UTI-CONFORMS-TO 'x'",
            "unsupported «UTI» operators on uniform type identifiers are Apple's own; compare the identifiers as strings"
        ),
        (
            "a uti-equals 'x'",
            "unsupported «uti» operators on uniform type identifiers are Apple's own; compare the identifiers as strings"
        ),
        (
            "a @isSame: b",
            "unsupported «@isSame» '@isSame' names a method to compare with, which no store can do; a collection operator follows a '.'"
        ),
        (
            "FETCH(a, b, YES) == 1",
            "unsupported «FETCH» a fetch within a predicate is not supported; write SUBQUERY over a relationship"
        ),
        ("ANYKEY == 1", "unsupported «ANYKEY» 'ANYKEY' is not supported"),
        ("$x := 1", "unsupported «:=» a predicate cannot assign to a variable; write == to compare"),
        (
            "canonical(name) == 1",
            "unknown-function «canonical» there is no function 'canonical'; a function is called as canonical:(a)"
        ),
        (
            "canonicl:(name) == 1",
            "unknown-function «canonicl:» there is no function 'canonicl:'; did you mean 'canonical:'?"
        ),
        ("foo:bar:(1, 2) == 1", "unknown-function «foo:bar:» there is no function 'foo:bar:'"),
        ("a.@coun == 1", "unknown-function «@coun» '@coun' is not a collection operator; did you mean 'count'?"),
        ("a.@average == 1", "unknown-function «@average» '@average' is not a collection operator; did you mean 'avg'?"),
        ("sqrt:(a, b) == 1", "argument-count «sqrt:(a, b)» 'sqrt:' takes 1 argument, but has 2"),
        ("add:to:(a) == 1", "argument-count «add:to:(a)» 'add:to:' takes 2 arguments, but has 1"),
        ("sum:() == 1", "argument-count «sum:()» 'sum:' takes 1 or more arguments, but has 0"),
        ("now(1) == a", "argument-count «now(1)» 'now' takes 0 arguments, but has 1"),
        (
            "TERNARY(a == 1, 2) == 1",
            "argument-count «)» 'TERNARY' has too few arguments; write TERNARY(predicate, a, b)"
        ),
        (
            "CAST(1, 'NSDate', 2) == a",
            "argument-count «,» 'CAST' has too many arguments; write CAST(expression, \"NSDate\")"
        ),
        (
            "SUBQUERY(a, x, b == 1) == 1",
            "syntax «x» a $variable is expected, but 'x' follows; write SUBQUERY(collection, $x, $x.name == …)"
        ),
        ("FUNCTION(a, 'b:') == 1", "argument-count «'b:'» 'b:' has 1 colon, but 0 arguments follow"),
        (
            "subquery == 1",
            "syntax «==» '(' is expected after 'SUBQUERY', but '==' follows; write SUBQUERY(collection, $x, $x.name == …); a property of this name is written #subquery"
        ),
        ("sum:(a == 1) == 1", "syntax «==» ',' or ')' is expected, but '==' follows"),
        ("sum: a", "syntax «» ':' or '(' is expected after 'sum:a'"),
    ])
    func calls(text: String, error: String) {
        #expect(parse(text).hasPrefix(error), "\(parse(text))")
    }

    @Test func anExpressionIsNoPredicate() {
        #expect(
            parseExpression("a == 1")
                == "syntax «==» an expression is expected, but this is a comparison; remove '=='")
    }
}
