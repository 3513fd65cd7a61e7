import Foundation
import Testing

@testable import Ashlar

/// Nodes and their relationships as plain values: the expected contents of a context.
struct ReferenceGraph: Equatable {
    struct Links: Equatable {
        var parent: Int?
        var spouse: Int?
        var friends: Set<Int> = []
        var targets: Set<Int> = []
        var ranking: [Int] = []
    }

    var nodes: [Int: Links] = [:]

    func children(of key: Int) -> Set<Int> { Set(nodes.filter { $0.value.parent == key }.keys) }

    mutating func marry(_ key: Int, _ other: Int?) {
        if nodes[key]?.spouse == other { return }
        for end in [key, other].compactMap({ $0 }) {
            if let partner = nodes[end]?.spouse { nodes[partner]?.spouse = nil }
            nodes[end]?.spouse = nil
        }
        nodes[key]?.spouse = other
        if let other { nodes[other]?.spouse = key }
    }

    mutating func befriend(_ key: Int, _ other: Int, _ isFriend: Bool) {
        for (one, two) in [(key, other), (other, key)] {
            if isFriend { nodes[one]?.friends.insert(two) } else { nodes[one]?.friends.remove(two) }
        }
    }

    mutating func delete(_ key: Int) {
        let children = children(of: key)
        guard nodes.removeValue(forKey: key) != nil else { return }
        for other in nodes.keys {
            if nodes[other]?.spouse == key { nodes[other]?.spouse = nil }
            if nodes[other]?.parent == key { nodes[other]?.parent = nil }
            nodes[other]?.friends.remove(key)
            nodes[other]?.targets.remove(key)
            nodes[other]?.ranking.removeAll { $0 == key }
        }
        for child in children { delete(child) }
    }

    /// Fails the test unless a context holds exactly this graph, seen from both sides of every relationship.
    func expect(_ context: ModelContext, _ comment: String) throws {
        let comment = Testing.Comment(rawValue: comment)
        func keys(_ nodes: some Sequence<Node>) -> Set<Int> { Set(nodes.map(Self.key)) }
        let found = try context.fetch(Node.all)
        #expect(keys(found) == Set(nodes.keys) && found.count == nodes.count, comment)
        for node in found {
            let key = Self.key(node)
            guard let links = nodes[key] else { continue }
            #expect(node.parent.map(Self.key) == links.parent, comment)
            #expect(node.spouse.map(Self.key) == links.spouse, comment)
            #expect(keys(node.friends) == links.friends && node.friends.count == links.friends.count, comment)
            #expect(keys(node.targets) == links.targets && node.targets.count == links.targets.count, comment)
            #expect(node.ranking.map(Self.key) == links.ranking, comment)
            #expect(keys(node.children) == children(of: key), comment)
            #expect(keys(node.sources) == Set(nodes.filter { $0.value.targets.contains(key) }.keys), comment)
            #expect(keys(node.rankedBy) == Set(nodes.filter { $0.value.ranking.contains(key) }.keys), comment)
        }
    }

    static func key(_ node: Node) -> Int { Int(node.name) ?? -1 }
}
