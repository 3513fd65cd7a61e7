import Foundation
import RandomNumbers

@testable import Ashlar

/// Random format strings about samples, with random arguments.
struct RandomFormats {
    var random: SeededGenerator
    private(set) var arguments: [(any PredicateArgument)?] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// A predicate and the arguments for it.
    mutating func next(_ samples: [Sample]) -> (format: String, arguments: [(any PredicateArgument)?]) {
        arguments = []
        return (predicate("", depth: 3, samples), arguments)
    }

    private mutating func predicate(_ path: String, depth: Int, _ samples: [Sample]) -> String {
        if depth > 0 {
            let kind = Int.random(in: 0..<6, using: &random)
            if kind == 3, depth > 1 { return subquery(path, depth: depth - 1, samples) }
            let left = predicate(path, depth: depth - 1, samples)
            switch kind {
            case 0: return "(\(left) \(pick(["AND", "&&"])) \(predicate(path, depth: depth - 1, samples)))"
            case 1: return "(\(left) \(pick(["OR", "||"])) \(predicate(path, depth: depth - 1, samples)))"
            case 2: return "NOT (\(left))"
            default: return left
            }
        }
        return comparison(path, samples)
    }

    private mutating func subquery(_ path: String, depth: Int, _ samples: [Sample]) -> String {
        let name = "v\(depth)"
        let children = path + pick(["children", "parent.children"])
        return "SUBQUERY(\(children), $\(name), \(predicate("$\(name).", depth: depth - 1, samples))).@count "
            + "\(order()) \(Int.random(in: 0...2, using: &random))"
    }

    private mutating func order() -> String { pick(["==", "!=", "<", "<=", ">", ">=", "=", "<>", "=>", "=<"]) }

    private mutating func argument(_ value: (any PredicateArgument)?) -> String {
        arguments.append(value)
        return "%@"
    }

    private mutating func comparison(_ start: String, _ samples: [Sample]) -> String {
        let path = start + pick(["", "", "parent.", "parent.parent."])
        switch Int.random(in: 0..<18, using: &random) {
        case 16: return "\(path)weight \(order()) \(random.oneIn(2) ? argument(1.5) : argument(Decimal(2)))"
        case 17:
            return "\(path)price \(order()) \(random.oneIn(2) ? argument(Decimal(string: "1.50")) : argument(-0.1))"
        case 0: return "\(path)count \(order()) \(number())"
        case 1: return "\(path)weight \(order()) \(pick(["0.5", "-1", "1e300"]))"
        case 2: return "\(path)price \(order()) \(pick(["1.5", "10", "-0.1"]))"
        case 3: return "\(path)title \(text()) \(string())"
        case 4: return "\(path)name \(text()) \(string())"
        case 5: return "\(path)title \(pick(["==", "!="])) \(pick(["nil", "NULL"]))"
        case 6: return "\(path)count \(pick(["+", "-", "*", "/"])) \(number()) \(order()) \(path)small"
        case 7: return "\(path)name IN \(argument(["a", "é", ""]))"
        case 8: return "\(path)count BETWEEN {\(number()), \(number())}"
        case 9: return "\(path)day \(order()) \(argument(Date(timeIntervalSinceReferenceDate: pick([0, 1, 90]))))"
        case 10: return "\(pick(["ANY", "ALL", "NONE"])) \(path)children.name \(text()) \(string())"
        case 11:
            return "\(path)children.@\(pick(["sum", "avg", "min", "max"])).\(pick(["count", "price", "weight"])) > 1"
        case 12: return "\(path)parent \(pick(["==", "!="])) \(argument(pick(samples)))"
        case 13: return "TERNARY(\(path)flag == YES, \(path)title, \(path)name) \(text()) \(string())"
        case 14: return "length:(\(path)title) \(order()) \(path)name.length"
        default: return "\(pick(["uppercase", "lowercase", "canonical"])):(\(path)name) == \(string())"
        }
    }

    private mutating func number() -> String {
        random.oneIn(6) ? argument(3) : pick(["0", "1", "2", "-3", "9223372036854775807"])
    }

    private mutating func text() -> String {
        pick(["==", "!=", "<", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "=="])
            + pick(["", "", "[c]", "[cd]", "[d]", "[n]"])
    }

    private mutating func string() -> String { argument(pick(RandomConditions.texts)) }
}
