import Ashlar
import AshlarSQLite

/// Compares the expected contents of a store with those that it has.
struct ContentsComparison {
    private let expected: StoreContents
    private let found: StoreContents
    /// Whether there may be unexpected objects.
    private let allowsNewObjects: Bool
    /// The found object for each expected one, and the other way round.
    private var foundPositions: [Int: Int] = [:]
    private var expectedPositions: [Int: Int] = [:]
    private(set) var problems: [MigrationProblem] = []

    init(_ expected: StoreContents, _ found: StoreContents, allowsNewObjects: Bool) {
        self.expected = expected
        self.found = found
        self.allowsNewObjects = allowsNewObjects
        matchObjects()
        for (position, object) in expected.objects.enumerated() {
            guard let other = foundPositions[position] else { continue }
            compareValues(object, found.objects[other])
            compareLinks(object, found.objects[other])
        }
    }

    private mutating func matchObjects() {
        let positions = found.positions
        for (entityName, group) in Dictionary(
            grouping: expected.objects.indices, by: { expected.objects[$0].entityName }
        )
        .sorted(by: { $0.key < $1.key }) {
            if expected.objects[group[0]].isRenumbered {
                matchByOrder(entityName, group, positions[entityName] ?? [:])
                continue
            }
            for position in group {
                let object = expected.objects[position]
                if let other = positions[entityName]?[object.rowID] {
                    match(position, other)
                } else if !object.mayBeGone {
                    problems.append(MigrationProblem(entity: entityName, rowID: object.rowID, "The object is gone."))
                }
            }
        }
        for (position, object) in found.objects.enumerated()
        where expectedPositions[position] == nil && !allowsNewObjects && !isPartlyKnown(object.entityName) {
            problems.append(
                MigrationProblem(entity: object.entityName, rowID: object.rowID, "The object was not there before."))
        }
    }

    private mutating func match(_ position: Int, _ other: Int) {
        foundPositions[position] = other
        expectedPositions[other] = position
    }

    /// Objects with new numbers keep their order; objects that the author's own code adds come after them.
    private mutating func matchByOrder(_ entityName: String, _ group: [Int], _ found: [Int64: Int]) {
        let wanted = group.sorted { expected.objects[$0].rowID < expected.objects[$1].rowID }
        let others = found.sorted { $0.key < $1.key }.map(\.value)
        if group.contains(where: { expected.objects[$0].mayBeGone }), others.count != wanted.count { return }
        if others.count < wanted.count {
            problems.append(
                MigrationProblem(
                    entity: entityName, "Of \(wanted.count) objects \(wanted.count - others.count) are gone."))
            return
        }
        for (position, other) in zip(wanted, others) { match(position, other) }
    }

    /// Returns whether objects of an entity could not be distinguished, which is already reported or allowed.
    private func isPartlyKnown(_ entityName: String) -> Bool {
        expected.objects.indices.contains { position in
            let object = expected.objects[position]
            return object.entityName == entityName && object.isRenumbered && foundPositions[position] == nil
        }
    }

    private mutating func compareValues(_ object: StoreContents.Object, _ other: StoreContents.Object) {
        for (keyPath, value) in object.values.sorted(by: { $0.key < $1.key }) {
            guard let now = other.values[keyPath], now != value else { continue }
            problems.append(
                MigrationProblem(
                    entity: object.entityName, property: keyPath, rowID: other.rowID,
                    "It should be \(value.shown), and is \(now.shown)."))
        }
    }

    private mutating func compareLinks(_ object: StoreContents.Object, _ other: StoreContents.Object) {
        for (name, links) in object.links.sorted(by: { $0.key < $1.key }) {
            guard let now = other.links[name] else { continue }
            var wanted = links.targets.filter { foundPositions[$0] != nil }.compactMap { foundPositions[$0] }
            var actual = now.targets.filter { expectedPositions[$0] != nil }
            if !links.isOrdered {
                wanted.sort()
                actual.sort()
            }
            if wanted == actual { continue }
            problems.append(
                MigrationProblem(
                    entity: object.entityName, property: name, rowID: other.rowID,
                    "It should lead to \(shown(wanted)), and leads to \(shown(actual))."))
        }
    }

    private func shown(_ targets: [Int]) -> String {
        targets.isEmpty ? "nothing" : targets.map { "\(found.objects[$0].rowID)" }.joined(separator: ", ")
    }
}

extension SQLiteValue {
    /// The value in few words.
    fileprivate var shown: String {
        switch self {
        case .null: return "nil"
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .text(let text): return "\"\(text.prefix(40))\(text.count > 40 ? "…" : "")\""
        case .blob(let data):
            let digits = data.prefix(20).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return "x'\(digits.joined())\(data.count > 20 ? "…" : "")'"
        }
    }
}
