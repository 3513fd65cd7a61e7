import DataModel
import SchemaMigration
import Testing

/// An attribute becomes a relationship of the same name, or the reverse.
@Suite("What becomes something else under its old name")
struct ChangedKindTests {
    private let image = Entity(name: "Image", attributes: [optional("text")])

    private func book(_ attributes: [Attribute], _ relationships: [Relationship], removing names: String? = nil)
        -> Entity
    {
        Entity(
            name: "Book", attributes: attributes, relationships: relationships,
            userInfo: names.map { UserInfo([.init(key: "ashlar.removed", value: $0)]) } ?? UserInfo())
    }

    private var attribute: [Entity] { [book([optional("title"), optional("cover")], []), image] }

    private func relationships(removing names: String?) -> [[Entity]] {
        [toOne("cover", "Image"), toMany("cover", "Image"), toMany("cover", "Image", ordered: true)].map {
            [book([optional("title")], [$0], removing: names), image]
        }
    }

    @Test("It is an error that names the way out")
    func error() throws {
        for new in relationships(removing: nil) {
            for (old, new) in [(attribute, new), (new, attribute)] {
                let finding = try #require(makePlan(old, new).diagnostics.all.first { $0.severity == .error })
                #expect(finding.code == .migrationNotInferrable)
                let entries = finding.fixes.flatMap(\.changes).map(\.action)
                #expect(entries == [.setEntry("ashlar.removed", to: "cover")])
            }
        }
    }

    @Test("Named as removed, the old one goes and the new one begins empty; SQL carries over what it held")
    func removed() throws {
        for new in relationships(removing: "cover") {
            let rows = ["INSERT INTO Book (id$, title, cover) VALUES (1, 'a', 'red'), (2, 'b', NULL)"]
            let upgrade = try Upgrade(attribute, new, rows: rows)
            expectSound(upgrade)
            #expect(try upgrade.database.lines("SELECT id$, title FROM Book ORDER BY 1") == ["1|a", "2|b"])
            #expect(try upgrade.database.lines("SELECT count(*) FROM Image") == ["0"])
            let back = [book([optional("title"), optional("cover")], [], removing: "cover"), image]
            let reverse = try Upgrade(
                MigrationPlan(from: ModelGraph(makeModel("Old", new)), to: ModelGraph(makeModel("New", back))), rows: []
            )
            expectSound(reverse)
        }
        let new = relationships(removing: "cover")[0]
        func statement(_ sql: String) -> MigrationScript.Statement {
            MigrationScript.Statement(sql: sql, location: SourceLocation(file: "2.sql", line: 1, column: 1))
        }
        let plan = MigrationPlan(
            from: ModelGraph(makeModel("Old", attribute)), to: ModelGraph(makeModel("New", new)),
            script: MigrationScript(
                before: [
                    statement("CREATE TABLE carried (book INTEGER PRIMARY KEY, text TEXT, image INTEGER)"),
                    statement("INSERT INTO carried (book, text) SELECT id$, cover FROM Book WHERE cover IS NOT NULL"),
                ],
                after: [
                    statement("UPDATE carried SET image = book + (SELECT coalesce(max(id$), 0) FROM Image)"),
                    statement("INSERT INTO Image (id$, text) SELECT image, text FROM carried"),
                    statement("UPDATE Book SET cover = (SELECT image FROM carried WHERE book = Book.id$)"),
                    statement("DROP TABLE carried"),
                ]))
        let upgrade = try Upgrade(
            plan, rows: ["INSERT INTO Book (id$, title, cover) VALUES (7, 'a', 'red'), (8, 'b', NULL)"])
        expectSound(upgrade)
        #expect(try upgrade.database.lines("SELECT id$, cover FROM Book ORDER BY 1") == ["7|7", "8|-"])
        #expect(try upgrade.database.lines("SELECT id$, text FROM Image") == ["7|red"])
    }

    @Test("A composite that becomes a text, and the reverse")
    func composite() throws {
        let composite = DataModel.Composite(
            name: "Size", attributes: [optional("width", .double), optional("height", .double)])
        func model(_ attribute: Attribute, removing names: String?) -> Model {
            Model(name: "M", entities: [book([attribute], [], removing: names)], composites: [composite])
        }
        let text = optional("size")
        let size = Attribute(name: "size", type: .composite, isOptional: true, compositeName: "Size")
        for (old, new) in [(text, size), (size, text)] {
            let refused = MigrationPlan(
                from: ModelGraph(model(old, removing: nil)), to: ModelGraph(model(new, removing: nil)))
            #expect(refused.diagnostics.hasErrors)
            let plan = MigrationPlan(
                from: ModelGraph(model(old, removing: nil)), to: ModelGraph(model(new, removing: "size")))
            expectSound(try Upgrade(plan, rows: ["INSERT INTO Book (id$) VALUES (1)"]))
        }
    }

    @Test("An entry that is left over from another version gives up nothing that can be kept")
    func leftOver() throws {
        let kept = [book([optional("title"), optional("cover")], [], removing: "cover"), image]
        let upgrade = try Upgrade(attribute, kept, rows: ["INSERT INTO Book (id$, cover) VALUES (1, 'red')"])
        expectSound(upgrade)
        #expect(try upgrade.database.lines("SELECT cover FROM Book") == ["red"])
    }
}
