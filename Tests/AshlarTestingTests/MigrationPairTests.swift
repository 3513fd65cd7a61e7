import Ashlar
import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import Testing

@testable import AshlarTesting

/// Suites over all pairs of versions, as the author of a program writes them.
@Suite struct MigrationPairTests {
    @Test(arguments: try MigrationPair.all(of: GardenModel.self, modelAt: Garden.path))
    func migrates(_ pair: MigrationPair) throws {
        try pair.check(with: GardenMigrations.self, changing: Garden.changing)
    }

    @Test func thereIsAPairForEachTwoVersions() throws {
        let pairs = try MigrationPair.all(of: GardenModel.self, modelAt: Garden.path)
        #expect(
            pairs.map(\.description) == [
                "Garden → Garden 2", "Garden → Garden 3", "Garden 2 → Garden 3", "Garden → Garden 4",
                "Garden 2 → Garden 4", "Garden 3 → Garden 4",
            ])
        #expect(Set(pairs.map(\.id)).count == pairs.count)
    }

    @Test func aPairWithAStageNeedsThePlan() throws {
        let pairs = try MigrationPair.all(of: GardenModel.self, modelAt: Garden.path)
        for pair in pairs where pair.destination == "Garden 4" {
            #expect {
                try pair.check()
            } throws: { error in
                guard case MigrationTestError.failed(_, StoreError.missingMigrationStage) = error else { return false }
                return "\(error)".hasPrefix("\(pair), ASHLAR_TEST_SEED=")
            }
        }
    }

    /// A change that the program's own code makes is a mistake unless the test names it.
    @Test(arguments: [("Bed.title", "Garden 2", "Garden 3"), ("Note", "Garden 3", "Garden 4")])
    func whatIsNotNamedIsAMistake(_ name: String, _ source: String, _ destination: String) throws {
        let pairs = try MigrationPair.all(of: GardenModel.self, modelAt: Garden.path)
        let pair = try #require(pairs.first { $0.source == source && $0.destination == destination })
        let changing = Garden.changing.subtracting([name])
        let values = ["Note.text": [SQLiteValue.text(""), .text("a")]]
        try pair.check(with: GardenMigrations.self, values: values, changing: Garden.changing)
        #expect {
            try pair.check(with: GardenMigrations.self, values: values, changing: changing)
        } throws: { error in
            guard case MigrationTestError.wrong(_, let problems) = error else { return false }
            return problems.allSatisfy {
                name == "\($0.entity ?? "").\($0.property ?? "")" || name == $0.entity && $0.reason.hasSuffix("gone.")
            }
        }
    }

    // MARK: Refusals

    /// A model whose second version requires values that are optional in the first.
    private static func refusing() throws -> TestedModel {
        func version(_ name: String, isOptional: Bool) -> Model {
            Model(
                name: name,
                entities: [
                    Entity(name: "Leaf", attributes: [Attribute(name: "colour", type: .string, isOptional: isOptional)])
                ])
        }
        let bundle = ModelBundle(
            name: "Leaves", versions: [version("First", isOptional: true), version("Second", isOptional: false)],
            currentVersionName: "Second", location: SourceLocation(file: "Leaves"))
        return TestedModel(try #require(ModelPlan.make(bundle).plan))
    }

    @Test func aRefusalIsAFailureUnlessItIsAllowed() throws {
        let pair = MigrationPair(try Self.refusing(), from: 0, to: 1)
        #expect {
            try pair.check()
        } throws: { error in
            if case MigrationTestError.failed(_, StoreError.migrationRefused) = error { true } else { false }
        }
        try pair.check(allowsRefusal: true)
        try pair.check(values: ["Leaf.colour": [.text("green")]])
    }

    // MARK: Deletions

    /// Receipts belong to payments, and stamps to receipts; the second version has no payments by card.
    private static func payments() throws -> TestedModel {
        func relation(_ name: String, _ destination: String, _ inverse: String, isToMany: Bool) -> Relationship {
            Relationship(
                name: name, destinationName: destination, inverseName: inverse, isOptional: isToMany,
                isToMany: isToMany, deletionRule: isToMany ? .cascade : .nullify)
        }
        let entities = [
            Entity(name: "CardPayment", parentName: "Payment"),
            Entity(
                name: "Payment", relationships: [relation("receipts", "Receipt", "payment", isToMany: true)]),
            Entity(
                name: "Receipt",
                relationships: [
                    relation("payment", "Payment", "receipts", isToMany: false),
                    relation("stamps", "Stamp", "receipt", isToMany: true),
                ]),
            Entity(name: "Stamp", relationships: [relation("receipt", "Receipt", "stamps", isToMany: false)]),
        ]
        let bundle = ModelBundle(
            name: "Payments",
            versions: [
                Model(name: "First", entities: entities), Model(name: "Second", entities: Array(entities.dropFirst())),
            ], currentVersionName: "Second", location: SourceLocation(file: "Payments"))
        return TestedModel(try #require(ModelPlan.make(bundle).plan))
    }

    /// Objects that a deletion rule removes together with an entity are not a mistake.
    @Test func whatGoesWithAnEntityIsExpectedToGo() throws {
        let model = try Self.payments()
        try MigrationPair(model, from: 0, to: 1).check()
        let store = try OlderStore(model, version: 0, objectsPerEntity: 20, seed: 1, values: [:])
        defer { try? FileManager.default.removeItem(at: store.url.deletingLastPathComponent()) }
        let before = try store.contents()
        let after = before.migrated(model.match(to: 1), isCustom: false, changing: [])
        for name in ["Payment", "Receipt", "Stamp"] {
            let counts = [before, after].map { $0.objects.count { $0.entityName == name } }
            #expect(name == "Payment" ? counts[1] == counts[0] : counts[1] < counts[0] && counts[1] > 0)
        }
    }

    // MARK: Sums

    /// A model with sums of 64-bit numbers, and sums of these sums. In the second version, a short sum uses renamed
    /// attributes.
    private static func sums() throws -> TestedModel {
        func entities(_ name: String, was identifier: String?, _ sums: [Attribute]) -> [Entity] {
            func derived(_ name: String, _ expression: String) -> Attribute {
                Attribute(name: name, type: .integer64, isOptional: true, derivationExpression: expression)
            }
            func relation(_ name: String, _ destination: String, _ inverse: String, isToMany: Bool) -> Relationship {
                Relationship(
                    name: name, destinationName: destination, inverseName: inverse, isOptional: true,
                    isToMany: isToMany)
            }
            return [
                Entity(
                    name: "Exposure",
                    attributes: [
                        Attribute(name: name, type: .integer64, isOptional: true, renamingIdentifier: identifier)
                    ], relationships: [relation("session", "Session", "exposures", isToMany: false)]),
                Entity(
                    name: "Session", attributes: [derived("total", "exposures.\(name).@sum")] + sums,
                    relationships: [
                        relation("exposures", "Exposure", "session", isToMany: true),
                        relation("site", "Site", "sessions", isToMany: false),
                    ]),
                Entity(
                    name: "Site", attributes: [derived("all", "sessions.total.@sum")],
                    relationships: [relation("sessions", "Session", "site", isToMany: true)]),
            ]
        }
        let short = Attribute(
            name: "short", type: .integer32, isOptional: true, derivationExpression: "exposures.duration.@sum")
        let bundle = ModelBundle(
            name: "Observatory",
            versions: [
                Model(name: "First", entities: entities("seconds", was: nil, [])),
                Model(name: "Second", entities: entities("duration", was: "seconds", [short])),
            ], currentVersionName: "Second", location: SourceLocation(file: "Observatory"))
        return TestedModel(try #require(ModelPlan.make(bundle).plan))
    }

    @Test func whatIsSummedUpIsSmallEnoughForTheSum() throws {
        let model = try Self.sums()
        try MigrationPair(model, from: 0, to: 1).check()
        for seed in 1...10 {
            let store = try OlderStore(model, version: 0, objectsPerEntity: 30, seed: UInt64(seed), values: [:])
            defer { try? FileManager.default.removeItem(at: store.url.deletingLastPathComponent()) }
            let numbers = try store.contents().objects.compactMap { $0.values["seconds"]?.integer }
            #expect(numbers.contains { $0 != 0 } && abs(numbers.reduce(0, +)) <= Int64(Int32.max))
        }
    }

    @Test func aStoreThatCannotBeMadeIsNoMigration() {
        let made = TestedMigration(source: "Observatory 2", destination: "Observatory 2", seed: 1)
        #expect(made.description == "a store of Observatory 2, ASHLAR_TEST_SEED=1")
        let migrated = TestedMigration(source: "Observatory 2", destination: "Observatory 3", seed: 1)
        #expect(migrated.description == "Observatory 2 → Observatory 3, ASHLAR_TEST_SEED=1")
    }

    @Test func aMissingValueNamesTheFormsOfTheStore() {
        let error = MigrationTestError.noLegalValue(
            property: "Post.palette", version: "First", reason: "the program's own code makes its bytes")
        #expect(error.description.hasSuffix(".blob(…): values: [\"Post.palette\": […]]"))
    }

    // MARK: Counts

    /// A node has children, each of one node. If each must have two, there is no end of objects.
    private static func nodes(minimumCount: Int) throws -> MigrationPair {
        func version(_ name: String, _ attributes: [Attribute]) -> Model {
            Model(
                name: name,
                entities: [
                    Entity(
                        name: "Node", attributes: attributes,
                        relationships: [
                            Relationship(
                                name: "children", destinationName: "Node", inverseName: "parent", isOptional: false,
                                isToMany: true, minimumCount: minimumCount),
                            Relationship(
                                name: "parent", destinationName: "Node", inverseName: "children", isOptional: true),
                        ])
                ])
        }
        let bundle = ModelBundle(
            name: "Nodes",
            versions: [
                version("First", []), version("Second", [Attribute(name: "name", type: .string, isOptional: true)]),
            ], currentVersionName: "Second", location: SourceLocation(file: "Nodes"))
        return MigrationPair(TestedModel(try #require(ModelPlan.make(bundle).plan)), from: 0, to: 1)
    }

    @Test func aRequiredRelationshipToManyMayBeEmpty() throws { try Self.nodes(minimumCount: 0).check() }

    @Test func whatAsksForEverMoreObjectsIsSaidToDoSo() throws {
        #expect {
            try Self.nodes(minimumCount: 2).check()
        } throws: { error in
            guard case MigrationTestError.noLegalObjects(_, let reason) = error else { return false }
            return reason.contains("more and more")
        }
    }

    // MARK: Other models

    /// Models of other tests: with every kind of step, with configurations, and the sample's. The tests have no classes
    /// of them, so all checks use SQL.
    @Test(arguments: [
        "Tests/MigrationTests/Models/Harbour.xcdatamodeld", "Tests/AshlarTests/Models/Outpost.xcdatamodeld",
        "Models/PhotoFeed.xcdatamodeld",
    ])
    func modelsOfOtherTests(_ path: String) throws {
        let model = TestedModel(
            try #require(ModelPlan.make(modelPath: PackageFolder(of: #filePath).resolve(path)).plan))
        for destination in model.versionNames.indices {
            for source in 0..<destination {
                try MigrationPair(model, from: source, to: destination).check(allowsRefusal: true)
            }
        }
    }

    // MARK: The corpus

    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/corpus").path

    private static func bundles() -> [String] {
        guard let names = FileManager.default.enumerator(atPath: corpus) else { return [] }
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".xcdatamodeld") }.sorted()
    }

    /// Stores of the versions of real models, from each to the next and from the oldest to the current one.
    @Test(.enabled(if: !bundles().isEmpty, "There is no corpus beside the repository.")) func realModels() throws {
        var count = 0
        for bundle in Self.bundles() {
            guard let plan = ModelPlan.make(modelPath: "\(Self.corpus)/\(bundle)").plan, plan.versions.count > 1,
                plan.versions.count < 6 * TestSeeds.all.count
            else { continue }
            let model = TestedModel(plan)
            var pairs = model.versionNames.indices.dropFirst().map { MigrationPair(model, from: $0 - 1, to: $0) }
            pairs.append(MigrationPair(model, from: 0, to: model.current))
            for pair in pairs {
                do {
                    try pair.check(objectsPerEntity: 3, allowsRefusal: true)
                    count += 1
                } catch MigrationTestError.noLegalValue, MigrationTestError.noLegalObjects {
                    continue
                } catch {
                    Issue.record(error, "\(bundle)")
                }
            }
        }
        #expect(count > 10)
    }
}
