import Ashlar
import RandomNumbers
import RandomSeeds
import Testing

/// Objects of a hierarchy of four levels, beside the same in plain Swift.
@Suite struct HierarchyOracleTests {
    @Test(arguments: seeds(3)) func objectsAreThoseOfThePlainModelAtEachHierarchyLevel(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<100).map { _ in HierarchyOperation(random: &random) }
        expectSuccess(operations) { operations in try HierarchyRun().failure(of: operations) }
    }
}

struct HierarchyOperation: Sendable, CustomStringConvertible {
    enum Kind: CaseIterable, Sendable {
        case insert, set, near, delete, save, rollback, child, turn, duplicate, batchUpdate, batchDelete, batchInsert
    }

    let kind: Kind
    let seed: UInt64

    var description: String { "\(kind) \(seed)" }

    init(random: inout SeededGenerator) {
        seed = UInt64(random.number(0..<1_000_000))
        let weighted: [Kind] = Kind.allCases + [.insert, .insert, .insert, .set, .set, .near, .near, .near, .save]
        kind = weighted.randomElement(using: &random) ?? .save
    }
}

private final class HierarchyRun {
    private let container: ModelContainer
    private let roots: [ModelContext]
    private var context: ModelContext
    private var committed: [Int64: HierarchyItem] = [:]
    /// The items of the writing context, and those of its child.
    private var items: [[Int64: HierarchyItem]] = [[:]]
    private var newCode: Int64 = 0
    private var log: [String] = []

    init() throws {
        let container = try ModelContainer(
            for: YardModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        self.container = container
        roots = (0..<2).map { _ in
            let context = ModelContext(container)
            context.automaticallyMergesChangesFromParent = true
            return context
        }
        context = roots[0]
    }

    private var current: [Int64: HierarchyItem] {
        get { items[items.count - 1] }
        set { items[items.count - 1] = newValue }
    }

    func failure(of operations: [HierarchyOperation]) throws -> String? {
        for operation in operations {
            do {
                if let failure = try perform(operation) ?? difference() { return "\(failure) after \(log)" }
            } catch {
                return "threw \(error) after \(log)"
            }
        }
        return try container.integrityProblems().first.map { "\($0) after \(log)" }
    }

    private func perform(_ operation: HierarchyOperation) throws -> String? {
        var random = SeededGenerator(seed: operation.seed)
        let code = current.keys.sorted().randomElement(using: &random)
        let level = HierarchyLevel.allCases.randomElement(using: &random) ?? .gear
        let value = Int64(random.number(0..<8))
        log.append("\(operation.kind)")
        switch operation.kind {
        case .insert:
            newCode += 1
            log[log.count - 1] += " \(level) \(newCode)"
            context.insert(object(level, newCode))
            current[newCode] = HierarchyItem(level)
        case .set:
            guard let code else { break }
            log[log.count - 1] += " \(level) of \(code) to \(value)"
            let gear = try gear(code)
            if level == .gear {
                gear.weight = value
                current[code]?.weight = value
            } else if current[code]?.own[level] != nil {
                if level == .tool { (gear as? Tackle)?.edge = value }
                if level == .drill { (gear as? Drill)?.speed = value }
                if level == .hammer { (gear as? Hammer)?.force = value }
                if level == .vessel { (gear as? Vessel)?.volume = value }
                current[code]?.own[level] = value
            }
        case .near:
            guard let code else { break }
            let near = random.oneIn(5) ? nil : current.keys.sorted().randomElement(using: &random)
            log[log.count - 1] += " of \(code) to \(near.map { "\($0)" } ?? "nil")"
            try gear(code).near = try near.map { try gear($0) }
            current[code]?.near = near
        case .delete:
            guard let code else { break }
            log[log.count - 1] += " \(code)"
            context.delete(try gear(code))
            Self.delete([code], &current)
        case .save: try save()
        case .rollback:
            context.rollback()
            current = items.count > 1 ? items[0] : committed
        case .child where items.count == 1:
            context = ModelContext(parent: context)
            items.append(current)
        case .turn:
            if items.count > 1 { try save() }
            if items.count > 1 { context = context.parent ?? context }
            items = [items[0]]
            try save()
            context = roots[random.number(0..<roots.count)]
        case .duplicate:
            guard items.count == 1, let code = committed.keys.sorted().randomElement(using: &random),
                current[code] != nil
            else { break }
            log[log.count - 1] += " \(level) \(code)"
            context.insert(object(level, code))
            do {
                try context.save()
                return "\(code) was saved twice"
            } catch is SaveError {
                context.rollback()
                current = committed
            }
        case .batchUpdate, .batchDelete, .batchInsert:
            guard items.count == 1, current == committed, !context.hasChanges else { break }
            try batch(operation.kind, level, value, code)
            current = committed
        default: log.removeLast()
        }
        return nil
    }

    private func save() throws {
        try context.save()
        if items.count > 1 { items[0] = current } else { committed = current }
    }

    private static func delete(_ codes: [Int64], _ items: inout [Int64: HierarchyItem]) {
        for code in codes { items[code] = nil }
        for (code, item) in items where item.near.map({ codes.contains($0) }) == true { items[code]?.near = nil }
    }

    private func object(_ level: HierarchyLevel, _ code: Int64) -> Gear {
        switch level {
        case .gear: Gear(code: code)
        case .tool: Tackle(code: code)
        case .drill: Drill(code: code)
        case .hammer: Hammer(code: code)
        case .vessel: Vessel(code: code)
        }
    }

    private func gear(_ code: Int64) throws -> Gear {
        let found = try context.fetch(Gear.where { $0.code == code })
        guard found.count == 1 else { throw YardError.notOne(Gear.self, found.map(\.code)) }
        return found[0]
    }

    private func batch(_ kind: HierarchyOperation.Kind, _ level: HierarchyLevel, _ value: Int64, _ code: Int64?) throws
    {
        let casts = value.isMultiple(of: 2)
        log[log.count - 1] += " \(level) \(value)"
        switch kind {
        case .batchUpdate where casts:
            try context.batchUpdate(Gear.where { $0.as(Drill.self).speed > value }) { $0.weight += 1 }
            for (code, item) in committed where item.own[.drill].map({ $0 > value }) == true {
                committed[code]?.weight += 1
            }
        case .batchUpdate:
            try context.batchUpdate(Tackle.where { $0.weight > value }) { $0.edge += 1 }
            for (code, item) in committed where item.own[.tool] != nil && item.weight > value {
                committed[code]?.own[.tool]? += 1
            }
        case .batchInsert:
            let known = code ?? 0
            newCode += 1
            try context.batchInsert(
                contentsOf: [Drill.Values(code: known, speed: value), Drill.Values(code: newCode, speed: value)],
                onConflict: .ignore)
            var drill = HierarchyItem(.drill)
            drill.own[.drill] = value
            if committed[known] == nil { committed[known] = drill }
            committed[newCode] = drill
        default:
            let leaving: [Int64]
            if casts {
                try context.batchDelete(Gear.where { $0.near.as(Drill.self).speed < value && $0.weight < value })
                leaving = committed.filter { _, item in
                    let speed = item.near.flatMap { committed[$0]?.own[.drill] }
                    return speed.map { $0 < value } == true && item.weight < value
                }.map(\.key)
            } else {
                try context.batchDelete(Drill.where { $0.speed == value || $0.edge > 4 })
                leaving = committed.filter { _, item in
                    item.own[.drill].map { $0 == value || (item.own[.tool] ?? 0) > 4 } == true
                }.map(\.key)
            }
            Self.delete(leaving, &committed)
        }
    }

    private func difference() throws -> String? {
        if let wrong = try HierarchyReading.difference(context, current) { return "the context: \(wrong)" }
        if items.count > 1, let parent = context.parent,
            let wrong = try HierarchyReading.difference(parent, items[0])
        {
            return "the parent: \(wrong)"
        }
        if let wrong = try HierarchyReading.difference(ModelContext(container), committed) {
            return "the store: \(wrong)"
        }
        let writer = context.parent ?? context
        for root in roots where root !== writer {
            if let wrong = try HierarchyReading.difference(root, committed) { return "the other context: \(wrong)" }
        }
        return nil
    }
}
