import DataModel
import PredicateFormat

extension SwiftPredicateTarget {
    // MARK: Values

    func constant(_ constant: Constant, as type: ResolvedType) -> SwiftCode {
        if type == .value(.decimal), let text = constant.plainDecimal {
            return .text(".value(.text(\(SwiftName.literal(text))))")
        }
        switch constant {
        case .null: return .text(".value(.null)")
        case .boolean(let flag): return .text(".value(.integer(\(flag ? 1 : 0)))")
        case .integer(let number): return .text(".value(\(self.number(number, type)))")
        case .decimal(let text): return .text(".value(\(number(text, type)))")
        case .string(let text): return .text(".value(\(string(text, type)))")
        }
    }

    private func number(_ number: Int64, _ type: ResolvedType) -> String {
        let nearest = Double(Float(number))
        if type != .value(.float) || Int64(exactly: nearest) == number { return ".integer(\(number))" }
        return ".real(\(nearest))"
    }

    private func number(_ text: String, _ type: ResolvedType) -> String {
        switch type {
        // A float attribute holds the nearest number of its own.
        case .value(.float): return ".real(\(Self.number(Double(Float(text) ?? 0))))"
        default: return ".real(\(Self.number(Double(text) ?? 0)))"
        }
    }

    private func string(_ text: String, _ type: ResolvedType) -> String {
        switch type {
        case .value(.uuid): "SQLiteValue(UUID(uuidString: \(SwiftName.literal(text))))"
        case .value(.date): ".real(\(Self.number(Double(text) ?? 0)))"
        default: ".text(\(SwiftName.literal(text)))"
        }
    }

    /// A number that is greater than all numbers of its type has no literal.
    private static func number(_ number: Double) -> String {
        number.isInfinite ? (number < 0 ? "-.infinity" : ".infinity") : number.description
    }

    func value(of source: PredicateValueSource, as type: ResolvedType) -> SwiftCode {
        let name = name(of: source)
        switch type {
        case .object: return .text("._ashlarIdentifier(of: \(name))")
        case .value(.float): return .text(".value(SQLiteValue(Float(\(name))))")
        default: return .text("._ashlarValue(\(name))")
        }
    }

    func bounds(of source: PredicateValueSource, as type: ResolvedType) -> (SwiftCode, SwiftCode) {
        let name = name(of: source)
        return (.text("._ashlarValue(\(name).lowerBound)"), .text("._ashlarValue(\(name).upperBound)"))
    }

    var now: SwiftCode { .text(".now") }

    func arithmetic(_ arithmetic: ArithmeticOperator, _ left: SwiftCode, _ right: SwiftCode) -> SwiftCode {
        let name =
            switch arithmetic {
            case .add: ".add"
            case .subtract: ".subtract"
            case .multiply: ".multiply"
            case .divide: ".divide"
            case .power: ""
            }
        if name.isEmpty { return function(.power, [left, right]) }
        return .call(".arithmetic", [left, .text(name), right])
    }

    func function(_ function: LoweredFunction, _ arguments: [SwiftCode]) -> SwiftCode {
        if function == .canonical { return .call("._ashlarCanonical", arguments) }
        return .call(".function", [.text(".\(function.rawValue)"), .list(arguments)])
    }

    func folded(_ expression: SwiftCode, _ options: ComparisonOptions) -> SwiftCode {
        options.isEmpty ? expression : .call("._ashlarFolded", [expression, .text(list(options))])
    }

    func conditional(_ test: SwiftCode, _ first: SwiftCode, _ second: SwiftCode) -> SwiftCode {
        .call(".conditional", [test, first, second])
    }

    private func list(_ options: ComparisonOptions) -> String {
        var names: [String] = []
        if options.contains(.caseInsensitive) { names.append(".caseInsensitive") }
        if options.contains(.diacriticInsensitive) { names.append(".diacriticInsensitive") }
        if options.contains(.widthInsensitive) { names.append(".widthInsensitive") }
        return "[\(names.joined(separator: ", "))]"
    }

    // MARK: Conditions

    func comparison(_ left: SwiftCode, _ comparison: ComparisonOperator, _ right: SwiftCode) -> SwiftCode {
        let name =
            switch comparison {
            case .notEqualTo: ".notEqual"
            case .lessThan: ".less"
            case .lessThanOrEqualTo: ".lessOrEqual"
            case .greaterThan: ".greater"
            case .greaterThanOrEqualTo: ".greaterOrEqual"
            default: ".equal"
            }
        return .call(".comparison", [left, .text(name), right])
    }

    func text(
        _ left: SwiftCode, _ comparison: ComparisonOperator, _ right: SwiftCode, _ options: ComparisonOptions
    ) -> SwiftCode {
        let name =
            switch comparison {
            case .beginsWith: ".hasPrefix"
            case .endsWith: ".hasSuffix"
            case .like: ".like"
            default: ".contains"
            }
        // Whether the left side is a full-text index is not known here.
        if comparison == .matches { return .call("._ashlarMatches", [left, right, .text(list(options))]) }
        return .call(".text", [left, .text(name), right, .text(list(options))])
    }

    func isIn(_ expression: SwiftCode, _ elements: [SwiftCode]) -> SwiftCode {
        .call("._ashlarIsIn", [expression, .list(elements)])
    }

    func isIn(
        _ expression: SwiftCode, _ source: PredicateValueSource, of type: ResolvedType, _ options: ComparisonOptions
    ) -> SwiftCode {
        let function = if case .object = type { "._ashlarIdentifier(of: $0)" } else { "._ashlarValue($0)" }
        var element = "SQLExpression\(function)"
        if !options.isEmpty { element = "SQLExpression._ashlarFolded(\(element), \(list(options)))" }
        return .call("._ashlarIsIn", [expression, .text("\(name(of: source)).map { \(element) }")])
    }

    func and(_ expressions: [SwiftCode]) -> SwiftCode { .call(".and", [.list(expressions)]) }
    func or(_ expressions: [SwiftCode]) -> SwiftCode { .call(".or", [.list(expressions)]) }
    func not(_ expression: SwiftCode) -> SwiftCode { .call(".not", [expression]) }
}
