import DataModel
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

/// The migration of a model with configurations equals those of its parts, and each part runs by itself.
@Suite("Migrations in parts")
struct DividedMigrationTests {
    private static let key = Attribute(
        name: "key", type: .string, isOptional: true, derivationExpression: "canonical:(name)")

    private func model(_ entities: [Entity]) -> Model { Model(name: "Test", entities: entities) }

    private let old = [
        Entity(
            name: "Author", attributes: [optional("name"), key],
            relationships: [toMany("books", "Book", inverse: "author")]),
        Entity(
            name: "Book", attributes: [optional("title"), optional("pages", .integer32)],
            relationships: [toOne("author", "Author", inverse: "books")]),
        Entity(name: "Preference", attributes: [optional("name")]),
        Entity(name: "Gone", attributes: [optional("name")]),
    ]
    private let new = [
        Entity(
            name: "Author", attributes: [optional("name"), key],
            relationships: [toMany("books", "Book", inverse: "author")]),
        Entity(
            name: "Book", attributes: [optional("title"), optional("weight", .double)],
            relationships: [toOne("author", "Author", inverse: "books")]),
        Entity(
            name: "Setting", attributes: [optional("name"), key, optional("value")], renamingIdentifier: "Preference"),
        Entity(name: "Note", attributes: [optional("text")]),
    ]

    @Test func allPartsTogetherAreTheWhole() throws {
        let migration = DividedMigration(from: model(old), to: model(new))
        #expect(migration.diagnostics.all.isEmpty)
        #expect(
            migration.parts.map { "\($0.source) \($0.destination)" } == [
                #"["Author", "Book"] ["Author", "Book"]"#, #"["Gone"] []"#, #"[] ["Note"]"#,
                #"["Preference"] ["Setting"]"#,
            ])
        let database = try Database()
        for statement in Schema(ModelGraph(model(old))).statements { try database.run(statement) }
        try database.run("INSERT INTO \"Preference\" (\"name\") VALUES ('Ä')")
        for statement in migration.statements { try database.run(statement.sql) }
        let fresh = try Database()
        for statement in Schema(ModelGraph(model(new))).statements { try fresh.run(statement) }
        let sql = "SELECT \"name\", \"tbl_name\", \"type\" FROM \"sqlite_schema\" ORDER BY 1, 2"
        #expect(try database.lines(sql) == fresh.lines(sql))
        #expect(try database.lines("SELECT \"name\", \"key\" FROM \"Setting\"") == ["Ä|a"])
    }

    @Test func eachPartRunsWhereNothingElseIs() throws {
        let migration = DividedMigration(from: model(old), to: model(new))
        let (statements, parts) = Schema(ModelGraph(model(old))).dividedStatements
        for part in migration.parts {
            let database = try Database()
            for (index, statement) in statements.enumerated() {
                let owner = parts.first { $0.statements.contains(index) }
                if owner.map({ $0.entityNames == part.source }) ?? true { try database.run(statement) }
            }
            for (index, statement) in migration.statements.enumerated() {
                let owner = migration.parts.first { $0.statements.contains(index) }
                if owner.map({ $0 == part }) ?? true { try database.run(statement.sql) }
            }
            let tables = try database.lines(
                "SELECT \"name\" FROM \"sqlite_schema\" WHERE \"type\" = 'table' AND \"name\" NOT LIKE '%$%' "
                    + "AND \"name\" NOT LIKE 'sqlite%' ORDER BY 1")
            #expect(tables == part.destination)
        }
    }

    @Test func theStatementsOfAllPartsAreTheSchema() {
        for entities in [old, new] {
            let schema = Schema(ModelGraph(model(entities)))
            let (statements, parts) = schema.dividedStatements
            #expect(statements.sorted() == schema.statements.sorted())
            #expect(parts.map(\.statements.lowerBound).dropFirst() == parts.map(\.statements.upperBound).dropLast())
        }
    }

    @Test("a table of letters that another entity needs already is not made again")
    func lettersOfUnchangedEntities() throws {
        let older = [Entity(name: "Author", attributes: [optional("name"), Self.key])]
        let newer = older + [Entity(name: "Reader", attributes: [optional("name"), Self.key])]
        let difference = ModelDifference(from: model(older), to: model(newer))
        let plan = MigrationPlan(from: ModelGraph(difference.old), to: ModelGraph(difference.new))
        let database = try Database()
        for statement in Schema(ModelGraph(model(older))).statements { try database.run(statement) }
        for statement in plan.statements { try database.run(statement.sql) }
        try database.run("INSERT INTO \"Reader\" (\"name\") VALUES ('É')")
        #expect(try database.lines("SELECT \"key\" FROM \"Reader\"") == ["e"])
    }
}
