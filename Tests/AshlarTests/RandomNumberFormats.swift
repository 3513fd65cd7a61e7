import Foundation
import RandomNumbers

@_spi(Generated) @testable import Ashlar

/// Random format strings about numbers of every type, with literals, arguments and columns in every position, and
/// their results in plain Swift.
struct RandomNumberFormats {
    var random: SeededGenerator
    private var arguments: [(any PredicateArgument)?] = []

    /// A predicate, its arguments, and its meaning in Swift where it is simple enough to have one.
    struct Predicate {
        var format: String
        var arguments: [(any PredicateArgument)?] = []
        var holds: ((Measure) -> Bool)?
    }

    /// One side of a comparison: its text, and its value.
    struct Operand {
        var text: String
        var number: (Measure) -> Number?
    }

    /// A number as an operand of comparisons.
    enum Number {
        case integer(Int64)
        case double(Double)
        case float(Float)
        case decimal(Decimal)
        /// A literal, which gets the type of the other side.
        case literal(String)
    }

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }

    private static let literals = [
        "0", "1", "2", "3", "-1", "0.1", "-0.1", "0.07", "1.5", "1e2", "15e-1", "16777217", "12345678901234567890.12",
    ]

    // MARK: Rows

    mutating func change(_ measure: Measure) {
        measure.small = pick([0, 1, 2, 3, -1, 100])
        measure.medium = pick([0, 1, 2, 3, -1, 100])
        measure.large = pick([0, 1, 2, 3, 16_777_217, -1])
        measure.exact = decimal()
        measure.exactOrNil = random.oneIn(4) ? nil : decimal()
        measure.wide = pick([0, 1, 2, 3, 0.1, 0.07, 1.5, -0.1, 100])
        measure.wideOrNil = random.oneIn(4) ? nil : pick([0, 1, 2, 0.1, 1.5])
        measure.narrow = pick([0, 1, 2, 3, 0.1, 0.07, 1.5, -0.1, 16_777_216])
        measure.narrowOrNil = random.oneIn(4) ? nil : pick([0, 1, 2, 0.1, 1.5])
        measure.text = pick(["10", "10.0", "9", "b", "%", ""])
    }

    private mutating func decimal() -> Decimal {
        Decimal(
            string: pick(["0", "1", "2", "3", "-1", "0.1", "-0.1", "0.07", "1.5", "100", "12345678901234567890.12"]))
            ?? 0
    }

    // MARK: Simple predicates

    /// A predicate whose meaning is known.
    mutating func simple(depth: Int) -> Predicate {
        arguments = []
        return simplePredicate(depth)
    }

    private mutating func simplePredicate(_ depth: Int) -> Predicate {
        guard depth > 0, !random.oneIn(3) else { return simpleComparison() }
        let left = simplePredicate(depth - 1)
        guard let first = left.holds else { return left }
        if random.oneIn(4) { return Predicate(format: "NOT (\(left.format))") { !first($0) } }
        let right = simplePredicate(depth - 1)
        guard let second = right.holds else { return right }
        return random.oneIn(2)
            ? Predicate(format: "(\(left.format) AND \(right.format))") { first($0) && second($0) }
            : Predicate(format: "(\(left.format) OR \(right.format))") { first($0) || second($0) }
    }

    private mutating func simpleComparison() -> Predicate {
        let left = operand()
        let members = (0..<Int.random(in: 1...3, using: &random)).map { _ in operand() }
        let (first, second) = (operand(), operand())
        let list = "{" + members.map(\.text).joined(separator: ", ") + "}"
        func isAmong(_ measure: Measure) -> Bool {
            members.contains { Self.order(left.number(measure), $0.number(measure), isEquality: true) == 0 }
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return Predicate(format: "\(left.text) IN \(list)", holds: isAmong)
        case 1: return Predicate(format: "\(list) CONTAINS \(left.text)", holds: isAmong)
        case 2: return Predicate(format: "ANY \(list) == \(left.text)", holds: isAmong)
        case 3:
            return Predicate(format: "\(left.text) BETWEEN {\(first.text), \(second.text)}") { measure in
                let value = left.number(measure)
                guard let least = Self.order(value, first.number(measure)),
                    let greatest = Self.order(value, second.number(measure))
                else { return false }
                return least >= 0 && greatest <= 0
            }
        default:
            let (sign, isTrue): (String, (Int) -> Bool) = pick([
                ("==", { $0 == 0 }), ("!=", { $0 != 0 }), ("<", { $0 < 0 }), ("<=", { $0 <= 0 }), (">", { $0 > 0 }),
                (">=", { $0 >= 0 }),
            ])
            let isEquality = sign == "==" || sign == "!="
            return Predicate(format: "\(left.text) \(sign) \(first.text)") { measure in
                let order = Self.order(left.number(measure), first.number(measure), isEquality: isEquality)
                return order.map(isTrue) ?? false
            }
        }
    }

    private mutating func operand() -> Operand {
        if random.oneIn(2) {
            let text = pick(Self.literals)
            return Operand(text: text) { _ in .literal(text) }
        }
        return pick([
            Operand(text: "small") { .integer(Int64($0.small)) },
            Operand(text: "medium") { .integer(Int64($0.medium)) },
            Operand(text: "large") { .integer($0.large) },
            Operand(text: "exact") { .decimal($0.exact) },
            Operand(text: "exactOrNil") { $0.exactOrNil.map { .decimal($0) } },
            Operand(text: "wide") { .double($0.wide) },
            Operand(text: "wideOrNil") { $0.wideOrNil.map { .double($0) } },
            Operand(text: "narrow") { .float($0.narrow) },
            Operand(text: "narrowOrNil") { $0.narrowOrNil.map { .float($0) } },
        ])
    }

    // MARK: The meaning

    /// Returns -1, 0 or 1, or nil if a side is nil and the comparison is not for equality.
    static func order(_ left: Number?, _ right: Number?, isEquality: Bool = false) -> Int? {
        guard let left, let right else {
            if !isEquality { return nil }
            return left == nil && right == nil ? 0 : 1
        }
        switch (left, right) {
        case (.literal(let first), .literal(let second)): return compare(Double(first) ?? 0, Double(second) ?? 0)
        case (let number, .literal(let text)): return compare(number, number.typed(text))
        case (.literal(let text), let number): return compare(number.typed(text), number)
        default: return compare(left, right)
        }
    }

    private static func compare(_ left: Number, _ right: Number) -> Int {
        switch (left, right) {
        case (.integer(let first), .integer(let second)): compare(first, second)
        case (.decimal, _), (_, .decimal): compare(left.decimal, right.decimal)
        default: compare(left.double, right.double)
        }
    }

    private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }
}

extension RandomNumberFormats.Number {
    /// Converts a literal to this number's type.
    fileprivate func typed(_ text: String) -> Self {
        switch self {
        case .integer: Int64(text).map { .integer($0) } ?? .double(Double(text) ?? 0)
        case .double, .literal: .double(Double(text) ?? 0)
        case .float: .float(Float(text) ?? 0)
        case .decimal: .decimal(Decimal(string: text) ?? 0)
        }
    }

    fileprivate var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .float(let number): Double(number)
        case .decimal(let number): Double("\(number)") ?? 0
        case .literal(let text): Double(text) ?? 0
        }
    }

    fileprivate var decimal: Decimal {
        switch self {
        case .integer(let number): Decimal(number)
        case .double(let number): Decimal(string: "\(number)") ?? 0
        case .float(let number): Decimal(string: "\(Double(number))") ?? 0
        case .decimal(let number): number
        case .literal(let text): Decimal(string: text) ?? 0
        }
    }
}

// MARK: - Typed conditions

extension RandomNumberFormats {
    /// A typed condition on one column. It equals a format string with literals, one with arguments, and its result
    /// in Swift.
    mutating func typed() -> (condition: Condition, predicate: Predicate, given: Predicate) {
        let columns = Measure._ashlarColumns
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return typed("large", columns.large, { $0.large }, { Int64($0) })
        case 1: return typed("exact", columns.exact, { $0.exact }, { Decimal(string: $0) })
        case 2: return typed("exactOrNil", columns.exactOrNil, { $0.exactOrNil }, { Decimal(string: $0) })
        case 3: return typed("wide", columns.wide, { $0.wide }, { Double($0) })
        case 4: return typed("wideOrNil", columns.wideOrNil, { $0.wideOrNil }, { Double($0) })
        case 5: return typed("narrow", columns.narrow, { $0.narrow }, { Float($0) })
        default: return typed("narrowOrNil", columns.narrowOrNil, { $0.narrowOrNil }, { Float($0) })
        }
    }

    private mutating func literals<Value>(_ read: (String) -> Value?) -> [(text: String, value: Value)] {
        let all = Self.literals.compactMap { text in read(text).map { (text, $0) } }
        return (0..<3).map { _ in pick(all) }
    }

    private mutating func typed<Value: Comparable & PredicateArgument>(
        _ name: String, _ column: Column<Value>, _ property: @escaping (Measure) -> Value, _ read: (String) -> Value?
    ) -> (condition: Condition, predicate: Predicate, given: Predicate) {
        let literals = literals(read)
        let (text, value) = literals[0]
        let values = literals.map(\.value)
        let list = literals.map(\.text).joined(separator: ", ")
        func made(
            _ condition: Condition, _ literal: String, _ given: String, _ argument: any PredicateArgument,
            _ holds: @escaping (Value) -> Bool
        ) -> (condition: Condition, predicate: Predicate, given: Predicate) {
            (
                condition, Predicate(format: "\(name) \(literal)") { holds(property($0)) },
                Predicate(format: "\(name) \(given) %@", arguments: [argument])
            )
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return made(column == value, "== \(text)", "==", value) { $0 == value }
        case 1: return made(column < value, "< \(text)", "<", value) { $0 < value }
        case 2: return made(column.isIn(values), "IN {\(list)}", "IN", values) { values.contains($0) }
        default:
            let (least, greatest) = (values.min() ?? value, values.max() ?? value)
            let bounds = [least, greatest].compactMap { bound in literals.first { $0.value == bound }?.text }
            return made(
                column.isIn(least...greatest), "BETWEEN {\(bounds.joined(separator: ", "))}", "BETWEEN",
                least...greatest
            ) { $0 >= least && $0 <= greatest }
        }
    }

    private mutating func typed<Value: Comparable & PredicateArgument>(
        _ name: String, _ column: Column<Value?>, _ property: @escaping (Measure) -> Value?,
        _ read: (String) -> Value?
    ) -> (condition: Condition, predicate: Predicate, given: Predicate) {
        let literals = literals(read)
        let (text, value) = literals[0]
        let values = literals.map { Optional($0.value) } + [nil]
        let list = literals.map(\.text).joined(separator: ", ") + ", nil"
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            return (
                column != value, Predicate(format: "\(name) != \(text)") { property($0) != value },
                Predicate(format: "\(name) != %@", arguments: [value])
            )
        case 1:
            return (
                column >= value, Predicate(format: "\(name) >= \(text)") { property($0).map { $0 >= value } ?? false },
                Predicate(format: "\(name) >= %@", arguments: [value])
            )
        default:
            return (
                column.isIn(values), Predicate(format: "\(name) IN {\(list)}") { values.contains(property($0)) },
                Predicate(format: "\(name) IN %@", arguments: [values])
            )
        }
    }
}

// MARK: - Nested predicates

extension RandomNumberFormats {
    /// A predicate with computed numbers, conditionals, relationships and arguments. Only SQL and the evaluation in
    /// memory can be compared.
    mutating func nested(depth: Int) -> Predicate {
        arguments = []
        let format = nestedPredicate(depth)
        return Predicate(format: format, arguments: arguments)
    }

    private mutating func nestedPredicate(_ depth: Int) -> String {
        if depth > 0, !random.oneIn(3) {
            let left = nestedPredicate(depth - 1)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return "NOT (\(left))"
            case 1: return "(\(left) AND \(nestedPredicate(depth - 1)))"
            default: return "(\(left) OR \(nestedPredicate(depth - 1)))"
            }
        }
        let order = pick(["==", "!=", "<", "<=", ">", ">="])
        switch Int.random(in: 0..<11, using: &random) {
        case 0: return "\(number(depth)) IN {\(number(depth)), \(number(depth))}"
        case 1: return "{\(number(depth)), \(number(depth))} CONTAINS \(number(depth))"
        case 2: return "\(number(depth)) BETWEEN {\(number(depth)), \(number(depth))}"
        case 3: return "\(pick(["ANY", "ALL", "NONE"])) series.measures.\(column()) \(order) \(number(depth))"
        case 4: return "\(pick(["ANY", "ALL", "NONE"])) series.measures.\(column()) IN {\(number(depth)), \(column())}"
        case 5: return "\(number(depth)) IN series.measures.\(column())"
        case 6: return "TERNARY(\(nestedPredicate(0)), 'a', text) \(order) \(pick(["'10'", "'9'", "text"]))"
        case 7: return "\(pick(["ANY", "ALL", "NONE"])) {\(number(depth)), \(number(depth))} \(order) \(number(depth))"
        case 8: return "\(column()) IN \(given([Decimal(string: "0.1"), 1, 2].compactMap(\.self)))"
        case 9:
            return "uppercase:(TERNARY(\(nestedPredicate(0)), 'a', text)) IN {'10', TERNARY(exact > small, 'A', '9')}"
        default: return "\(number(depth)) \(order) \(number(depth))"
        }
    }

    private mutating func column() -> String {
        pick(["small", "medium", "large", "exact", "exactOrNil", "wide", "wideOrNil", "narrow", "narrowOrNil"])
    }

    private mutating func given(_ value: (any PredicateArgument)?) -> String {
        arguments.append(value)
        return "%@"
    }

    private mutating func number(_ depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 14 : 6), using: &random) {
        case 0, 1, 2: return column()
        case 3, 4: return pick(Self.literals)
        case 5:
            return given(
                pick([1, 2, 0.1, Float(0.1), Decimal(string: "0.07"), Decimal(2)] as [(any PredicateArgument)?]))
        case 6: return "(\(column()) \(pick(["+", "-", "*", "/"])) \(number(depth - 1)))"
        case 7: return "TERNARY(\(nestedPredicate(0)), \(column()), \(number(depth - 1)))"
        case 8: return "\(pick(["max", "min", "sum", "average"])):({\(column()), \(number(depth - 1))})"
        case 9: return "series.measures.@\(pick(["max", "min", "sum", "avg"])).\(column())"
        case 10: return "\(pick(["abs", "floor", "ceiling", "trunc"])):(\(column()))"
        case 11: return "CAST(\(column()), '\(pick(["NSDecimalNumber", "NSNumber"]))')"
        case 12: return "-(\(column()))"
        default: return "add:to:(\(column()), \(number(depth - 1)))"
        }
    }
}
