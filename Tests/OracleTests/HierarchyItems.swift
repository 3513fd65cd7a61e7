import Ashlar

/// The entities, each with the level of its class.
enum HierarchyLevel: Int, CaseIterable {
    case gear, tool, drill, hammer, vessel

    func isKind(of other: HierarchyLevel) -> Bool {
        self == .vessel || other == .vessel ? self == other || other == .gear : rawValue >= other.rawValue
    }
}

/// An object: its attributes are those of its level and of the levels above.
struct HierarchyItem: Equatable {
    var level: HierarchyLevel
    var weight: Int64 = 1
    /// The attributes that the entities add, by level; a gear adds none.
    var own: [HierarchyLevel: Int64]
    var near: Int64?

    init(_ level: HierarchyLevel) {
        self.level = level
        own = [:]
        for (other, value) in [(HierarchyLevel.tool, Int64(2)), (.drill, 3), (.hammer, 4), (.vessel, 5)]
        where level.isKind(of: other) {
            own[other] = value
        }
    }
}

/// The objects of a context as items.
enum HierarchyReading {
    static func difference(_ context: ModelContext, _ items: [Int64: HierarchyItem]) throws -> String? {
        var found: [Int64: HierarchyItem] = [:]
        for gear in try context.fetch(Gear.order { $0.code.ascending }) {
            let level: HierarchyLevel =
                gear is Hammer
                ? .hammer : gear is Drill ? .drill : gear is Tackle ? .tool : gear is Vessel ? .vessel : .gear
            var item = HierarchyItem(level)
            item.weight = gear.weight
            item.near = gear.near?.code
            if let tool = gear as? Tackle { item.own[.tool] = tool.edge }
            if let drill = gear as? Drill { item.own[.drill] = drill.speed }
            if let hammer = gear as? Hammer { item.own[.hammer] = hammer.force }
            if let vessel = gear as? Vessel { item.own[.vessel] = vessel.volume }
            found[gear.code] = item
            let nearby = items.filter { $0.value.near == gear.code }.map(\.key).sorted()
            if gear.nearby.map(\.code).sorted() != nearby {
                return "\(gear.code) has \(gear.nearby.map(\.code)) nearby"
            }
        }
        for (code, item) in items where found[code] != item {
            return "\(code) is \(found[code].map { "\($0)" } ?? "missing"), not \(item)"
        }
        if let other = found.keys.first(where: { items[$0] == nil }) { return "\(other) is there" }
        func codes(_ isIncluded: (HierarchyItem) -> Bool) -> [Int64] {
            items.filter { isIncluded($0.value) }.map(\.key).sorted()
        }
        func own(_ level: HierarchyLevel, of code: Int64?) -> Int64? { code.flatMap { items[$0]?.own[level] } }
        let levels: [(HierarchyLevel, [Int64])] = [
            (.tool, try fetch(context, Tackle.all)), (.drill, try fetch(context, Drill.all)),
            (.hammer, try fetch(context, Hammer.all)), (.vessel, try fetch(context, Vessel.all)),
        ]
        for (level, codes) in levels
        where codes != items.filter({ $0.value.level.isKind(of: level) }).map(\.key).sorted() {
            return "as \(level) it fetches \(codes)"
        }
        var drillsAlone = Drill.all
        drillsAlone.includesSubentities = false
        let fast = codes { ($0.own[.drill] ?? 0) > 3 }
        let nearFast = codes { (own(.drill, of: $0.near) ?? 0) > 3 }
        let strongNearby = items.keys.filter { code in
            items.values.contains { $0.near == code && ($0.own[.hammer] ?? 0) > 3 }
        }
        let checks: [(String, [Int64], [Int64])] = [
            ("drills alone", try fetch(context, drillsAlone), codes { $0.level == .drill }),
            ("drills by a cast", try fetch(context, Gear.where { $0.as(Drill.self).speed > 3 }), fast),
            (
                "gears without an edge", try fetch(context, Gear.where { $0.as(Tackle.self).edge.optional == nil }),
                codes { $0.own[.tool] == nil }
            ),
            ("gears near fast ones", try fetch(context, Gear.where { $0.near.as(Drill.self).speed > 3 }), nearFast),
            (
                "gears with strong ones nearby",
                try fetch(context, Gear.where { $0.nearby.contains { $0.as(Hammer.self).force > 3 } }),
                strongNearby.sorted()
            ),
            (
                "fast ones or heavy vessels",
                try fetch(context, Gear.where { $0.as(Drill.self).speed > 3 || $0.as(Vessel.self).weight > 1 }),
                codes { ($0.own[.drill] ?? 0) > 3 || ($0.level == .vessel && $0.weight > 1) }
            ),
        ]
        for (name, found, expected) in checks where found != expected { return "\(name) are \(found), not \(expected)" }
        let sum = try context.fetchFirst(Gear.all.select { .sum($0.as(Drill.self).speed) })
        let expected = items.values.compactMap { $0.own[.drill] }.reduce(0, +)
        return sum == expected ? nil : "the speeds add up to \(sum ?? -1), not \(expected)"
    }

    private static func fetch<Model: Gear & PersistentModel>(
        _ context: ModelContext, _ descriptor: FetchDescriptor<Model>
    ) throws -> [Int64] {
        let codes = try context.fetch(descriptor).map(\.code).sorted()
        return try context.fetchCount(descriptor) == codes.count ? codes : [-1] + codes
    }
}
