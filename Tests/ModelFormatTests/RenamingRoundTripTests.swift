import DataModel
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import ModelFormat

/// The project's own models use every form of predicates, derivations, indexes and composites.
@Suite("Renaming there and back")
struct RenamingRoundTripTests {
    private static let files: [String] = {
        let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let enumerator = FileManager.default.enumerator(atPath: package.path)
        var files: [String] = []
        while let path = enumerator?.nextObject() as? String {
            if path.hasPrefix(".") {
                enumerator?.skipDescendants()
            } else if path.hasSuffix(".xcdatamodel/contents") {
                files.append("\(package.path)/\(path)")
            }
        }
        return files.sorted()
    }()

    /// A name that was not renamed would be an error, and the edit would be refused.
    @Test func everyByteIsAsBeforeAndNoNameIsLeftBehind() throws {
        #expect(Self.files.count > 20)
        var count = 0
        for seed in seeds(60) {
            var generator = SeededGenerator(seed: seed)
            let file = try #require(Self.files.randomElement(using: &generator))
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
            var version = try VersionText(contents: bytes, file: "contents")
            let model = version.model
            let owners =
                model.entities.map { ($0.name, $0.attributes.map(\.name) + $0.relationships.map(\.name)) }
                + model.composites.map { ($0.name, $0.attributes.map(\.name)) }
            guard let (owner, properties) = owners.randomElement(using: &generator) else { continue }
            let isComposite = model.composites.contains { $0.name == owner }
            var items: [(ModelItem, String, (String) -> ModelItem)] = properties.shuffled(using: &generator).prefix(4)
                .map { name in (.property(name, of: owner), name, { .property($0, of: owner) }) }
            items.append(
                isComposite
                    ? (.composite(owner), owner, { .composite($0) }) : (.entity(owner), owner, { .entity($0) }))
            for (item, name, renamed) in items {
                let comment = "seed \(seed), \(file): \(item)"
                do {
                    // A keyword of predicates is one more difficulty.
                    let other = Bool.random(using: &generator) ? "renamed\(name)" : "first"
                    try version.apply(.rename(item, to: other))
                    let isChanged = version.bytes != bytes || other == name
                    #expect(isChanged, "\(comment)")
                    try version.apply(.rename(renamed(other), to: name))
                    count += 1
                } catch ModelEditError.exists {
                } catch {
                    Issue.record("\(error): \(comment)")
                }
                // A name that was a keyword for a while keeps its mark.
                let mark = UInt8(ascii: "#")
                let isRestored = version.bytes.filter { $0 != mark } == bytes.filter { $0 != mark }
                #expect(isRestored, "\(comment)")
            }
        }
        #expect(count > 30)
    }
}
