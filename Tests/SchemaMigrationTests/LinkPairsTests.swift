import DataModel
import RandomNumbers
import RandomSeeds
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

/// Two relationships between two entities, or from one to itself, of every kind, each before and after a migration.
///
/// The expected links are computed on pairs of numbers, beside the statements. No link may go in silence: either the
/// plan has an error, or the migration refuses the rows, or all links are there afterwards.
@Suite("Links in every pair of kinds of relationships")
struct LinkPairsTests {
    enum Kind: String, CaseIterable {
        case one, many, ordered
    }

    /// The destinations of the relationships.
    enum Ends: CaseIterable {
        case twoEntities, oneEntity
        /// The same, with one entity below each of them, whose objects get half of the links.
        case twoHierarchies, oneHierarchy

        var isReflexive: Bool { self == .oneEntity || self == .oneHierarchy }
        var areHierarchies: Bool { self == .twoHierarchies || self == .oneHierarchy }
    }

    struct Shape: CustomStringConvertible {
        var first: Kind?
        var second: Kind?
        /// Whether the two are inverses of each other; without a second, whether the first is its own inverse.
        var isInverse = false

        var description: String {
            "\(first?.rawValue ?? "none") \(isInverse ? "<->" : "and") \(second?.rawValue ?? "none")"
        }

        static func all(isReflexive: Bool) -> [Shape] {
            var result: [Shape] = []
            for first in Kind.allCases.map(Optional.some) + [nil] {
                for second in Kind.allCases.map(Optional.some) + [nil] where first != nil || second != nil {
                    result.append(Shape(first: first, second: second))
                    if first != nil && second != nil {
                        result.append(Shape(first: first, second: second, isInverse: true))
                    }
                }
            }
            if isReflexive { result += [.one, .many].map { Shape(first: $0, isInverse: true) } }
            return result
        }

        func entities(_ ends: Ends, checked: Bool) -> [Entity] {
            let roots = entities(isReflexive: ends.isReflexive, checked: checked)
            return roots + (ends.areHierarchies ? roots.map { Entity(name: "\($0.name)1", parentName: $0.name) } : [])
        }

        private func entities(isReflexive: Bool, checked: Bool) -> [Entity] {
            let userInfo = checked ? UserInfo([.init(key: "ashlar.migrationCheck", value: "lossless")]) : UserInfo()
            func relationship(_ kind: Kind?, _ name: String, _ destination: String, _ inverse: String) -> Relationship?
            {
                kind.map { kind in
                    Relationship(
                        name: name, destinationName: destination, inverseName: isInverse ? inverse : nil,
                        isToMany: kind != .one, isOrdered: kind == .ordered, userInfo: userInfo)
                }
            }
            let target = isReflexive ? "A" : "B"
            let first = relationship(first, "r", target, second == nil ? "r" : "s")
            let second = relationship(second, "s", "A", "r")
            if isReflexive { return [Entity(name: "A", relationships: [first, second].compactMap(\.self))] }
            return [
                Entity(name: "A", relationships: [first].compactMap(\.self)),
                Entity(name: "B", relationships: [second].compactMap(\.self)),
            ]
        }
    }

    struct Pair: Hashable {
        var source: Int
        var target: Int
        var reversed: Pair { Pair(source: target, target: source) }
    }

    /// Links by relationship, in the order of each source's targets.
    typealias Links = [String: [Pair]]

    // MARK: Expected links

    /// The links afterwards; nil if some would be lost.
    private func expected(_ before: Links, _ old: Shape, _ new: Shape) -> Links? {
        var result: Links = [:]
        if new.first != nil, new.second == nil, new.isInverse {
            var links = Set((before["r"] ?? []))
            let back = Set(links.map(\.reversed))
            if new.first == .one, links != back { return nil }
            links.formUnion(back)
            result["r"] = Array(links)
        } else {
            if new.first != nil { result["r"] = before["r"] }
            if new.second != nil { result["s"] = before["s"] }
            if new.isInverse {
                switch (result["r"], result["s"]) {
                case (let first?, nil): result["s"] = first.map(\.reversed)
                case (nil, let second?): result["r"] = second.map(\.reversed)
                case (let first?, let second?):
                    if Set(first) != Set(second.map(\.reversed)) { return nil }
                case (nil, nil): break
                }
            }
        }
        for (name, kind) in [("r", new.first), ("s", new.second)] {
            let links = result[name] ?? []
            if kind == .one, Set(links.map(\.source)).count < links.count { return nil }
        }
        return result
    }

    /// Whether some links that the old shape allows may be lost, so that the plan must report it.
    private func mayLose(_ old: Shape, _ new: Shape) -> Bool {
        func wasOne(_ kind: Kind?) -> Bool { kind == .one }
        if old.first != nil, new.first == .one, !wasOne(old.first) { return true }
        if old.second != nil, new.second == .one, !wasOne(old.second) { return true }
        guard new.isInverse else { return false }
        if new.second == nil { return old.first != nil && !(old.isInverse && old.second == nil) && new.first == .one }
        switch (old.first, old.second) {
        case (_?, _?): return !old.isInverse
        case (_?, nil): return new.second == .one && !(old.isInverse && old.first == .one)
        case (nil, _?): return new.first == .one
        case (nil, nil): return false
        }
    }

    // MARK: Random rows

    private func write(_ pairs: [Pair], _ name: String, in entityName: String, _ schema: Schema, _ database: Database)
        throws
    {
        guard let entity = schema.graph.entity(named: entityName),
            let storage = schema.storage(ofRelationshipNamed: name, in: entity)
        else { return }
        for (position, pair) in pairs.enumerated() {
            switch storage {
            case .column(let column):
                try database.run(
                    "UPDATE \"\(entityName)\" SET \"\(column)\" = \(pair.target) WHERE id$ = \(pair.source)")
            case .inverseColumn(let table, let column, let order):
                let place = order.map { ", \"\($0)\" = \(position + 1)" } ?? ""
                try database.run(
                    "UPDATE \"\(table)\" SET \"\(column)\" = \(pair.source)\(place) WHERE id$ = \(pair.target)")
            case .joinTable(let table, let own, let other, let order):
                let columns = [own, other] + [order].compactMap(\.self)
                let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
                let place = order.map { " DO UPDATE SET \"\($0)\" = \(position + 1)" } ?? " DO NOTHING"
                let rest = schema.tables.first { $0.name == table }?.columns.map(\.name).filter {
                    !columns.contains($0)
                }
                let more = (rest ?? []).map { ", \"\($0)\"" }.joined()
                let values = [pair.source, pair.target] + (order == nil ? [] : [position + 1])
                try database.run(
                    """
                    INSERT INTO \"\(table)\" (\(names)\(more))
                    VALUES (\(values.map(String.init).joined(separator: ", "))\((rest ?? []).map { _ in ", 0" }.joined()))
                    ON CONFLICT\(place)
                    """)
            }
        }
    }

    private func insert(_ numbers: [Int], of entityName: String, _ ends: Ends, _ database: Database) throws {
        for number in numbers {
            try database.run(
                ends.areHierarchies
                    ? "INSERT INTO \(entityName) (id$, entity$) VALUES (\(number), \(number % 2 == 0 ? "'\(entityName)1'" : "NULL"))"
                    : "INSERT INTO \(entityName) (id$) VALUES (\(number))")
        }
    }

    /// Some links that a shape allows, often such that two relationships agree.
    private func links(_ shape: Shape, _ targets: [Int], _ generator: inout SeededGenerator) -> Links {
        var result: Links = [:]
        func random(
            _ kind: Kind, back: Kind?, _ generator: inout SeededGenerator, from sources: [Int], to targets: [Int]
        )
            -> [Pair]
        {
            var pairs: [Pair] = []
            for source in sources {
                for target in targets where generator.chance(0.4) {
                    if kind == .one, pairs.contains(where: { $0.source == source }) { continue }
                    if back == .one, pairs.contains(where: { $0.target == target }) { continue }
                    pairs.append(Pair(source: source, target: target))
                }
            }
            return pairs.shuffled(using: &generator)
        }
        let sources = [1, 2, 3]
        if let first = shape.first {
            result["r"] = random(
                first, back: shape.isInverse ? shape.second : generator.chance(0.5) ? .one : nil, &generator,
                from: sources, to: targets)
        }
        if shape.isInverse, shape.second == nil {
            var mutual: [Pair] = []
            for pair in result["r"] ?? [] {
                if shape.first == .one,
                    mutual.contains(where: { [pair.source, pair.target].contains($0.source) })
                {
                    continue
                }
                for pair in Set([pair, pair.reversed]) where !mutual.contains(pair) { mutual.append(pair) }
            }
            result["r"] = mutual
        }
        guard let second = shape.second else { return result }
        if shape.isInverse {
            result["s"] = (result["r"] ?? []).map(\.reversed).shuffled(using: &generator)
        } else {
            let agrees = (result["r"] ?? []).map(\.reversed)
            let fits = second != .one || Set(agrees.map(\.source)).count == agrees.count
            result["s"] =
                fits && shape.first != nil && generator.chance(0.5)
                ? agrees.shuffled(using: &generator)
                : random(
                    second, back: generator.chance(0.5) ? .one : nil, &generator, from: targets, to: sources)
        }
        return result
    }

    private func read(_ name: String, _ entityName: String, _ schema: Schema, _ database: Database) throws -> [Pair] {
        guard let entity = schema.graph.entity(named: entityName),
            let relationship = entity.relationships.first(where: { $0.name == name }),
            let query = schema.linksQuery(of: relationship, in: entity)
        else { return [] }
        return try database.run("SELECT source, target FROM (\(query)) ORDER BY source, position, target").compactMap {
            guard let source = $0[0].flatMap({ Int($0) }), let target = $0[1].flatMap({ Int($0) }) else { return nil }
            return Pair(source: source, target: target)
        }
    }

    @Test("No link goes in silence", arguments: Ends.allCases, seeds(2))
    func pairs(_ ends: Ends, seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let isReflexive = ends.isReflexive
        let (source, target) = ("A", isReflexive ? "A" : "B")
        let shapes = Shape.all(isReflexive: isReflexive)
        var (kept, refused) = (0, 0)
        for old in shapes {
            for new in shapes {
                let title = Comment(rawValue: "\(old) becomes \(new), \(ends), seed \(seed)")
                let before = old.entities(ends, checked: false)
                let silent = makePlan(before, new.entities(ends, checked: false))
                let findings = silent.diagnostics.all.filter { $0.code == .migrationNotInferrable }
                #expect(!findings.isEmpty == mayLose(old, new), title)
                let plan = makePlan(before, new.entities(ends, checked: true))
                #expect(plan.diagnostics.all.filter { $0.code == .migrationNotInferrable } == [], title)
                if seed.number == seeds(1).first?.number { expectProven(plan) }
                for _ in 0..<3 {
                    let upgrade = try Upgrade(plan, rows: [])
                    let targets = isReflexive ? [1, 2, 3] : [11, 12, 13]
                    try insert([1, 2, 3], of: "A", ends, upgrade.database)
                    if !isReflexive { try insert(targets, of: "B", ends, upgrade.database) }
                    let links = links(old, targets, &generator)
                    try write(links["r"] ?? [], "r", in: source, plan.source, upgrade.database)
                    try write(links["s"] ?? [], "s", in: target, plan.source, upgrade.database)
                    // Ordered by position, as they were written.
                    let stored = [
                        "r": try read("r", source, plan.source, upgrade.database),
                        "s": try read("s", target, plan.source, upgrade.database),
                    ]
                    #expect(Set(stored["r"] ?? []) == Set(links["r"] ?? []), title)
                    #expect(Set(stored["s"] ?? []) == Set(links["s"] ?? []), title)
                    let refusal = try upgrade.run()
                    guard let wanted = expected(stored.filter { links[$0.key] != nil }, old, new) else {
                        #expect(refusal != nil, title)
                        refused += 1
                        continue
                    }
                    #expect(refusal == nil, title)
                    if refusal != nil { continue }
                    kept += 1
                    for (name, entity, kind, was) in [
                        ("r", source, new.first, old.first), ("s", target, new.second, old.second),
                    ] where kind != nil {
                        let found = try read(name, entity, plan.destination, upgrade.database)
                        let wanted = wanted[name] ?? []
                        #expect(Set(found) == Set(wanted) && found.count == wanted.count, "\(title): \(name)")
                        if kind == .ordered, was == .ordered {
                            #expect(found == wanted, "the order of \(name), \(title)")
                        }
                    }
                }
            }
        }
        #expect(kept > 0 && refused > 0)
    }
}
