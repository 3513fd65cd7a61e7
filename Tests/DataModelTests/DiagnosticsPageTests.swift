import DataModel
import Foundation
import Testing

@Suite struct DiagnosticsPageTests {
    /// `Documentation/Diagnostics.md` has a section for each code, and for nothing else.
    @Test func thePageExplainsEveryCode() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Documentation/Diagnostics.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let sections = lines.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
        #expect(sections.count == Set(sections).count)
        #expect(Set(sections) == Set(Diagnostic.Code.allCases.map(\.rawValue)))
    }
}
