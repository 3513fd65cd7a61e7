import Ashlar
import AshlarCoreData
import Foundation
import RandomNumbers
import Testing

/// An expression, and its value in plain Swift.
struct Question: Sendable, CustomTestStringConvertible {
    var name: String
    /// The condition as a closure.
    var typed: (@Sendable (Columns<Thing>, StockObjects) -> Condition)?
    var predicate: Predicate<Thing>?
    /// The condition as text, with `§` before each property.
    var format: String?
    var arguments: [any PredicateArgument & Sendable] = []
    var value: (any ValueQuestion)?
    /// Whether it compares with certain objects, which cannot be passed once they are deleted.
    var isIdentity = false
    var holds: @Sendable (Subject) -> Bool

    var testDescription: String { name }

    /// Fetches with each condition, and compares the objects with the plain values.
    ///
    /// - Parameter turn: The number of the state. Each condition takes another position in each state, so that it takes
    ///   all of them over time. If `ASHLAR_TEST_EFFORT` is great enough, it takes all positions in each state.
    func check(_ room: StockRoom, in context: ModelContext, _ state: String, turn: Int) throws {
        var turn = turn
        try forEachCondition(context) { condition, path, spelling, holds in
            let asked = AskedCondition(
                context: context, things: room.things, condition: condition, holds: holds,
                comment: "\(name), \(spelling), \(path), \(state)")
            turn += 1
            try asked.check(turn: turn)
        }
        guard let value else { return }
        for path in Path.allCases {
            turn += 1
            try value.check(room.things, in: context, path, turn: turn, "\(name), \(path), \(state)")
        }
        try value.checkParts(room.things, in: context, "\(name), \(state)")
    }

    /// Calls a closure with the condition in each spelling and behind each path, and with the expected result for a
    /// thing.
    func forEachCondition(
        _ context: ModelContext,
        _ body: (@escaping (Columns<Thing>) -> Condition, Path, String, @escaping (Plain) -> Bool) throws -> Void
    ) throws {
        let objects = StockObjects(context: context)
        for path in Path.allCases {
            let (holds, typed) = (holds, typed)
            if let typed {
                try body({ typed(path.columns($0), objects) }, path, "closure", { holds(path.subject($0)) })
            }
            guard let format else { continue }
            let condition = try Condition(
                for: Thing.self, format: format.replacing("§", with: path.text), arguments: arguments)
            try body({ _ in condition }, path, "text", { holds(path.subject($0)) })
        }
        if let predicate, let condition = FetchDescriptor(predicate: predicate).condition {
            let holds = holds
            try body({ _ in condition }, .own, "predicate", { holds(Subject(object: $0)) })
        }
        for path in PartsPath.allCases {
            let (holds, typed) = (holds, typed)
            let expected = { (plain: Plain) in path.holds(plain, holds) }
            if let typed {
                try body({ path.condition($0) { typed($0, objects) } }, .own, "\(path), closure", expected)
            }
            if let format {
                let condition = try Condition(for: Thing.self, format: path.text(format), arguments: arguments)
                try body({ _ in condition }, .own, "\(path), text", expected)
            }
        }
    }
}

/// The path from a fetched thing to the thing of a question.
enum Path: CaseIterable {
    case own, owner, tool, ownerAsTool

    func columns(_ thing: Columns<Thing>) -> Columns<Thing> {
        switch self {
        case .own: thing
        case .owner: thing.owner
        case .tool: thing.as(Tool.self).as(Thing.self)
        case .ownerAsTool: thing.owner.as(Tool.self).as(Thing.self)
        }
    }

    var text: String {
        switch self {
        case .own: ""
        case .owner: "owner."
        case .tool: "CAST(SELF, 'Tool')."
        case .ownerAsTool: "CAST(owner, 'Tool')."
        }
    }

    func subject(_ plain: Plain) -> Subject {
        let object = self == .own || self == .tool ? plain : plain.owner
        if self == .own || self == .owner { return Subject(object: object) }
        let isTool = object?.isTool == true
        return Subject(object: isTool ? object : nil, isCastAway: !isTool)
    }
}

/// Through the parts of a thing.
enum PartsPath: CaseIterable {
    case any, all, several, anyOfOwner

    func condition(_ thing: Columns<Thing>, _ condition: (Columns<Thing>) -> Condition) -> Condition {
        switch self {
        case .any: thing.parts.contains { condition($0) }
        case .all: thing.parts.allSatisfy { condition($0) }
        case .several: thing.parts.filter { condition($0) }.count > 1
        case .anyOfOwner: thing.owner.parts.contains { condition($0) }
        }
    }

    func text(_ format: String) -> String {
        let inner = format.replacing("§", with: "$part.")
        switch self {
        case .any: return "SUBQUERY(parts, $part, \(inner)).@count > 0"
        case .all: return "SUBQUERY(parts, $part, NOT (\(inner))).@count == 0"
        case .several: return "SUBQUERY(parts, $part, \(inner)).@count > 1"
        case .anyOfOwner: return "SUBQUERY(owner.parts, $part, \(inner)).@count > 0"
        }
    }

    func holds(_ plain: Plain, _ condition: (Subject) -> Bool) -> Bool {
        let parts = self == .anyOfOwner ? plain.owner?.parts ?? [] : plain.parts
        let count = parts.count { condition(Subject(object: $0)) }
        return switch self {
        case .any, .anyOfOwner: count > 0
        case .all: count == parts.count
        case .several: count > 1
        }
    }
}

/// A condition in all positions.
struct AskedCondition {
    let context: ModelContext
    let things: [Plain]
    let condition: (Columns<Thing>) -> Condition
    let holds: (Plain) -> Bool
    let comment: Comment

    func check(turn: Int) throws {
        let expected = things.filter(holds).map(\.number)
        let descriptor = Thing.where { condition($0) }
        #expect(try context.fetch(descriptor).map(\.number).sorted() == expected, comment)
        for turn in turn..<(turn + min(6, TestEffort.factor)) { try check(turn % 6, descriptor, expected) }
    }

    private func check(_ position: Int, _ descriptor: FetchDescriptor<Thing>, _ expected: [Int64]) throws {
        // In orders and groups, a condition chooses a value.
        let number = { (columns: Columns<Thing>) in condition(columns).then(columns.one, else: 0) }
        switch position {
        case 0:
            #expect(try context.fetchCount(descriptor) == expected.count, comment)
            #expect(try context.exists(descriptor) == !expected.isEmpty, comment)
        case 1:
            #expect(try Set(context.fetchIdentifiers(descriptor)).count == expected.count, comment)
        case 2:
            let opposite = try context.fetch(Thing.where { !condition($0) }).map(\.number).sorted()
            #expect(opposite == things.filter { !holds($0) }.map(\.number), comment)
        case 3:
            try checkPages(descriptor.order { $0.number.descending }, expected.reversed())
        case 4:
            let order = try context.fetch(Thing.order { number($0).descending }).map(\.number)
            #expect(Set(order.prefix(expected.count)) == Set(expected) && order.count == things.count, comment)
            try checkPages(Thing.order { number($0).descending }, order)
        default:
            let groups: [(Int64, Int)] = try context.fetch(
                Thing.all.group { number($0) }.select { (number($0), .count) })
            var counts: [Int64: Int] = [:]
            for thing in things { counts[holds(thing) ? 1 : 0, default: 0] += 1 }
            #expect(Dictionary(groups, uniquingKeysWith: +) == counts, comment)
        }
    }

    private func checkPages(_ descriptor: FetchDescriptor<Thing>, _ expected: [Int64]) throws {
        try Self.checkPages(descriptor, expected, context, comment)
    }

    static func checkPages(
        _ descriptor: FetchDescriptor<Thing>, _ expected: [Int64], _ context: ModelContext, _ comment: Comment
    ) throws {
        var numbers: [Int64] = []
        var last: Thing?
        while true {
            let page = try context.fetch(descriptor.limit(4).page(after: last))
            numbers += page.map(\.number)
            guard page.count == 4, numbers.count <= expected.count else { break }
            last = page.last
        }
        #expect(numbers == expected, comment)
    }
}

/// Collects questions. Each stands in a statement of its own, so that the compiler checks it separately.
struct Questions {
    private(set) var all: [Question] = []

    mutating func add(
        _ name: String, format: String? = nil, _ arguments: [any PredicateArgument & Sendable] = [],
        predicate: Predicate<Thing>? = nil, _ typed: (@Sendable (Columns<Thing>) -> Condition)? = nil,
        holds: @escaping @Sendable (Subject) -> Bool
    ) {
        var withObjects: (@Sendable (Columns<Thing>, StockObjects) -> Condition)?
        if let typed { withObjects = { columns, _ in typed(columns) } }
        all.append(
            Question(
                name: name, typed: withObjects, predicate: predicate, format: format, arguments: arguments,
                holds: holds))
    }

    mutating func addIdentity(
        _ name: String, _ typed: @escaping @Sendable (Columns<Thing>, StockObjects) -> Condition,
        holds: @escaping @Sendable (Subject) -> Bool
    ) {
        all.append(Question(name: name, typed: typed, isIdentity: true, holds: holds))
    }

    mutating func add<Value: Answerable & Sendable, Result: Answerable>(
        value name: String, _ column: @escaping @Sendable (Columns<Thing>) -> Column<Value>,
        answer: @escaping @Sendable (Subject) -> Result?
    ) {
        let value = TypedValue(column: column, answer: { .of(answer($0)) })
        all.append(
            Question(
                name: name, typed: { thing, _ in column(thing).optional == nil }, value: value,
                holds: { Answer.of(answer($0)).isNull }))
    }
}
