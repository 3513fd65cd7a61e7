import DataModel
import Foundation
import GeneratorPipeline
import RandomNumbers
import RandomSeeds
import Testing

/// The same model gives the same bytes: from any folder, in any locale and time zone, and for any order of the
/// attributes of an XML element.
@Suite struct DeterminismTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func generated(_ bundle: URL, in folder: URL) throws -> [String: Data] {
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        let diagnostics = try GenerationRequest(modelPath: bundle.path, outputFolder: output.path, shards: 3).run()
        #expect(!diagnostics.hasErrors)
        let names = try FileManager.default.contentsOfDirectory(atPath: output.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: output.appending(path: $0))) })
    }

    /// Writes a bundle elsewhere, with the attributes of every element in a random order.
    private static func shuffle(
        _ bundle: URL, into folder: URL, _ generator: inout SeededGenerator
    ) throws -> URL {
        let copy = folder.appending(path: "\(UUID().uuidString) ä/\(bundle.lastPathComponent)")
        try FileManager.default.createDirectory(
            at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: bundle, to: copy)
        let enumerator = FileManager.default.enumerator(atPath: copy.path)
        while let path = enumerator?.nextObject() as? String {
            guard path.hasSuffix("contents") else { continue }
            let file = copy.appending(path: path)
            var tree = try #require(ModelTree.read(try Data(contentsOf: file)))
            for position in 0..<tree.count { tree.change(at: position) { $0.attributes.shuffle(using: &generator) } }
            try Data(tree.text.utf8).write(to: file)
        }
        return copy
    }

    @Test(arguments: ["Models/PhotoFeed", "Models/Zoo", "Models/Newsroom", "Tests/AshlarTests/Models/Torture"])
    func theOrderOfXMLAttributesSaysNothing(_ name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ashlar-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = Self.package.appending(path: "\(name).xcdatamodeld")
        let expected = try Self.generated(bundle, in: folder)
        for seed in seeds() {
            var generator = SeededGenerator(seed: seed)
            let shuffled = try Self.shuffle(bundle, into: folder, &generator)
            #expect(try Self.generated(shuffled, in: folder) == expected, "seed \(seed)")
        }
    }

    /// Runs the generator as the plugin does, in environments that sort, write and count differently.
    @Test(GeneratorProgram.condition) func theSurroundingsSayNothing() throws {
        let generator = try #require(GeneratorProgram.url)
        let folder = FileManager.default.temporaryDirectory.appending(path: "ashlar-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = Self.package.appending(path: "Models/PhotoFeed.xcdatamodeld")
        let expected = try Self.generated(bundle, in: folder)
        for surroundings in [
            ["LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati"],
            ["LC_ALL": "ar_EG.UTF-8", "LANG": "ar_EG.UTF-8", "TZ": "America/St_Johns", "LANGUAGE": "ar"],
            ["LC_ALL": "C", "TZ": "UTC", "SWIFT_DETERMINISTIC_HASHING": "1"],
        ] {
            let output = folder.appending(path: UUID().uuidString)
            let target = output.appending(path: "Sources")
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            try Data(#"{"models": ["Models/PhotoFeed.xcdatamodeld"]}"#.utf8)
                .write(to: target.appending(path: "ashlar.json"))
            let outputs = ["Model", "Entities1", "Entities2", "Entities3"].map { "PhotoFeed+\($0).swift" }
            let process = Process()
            process.executableURL = generator
            process.arguments =
                ["PhotoFeed", target.path, Self.package.path]
                + (["state"] + outputs).map { output.appending(path: $0).path }
            process.environment = ProcessInfo.processInfo.environment.merging(surroundings) { $1 }
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            for (name, data) in expected {
                #expect(try Data(contentsOf: output.appending(path: name)) == data, "\(name) \(surroundings)")
            }
        }
    }
}
