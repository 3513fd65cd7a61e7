import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Random changes of a graph of objects in several contexts, compared with a graph of plain values.
@Suite struct GraphTests {
    /// One random change, made in a context and in the reference.
    private struct Change {
        let context: ModelContext
        var reference: ReferenceGraph
        var random: SeededGenerator
        /// The nodes of the context, by their keys; filled when a round begins.
        var nodes: [Int: Node] = [:]
        var lastKey: Int

        private mutating func anyKey() -> Int? { reference.nodes.keys.sorted().randomElement(using: &random) }

        private mutating func someKeys() -> [Int] {
            (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in anyKey() }.reduce(into: []) { keys, key in
                if !keys.contains(key) { keys.append(key) }
            }
        }

        private func objects(_ keys: [Int]) -> ToMany<Node> { ToMany(keys.compactMap { nodes[$0] }) }

        mutating func make() {
            guard let key = anyKey(), let node = nodes[key], !random.oneIn(4) else { return insert() }
            switch Int.random(in: 0..<13, using: &random) {
            case 0, 1: setParent(key, node)
            case 2: setChildren(key, node)
            case 3:
                let other = random.oneIn(4) ? nil : anyKey()
                node.spouse = other.flatMap { nodes[$0] }
                reference.marry(key, other)
            case 4, 5: changeFriends(key, node)
            case 6: changeTargets(key, node)
            case 7:
                guard let other = anyKey() else { return }
                node.sources.append(nodes[other] ?? node)
                reference.nodes[other]?.targets.insert(key)
            case 8, 9: changeRanking(key, node)
            case 10: changeRankedBy(key, node)
            case 11 where reference.nodes.count > 5 && random.oneIn(2):
                context.delete(node)
                reference.delete(key)
                nodes = nodes.filter { reference.nodes[$0.key] != nil }
            default: node.name = "\(key)"
            }
        }

        private mutating func insert() {
            lastKey += 1
            let node = Node(name: "\(lastKey)")
            reference.nodes[lastKey] = ReferenceGraph.Links()
            let parent = anyKey().flatMap { $0 == lastKey ? nil : $0 }
            if let parent, random.oneIn(2) {
                // Setting a relationship before the insertion inserts the node.
                node.parent = nodes[parent]
                reference.nodes[lastKey]?.parent = parent
            } else if random.oneIn(2) {
                node.friends.append(node)
                reference.nodes[lastKey]?.friends = [lastKey]
                context.insert(node)
            } else {
                context.insert(node)
            }
            nodes[lastKey] = node
        }

        private mutating func setParent(_ key: Int, _ node: Node) {
            let other = random.oneIn(4) ? nil : anyKey()
            node.parent = other.flatMap { nodes[$0] }
            reference.nodes[key]?.parent = other
        }

        private mutating func setChildren(_ key: Int, _ node: Node) {
            if random.oneIn(2), let other = anyKey() {
                node.children.append(nodes[other] ?? node)
                reference.nodes[other]?.parent = key
                return
            }
            let keys = someKeys()
            node.children = objects(keys)
            for other in reference.children(of: key) { reference.nodes[other]?.parent = nil }
            for other in keys { reference.nodes[other]?.parent = key }
        }

        private mutating func changeFriends(_ key: Int, _ node: Node) {
            if random.oneIn(3) {
                let keys = someKeys()
                node.friends = objects(keys)
                for other in reference.nodes[key]?.friends ?? [] { reference.befriend(key, other, false) }
                for other in keys { reference.befriend(key, other, true) }
            } else if let other = anyKey(), let friend = nodes[other] {
                let isFriend = random.oneIn(2)
                if isFriend { node.friends.append(friend) } else { node.friends.remove(friend) }
                reference.befriend(key, other, isFriend)
            }
        }

        private mutating func changeTargets(_ key: Int, _ node: Node) {
            let keys = someKeys()
            if random.oneIn(2) {
                node.targets = objects(keys)
                reference.nodes[key]?.targets = Set(keys)
            } else {
                for other in keys { node.targets.remove(nodes[other] ?? node) }
                reference.nodes[key]?.targets.subtract(keys)
            }
        }

        private mutating func changeRanking(_ key: Int, _ node: Node) {
            guard var ranking = reference.nodes[key]?.ranking else { return }
            let other = anyKey() ?? key
            let object = nodes[other] ?? node
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                ranking = someKeys()
                node.ranking = objects(ranking)
            case 1:
                node.ranking.append(object)
                if !ranking.contains(other) { ranking.append(other) }
            case 2:
                node.ranking.remove(object)
                ranking.removeAll { $0 == other }
            default:
                let position = Int.random(in: 0...3, using: &random)
                node.ranking.insert(object, at: position)
                ranking.removeAll { $0 == other }
                ranking.insert(other, at: min(position, ranking.count))
            }
            reference.nodes[key]?.ranking = ranking
        }

        private mutating func changeRankedBy(_ key: Int, _ node: Node) {
            guard let other = anyKey(), let object = nodes[other] else { return }
            if random.oneIn(2) {
                node.rankedBy.append(object)
                if reference.nodes[other]?.ranking.contains(key) == false {
                    reference.nodes[other]?.ranking.append(key)
                }
            } else {
                node.rankedBy.remove(object)
                reference.nodes[other]?.ranking.removeAll { $0 == key }
            }
        }
    }

    @Test("rows 83, 88: contexts hold the reference graph", arguments: seeds())
    func contextsHoldTheReferenceGraph(_ seed: Seed) throws {
        let container = try memoryContainer()
        var contexts = (0..<3).map { _ in ModelContext(container) }
        var random = SeededGenerator(seed: seed)
        var saved = ReferenceGraph()
        var lastKey = 0
        for round in 0..<40 {
            let comment = "seed \(seed), round \(round)"
            let index = Int.random(in: 0..<3, using: &random)
            if random.oneIn(5) { contexts[index] = ModelContext(container) }
            let context = contexts[index]
            // Discards the context's changes; the fetch reads the saves of the others.
            context.rollback()
            let nodes = try context.fetch(Node.all)
            if random.oneIn(2) { try saved.expect(context, comment + ", begin") }
            var change = Change(
                context: context, reference: saved, random: SeededGenerator(seed: random.next()), lastKey: lastKey)
            for node in nodes { change.nodes[ReferenceGraph.key(node)] = node }
            for step in 0..<Int.random(in: 1...25, using: &random) {
                change.make()
                if random.oneIn(6) { try change.reference.expect(context, comment + ", step \(step)") }
                if random.oneIn(20) { context.registry.visitMaps { $1.sweep() } }
            }
            lastKey = change.lastKey
            try change.reference.expect(context, comment + ", pending")
            if random.oneIn(4) {
                context.rollback()
            } else {
                try context.save()
                saved = change.reference
                #expect(!context.hasChanges)
            }
            try saved.expect(context, comment + ", end")
            if random.oneIn(3) {
                try saved.expect(ModelContext(container), comment + ", anew")
                try container.expectSound(Testing.Comment(rawValue: comment))
            }
        }
    }
}
