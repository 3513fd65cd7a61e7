import DataModel
import Foundation
import ModelFormat
import Testing

@testable import GeneratorPipeline

@Suite("Findings as JSON")
struct FindingReportTests {
    /// The form that Documentation/Diagnostics.md promises, key by key.
    @Test func theFormIsAsDocumented() throws {
        let folder = try RuleFolder()
        let text = RuleFolder.document(
            #"<entity name="A"><attribute name="a" attributeType="String" optoinal="YES"/></entity>"#)
        try folder.write(text, to: "M.xcdatamodel/contents")
        let path = folder.path + "/M.xcdatamodel"
        var report = FindingReport()
        var resolver = FindingResolver()
        report.add(ModelPlan.make(modelPath: path).diagnostics, resolver: &resolver)
        let json = String(decoding: try report.json(), as: UTF8.self).replacing(folder.path, with: "…")
        #expect(
            json == """
                {
                  "findings" : [
                    {
                      "code" : "unknown-attribute",
                      "column" : 61,
                      "end" : {
                        "column" : 75,
                        "line" : 3
                      },
                      "file" : "…/M.xcdatamodel/contents",
                      "fixes" : [
                        {
                          "edits" : [
                            {
                              "end" : {
                                "column" : 69,
                                "line" : 3
                              },
                              "endOffset" : 200,
                              "replacement" : "optional",
                              "start" : {
                                "column" : 61,
                                "line" : 3
                              },
                              "startOffset" : 192
                            }
                          ],
                          "file" : "…/M.xcdatamodel/contents",
                          "safe" : false,
                          "title" : "Write 'optional' instead of 'optoinal'"
                        },
                        {
                          "edits" : [
                            {
                              "end" : {
                                "column" : 75,
                                "line" : 3
                              },
                              "endOffset" : 206,
                              "replacement" : "",
                              "start" : {
                                "column" : 60,
                                "line" : 3
                              },
                              "startOffset" : 191
                            }
                          ],
                          "file" : "…/M.xcdatamodel/contents",
                          "safe" : false,
                          "title" : "Remove 'optoinal'"
                        }
                      ],
                      "line" : 3,
                      "message" : "<attribute> 'A.a' has the unknown attribute 'optoinal', which is ignored",
                      "notes" : [
                        "Did you mean 'optional'?"
                      ],
                      "severity" : "warning",
                      "silence" : {
                        "key" : "ashlar.silence",
                        "value" : "unknown-attribute"
                      }
                    }
                  ],
                  "fixed" : [

                  ],
                  "version" : 1
                }

                """)
    }

    @Test func findingsAreInTheOrderOfTheirPlacesAndErrorsHaveNoSilence() throws {
        let folder = try RuleFolder()
        let body =
            "<entity name=\"A\">\n<attribute name=\"a\"/>\n<attribute name=\"b\" x=\"y\" attributeType=\"Bool\"/></entity>\n"
        try folder.write(RuleFolder.document(body), to: "M.xcdatamodel/contents")
        var report = FindingReport()
        var resolver = FindingResolver()
        for path in [folder.path + "/M.xcdatamodel", folder.path + "/none"] {
            report.add(ModelPlan.make(modelPath: path).diagnostics, resolver: &resolver)
        }
        let object = try #require(try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(
            findings.map { $0["code"] as? String } == [
                "missing-attribute-type", "unknown-attribute", "unknown-attribute-type", "model-not-found",
            ])
        #expect(findings.map { $0["silence"] != nil } == [false, true, false, false])
        #expect(findings.map { $0["end"] != nil } == [true, true, true, false])
        #expect(findings.map { $0["line"] as? Int } == [4, 5, 5, 0])
    }

    @Test func whatWasFixedIsListed() throws {
        let folder = try RuleFolder()
        let body = "<entity name=\"A\"><attribute name=\"b\" attributeType=\"Bool\"/></entity>"
        try folder.write(RuleFolder.document(body), to: "M.xcdatamodel/contents")
        var report = FindingReport()
        for file in ModelFixer.fixedFiles(ofModelAtPath: folder.path + "/M.xcdatamodel") {
            try ModelFixer.write(file)
            report.add(file)
        }
        let object = try #require(try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
        let fixed = try #require(object["fixed"] as? [[String: String]])
        #expect(fixed.map { $0["title"] } == ["Write attributeType=\"Boolean\""])
        #expect(fixed.map { $0["code"] } == ["unknown-attribute-type"])
        #expect(ModelPlan.make(modelPath: folder.path + "/M.xcdatamodel").diagnostics.all.isEmpty)
    }
}
