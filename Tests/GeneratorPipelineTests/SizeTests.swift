import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import RandomNumbers
import SwiftGeneration
import Testing

/// Models of a size that people do not write, but programs do.
@Suite struct SizeTests {
    private static func document(_ body: String) -> [UInt8] {
        Array("<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\(body)</model>".utf8)
    }

    private static func entity(_ number: Int, of count: Int) -> String {
        """
        <entity name="E\(number)"><attribute name="a" attributeType="String" optional="YES"/>\
        <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="E\((number + 1) % count)" inverseName="before" inverseEntity="E\((number + 1) % count)"/>\
        <relationship name="before" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="E\((number + count - 1) % count)" inverseName="next" \
        inverseEntity="E\((number + count - 1) % count)"/></entity>
        """
    }

    /// Ten thousand entities with `ASHLAR_TEST_EFFORT=10`.
    @Test func thousandsOfEntitiesAreGenerated() throws {
        let count = min(10_000, 1000 * TestEffort.factor)
        let body = (0..<count).map { Self.entity($0, of: count) }.joined(separator: "\n")
        let (model, found) = ModelReader.read(contents: Self.document(body), named: "Large", file: "contents")
        #expect(!found.hasErrors)
        let bundle = ModelBundle(
            name: "Large", versions: [try #require(model)], currentVersionName: "Large",
            location: SourceLocation(file: "bundle"))
        let (plan, diagnostics) = ModelPlan.make(bundle)
        #expect(!diagnostics.hasErrors)
        let made = try #require(plan)
        let files = ModelGenerator(name: made.name, schema: made.schema, versions: made.versions).files(shards: 4)
        #expect(files.reduce(0) { $0 + $1.components(separatedBy: "class E").count - 1 } >= count)
    }

    /// A file of 50 MB with `ASHLAR_TEST_EFFORT=10`: most of it is one text, as of an embedded picture.
    @Test func aFileOfManyMegabytesIsRead() {
        let text = String(repeating: "0123456789abcdef", count: min(10, TestEffort.factor) * 5_000_000 / 16)
        let body = "<entity name=\"A\"><userInfo><entry key=\"k\" value=\"\(text)\"/></userInfo></entity>"
        let (model, found) = ModelReader.read(contents: Self.document(body), named: "Large", file: "contents")
        // Text beyond a limit may be refused, but not read in part.
        #expect(found.hasErrors || model?.entities.first?.userInfo["k"]?.utf8.count == text.utf8.count)
        #expect(model == nil || !found.hasErrors)
    }

    /// A parent of a parent of a parent.
    @Test func aLongLineOfParents() throws {
        let count = 300
        let body = (0..<count).map { number in
            let parent = number == 0 ? "" : " parentEntity=\"E\(number - 1)\""
            return "<entity name=\"E\(number)\"\(parent)><attribute name=\"a\(number)\" attributeType=\"Integer 16\" "
                + "defaultValueString=\"0\"/></entity>"
        }.joined()
        let (model, found) = ModelReader.read(contents: Self.document(body), named: "Deep", file: "contents")
        #expect(!found.hasErrors)
        let bundle = ModelBundle(
            name: "Deep", versions: [try #require(model)], currentVersionName: "Deep",
            location: SourceLocation(file: "bundle"))
        let (plan, diagnostics) = ModelPlan.make(bundle)
        #expect(plan != nil || diagnostics.hasErrors)
    }

    /// SQLite reports this mistake with the entire statement, and only when a store is made.
    @Test func aTableWithMoreColumnsThanSQLiteAllowsIsAnError() throws {
        func check(columns count: Int) throws -> [String] {
            // The table also has `id$`, `version$` and `entity$`, and both entities share it.
            let attributes = (0..<count - 3).map { number in
                "<attribute name=\"a\(number)\" attributeType=\"Integer 16\" optional=\"YES\"/>"
            }
            let half = attributes.count / 2
            let body =
                "<entity name=\"A\">\(attributes[..<half].joined())</entity>"
                + "<entity name=\"B\" parentEntity=\"A\">\(attributes[half...].joined())</entity>"
            let model = try #require(
                ModelReader.read(contents: Self.document(body), named: "Wide", file: "contents").model)
            let bundle = ModelBundle(
                name: "Wide", versions: [model], currentVersionName: "Wide", location: SourceLocation(file: "bundle"))
            return ModelPlan.make(bundle).diagnostics.sorted.filter { $0.severity == .error }.map(\.message)
        }
        let limit = ModelLimits.columnCount
        #expect(try check(columns: limit).isEmpty)
        #expect(
            try check(columns: limit + 1) == ["The table of 'A' would have 2001 columns; SQLite allows 2000"])
    }

    /// Asking each child for its descendants would need a stack as deep as the chain is long.
    @Test func thousandsOfEntitiesInALineAreOneHierarchy() throws {
        let count = 20_000
        let entities = (0..<count).map { Entity(name: "E\($0)", parentName: $0 == 0 ? nil : "E\($0 - 1)") }
        let graph = ModelGraph(Model(name: "Deep", entities: entities))
        let names = graph.hierarchy(of: entities[0]).map(\.name)
        #expect(names == entities.map(\.name))
    }
}
