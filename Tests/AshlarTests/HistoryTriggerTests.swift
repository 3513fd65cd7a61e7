import Foundation
import Testing

@testable import Ashlar

/// The triggers that record changes, compared with `Golden/History.sql`, so that a review shows every change.
///
/// `ASHLAR_UPDATE_GOLDEN=1 swift test --filter HistoryTriggerTests` rewrites the file.
@Suite struct HistoryTriggerTests {
    @Test func triggers() throws {
        let tables = TrackedTable.tables(of: NewsroomModel.modelDescription).filter {
            ["Keyword", "Keyword$reports", "Report", "Sidebar"].contains($0.name)
        }
        var catalogue = HistoryCatalogue()
        for table in tables { catalogue.add(table) }
        let text =
            tables.flatMap { HistoryTriggers(table: $0, catalogue: catalogue).definitions.map(\.sql) }
            .joined(separator: ";\n\n") + ";\n"
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/History.sql")
        if ProcessInfo.processInfo.environment["ASHLAR_UPDATE_GOLDEN"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == text, "set ASHLAR_UPDATE_GOLDEN=1 and look at the diff")
    }
}
