import Ashlar
import Foundation

extension Questions {
    mutating func addComputed() {
        add("beyond 64 bits", format: "§count + 1 > 5") {
            $0.count + 1 > 5
        } holds: {
            $0.object.map { Double($0.count) + 1 > 5 } ?? false
        }
        add("product beyond 64 bits") {
            $0.count * $0.count > 1_000_000
        } holds: {
            $0.object.map { Double($0.count) * Double($0.count) > 1_000_000 } ?? false
        }
        add("negated beyond 64 bits", format: "-§count > 5") {
            -$0.count > 5
        } holds: {
            $0.object.map { -Double($0.count) > 5 } ?? false
        }
        add("magnitude beyond 64 bits") {
            $0.count.magnitude > 1000
        } holds: {
            $0.object.map { $0.count.magnitude > 1000 } ?? false
        }
        add(value: "count") {
            $0.count
        } answer: {
            $0.object?.count
        }
        add(value: "width") {
            $0.width
        } answer: {
            $0.object?.width
        }
        add(value: "small") {
            $0.small
        } answer: {
            $0.object?.small
        }
        add(value: "weight") {
            $0.weight
        } answer: {
            $0.object?.weight
        }
        add(value: "ratio") {
            $0.ratio
        } answer: {
            $0.object?.ratio
        }
        add(value: "price") {
            $0.price
        } answer: {
            $0.object?.price
        }
        add(value: "cost") {
            $0.cost
        } answer: {
            $0.object?.cost
        }
        add(value: "sum") {
            $0.width + $0.width
        } answer: {
            $0.object.map { $0.width + $0.width }
        }
        add(value: "sum with a number") {
            $0.weight + 0.25
        } answer: {
            $0.object.map { $0.weight + 0.25 }
        }
        add(value: "number and column") {
            3 + $0.width
        } answer: {
            $0.object.map { 3 + $0.width }
        }
        add(value: "sum of widths") {
            $0.width + $0.number
        } answer: {
            $0.object.map { Int64($0.width) + $0.number }
        }
        add(value: "difference") {
            $0.price - $0.price / 2
        } answer: {
            $0.object.map { $0.price - $0.price / 2 }
        }
        add(value: "difference from a number") {
            $0.cost - 0.1
        } answer: {
            $0.object?.cost.map { $0 - 0.1 }
        }
        add(value: "number less column") {
            10 - $0.width
        } answer: {
            $0.object.map { 10 - $0.width }
        }
        add(value: "difference of widths") {
            $0.number - $0.width
        } answer: {
            $0.object.map { $0.number - Int64($0.width) }
        }
        add(value: "product") {
            $0.width * $0.width
        } answer: {
            $0.object.map { $0.width * $0.width }
        }
        add(value: "product with a number") {
            $0.price * 3
        } answer: {
            $0.object.map { $0.price * 3 }
        }
        add(value: "number times column") {
            2 * $0.ratio
        } answer: {
            $0.object?.ratio.map { 2 * $0 }
        }
        add(value: "product of widths") {
            $0.width * $0.number
        } answer: {
            $0.object.map { Int64($0.width) * $0.number }
        }
        add(value: "quotient") {
            $0.number / ($0.number - 3)
        } answer: {
            $0.object.flatMap { $0.number == 3 ? nil : $0.number / ($0.number - 3) }
        }
        add(value: "quotient with a number") {
            $0.width / 2
        } answer: {
            $0.object.map { $0.width / 2 }
        }
        add(value: "number divided by column") {
            1000 / $0.width
        } answer: {
            $0.object.flatMap { $0.width == 0 ? nil : 1000 / $0.width }
        }
        add(value: "quotient of widths") {
            $0.number / $0.width
        } answer: {
            $0.object.flatMap { $0.width == 0 ? nil : $0.number / Int64($0.width) }
        }
        add(value: "quotient of decimals") {
            $0.price / 4
        } answer: {
            $0.object.map { $0.price / 4 }
        }
        add(value: "remainder") {
            $0.width % 3
        } answer: {
            $0.object.map { $0.width % 3 }
        }
        add(value: "negated") {
            -$0.cost
        } answer: {
            $0.object?.cost.map { -$0 }
        }
        add(value: "magnitude") {
            $0.width.magnitude
        } answer: {
            $0.object.map { abs($0.width) }
        }
        add(value: "abs") {
            abs($0.price)
        } answer: {
            $0.object.map { abs($0.price) }
        }
        add(value: "as Double") {
            $0.width.asDouble
        } answer: {
            $0.object.map { Double($0.width) }
        }
        add(value: "rounded") {
            $0.weight.rounded()
        } answer: {
            $0.object.map { $0.weight.rounded() }
        }
        add(value: "rounded up") {
            $0.weight.rounded(.up)
        } answer: {
            $0.object.map { $0.weight.rounded(.up) }
        }
        add(value: "rounded down") {
            $0.ratio.rounded(.down)
        } answer: {
            $0.object?.ratio.map { $0.rounded(.down) }
        }
        add(value: "rounded toward zero") {
            $0.weight.rounded(.towardZero)
        } answer: {
            $0.object.map { $0.weight.rounded(.towardZero) }
        }
        add(value: "rounded to even") {
            $0.weight.rounded(.toNearestOrEven)
        } answer: {
            $0.object.map { $0.weight.rounded(.toNearestOrEven) }
        }
        add(value: "square root") {
            $0.weight.squareRoot()
        } answer: {
            $0.object.flatMap { $0.weight < 0 ? nil : $0.weight.squareRoot() }
        }
        add(value: "lesser") {
            min($0.number, $0.one)
        } answer: {
            $0.object.map { min($0.number, 1) }
        }
        add(value: "greater value") {
            max($0.cost, $0.price.optional)
        } answer: { subject in
            subject.object.flatMap { object in object.cost.map { max($0, object.price) } }
        }
    }

    mutating func addFormatFunctions() {
        func whole(_ function: @escaping @Sendable (Int64) -> Bool) -> @Sendable (Subject) -> Bool {
            { $0.object.map { function(Int64($0.width)) } ?? false }
        }
        func real(_ function: @escaping @Sendable (Double) -> Bool) -> @Sendable (Subject) -> Bool {
            { $0.object.map { function($0.weight) } ?? false }
        }
        add("add:to:", format: "add:to:(§width, 1) > 6", holds: whole { $0 + 1 > 6 })
        add("from:subtract:", format: "from:subtract:(§width, 1) > 6", holds: whole { $0 - 1 > 6 })
        add("multiply:by:", format: "multiply:by:(§width, 2) > 10", holds: whole { $0 * 2 > 10 })
        add("divide:by:", format: "divide:by:(§width, 2) == 2", holds: whole { $0 / 2 == 2 })
        add("modulus:by:", format: "modulus:by:(§width, 3) == 2", holds: whole { $0 % 3 == 2 })
        add("raise:toPower:", format: "raise:toPower:(§width, 2) == 25", holds: whole { $0 * $0 == 25 })
        add("sqrt:", format: "sqrt:(§weight) == 10", holds: real { $0 == 100 })
        add("log:", format: "log:(§weight) == 2", holds: real { $0 == 100 })
        add("ln:", format: "ln:(§weight) > 4", holds: real { $0 > 0 && log($0) > 4 })
        add("exp:", format: "exp:(§weight) < 1", holds: real { exp($0) < 1 })
        add("floor:", format: "floor:(§weight) == -1", holds: real { $0.rounded(.down) == -1 })
        add("ceiling:", format: "ceiling:(§weight) == 3", holds: real { $0.rounded(.up) == 3 })
        add("abs:", format: "abs:(§width) == 5", holds: whole { abs($0) == 5 })
        add("trunc:", format: "trunc:(§weight) == 0", holds: real { $0.rounded(.towardZero) == 0 })
        add("bitwiseAnd:with:", format: "bitwiseAnd:with:(§width, 4) == 4", holds: whole { $0 & 4 == 4 })
        add("bitwiseOr:with:", format: "bitwiseOr:with:(§width, 2) == 7", holds: whole { $0 | 2 == 7 })
        add("bitwiseXor:with:", format: "bitwiseXor:with:(§width, 1) == 4", holds: whole { $0 ^ 1 == 4 })
        add("leftshift:by:", format: "leftshift:by:(§width, 2) == 20", holds: whole { $0 << 2 == 20 })
        add("rightshift:by:", format: "rightshift:by:(§width, 1) == 2", holds: whole { $0 >> 1 == 2 })
        add("onesComplement:", format: "onesComplement:(§width) == 4", holds: whole { ~$0 == 4 })
        add("sum:", format: "sum:({§width, 1, 2}) == 8", holds: whole { $0 + 3 == 8 })
        add("count:", format: "count:({§width, 1}) == 2 AND §width > 0", holds: whole { $0 > 0 })
        add("min:", format: "min:({§width, 6}) == 6", holds: whole { min($0, 6) == 6 })
        add("max:", format: "max:({§width, 6}) == 6", holds: whole { max($0, 6) == 6 })
        add("average:", format: "average:({§width, 6}) == 5.5", holds: whole { Double($0 + 6) / 2 == 5.5 })
        add("noindex:", format: "noindex:(§width) == 5", holds: whole { $0 == 5 })
        add(
            "TERNARY", format: "TERNARY(§width > 0, §width, 1) == 1",
            holds: { ($0.object.map { max($0.width, 1) } ?? 1) == 1 })
    }
}
