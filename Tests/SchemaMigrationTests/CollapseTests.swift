import ChainCollapse
import DataModel
import RandomNumbers
import RandomSeeds
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

/// The entire contents of a store and its schema, in lines that can be compared.
func dump(_ database: Database) throws -> [String] {
    var lines: [String] = []
    let tables = try database.column(
        "SELECT \"name\" FROM pragma_table_list WHERE \"schema\" = 'main' AND \"type\" IN ('table', 'virtual')")
    for table in tables.compactMap(\.self).filter({ $0 != "sqlite_schema" }).sorted() {
        let name = SQLText.literal(table)
        let columns = try database.column("SELECT \"name\" FROM pragma_table_xinfo(\(name))").compactMap(\.self)
            .sorted()
        let list = columns.map { "quote(\(SQLText.identifier($0)))" }.joined(separator: ", ")
        lines += try database.lines("SELECT \(list) FROM \(SQLText.identifier(table))").map { "\(table): \($0)" }
            .sorted()
        lines += try database.lines(
            "SELECT \"name\", \"type\", \"notnull\", \"dflt_value\", \"pk\", \"hidden\" FROM pragma_table_xinfo(\(name))"
        ).map { "\(table) has \($0)" }.sorted()
        lines += try database.lines(
            "SELECT \"from\", \"table\", \"to\", \"on_delete\" FROM pragma_foreign_key_list(\(name))"
        ).map { "\(table) refers \($0)" }.sorted()
    }
    lines += try database.lines("PRAGMA integrity_check")
    lines += try database.column(
        "SELECT \"sql\" FROM \"sqlite_schema\" WHERE \"type\" IN ('index', 'trigger') AND \"sql\" IS NOT NULL"
    ).map { ($0 ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ") }.sorted()
    // A table that never had a row may have an entry in `sqlite_sequence` or not, and the date of an object's last
    // change comes from the clock.
    return lines.filter { !$0.hasPrefix("sqlite_sequence: ") || !$0.hasSuffix("|0") }
        .map { $0.replacing(#/\b[0-9]{9}(\.[0-9]+)?\b/#, with: "now") }.sorted()
}

/// A store that runs a chain of migrations in one of two ways.
struct ChainRun {
    let database: Database

    init(_ schema: Schema) throws {
        database = try Database()
        try database.run(schema.statements)
    }

    /// The statements of the chain if each table is rewritten once.
    func collapsed(_ chain: [MigrationStatement]) throws -> [ChainCollapse.Statement] {
        let objects = try database.run(
            "SELECT \"type\", \"name\", \"tbl_name\", \"sql\" FROM \"sqlite_schema\" WHERE \"sql\" IS NOT NULL")
        return ChainCollapse.statements(
            of: chain.map(\.operation),
            on: objects.map { .init(type: $0[0] ?? "", name: $0[1] ?? "", tableName: $0[2] ?? "", sql: $0[3] ?? "") })
    }

    /// Runs statements; returns the reason of the check that failed, if one did.
    func run(_ statements: [ChainCollapse.Statement], of chain: [MigrationStatement]) throws -> String? {
        try database.run("BEGIN IMMEDIATE")
        for statement in statements {
            let rows = try database.run(statement.sql)
            if statement.isOrigin, case .check(let reason, _) = chain[statement.origin].purpose, let row = rows.first {
                try database.run("ROLLBACK")
                return "\(statement.origin): \(reason): \((row.first ?? nil) ?? "")"
            }
        }
        try database.run("COMMIT")
        return nil
    }

    func runUnchanged(_ chain: [MigrationStatement]) throws -> String? {
        try run(chain.enumerated().map { .init($1.operation, origin: $0) }, of: chain)
    }
}

@Suite("A chain of migrations rewrites each table once")
struct CollapseTests {
    /// The statements of a chain of versions, as they are and collapsed.
    private func statements(_ versions: [[Entity]]) throws -> (chain: [MigrationStatement], collapsed: [String]) {
        let chain = zip(versions, versions.dropFirst()).flatMap { makePlan($0, $1).statements }
        let run = try ChainRun(Schema(ModelGraph(makeModel("First", versions[0]))))
        let collapsed = try run.collapsed(chain)
        return (chain, collapsed.map(\.sql))
    }

    private func copies(_ sql: [String]) -> Int { sql.count { $0.hasPrefix("INSERT INTO \"Post$$new\"") } }

    @Test("A hundred versions of drops, additions, renames, defaults and stricter columns are one copy")
    func hundredVersions() throws {
        var attributes = (0..<20).map { optional("a\($0)") }
        var versions = [post()]
        versions[0][0].attributes = attributes
        for number in 1..<100 {
            switch number % 5 {
            case 0: attributes.append(required("b\(number)", .integer64, default: "\(number)"))
            case 1: attributes.removeFirst()
            case 2: attributes[2] = optional("r\(number)", was: attributes[2].name)
            case 3: attributes[3] = required(attributes[3].name, attributes[3].type, default: "\(number)")
            default: attributes[4] = optional(attributes[4].name, attributes[4].type)
            }
            var entity = post()[0]
            entity.attributes = attributes
            if number % 20 < 10 {
                entity.indexes = [FetchIndex(name: "byLast", elements: [.init(propertyName: attributes.last?.name)])]
            }
            versions.append([entity])
        }
        let (chain, collapsed) = try statements(versions)
        #expect(copies(chain.map(\.sql)) > 10)
        #expect(chain.count { $0.sql.contains(" DROP COLUMN ") } > 10)
        #expect(copies(collapsed) == 1)
        #expect(!collapsed.contains { $0.contains(" COLUMN ") })
        #expect(collapsed.count < 20, "\(collapsed)")
    }

    @Test("A single change is left as it is")
    func single() throws {
        let (chain, collapsed) = try statements([
            post(optional("a"), optional("b")), post(optional("a")), post(optional("a"), optional("c")),
        ])
        #expect(chain.map(\.sql) == collapsed)
    }

    @Test("A check in the middle of a chain sees what it would have seen")
    func checks() throws {
        let versions = [
            post(optional("a"), optional("b"), optional("c")), post(optional("a"), optional("b")),
            post(required("a"), optional("b")), post(optional("a"), required("d", was: "b", default: "x")),
        ]
        let chain = zip(versions, versions.dropFirst()).flatMap { makePlan($0, $1).statements }
        for values in ["'x', NULL, 'z'", "NULL, 'y', 'z'"] {
            let runs = [
                try ChainRun(Schema(ModelGraph(makeModel("First", versions[0])))),
                try ChainRun(Schema(ModelGraph(makeModel("First", versions[0])))),
            ]
            for run in runs { try run.database.run("INSERT INTO Post (id$, a, b, c) VALUES (7, \(values))") }
            let collapsed = try runs[1].collapsed(chain)
            #expect(copies(collapsed.map(\.sql)) == 1)
            #expect(try runs[0].runUnchanged(chain) == runs[1].run(collapsed, of: chain))
            #expect(try dump(runs[0].database) == dump(runs[1].database))
        }
    }

    @Test("What someone added by hand keeps a table from it")
    func addedByHand() throws {
        let versions = [
            post(optional("a"), optional("b"), optional("c")), post(optional("a"), optional("b")), post(optional("a")),
        ]
        let chain = zip(versions, versions.dropFirst()).flatMap { makePlan($0, $1).statements }
        for sql in [
            "CREATE INDEX mine ON Post (a)", "CREATE VIEW mine AS SELECT a FROM Post",
            "CREATE TRIGGER mine AFTER DELETE ON Post BEGIN SELECT old.a; END",
        ] {
            let run = try ChainRun(Schema(ModelGraph(makeModel("First", versions[0]))))
            #expect(try copies(run.collapsed(chain).map(\.sql)) == 1)
            try run.database.run(sql)
            #expect(try run.collapsed(chain).map(\.sql) == chain.map(\.sql))
        }
    }

    @Test("row 158: random chains lead to the same store, the same values, or the same refusal")
    func random() throws {
        for seed in seeds(20) { _ = try isChainCollapsed(seed.number, "seed \(seed)") }
    }

    /// Some random chains are collapsed. The seeds are fixed, because random ones may give too few such chains.
    @Test func someAreCollapsed() throws {
        #expect(try (1...20).count { try isChainCollapsed($0, "chain \($0)") } > 1)
    }

    /// Makes a random chain, runs it in both ways, and compares the stores; returns whether the statements differ.
    private func isChainCollapsed(_ seed: UInt64, _ title: String) throws -> Bool {
        var generator = SeededGenerator(seed: seed &+ 3_000_000)
        var model = RandomModel(seed: seed)
        let first = model.model
        var chain: [MigrationStatement] = []
        for _ in 0..<generator.number(2..<9) {
            let next = model.changed(&generator, limit: generator.number(1..<4))
            let plan = MigrationPlan(from: ModelGraph(model.model), to: ModelGraph(next.model))
            if plan.diagnostics.hasErrors { continue }
            chain += plan.statements
            model = next
        }
        return try isCollapsed(first, chain, title, &generator)
    }
}

/// Runs a chain as it is and collapsed, and compares the stores; returns whether the statements differ.
func isCollapsed(
    _ first: Model, _ chain: [MigrationStatement], _ title: String, _ generator: inout SeededGenerator
) throws -> Bool {
    let schema = Schema(ModelGraph(first))
    let runs = [try ChainRun(schema), try ChainRun(schema)]
    for run in runs {
        var same = generator
        try RandomStore(schema, run.database).fill(&same)
    }
    let collapsed = try runs[1].collapsed(chain)
    #expect(zip(collapsed, collapsed.dropFirst()).allSatisfy { $0.origin <= $1.origin })
    do {
        let expected = try runs[0].runUnchanged(chain)
        #expect(try runs[1].run(collapsed, of: chain) == expected, "\(title)")
    } catch let failure as Database.Failure {
        Issue.record("\(title): \(failure.message)")
        return true
    }
    let (before, after) = (try dump(runs[0].database), try dump(runs[1].database))
    if before != after {
        let missing = Set(before).subtracting(after).sorted().prefix(5)
        let superfluous = Set(after).subtracting(before).sorted().prefix(5)
        Issue.record("\(title): missing \(Array(missing)), superfluous \(Array(superfluous))")
    }
    return collapsed.map(\.sql) != chain.map(\.sql)
}
