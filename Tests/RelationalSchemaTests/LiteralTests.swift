import DataModel
import Foundation
import RandomNumbers
import RandomSeeds
import RelationalSchema
import TestDatabase
import Testing

@Suite("Literals and names")
struct LiteralTests {
    @Test("Defaults are columns' defaults, of the type that the column stores")
    func defaults() throws {
        func attribute(_ name: String, _ type: AttributeType, _ text: String) -> Attribute {
            Attribute(name: name, type: type, defaultValueString: text)
        }
        let schema = makeSchema(
            Entity(
                name: "E",
                attributes: [
                    attribute("a", .integer64, "-9223372036854775808"), attribute("b", .boolean, "YES"),
                    attribute("c", .double, "-0.1"), attribute("d", .string, "it's \"ü\""),
                    attribute("e", .decimal, "10.50"), attribute("f", .uri, "https://a.b/?c=1"),
                    attribute("g", .uuid, "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), attribute("h", .float, "0.1"),
                    Attribute(name: "i", type: .date, defaultDateTimeInterval: "-978307200"),
                    attribute("j", .integer32, "broken"),
                    Attribute(name: "k", type: .string, isOptional: true),
                ]))
        #expect(schema.column("E", "j")?.defaultLiteral == nil)
        let database = try makeDatabase(schema)
        try database.run("INSERT INTO E (\"id$\", j) VALUES (1, 0)")
        let row = try database.run("SELECT a, b, c, d, e, f, hex(g), i, k, typeof(a), typeof(i) FROM E")
        #expect(
            row == [
                [
                    "-9223372036854775808", "1", "-0.1", "it's \"ü\"", "10.5", "https://a.b/?c=1",
                    "E621E1F8C36C495A93FC0C247A3E6E5F", "-978307200.0", nil, "integer", "real",
                ]
            ])
        #expect(try database.number("SELECT h FROM E") == Double(Float(0.1)))
    }

    @Test("Numbers come back bit for bit", arguments: seeds(1))
    func numbers(seed: Seed) throws {
        let database = try Database(foreignKeys: true)
        var generator = SeededGenerator(seed: seed)
        var numbers: [Double] = [
            0, -0.0, 1, -1, 0.1, 0.046032, 1e15, 1e16, 1 / 3, 123_456_789.123, 978_307_200.123_456,
        ]
        numbers += [.greatestFiniteMagnitude]
        numbers += (0..<3000).map { _ in Double.random(in: -1e10...1e10, using: &generator) }
        numbers += (0..<3000).map { _ in
            Double(generator.number(-99_999..<100_000)) / pow(10, Double(generator.number(0..<7)))
        }
        numbers += (0..<3000).map { _ in
            Double.random(in: -1...1, using: &generator) * pow(2, Double(generator.number(-930..<951)))
        }
        for number in numbers {
            let literal = SQLText.literal(number)
            #expect(try database.number("SELECT \(literal)") == number, "\(literal)")
        }
        #expect(SQLText.literal(0.1) == "0.1")
        #expect(SQLText.literal(-978_307_200.0) == "-978307200.0")
    }

    @Test("Names are quoted, whatever they hold")
    func names() throws {
        let schema = makeSchema(
            Entity(
                name: "Select", attributes: [Attribute(name: "from", type: .string, isOptional: true)],
                relationships: [
                    toOne("group", "Select", inverse: "order"), toMany("order", "Select", inverse: "group"),
                ]),
            Entity(name: "Straße\"", attributes: [Attribute(name: "größe", type: .string, isOptional: true)]))
        let database = try makeDatabase(schema)
        try database.run(
            "INSERT INTO \"Select\" (\"from\") VALUES ('x')", "INSERT INTO \"Straße\"\"\" (größe) VALUES ('ü')")
        #expect(SQLText.identifier("a\"b") == "\"a\"\"b\"")
    }
}
