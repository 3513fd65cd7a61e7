import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import Testing

@testable import IndexAdvice

/// The findings of `ashlar check` about missing indexes, compared with those of a build.
@Suite struct CheckTests {
    private static func document(_ body: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Thing"><attribute name="name" optional="YES" attributeType="String"/>\(body)</entity>
            <fetchRequest name="r" entity="Thing" predicateString="name == $X"/>
        </model>

        """
    }

    private static let index =
        #"<fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>"#

    @Test func aMissingIndexIsFoundByTheCheckAlone() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("check-\(UUID().uuidString)")
        let bundle = folder.appendingPathComponent("M.xcdatamodel")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = bundle.appendingPathComponent("contents")
        func findings(_ text: String) throws -> [Diagnostic] {
            try Data(text.utf8).write(to: file)
            let (plan, diagnostics) = ModelPlan.make(modelPath: bundle.path)
            #expect(!diagnostics.all.contains { $0.code == .missingIndex })
            var resolver = FindingResolver()
            let schema = try #require(plan).schema
            return resolver.resolved(IndexAdvisor.check(schema)).all
        }
        let text = Self.document("")
        let found = try findings(text)
        let finding = try #require(found.first)
        #expect(found.count == 1 && finding.code == .missingIndex && finding.severity == .warning)
        #expect("\(finding.location.line):\(finding.location.column)" == "4:5")
        var resolver = FindingResolver()
        let fix = try #require(finding.fixes.first)
        let made = resolver.edits(of: fix)
        let edits = try #require(made)
        let fixed = String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
        #expect(fixed.filter { !$0.isWhitespace } == Self.document(Self.index).filter { !$0.isWhitespace })
        #expect(try findings(fixed).isEmpty)
    }
}
