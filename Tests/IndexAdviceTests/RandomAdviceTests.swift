import DataModel
import Foundation
import RandomNumbers
import RandomSeeds
import RelationalSchema
import TestDatabase
import Testing

@testable import IndexAdvice

/// Advice on random queries of random models: it helps, it is enough, and it changes no result.
@Suite struct RandomAdviceTests {
    private struct Sample {
        var generator: SeededGenerator

        mutating func model() -> Model {
            let types: [AttributeType] = [.integer16, .integer64, .boolean, .date]
            var attributes: [Attribute] = []
            for number in 0..<generator.number(3..<7) {
                let type = types[generator.number(0..<types.count)]
                attributes.append(Attribute(name: "a\(number)", type: type, isOptional: generator.chance(0.4)))
            }
            var indexes: [FetchIndex] = []
            for number in 0..<generator.number(0..<3) {
                let elements = (0..<generator.number(1..<3)).map { _ in
                    FetchIndex.Element(
                        propertyName: "a\(generator.number(0..<attributes.count))", isAscending: generator.chance(0.7))
                }
                if Set(elements.map(\.propertyName)).count == elements.count {
                    indexes.append(FetchIndex(name: "i\(number)", elements: elements))
                }
            }
            let one = Entity(
                name: "One", attributes: attributes,
                relationships: [
                    Relationship(
                        name: "many", destinationName: "Two", inverseName: "one", isOptional: true, isToMany: true,
                        deletionRule: .nullify)
                ], indexes: indexes)
            let two = Entity(
                name: "Two", attributes: [Attribute(name: "b", type: .integer64)],
                relationships: [
                    Relationship(
                        name: "one", destinationName: "One", inverseName: "many", isOptional: true, isToMany: false,
                        deletionRule: .nullify)
                ])
            let below = Entity(name: "Below", parentName: "One", attributes: [Attribute(name: "c", type: .integer32)])
            return Model(name: "Random", entities: [one, two, below])
        }

        mutating func statement(_ columns: [String]) -> String {
            func column() -> String { "\"One\".\"\(columns[generator.number(0..<columns.count)])\"" }
            func term() -> String {
                switch generator.number(0..<8) {
                case 0, 1, 2: return "\(column()) = ?"
                case 3: return "\(column()) > ?"
                case 4: return "(\(column()) >= ? AND \(column()) < ?)"
                case 5: return "\(column()) IS NULL"
                case 6: return "\(column()) IN (?, ?)"
                default: return "(\(column()) = ? OR \(column()) = ?)"
                }
            }
            var text = "SELECT \"One\".\"id$\" FROM \"One\""
            if generator.chance(0.2) { text += " LEFT JOIN \"Two\" AS \"t\" ON \"t\".\"one\" = \"One\".\"id$\"" }
            var terms = (0..<generator.number(0..<4)).map { _ in term() }
            if generator.chance(0.2) {
                terms.append(
                    "EXISTS (SELECT 1 FROM \"Two\" AS \"Two$1\" WHERE \"Two$1\".\"one\" = \"One\".\"id$\""
                        + " AND \"Two$1\".\"b\" = ?)")
            }
            if generator.chance(0.2) { terms.append("\"One\".\"entity$\" IN ('Below')") }
            if !terms.isEmpty { text += " WHERE " + terms.joined(separator: " AND ") }
            if generator.chance(0.4) {
                text +=
                    " ORDER BY "
                    + (0..<generator.number(1..<3)).map { _ in
                        column() + (generator.chance(0.5) ? " DESC" : "")
                    }.joined(separator: ", ")
            }
            return text
        }

        mutating func fill(_ databases: [Database], _ schema: Schema) throws {
            for table in ["One", "Two"] {
                let columns = schema.tables.first { $0.name == table }?.columns.filter { !$0.isIdentifier } ?? []
                for _ in 0..<120 {
                    let values = columns.map { column in
                        switch column.name {
                        case "entity$": generator.chance(0.5) ? "NULL" : "'Below'"
                        case "version$": "1"
                        case "one": "\(generator.number(1..<100))"
                        default: !column.isRequired && generator.chance(0.3) ? "NULL" : "\(generator.number(0..<8))"
                        }
                    }
                    let sql =
                        "INSERT INTO \(SQLText.identifier(table)) (\(SQLText.identifiers(columns.map(\.name)))) "
                        + "VALUES (\(values.joined(separator: ", ")))"
                    for database in databases { try database.run(sql) }
                }
            }
        }
    }

    @Test(arguments: seeds(12)) func adviceHelpsAndChangesNoResult(_ seed: Seed) throws {
        var sample = Sample(generator: SeededGenerator(seed: seed))
        let feed = Feed(model: sample.model())
        let columns = feed.model.entities[0].attributes.map(\.name) + ["c"]
        let statements = (0..<12).map { _ in sample.statement(columns) }
        let advice = feed.advice(on: statements)
        let comment: Comment = "seed \(seed)"
        #expect(advice.skipped.isEmpty && advice.findings.count == statements.count, comment)
        let better = feed.following(advice)
        let again = better.advice(on: statements)
        #expect(again.additions.isEmpty, "\(comment): \(advice.summary) then \(again.summary)")
        for (first, second) in zip(advice.findings, again.findings) {
            let promised = first.after ?? first.before
            let found = second.before
            #expect(found.weight <= promised.weight, "\(comment): \(first.query.sql) \(found.lines)")
            #expect(promised.weight <= first.before.weight, "\(comment): \(first.query.sql) \(promised.lines)")
        }
        for addition in advice.additions { #expect(!addition.queries.isEmpty, "\(comment): \(addition.name)") }
        let databases = [try Database(), try Database()]
        for (database, schema) in zip(databases, [feed.schema, better.schema]) {
            for statement in schema.statements { try database.run(statement) }
        }
        try sample.fill(databases, feed.schema)
        for statement in statements {
            let values = statement.filter { $0 == "?" }.map { _ in sample.generator.number(0..<8) }
            let results = try databases.map { try $0.rows(statement, values).map(\.description).sorted() }
            #expect(results[0] == results[1], "\(comment): \(statement)")
        }
    }
}
