import Ashlar
import Testing

/// A value that can be fetched in all positions.
protocol ValueQuestion: Sendable {
    func check(_ things: [Plain], in context: ModelContext, _ path: Path, turn: Int, _ comment: Comment) throws
    func checkParts(_ things: [Plain], in context: ModelContext, _ comment: Comment) throws
}

struct TypedValue<Value: Answerable & Sendable>: ValueQuestion {
    let column: @Sendable (Columns<Thing>) -> Column<Value>
    let answer: @Sendable (Subject) -> Answer

    func check(_ things: [Plain], in context: ModelContext, _ path: Path, turn: Int, _ comment: Comment) throws {
        let column = { (thing: Columns<Thing>) in self.column(path.columns(thing)) }
        let answers = Dictionary(uniqueKeysWithValues: things.map { ($0.number, answer(path.subject($0))) })
        func expected(_ condition: (Answer) -> Bool) -> [Int64] {
            things.map(\.number).filter { condition(answers[$0] ?? .null) }
        }
        // As a selected value
        let rows: [(Int64, Value?)] = try context.fetch(
            Thing.order { $0.number }.select { ($0.number, column($0).optional) })
        #expect(rows.map(\.0) == things.map(\.number), comment)
        #expect(rows.map { Answer.of($0.1) } == things.map { answers[$0.number] }, comment)
        // As an order, with pages
        let isAscending = turn % 2 == 0
        let order = Thing.order { isAscending ? column($0).ascending : column($0).descending }
        let sorted = try context.fetch(order).map(\.number)
        let keys = sorted.map { answers[$0] ?? .null }
        #expect(keys == answers.values.sorted { isAscending ? $0 < $1 : $0 > $1 }, comment)
        try AskedCondition.checkPages(order, sorted, context, comment)
        // As a group
        let groups: [(Value?, Int)] = try context.fetch(
            Thing.all.group { column($0).optional }.select { (column($0).optional, .count) })
        var counts: [Answer: Int] = [:]
        for answer in answers.values { counts[answer, default: 0] += 1 }
        let found = groups.map { (Answer.of($0.0), $0.1) }
        #expect(found.count == counts.count && Dictionary(found, uniquingKeysWith: +) == counts, comment)
        let distinct = try context.fetch(Thing.all.select { column($0).optional }.distinct())
        #expect(Set(distinct.map { Answer.of($0) }) == Set(counts.keys) && distinct.count == counts.count, comment)
        // As a condition
        var known: Set<Answer> = []
        for (index, value) in rows.map(\.1).enumerated() where known.insert(.of(value)).inserted {
            let own = Answer.of(value)
            let isOrdered = { (less: Bool, equal: Bool) in less || equal && !own.isNull }
            switch (turn + index) % 7 {
            case 0: try expect(expected { $0 == own }, context, comment) { column($0).optional == value }
            case 1: try expect(expected { $0 != own }, context, comment) { column($0).optional != value }
            case 2: try expect(expected { Answer.less($0, own) }, context, comment) { column($0).optional < value }
            case 3: try expect(expected { Answer.less(own, $0) }, context, comment) { column($0).optional > value }
            case 4:
                try expect(expected { isOrdered(Answer.less($0, own), $0 == own) }, context, comment) {
                    column($0).optional <= value
                }
            case 5:
                try expect(expected { isOrdered(Answer.less(own, $0), $0 == own) }, context, comment) {
                    column($0).optional >= value
                }
            default: try expect(expected { $0 == own }, context, comment) { column($0).optional.isIn([value]) }
            }
        }
        try expect(expected { _ in true }, context, comment) { column($0).optional.isIn(rows.map(\.1)) }
    }

    private func expect(
        _ numbers: [Int64], _ context: ModelContext, _ comment: Comment,
        _ condition: (Columns<Thing>) -> Condition
    ) throws {
        #expect(try context.fetch(Thing.where(condition)).map(\.number).sorted() == numbers, comment)
    }

    func checkParts(_ things: [Plain], in context: ModelContext, _ comment: Comment) throws {
        let rows: [(Value?, Value?)] = try context.fetch(
            Thing.order { $0.number }.select {
                ($0.parts.min { column($0).optional }, $0.parts.max { column($0).optional })
            })
        let answers = things.map { thing in
            thing.parts.map { answer(Subject(object: $0)) }.filter { !$0.isNull }
        }
        #expect(rows.map { Answer.of($0.0) } == answers.map { $0.min() ?? .null }, comment)
        #expect(rows.map { Answer.of($0.1) } == answers.map { $0.max() ?? .null }, comment)
        guard let value = rows.lazy.compactMap(\.0).first else { return }
        let counts = try context.fetch(
            Thing.order { $0.number }.select { $0.parts.count { column($0).optional == value } })
        #expect(counts == answers.map { $0.count { $0 == value.answer } }, comment)
    }
}
