import Foundation
import Testing

/// `Documentation/CoreDataParity.md` states how far each feature is supported, and the names of tests contain the
/// numbers of its rows.
@Suite struct CoreDataParityTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The states in the page's rows, by number.
    private func rows() throws -> [Int: String] {
        let page = Self.root.appending(path: "Documentation/CoreDataParity.md")
        var rows: [Int: String] = [:]
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 6, let number = Int(cells[1]) else { continue }
            #expect(rows[number] == nil, "row \(number) is there twice")
            #expect(!cells[2].isEmpty && (cells[3] == "works" || cells[3] == "not yet" || !cells[4].isEmpty))
            rows[number] = cells[3]
        }
        return rows
    }

    /// The rows with which the names of tests begin.
    private func testedRows() throws -> Set<Int> {
        let tests = Self.root.appending(path: "Tests")
        let name = try Regex("@Test\\(\\s*\"rows? ([0-9, ]+):")
        var numbers: Set<Int> = []
        for case let file as URL in FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: name) {
                let list = match.output[1].substring ?? ""
                numbers.formUnion(
                    list.split(separator: ",").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) })
            }
        }
        return numbers
    }

    @Test func everyFeatureHasAStateAndWhatWorksHasATest() throws {
        let rows = try rows()
        #expect(Set(rows.keys) == Set(1...182))
        #expect(Set(rows.values).isSubset(of: ["works", "differently", "not yet", "not planned"]))
        let built = Set(rows.filter { $0.value == "works" || $0.value == "differently" }.keys)
        let tested = try testedRows()
        #expect(built.subtracting(tested).sorted() == [], "rows without a test")
        #expect(tested.subtracting(built).sorted() == [], "rows that the page does not say to work")
    }
}
