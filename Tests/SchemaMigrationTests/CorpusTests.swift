import DataModel
import Foundation
import ModelFormat
import RelationalSchema
import SchemaMigration
import Testing

/// Real models beside the project, if a machine has them. They belong to others and are not part of it.
private enum Corpus {
    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/corpus/models").path

    static var exists: Bool { FileManager.default.fileExists(atPath: folder) }
}

@Suite("Real models", .enabled(if: Corpus.exists, "there is no corpus of real models on this machine"))
struct CorpusTests {
    @Test(
        "Every version becomes the next, and that is proven",
        arguments: [
            ("brave+brave-ios/Sources/Data/models/Model.xcdatamodeld", 27),
            ("duckduckgo+BrowserServicesKit/Sources/Bookmarks/BookmarksModel.xcdatamodeld", 6),
            ("objcio+core-data/Migrations/Migrations/Moody.xcdatamodeld", 6),
        ])
    func chains(path: String, count: Int) {
        let versions = ModelReader().read(atPath: "\(Corpus.folder)/\(path)").model?.versions ?? []
        #expect(versions.count == count)
        let schemas = versions.map { Schema(ModelGraph($0)) }
        for (old, new) in zip(schemas, schemas.dropFirst()) {
            let plan = MigrationPlan(from: old, to: new)
            let errors = plan.diagnostics.all.filter { $0.severity == .error }
            #expect(errors.map(\.description) == [])
            expectProven(plan)
        }
    }

    @Test("Derived attributes of a real model come and go, and that is proven")
    func derivedAttributes() throws {
        let path = "AvdLee+CoreDataBestPractices/CoreDataBestPractices/Core Data/DataModel.xcdatamodeld"
        let model = try #require(ModelReader().read(atPath: "\(Corpus.folder)/\(path)").model?.currentVersion)
        #expect(ModelChecker.check(model).all.filter { $0.severity == .error }.map(\.description) == [])
        var plain = model
        for index in plain.entities.indices {
            plain.entities[index].attributes.removeAll(where: \.isDerived)
            plain.entities[index].indexes = []
        }
        let schemas = [plain, model, plain].map { Schema(ModelGraph($0)) }
        #expect(schemas[1].derivedColumns.count == 4)
        for (old, new) in zip(schemas, schemas.dropFirst()) {
            let plan = MigrationPlan(from: old, to: new)
            #expect(plan.diagnostics.all.filter { $0.severity == .error }.map(\.description) == [])
            expectProven(plan)
        }
    }
}
