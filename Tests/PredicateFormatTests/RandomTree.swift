import PredicateFormat
import RandomNumbers

/// Makes trees of every construct, as the parser could have made them.
struct RandomTree {
    var generator: SeededGenerator

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private mutating func list(_ count: ClosedRange<Int>, _ depth: Int) -> [ParsedExpression] {
        var result: [ParsedExpression] = []
        for _ in 0..<Int.random(in: count, using: &generator) { result.append(expression(depth)) }
        return result
    }

    mutating func predicate(_ depth: Int) -> ParsedPredicate {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 3), using: &generator) {
        case 0: return ParsedPredicate(.value(Bool.random(using: &generator)))
        case 3: return ParsedPredicate(.not(predicate(depth - 1)))
        case 4: return ParsedPredicate(.and(predicates(depth)))
        case 5: return ParsedPredicate(.or(predicates(depth)))
        default:
            let comparison = ParsedPredicate.Comparison(
                modifier: pick([.direct, .direct, .any, .all]), left: expression(depth - 1),
                operator: pick(ComparisonOperator.allCases),
                options: ComparisonOptions(rawValue: Bool.random(using: &generator) ? 0 : pick(Array(0..<32))),
                right: expression(depth - 1))
            return ParsedPredicate(.comparison(comparison))
        }
    }

    private mutating func predicates(_ depth: Int) -> [ParsedPredicate] {
        var result = [predicate(depth - 1), predicate(depth - 1)]
        if Bool.random(using: &generator) { result.append(predicate(depth - 1)) }
        return result
    }

    mutating func expression(_ depth: Int) -> ParsedExpression {
        ParsedExpression(kind(depth))
    }

    private mutating func kind(_ depth: Int) -> ParsedExpression.Kind {
        switch Int.random(in: 0..<(depth > 0 ? 17 : 6), using: &generator) {
        case 0: return .constant(constant())
        case 1: return .evaluatedObject
        case 2: return .variable(pick(["x", "in", "größe"]))
        case 3:
            return .argument(
                FormatArgument(
                    index: Int.random(in: 0..<20, using: &generator), kind: pick(FormatArgument.Kind.allCases)))
        case 4, 5: return .keyPath(base: nil, components: components())
        case 6, 7: return .arithmetic(pick(ArithmeticOperator.allCases), expression(depth - 1), expression(depth - 1))
        case 8: return .negation(expression(depth - 1))
        case 9: return .aggregate(list(0...3, depth - 1))
        case 10: return .set(pick(SetOperator.allCases), expression(depth - 1), expression(depth - 1))
        case 11:
            let function = pick(BuiltInFunction.allCases)
            let count = function.isAggregate ? 1...3 : function.argumentCounts
            return .function(function, arguments: list(count, depth - 1))
        case 12:
            return .message(
                selector: pick(["a", "a:", "a:b:"]), target: expression(depth - 1), arguments: []
            ).completed(&self, depth)
        case 13: return .subquery(expression(depth - 1), variable: "x", predicate(depth - 1))
        case 14: return .conditional(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
        case 15: return .cast(expression(depth - 1), type: text())
        default:
            if Bool.random(using: &generator) {
                let index: CollectionIndex =
                    Bool.random(using: &generator) ? pick([.first, .last, .size]) : .at(expression(depth - 1))
                return .element(expression(depth - 1), index)
            }
            let base = expression(depth - 1)
            // The parser merges a path of a path into one path.
            if case .keyPath(let inner, let names) = base.kind {
                return .keyPath(base: inner, components: names + components())
            }
            return .keyPath(base: base, components: components())
        }
    }

    fileprivate mutating func arguments(_ count: Int, _ depth: Int) -> [ParsedExpression] {
        list(count...count, depth - 1)
    }

    private mutating func components() -> [KeyPathComponent] {
        var result: [KeyPathComponent] = []
        for _ in 0...Int.random(in: 0..<3, using: &generator) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: result.append(KeyPathComponent(.collectionOperator(pick(CollectionOperator.allCases))))
            case 1: result.append(KeyPathComponent(.argument(Int.random(in: 0..<9, using: &generator))))
            default:
                let name = pick(["a", "name", "size", "In", "NOT", "nil", "_1", "UTI", "größe", "名前", "e3", "x"])
                result.append(KeyPathComponent(.property(name)))
            }
        }
        return result
    }

    private mutating func constant() -> Constant {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: .integer(pick([0, 1, -1, .min, .max, Int64.random(in: .min ... .max, using: &generator)]))
        case 1: .decimal(pick(["1.50", "-0.5", "1e-7", "9223372036854775808", "-9223372036854775809", "6.02E+23"]))
        case 2: .string(text())
        case 3: .boolean(Bool.random(using: &generator))
        default: .null
        }
    }

    private mutating func text() -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<6, using: &generator) {
            scalars.append(
                pick(["a", "'", "\"", "\\", "\n", "\u{0}", "%", "é", "\u{301}", "😀", "\u{7F}", "u", "\r", "\t"]))
        }
        return String(scalars)
    }
}

extension ParsedExpression.Kind {
    /// A method's call with as many arguments as its name has colons.
    fileprivate func completed(_ tree: inout RandomTree, _ depth: Int) -> ParsedExpression.Kind {
        guard case .message(let selector, let target, _) = self else { return self }
        let count = selector.utf8.count { $0 == UInt8(ascii: ":") }
        return .message(selector: selector, target: target, arguments: tree.arguments(count, depth))
    }
}
