import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Conditions about relationships of every kind, in SQL and in memory, over random graphs.
@Suite struct RelationshipConditionTests {
    @Test("row 116: sql and memory agree", arguments: seeds())
    func sqlAndMemoryAgree(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = try memoryContext()
        var nodes = (0..<25).map { Node(name: ["a", "b", "c"][$0 % 3]) }
        let labels = ["a", "b"].map { Label(name: $0) }
        for node in nodes { context.insert(node) }
        for label in labels { context.insert(label) }
        for round in 0..<6 {
            for _ in 0..<40 { change(&random, nodes, labels) }
            if round == 3 {
                // A leaf of the tree, for children are deleted with their parents.
                if let node = nodes.first(where: { $0.children.isEmpty }) { context.delete(node) }
                nodes.removeAll { $0.isDeleted }
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for number in 0..<40 {
                    let condition = condition(&random, Node._ashlarColumns, depth: 3, nodes, labels)
                    let comment = Testing.Comment(
                        rawValue:
                            "seed \(seed), round \(round), \(isSaved), \(number): \(condition.expression)")
                    let expected = nodes.filter { condition.expression.holds(for: $0) }
                    #expect(try Set(context.fetch(Node.where { _ in condition })) == Set(expected), comment)
                }
            }
        }
    }

    private func change(_ random: inout SeededGenerator, _ nodes: [Node], _ labels: [Label]) {
        guard let first = nodes.randomElement(using: &random), let second = nodes.randomElement(using: &random),
            let label = labels.randomElement(using: &random)
        else { return }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: first.parent = second
        case 1: first.targets.append(second)
        case 2: first.friends.append(second)
        case 3: first.ranking.append(second)
        case 4: first.spouse = second
        case 5: first.favourite = label
        case 6: first.marks.append(label)
        case 7: first.targets.remove(second)
        case 8: first.ranking.removeAll()
        default: first.children.append(second)
        }
    }

    private func condition(
        _ random: inout SeededGenerator, _ columns: Columns<Node>, depth: Int, _ nodes: [Node], _ labels: [Label]
    ) -> Condition {
        let name = ["a", "b", "c"].randomElement(using: &random) ?? ""
        if depth == 0 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: return columns.spouse.name == name
            case 1: return columns.favourite.name == name
            case 2: return columns == nodes.randomElement(using: &random)
            case 3: return columns.parent == columns.spouse
            default: return columns.name == name
            }
        }
        let related =
            [
                columns.children, columns.sources, columns.targets, columns.friends, columns.ranking, columns.rankedBy,
                columns.spouse.friends, columns.parent.targets,
            ].randomElement(using: &random) ?? columns.children
        var copy = random
        defer { random = copy }
        let inner = { (inner: Columns<Node>) in self.condition(&copy, inner, depth: depth - 1, nodes, labels) }
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: return related.contains(where: inner)
        case 2: return related.allSatisfy(inner)
        case 3: return related.filter(inner).count >= 2
        case 4: return related.isEmpty || !inner(columns)
        case 5: return columns.marks.contains { $0.name == name } && inner(columns)
        case 6:
            let first = SQLExpression.Position.allSamples[Int.random(in: 0..<4, using: &copy)]
            let value = columns.ranking._ashlarElement(first) { $0.name._ashlarExpression }
            return Condition(.comparison(value, .equal, .value(.text(name))))
        case 7: return related.max { $0.name } == name
        default: return related.contains { $0 == columns.spouse || $0.targets.contains(columns) }
        }
    }
}

extension SQLExpression.Position {
    static let allSamples: [SQLExpression.Position] = [.first, .last, .at(1), .at(-1)]
}
