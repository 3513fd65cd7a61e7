import DataModel
import Foundation
import ModelFormat
import RelationalSchema
import Testing

@testable import IndexAdvice

/// The printed and written forms of advice.
@Suite struct ReportTests {
    @Test func text() {
        var feed = Feed(templates: ["title == $title", "title CONTAINS $text"])
        feed.model.entities[1].location = SourceLocation(file: "contents", line: 7, column: 5)
        var advice = feed.advice
        advice.removals = [
            IndexAdvice.Removal(
                entityName: "Post", name: "old", location: SourceLocation(file: "contents", line: 9, column: 9),
                reason: .unused, isFetchIndex: true)
        ]
        #expect(
            AdviceReport(advice, unreadableLineCount: 1).text == """
                contents:100:5: Fetch request 'template0' of 'Post'
                    SELECT … FROM "Post" WHERE "Post"."title" = ?
                    before: SCAN Post
                    after:  SEARCH Post USING INDEX index$Post$byTitle (title=?)

                contents:101:5: Fetch request 'template1' of 'Post'
                    SELECT … FROM "Post" WHERE instr("Post"."title", ?) > 0
                    before: SCAN Post
                    no index: CONTAINS looks into every text; a full-text index finds words without that

                contents:7:5: Add to entity 'Post', for 1 query:
                    <fetchIndex name="byTitle">
                        <fetchIndexElement property="title" type="Binary" order="ascending"/>
                    </fetchIndex>

                contents:9:9: Index 'old' of 'Post' can go: no query uses it

                1 line of the recording cannot be read.

                2 queries explained, 1 better with 1 new index.

                """)
    }

    @Test func json() throws {
        let report = AdviceReport(Feed(templates: ["title == $title"]).advice)
        let object = try #require(try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
        #expect(Set(object.keys) == ["version", "indexes", "queries", "removals", "skipped", "unreadableLines"])
        let index = try #require((object["indexes"] as? [[String: Any]])?.first)
        #expect(index["name"] as? String == "byTitle" && index["queries"] as? [Int] == [0])
        #expect(
            (index["element"] as? String)?.hasPrefix("<fetchIndex name=\"byTitle\">\n    <fetchIndexElement") == true)
    }

    private func fixed(_ entity: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let version = folder.appendingPathComponent("M.xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = version.appendingPathComponent("contents")
        let text = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            \(entity)
                <fetchRequest name="named" entity="Post" predicateString="title == $t"/>
                <fetchRequest name="since" entity="Post" predicateString="date &gt; $d"/>
            </model>

            """
        try Data(text.utf8).write(to: file)
        let bundle = try #require(ModelReader().read(atPath: version.path).model)
        let schema = Schema(ModelGraph(try #require(bundle.currentVersion)))
        let advice = IndexAdvisor(schema).advice(on: IndexAdvisor.queries(of: schema))
        let result = try ModelFixer.changedFile(by: advice.additions.map(\.change))
        try ModelFixer.write(result)
        let again = try #require(ModelReader().read(atPath: version.path).model?.currentVersion)
        #expect(IndexAdvisor.check(Schema(ModelGraph(again))).all.isEmpty)
        let written = String(decoding: result.after, as: UTF8.self)
        return written.split(separator: "\n").dropFirst().prefix { !$0.contains("fetchRequest") }.joined(
            separator: "\n")
    }

    @Test func indexesAreWrittenAsXcodeDoes() throws {
        let properties = """
                    <attribute name="date" attributeType="Date" usesScalarValueType="NO"/>
                    <attribute name="title" attributeType="String"/>
            """
        let indexes = """
                    <fetchIndex name="byDate">
                        <fetchIndexElement property="date" type="Binary" order="ascending"/>
                    </fetchIndex>
                    <fetchIndex name="byTitle">
                        <fetchIndexElement property="title" type="Binary" order="ascending"/>
                    </fetchIndex>
            """
        let start = "    <entity name=\"Post\" syncable=\"YES\">\n"
        #expect(
            try fixed(start + properties + "\n        <userInfo/>\n    </entity>")
                == start + properties + "\n" + indexes + "\n        <userInfo/>\n    </entity>")
        let other = """
                    <fetchIndex name="other">
                        <fetchIndexElement property="date" type="Binary" order="ascending"/>
                    </fetchIndex>
            """
        let second = indexes.split(separator: "\n").dropFirst(3).joined(separator: "\n")
        #expect(
            try fixed(start + properties + "\n" + other + "\n    </entity>")
                == start + properties + "\n" + other + "\n" + second + "\n    </entity>")
    }
}
