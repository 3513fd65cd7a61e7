import DataModel
import Foundation
import ModelFormat
import Testing

/// An entity that is written as in the version before is not read again; the result must not show it.
@Suite("Entities that stay as they are")
struct UnchangedEntitiesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let entities = [
        """
            <entity name="Post" representedClassName="Post" syncable="YES">
                <attribute name="title" attributeType="String"><userInfo>
                    <entry key="a" value="b"/></userInfo></attribute>
                <attribute name="place" optional="YES" attributeType="Double"/>
                <relationship name="author" maxCount="1" destinationEntity="Author"/>
                <fetchedProperty name="recent">
                    <fetchRequest name="recent" entity="Post"/></fetchedProperty>
                <fetchIndex name="byTitle">
                    <fetchIndexElement property="title"/></fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="title"/></uniquenessConstraint></uniquenessConstraints>
                <userInfo><entry key="c" value="d"/></userInfo>
            </entity>
        """,
        "    <entity name=\"Author\"><attribute name=\"name\" attributeType=\"String\" colour=\"red\"/></entity>",
        "    <entity name=\"Tag\" representedClassName=\"Tag\"/>",
    ]

    @Test func versionsAreReadAsIfEachWereAlone() throws {
        let bodies = [
            Self.entities,
            ["", ""] + Self.entities,
            Self.entities.reversed(),
            Self.entities.map { "  " + $0 },
            ["<!--", Self.entities[2], "-->"] + Self.entities[..<2],
            ["<composite name=\"Place\">", Self.entities[2], "</composite>", Self.entities[0]],
            [Self.entities[0] + Self.entities[1], Self.entities[2].replacingOccurrences(of: "Tag", with: "Mark")],
            [Self.entities[0], Self.entities[0]],
        ]
        let texts = bodies.map { document($0.joined(separator: "\n")) }
        for (number, text) in texts.enumerated() {
            try folder.write(text, to: "Model.xcdatamodeld/Model \(number + 1).xcdatamodel/contents")
        }
        let path = "\(folder.path)/Model.xcdatamodeld"
        let (bundle, diagnostics) = ModelReader(currentVersionName: "Model 1").read(atPath: path)
        let versions = try #require(bundle).versions
        var expected: [Diagnostic] = []
        for (number, text) in texts.enumerated() {
            let name = "Model \(number + 1)"
            let alone = ModelReader.read(
                contents: Array(text.utf8), named: name, file: "\(path)/\(name).xcdatamodel/contents")
            #expect(versions[number] == alone.model)
            expected += alone.diagnostics.all
        }
        #expect(diagnostics.all == expected)
        #expect(expected.filter { $0.code == .unknownAttribute }.count == 6)
    }
}
