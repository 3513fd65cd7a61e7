import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Random batches in a store with derived attributes. After each, the derived values must equal those computed from all
/// rows.
@Suite struct BatchDerivedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("row 151: derived attributes stay right in batches", arguments: seeds())
    func derivedAttributesStayRight(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let container = try ModelContainer(for: NewsroomModel.self, at: folder.file())
        let context = ModelContext(container)
        try context.batchInsert(contentsOf: (0..<3).map { Publisher.Values(name: "p\($0)") })
        try context.batchInsert(contentsOf: (0..<3).map { Section.Values(name: "s\($0)", tariff: Decimal($0)) })
        for round in 0..<14 * TestEffort.factor {
            let publishers = try context.fetchIdentifiers(Publisher.all)
            let reporters = try context.fetchIdentifiers(Reporter.all)
            let sections = try context.fetchIdentifiers(Section.all)
            let dossiers = try context.fetchIdentifiers(Dossier.all)
            let number = Int32.random(in: 0...100, using: &random)
            var description = "seed \(seed), round \(round): "
            do {
                switch Int.random(in: 0..<12, using: &random) {
                case 0, 1:
                    description += "reporters"
                    try context.batchInsert(
                        contentsOf: (0..<5).map {
                            Reporter.Values(
                                name: "\(NewsroomName.random(using: &random)) \($0)",
                                publisher: publishers.randomElement(using: &random))
                        }, onConflict: .ignore)
                case 2, 3, 4:
                    description += "reports"
                    try context.batchInsert(
                        contentsOf: (0..<20).map {
                            Report.Values(
                                rating: Double($0) / 4, title: "t\($0)", wordCount: number,
                                author: reporters.randomElement(using: &random),
                                section: sections.randomElement(using: &random))
                        })
                case 5:
                    description += "features"
                    try context.batchInsert(
                        contentsOf: (0..<3).map {
                            Feature.Values(title: "f\($0)", author: reporters.randomElement(using: &random))
                        })
                case 6:
                    description += "dossiers"
                    try context.batchInsert(
                        contentsOf: (0..<5).map {
                            Dossier.Values(name: "d\($0)", size: number, parent: dossiers.randomElement(using: &random))
                        })
                case 7:
                    description += "words"
                    try context.batchUpdate(Report.where { $0.wordCount > number }) {
                        $0.wordCount -= 1
                        $0.title = $0.title.uppercased()
                    }
                case 8:
                    description += "authors"
                    if let author = reporters.randomElement(using: &random) {
                        try context.batchUpdate(Report.where { $0.wordCount < number }) { $0.author = author }
                    }
                case 9:
                    description += "sections"
                    try context.batchUpdate(Report.all.limit(7)) { $0.section = nil }
                    try context.batchUpdate(Section.where { $0.reportsCount > 2 }) { $0.name = "many" }
                case 10:
                    description += "deleted reporters"
                    try context.batchDelete(Reporter.where { $0.reportsCount < 3 }.limit(2))
                default:
                    description += "deleted dossiers"
                    try context.batchDelete(Dossier.where { $0.size < number / 4 })
                }
            } catch BatchError.notUnique {
                description += ", which was refused"
            }
            let mistakes = try NewsroomDump(container).mistakes
            try #require(mistakes.isEmpty, "\(description)\n\(mistakes.joined(separator: "\n"))")
            for report in try context.fetch(Report.all) {
                let values = try ModelContext(container).fetchValues(Report.where { $0 == report })
                #expect(values.isEmpty || report is Feature || report.values.authorName == values[0].authorName)
            }
        }
        try container.expectSound()
    }
}
