import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Random changes by a context and by another program. After each, the derived values must equal those computed from
/// all rows.
@Suite struct DerivedAttributeRandomTests {
    @Test("rows 9, 151: derived values are those of a computation from nothing", arguments: seeds())
    func derivedValuesAreThoseOfAComputationFromNothing(seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let container = try ModelContainer(for: NewsroomModel.self, at: folder.file())
        let programs = [
            try ForeignProgram(folder.file(), "foreign_keys = ON", "trusted_schema = OFF", "recursive_triggers = OFF"),
            try ForeignProgram(folder.file(), "foreign_keys = OFF", "trusted_schema = OFF", "recursive_triggers = ON"),
        ]
        var refusals = 0
        for step in 0..<120 {
            let description: String
            if generator.oneIn(2) {
                let count = try saveRandomChanges(container, &generator)
                description = "step \(step) of seed \(seed): a save of \(count) changes"
            } else {
                // Without foreign keys, the program leaves dangling references, which contexts do not expect; so this
                // is rare.
                let program = programs[generator.oneIn(6) ? 1 : 0]
                let sql = try randomSQL(NewsroomDump(container), &generator)
                let refusal = program.run(sql)
                if refusal != nil { refusals += 1 }
                description = "step \(step) of seed \(seed): \(sql); \(refusal ?? "done")"
            }
            let mistakes = try NewsroomDump(container).mistakes
            try #require(mistakes.isEmpty, "\(description)\n\(mistakes.joined(separator: "\n"))")
            if generator.oneIn(8) {
                _ = programs[0].run("DELETE FROM \"Report\" WHERE \"author\" NOT IN (SELECT \"id$\" FROM \"Reporter\")")
            }
        }
        #expect(refusals < 60, "seed \(seed): most statements should go through")
    }

    // MARK: A context

    func saveRandomChanges(_ container: ModelContainer, _ generator: inout SeededGenerator) throws -> Int {
        let context = ModelContext(container)
        let count = Int.random(in: 1...5, using: &generator)
        for _ in 0..<count { try change(context, &generator) }
        do {
            try context.save()
        } catch SaveError.notUnique, SaveError.constraint {
            // Two objects have the same canonical name, or a program left references dangling.
            context.rollback()
            return 0
        }
        // All objects are registered, so they must have the stored values.
        try expectFresh(Report.self, context)
        try expectFresh(Reporter.self, context)
        try expectFresh(Section.self, context)
        try expectFresh(Dossier.self, context)
        try expectFresh(Publisher.self, context)
        try expectFresh(Keyword.self, context)
        try expectFresh(Portrait.self, context)
        return count
    }

    private func expectFresh<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws
    where Model.Values: Equatable {
        for object in context.registry.map(for: Model._ashlarEntity.number.root).objects {
            guard let object, object.record.state == .persisted else { continue }
            let before = (0..<object.entity.columns.count).map { object.sqliteValue($0) }
            // If two portraits refer to one reporter, a context sees one of them, but the store's cascade deletes both.
            guard let other: Model = try? ModelContext(context.container).model(for: object.identifier) else {
                continue
            }
            let after = (0..<object.entity.columns.count).map { other.sqliteValue($0) }
            #expect(before == after, "\(object.entity.name) \(object.identifier.rowID)")
        }
    }

    private func any<Model: PersistentModel>(
        _ type: Model.Type, _ context: ModelContext, _ generator: inout SeededGenerator
    ) throws -> Model? {
        try context.fetch(FetchDescriptor<Model>()).randomElement(using: &generator)
    }

    private func change(_ context: ModelContext, _ generator: inout SeededGenerator) throws {
        let name = NewsroomName.random(using: &generator)
        let number = Int32.random(in: -50...1000, using: &generator)
        switch Int.random(in: 0..<22, using: &generator) {
        case 0, 1:
            context.insert(
                Report(
                    rating: Double(number) / 4, title: name, wordCount: number,
                    author: try any(Reporter.self, context, &generator),
                    section: try any(Section.self, context, &generator)))
        case 2:
            let feature = Feature(title: name, author: try any(Reporter.self, context, &generator))
            context.insert(feature)
            context.insert(Sidebar(text: name, feature: feature))
        case 3: context.insert(Reporter(name: name, publisher: try any(Publisher.self, context, &generator)))
        case 4: context.insert(Section(name: name, tariff: Decimal(number) / 8))
        case 5:
            context.insert(
                Dossier(name: name, size: number, parent: try any(Dossier.self, context, &generator)))
        case 6: context.insert(Publisher(name: name))
        case 7: context.insert(Keyword(name: name))
        case 8: context.insert(Portrait(text: name, author: try any(Reporter.self, context, &generator)))
        case 9: try any(Report.self, context, &generator)?.author = try any(Reporter.self, context, &generator)
        case 10: try any(Report.self, context, &generator)?.section = try any(Section.self, context, &generator)
        case 11:
            guard let keyword = try any(Keyword.self, context, &generator) else { return }
            try any(Report.self, context, &generator)?.keywords.append(keyword)
        case 12: try any(Reporter.self, context, &generator)?.publisher = try any(Publisher.self, context, &generator)
        case 13: try any(Reporter.self, context, &generator)?.name = generator.oneIn(3) ? nil : name
        case 14:
            try any(Report.self, context, &generator)?.wordCount = generator.oneIn(3) ? nil : number
            try any(Report.self, context, &generator)?.rating = Double(number) / 4
        case 15: try any(Report.self, context, &generator)?.title = name
        case 16: try any(Dossier.self, context, &generator)?.parent = try any(Dossier.self, context, &generator)
        case 17:
            guard let dossier = try any(Dossier.self, context, &generator) else { return }
            try any(Dossier.self, context, &generator)?.links.append(dossier)
        case 18: try any(Dossier.self, context, &generator)?.size = number
        case 19: try any(Section.self, context, &generator)?.name = generator.oneIn(3) ? nil : name
        case 20: try any(Portrait.self, context, &generator)?.author = try any(Reporter.self, context, &generator)
        default:
            let kinds: [any PersistentModel.Type] = [
                Report.self, Reporter.self, Section.self, Dossier.self, Publisher.self, Keyword.self, Portrait.self,
            ]
            guard let kind = kinds.randomElement(using: &generator) else { return }
            func delete<Model: PersistentModel>(_ type: Model.Type) throws {
                if let object = try any(type, context, &generator) { context.delete(object) }
            }
            try delete(kind)
        }
    }

    // MARK: A program

    func randomSQL(_ dump: NewsroomDump, _ generator: inout SeededGenerator) -> String {
        let tables = [
            "Report": ["author": "Reporter", "section": "Section"], "Reporter": ["publisher": "Publisher"],
            "Section": [:],
            "Dossier": ["parent": "Dossier"], "Portrait": ["author": "Reporter"], "Publisher": [:],
            "Sidebar": ["feature": "Report"], "Keyword": [:],
        ]
        let texts = ["Report": "title", "Portrait": "text", "Sidebar": "text"]
        let numbers = ["Report": "wordCount", "Dossier": "size"]
        let table = tables.keys.sorted().randomElement(using: &generator) ?? ""
        let identifier = dump.identifiers(table).randomElement(using: &generator) ?? 1
        let text = texts[table] ?? "name"
        let name = NewsroomName.random(using: &generator).replacing("'", with: "''")
        func reference(_ column: String) -> String {
            if generator.oneIn(5) { return "NULL" }
            let target = tables[table]?[column] ?? ""
            return dump.identifiers(target).randomElement(using: &generator).map(String.init) ?? "NULL"
        }
        let column = tables[table]?.keys.sorted().randomElement(using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
            var columns = ["\"\(text)\""]
            var values = ["'\(name)'"]
            for column in tables[table]?.keys.sorted() ?? [] {
                columns.append("\"\(column)\"")
                values.append(reference(column))
            }
            return
                "INSERT INTO \"\(table)\" (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
        case 1:
            return """
                INSERT INTO "\(table)" ("id$", "\(text)") VALUES (\(identifier), '\(name)')
                ON CONFLICT ("id$") DO UPDATE SET "\(text)" = excluded."\(text)"
                """
        case 2: return "UPDATE \"\(table)\" SET \"\(text)\" = '\(name)' WHERE \"id$\" = \(identifier)"
        case 3, 4:
            guard let column else { return "DELETE FROM \"\(table)\" WHERE \"id$\" = \(identifier)" }
            return "UPDATE \"\(table)\" SET \"\(column)\" = \(reference(column)) WHERE \"id$\" % 3 = \(identifier % 3)"
        case 5:
            let column = numbers[table] ?? text
            let value = numbers[table] == nil ? "\"\(text)\" || 'é'" : "\(identifier) * 3"
            return "UPDATE \"\(table)\" SET \"\(column)\" = \(value) WHERE \"id$\" % 2 = 0"
        case 6: return "DELETE FROM \"\(table)\" WHERE \"id$\" = \(identifier)"
        case 7:
            // The rows that refer to this row are updated in the same transaction.
            let new = identifier + 1000
            let followers = tables.sorted { $0.key < $1.key }.flatMap { other, columns in
                columns.filter { $0.value == table }.keys.sorted().map {
                    "UPDATE \"\(other)\" SET \"\($0)\" = \(new) WHERE \"\($0)\" = \(identifier);"
                }
            }
            let links =
                [
                    "Report": ["Keyword$reports\" SET \"target$"], "Keyword": ["Keyword$reports\" SET \"source$"],
                    "Dossier": ["Dossier$backlinks\" SET \"source$", "Dossier$backlinks\" SET \"target$"],
                ][table] ?? []
            let moves = links.map { "UPDATE \"\($0)\" = \(new) WHERE \"\($0.suffix(7))\" = \(identifier);" }
            let alias = ["\"id$\"", "rowid", "_rowid_", "oid"].randomElement(using: &generator) ?? ""
            return "BEGIN; UPDATE \"\(table)\" SET \(alias) = \(new) WHERE \"id$\" = \(identifier);"
                + (followers + moves).joined() + "COMMIT"
        case 8:
            let source = dump.identifiers("Report").randomElement(using: &generator) ?? 1
            let target = dump.identifiers("Keyword").randomElement(using: &generator) ?? 1
            return "INSERT OR IGNORE INTO \"Keyword$reports\" (\"target$\", \"source$\") VALUES (\(source), \(target))"
        case 9:
            let source = dump.identifiers("Dossier").randomElement(using: &generator) ?? 1
            let target = dump.identifiers("Dossier").randomElement(using: &generator) ?? 1
            return
                "INSERT OR IGNORE INTO \"Dossier$backlinks\" (\"source$\", \"target$\") VALUES (\(source), \(target))"
        case 10: return "DELETE FROM \"Keyword$reports\" WHERE \"source$\" % 4 = \(identifier % 4)"
        default:
            return "UPDATE \"Report\" SET \"entity$\" = CASE WHEN \"entity$\" IS NULL THEN 'Feature' END "
                + "WHERE \"id$\" = \(dump.identifiers("Report").randomElement(using: &generator) ?? 1)"
        }
    }
}
