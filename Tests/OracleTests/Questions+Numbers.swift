import Ashlar
import Foundation

extension Questions {
    mutating func addNumbers() {
        add("equals", format: "§count == 3", predicate: #Predicate { $0.count == 3 }) {
            $0.count == 3
        } holds: {
            $0.object?.count == 3
        }
        add("differs", format: "§count != 9223372036854775807") {
            $0.count != .max
        } holds: {
            $0.object?.count != .max
        }
        add("less", format: "§count < 0", predicate: #Predicate { $0.count < 0 }) {
            $0.count < 0
        } holds: {
            $0.object.map { $0.count < 0 } ?? false
        }
        add("not less", format: "NOT §count < 0") {
            !($0.count < 0)
        } holds: {
            !($0.object.map { $0.count < 0 } ?? false)
        }
        add("less or equal", format: "§small <= 0") {
            $0.small <= 0
        } holds: {
            $0.object?.small.map { $0 <= 0 } ?? false
        }
        add("greater", format: "§weight > 0.5", predicate: #Predicate { $0.weight > 0.5 }) {
            $0.weight > 0.5
        } holds: {
            $0.object.map { $0.weight > 0.5 } ?? false
        }
        add("greater or equal", format: "§ratio >= 0.25") {
            $0.ratio >= 0.25
        } holds: {
            $0.object?.ratio.map { $0 >= 0.25 } ?? false
        }
        add("is nil", format: "§small == nil", predicate: #Predicate { $0.small == nil }) {
            $0.small == nil
        } holds: {
            $0.object?.small == nil
        }
        add("is not nil", format: "§ratio != nil") {
            $0.ratio != nil
        } holds: {
            $0.object?.ratio != nil
        }
        add("decimal", format: "§price > 2.5") {
            $0.price > 2.5
        } holds: {
            $0.object.map { $0.price > 2.5 } ?? false
        }
        add("optional decimal", format: "§cost == 7") {
            $0.cost == 7
        } holds: {
            $0.object?.cost == 7
        }
        addRanges()
        addColumns()
        addComputed()
        addFormatFunctions()
    }

    private mutating func addRanges() {
        add("closed range", format: "§count BETWEEN {-1, 7}") {
            $0.count.isIn(-1...7)
        } holds: {
            $0.object.map { (-1...7).contains($0.count) } ?? false
        }
        add("range", predicate: #Predicate { (0..<100).contains($0.width) }) {
            $0.width.isIn(0..<100)
        } holds: {
            $0.object.map { (0..<100).contains($0.width) } ?? false
        }
        add("closed range of optional", format: "§small BETWEEN {-3, 0}") {
            $0.small.isIn(-3...0)
        } holds: {
            $0.object?.small.map { (-3...0).contains($0) } ?? false
        }
        add("range of optional") {
            $0.small.isIn(-3..<0)
        } holds: {
            $0.object?.small.map { (-3..<0).contains($0) } ?? false
        }
        add("range contains") {
            (0..<100).contains($0.width)
        } holds: {
            $0.object.map { (0..<100).contains($0.width) } ?? false
        }
        add("range contains optional") {
            (-3..<3).contains($0.small)
        } holds: {
            $0.object?.small.map { (-3..<3).contains($0) } ?? false
        }
        add("closed range contains") {
            (0.5...2.5).contains($0.weight)
        } holds: {
            $0.object.map { (0.5...2.5).contains($0.weight) } ?? false
        }
        add("closed range contains optional") {
            (-1.5...0.25).contains($0.ratio)
        } holds: {
            $0.object?.ratio.map { (-1.5...0.25).contains($0) } ?? false
        }
        add("one of", format: "§count IN {0, 7, -9223372036854775808}") {
            $0.count.isIn([0, 7, .min])
        } holds: {
            $0.object.map { [0, 7, .min].contains($0.count) } ?? false
        }
        add("one of with nil") {
            $0.small.isIn([nil, 3])
        } holds: {
            [nil, 3].contains($0.object?.small)
        }
        add("sequence contains") {
            [5, -5].contains($0.width)
        } holds: {
            $0.object.map { [5, -5].contains($0.width) } ?? false
        }
        add("sequence contains optional") {
            [Int16(3), -3].contains($0.small)
        } holds: {
            $0.object?.small.map { [3, -3].contains($0) } ?? false
        }
        add("none of none") {
            $0.count.isIn([Int64]())
        } holds: { _ in
            false
        }
        add("decimal one of") {
            $0.price.isIn([2.5, 7, -3.25])
        } holds: {
            $0.object.map { [2.5, 7, -3.25].contains($0.price) } ?? false
        }
    }

    private mutating func addColumns() {
        add("columns equal", format: "§count == §number", predicate: #Predicate { $0.count == $0.number }) {
            $0.count == $0.number
        } holds: {
            $0.object?.count == $0.object?.number
        }
        add("columns differ") {
            $0.name != $0.name.lowercased()
        } holds: {
            Answer.of($0.object?.name) != Answer.of($0.object?.name.lowercased())
        }
        add("column less", format: "§count < §number") {
            $0.count < $0.number
        } holds: {
            $0.object.map { $0.count < $0.number } ?? false
        }
        add("column less or equal") {
            $0.count <= $0.number
        } holds: {
            $0.object.map { $0.count <= $0.number } ?? false
        }
        add("column greater") {
            $0.price > $0.price / 2
        } holds: {
            $0.object.map { $0.price > $0.price / 2 } ?? false
        }
        add("column greater or equal", format: "§cost >= §price") {
            $0.cost >= $0.price.optional
        } holds: {
            guard let object = $0.object, let cost = object.cost else { return false }
            return cost >= object.price
        }
        add("equals optional column", format: "§name == §note") {
            $0.name == $0.note
        } holds: {
            Answer.of($0.object?.name) == Answer.of($0.object?.note)
        }
        add("optional equals column") {
            $0.note == $0.name
        } holds: {
            Answer.of($0.object?.name) == Answer.of($0.object?.note)
        }
        add("differs from optional column", format: "§price != §cost") {
            $0.price != $0.cost
        } holds: {
            $0.object?.price != $0.object?.cost
        }
        add("optional differs from column") {
            $0.cost != $0.price
        } holds: {
            $0.object?.price != $0.object?.cost
        }
        add("other width equal", format: "§small == §number") {
            $0.small == $0.number
        } holds: {
            $0.object?.small.map { Int64($0) } == $0.object?.number
        }
        add("other width differs") {
            $0.width != $0.number
        } holds: {
            $0.object.map { Int64($0.width) } != $0.object?.number
        }
        add("other width less") {
            $0.small < $0.count
        } holds: {
            Self.compare($0, <)
        }
        add("other width less or equal") {
            $0.small <= $0.count
        } holds: {
            Self.compare($0, <=)
        }
        add("other width greater", format: "§small > §count") {
            $0.small > $0.count
        } holds: {
            Self.compare($0, >)
        }
        add("other width greater or equal") {
            $0.small >= $0.count
        } holds: {
            Self.compare($0, >=)
        }
    }

    private static func compare(_ subject: Subject, _ compare: (Int64, Int64) -> Bool) -> Bool {
        guard let object = subject.object, let small = object.small else { return false }
        return compare(Int64(small), object.count)
    }
}
