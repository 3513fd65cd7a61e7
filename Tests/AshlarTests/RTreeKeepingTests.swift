import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// The triggers keep R-trees in step with every write of any program.
@Suite struct RTreeKeepingTests {
    private let folder: TemporaryFolder
    private let container: ModelContainer

    init() throws {
        folder = try TemporaryFolder()
        container = try ModelContainer(for: AtlasModel.self, at: folder.file())
    }

    /// Expects every R-tree to equal an empty one after it is filled.
    private func expectInStep(_ comment: Testing.Comment) throws {
        let trees: [(tree: String, table: String, condition: String)] = [
            ("rtree$Site$inOne", "Site", "x IS NOT NULL"),
            ("rtree$Site$inTwo", "Site", "x IS NOT NULL AND y IS NOT NULL"),
            ("rtree$Site$inThree", "Site", "height IS NOT NULL"),
            ("rtree$Site$inFive", "Site", "height IS NOT NULL AND opened IS NOT NULL AND visits IS NOT NULL"),
            (
                "rtree$Station$byPlace", "Site",
                "entity$ IN ('Station', 'Terminal') AND east IS NOT NULL AND north IS NOT NULL"
            ),
            ("rtree$Event$bySpan", "Event", "true"),
        ]
        try container.pool.read { connection in
            for (tree, table, condition) in trees {
                #expect(try connection.text("SELECT rtreecheck('main', '\(tree)')") == "ok", comment)
                let expected = try connection.rows("SELECT id$ FROM \"\(table)\" WHERE \(condition) ORDER BY id$")
                #expect(try connection.rows("SELECT id$ FROM \"\(tree)\" ORDER BY id$") == expected, comment)
            }
            let moved = try connection.integer(
                """
                SELECT count(*) FROM "rtree$Site$inTwo" AS tree JOIN "Site" USING ("id$")
                WHERE x NOT BETWEEN "x$min" AND "x$max" OR y NOT BETWEEN "y$min" AND "y$max"
                """)
            #expect(moved == 0, comment)
        }
    }

    @Test("rows 17, 153: random changes by contexts and by other programs", arguments: seeds())
    func randomChanges(seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let programs = [
            try ForeignProgram(folder.file(), "trusted_schema = ON", "recursive_triggers = ON"),
            try ForeignProgram(folder.file(), "trusted_schema = ON", "foreign_keys = OFF"),
            // Before SQLite 3.44 this one's changes of coordinates are refused.
            try ForeignProgram(folder.file(), "trusted_schema = OFF"),
        ]
        var refusals = 0
        for step in 0..<(80 * TestEffort.factor) {
            let sql = randomSQL(&random)
            var done = "a save"
            if random.oneIn(3) {
                let context = ModelContext(container)
                for site in try context.fetch(Site.all) where random.oneIn(3) {
                    if random.oneIn(5) { context.delete(site) } else { site.x = .random(in: -9...9, using: &random) }
                }
                context.insert(Terminal(east: 1, north: random.oneIn(2) ? nil : 2))
                try context.save()
            } else {
                let refusal = programs.randomElement(using: &random)?.run(sql)
                if refusal != nil { refusals += 1 }
                done = "\(sql): \(refusal ?? "done")"
            }
            try expectInStep("step \(step) of seed \(seed): \(done)")
        }
        #expect(refusals < 60 * TestEffort.factor, "seed \(seed): most statements should go through")
    }

    private func randomSQL(_ random: inout SeededGenerator) -> String {
        let id = Int.random(in: 1...30, using: &random)
        let x = Double.random(in: -9...9, using: &random)
        let value = random.oneIn(3) ? "NULL" : "\(x)"
        let entity = ["NULL", "'Station'", "'Terminal'"].randomElement(using: &random) ?? "NULL"
        switch Int.random(in: 0..<11, using: &random) {
        case 0:
            return
                "INSERT INTO Site (entity$, x, y, height, east, north) VALUES (\(entity), \(x), 1, \(value), \(value), 2)"
        case 1: return "UPDATE Site SET x = \(x), east = \(value) WHERE id$ % 3 = \(id % 3)"
        case 2: return "UPDATE Site SET id$ = id$ + 100 WHERE id$ = \(id)"
        case 3: return "UPDATE Site SET rowid = id$ - 100, height = \(value) WHERE id$ > 100"
        case 4: return "UPDATE Site SET entity$ = \(entity) WHERE id$ = \(id)"
        case 5: return "DELETE FROM Site WHERE id$ = \(id)"
        case 6:
            return """
                INSERT INTO Site (id$, x, y, height) VALUES (\(id), \(x), 2, \(value))
                ON CONFLICT (id$) DO UPDATE SET x = excluded.x, height = excluded.height
                """
        case 7: return "INSERT OR IGNORE INTO Site (id$, x, y) VALUES (\(id), \(x), 3)"
        case 8: return "UPDATE OR REPLACE Site SET y = \(x), visits = \(id), opened = \(value) WHERE id$ < 15"
        case 9: return "INSERT INTO Event (start, end) VALUES (\(x), \(x + 1)), (\(x), \(x + 2))"
        default: return "DELETE FROM Event WHERE id$ % 2 = \(id % 2) AND start < \(x)"
        }
    }

    /// If a program does not trust the schema and SQLite could not update the R-tree, SQLite refuses the program's
    /// change.
    @Test func untrustedSchemas() throws {
        let program = try ForeignProgram(folder.file(), "trusted_schema = OFF")
        let refusal = program.run("INSERT INTO Event (start, end) VALUES (1, 2)")
        if sqlite3_libversion_number() >= 3_044_000 {
            #expect(refusal == nil)
        } else {
            #expect(refusal?.contains("unsafe use of virtual table") == true, "\(refusal ?? "done")")
        }
        try expectInStep("after \(refusal ?? "a change")")
        // Changes of other columns than coordinates do not concern the tree.
        #expect(program.run("UPDATE Event SET rank = 3") == nil)
        let context = ModelContext(container)
        context.insert(Event(end: 2, start: 1))
        try context.save()
        try expectInStep("after a save")
    }

    /// A search may determine the rows that are deleted or moved.
    @Test func changesOfWhatASearchFinds() throws {
        try container.execute(
            """
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
            INSERT INTO Event (start, end) SELECT n, n + 10 FROM n
            """)
        let found = "id$ IN (SELECT id$ FROM \"rtree$Event$bySpan\" WHERE \"start$min\" <= 900 AND \"end$max\" >= 500)"
        try container.execute("UPDATE Event SET start = start - 2000, end = end - 2000 WHERE \(found)")
        try expectInStep("moved")
        try container.execute(
            "DELETE FROM Event WHERE id$ IN (SELECT id$ FROM \"rtree$Event$bySpan\" WHERE \"end$max\" < 0)")
        try expectInStep("deleted")
        #expect(try ModelContext(container).fetchCount(Event.where { $0.start <= 2000 && $0.end >= 900 }) == 1100)
    }
}
