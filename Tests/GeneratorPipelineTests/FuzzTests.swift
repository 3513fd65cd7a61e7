import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import RandomNumbers
import RandomSeeds
import SwiftGeneration
import Testing

/// Models with changed elements and attributes go through reading, checking, planning and generating.
///
/// `ASHLAR_TEST_EFFORT=1000` is a million inputs. A failure names the seed of its input.
@Suite struct FuzzTests {
    /// The project's own models, and real ones where a machine has them.
    static let trees: [ModelTree] = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let corpus = package.resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "shared/corpus/models")
        var paths: [String] = []
        for folder in ["Models", "Tests/AshlarTests/Models"].map({ package.appending(path: $0) }) + [corpus] {
            let enumerator = FileManager.default.enumerator(atPath: folder.path)
            while let path = enumerator?.nextObject() as? String {
                if path.hasSuffix("/contents") { paths.append(folder.appending(path: path).path) }
            }
        }
        let data = paths.sorted().compactMap { FileManager.default.contents(atPath: $0) }
        // Small models are changed more often in the same time.
        return data.filter { $0.count < 20_000 }.compactMap { ModelTree.read($0) }
    }()

    @Test func noModelCrashesHangsOrGrows() throws {
        #expect(!Self.trees.isEmpty)
        var planned = 0
        let seeds = seeds(1000)
        var mutator = ModelMutator(seed: 0, trees: [])
        var hundred: UInt64?
        for seed in seeds {
            // Making a mutator is expensive, so a hundred consecutive seeds share one.
            if hundred != seed.number / 100 {
                mutator = ModelMutator(seed: seed.number, trees: Self.sample(seed.number / 100))
                hundred = seed.number / 100
            }
            mutator.generator = SeededGenerator(seed: seed)
            let origin = mutator.anyTree()
            let text = mutator.mutation(of: origin).text
            let (model, found) = ModelReader.read(contents: Array(text.utf8), named: "Fuzz", file: "contents")
            #expect(model != nil || found.hasErrors, "seed \(seed): neither read nor reported")
            guard let model, !found.hasErrors, !ModelChecker.check(model).hasErrors else { continue }
            // Planning runs the plan's SQL, which is too slow for more than one in ten.
            if seed.number % 10 == 0, plan(model, origin, &mutator, seed) { planned += 1 }
        }
        #expect(planned > 0 || seeds.count == 1)
        // Other suites run in this process meanwhile, and take up to 3 GiB.
        #expect(Self.peakMemory < 8 << 30)
    }

    /// A few trees for a hundred inputs.
    private static func sample(_ number: UInt64) -> [ModelTree] {
        var generator = SeededGenerator(seed: number)
        return (0..<3).compactMap { _ in trees.randomElement(using: &generator) }
    }

    /// Plans a model with a version before it that differs, little or in all; returns whether there is code.
    private func plan(_ model: Model, _ origin: ModelTree, _ mutator: inout ModelMutator, _ seed: Seed) -> Bool {
        var tree = Int.random(in: 0..<4, using: &mutator.generator) == 0 ? mutator.anyTree() : origin
        mutator.mutate(&tree)
        let (read, _) = ModelReader.read(contents: Array(tree.text.utf8), named: "Before", file: "before")
        let versions = [read, model].compactMap { $0 }
        let bundle = ModelBundle(
            name: "Fuzz", versions: versions, currentVersionName: "Fuzz", location: SourceLocation(file: "bundle"))
        let (plan, diagnostics) = ModelPlan.make(bundle)
        #expect(plan != nil || diagnostics.hasErrors, "seed \(seed): neither planned nor reported")
        #expect(!diagnostics.all.contains { $0.code == .migrationUnproven }, "seed \(seed): \(diagnostics.all)")
        guard let plan else { return false }
        let files = ModelGenerator(name: plan.name, schema: plan.schema, versions: plan.versions).files(shards: 2)
        #expect(files.count == 3, "seed \(seed)")
        return true
    }

    /// The most memory that this process ever had, in bytes.
    static var peakMemory: Int {
        var usage = rusage()
        #if os(Linux)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return Int(usage.ru_maxrss) * 1024
        #else
            getrusage(RUSAGE_SELF, &usage)
            return Int(usage.ru_maxrss)
        #endif
    }
}
