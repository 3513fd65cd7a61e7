import Ashlar
import AshlarSync
import Foundation
import Testing

/// Moves within a tree.
@Suite struct TreeTests {
    let crew: Crew
    init() throws { crew = try Crew() }

    private func move(_ name: String, into other: String?, _ peer: Peer) throws {
        try peer.change { context in
            let folder = try #require(try context.fetch(Folder.where { $0.name == name }).first)
            folder.parent = try other.flatMap { other in try context.fetch(Folder.where { $0.name == other }).first }
        }
    }

    @Test("The later of two moves that make a cycle is dropped, with an event") func cycle() async throws {
        let (first, second) = try await crew.pair { context in
            for name in ["a", "b", "c"] { context.insert(Folder(name: name)) }
        }
        try move("c", into: "b", first)
        try await exchange(first, second)
        try move("a", into: "c", first)
        try move("b", into: "a", second)
        // Another move of the same store stays.
        try second.change { context in
            let folder = Folder(name: "d")
            context.insert(folder)
            folder.parent = try context.fetch(Folder.where { $0.name == "b" }).first
        }
        try await exchange(first, second)
        for peer in [first, second] {
            #expect(
                try peer.texts() == ["folder a in c", "folder b in -", "folder c in b", "folder d in b"])
            #expect(try peer.container.integrityProblems() == [])
        }
        let event = try #require(try await second.sync.keptEvents().first)
        #expect(event.kind == .cycle && event.needsAttention && event.objectName == "b")
        #expect(event.wanted == ["parent": "a"] && event.kept == ["parent": "nothing"])
    }

    @Test("Integrity problems name cycles in trees") func problems() throws {
        let peer = try crew.peer("first")
        try peer.change { for name in ["a", "b", "c", "d"] { $0.insert(Folder(name: name)) } }
        for (name, other) in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")] { try move(name, into: other, peer) }
        let problems = try peer.container.integrityProblems()
        #expect(problems.count == 1)
        #expect(problems.first?.contains("are within each other by Folder.parent") == true)
        try move("b", into: nil, peer)
        #expect(try peer.container.integrityProblems() == [])
    }
}
