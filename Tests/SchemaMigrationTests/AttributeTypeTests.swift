import DataModel
import RelationalSchema
import SchemaMigration
import Testing

@Suite("Attributes change their types")
struct AttributeTypeTests {
    private struct Case: Sendable, CustomStringConvertible {
        var old: AttributeType
        var new: AttributeType
        var before: String
        var after: String

        var description: String { "\(old.rawValue) to \(new.rawValue)" }

        init(_ old: AttributeType, _ new: AttributeType, _ before: String, _ after: String) {
            (self.old, self.new, self.before, self.after) = (old, new, before, after)
        }
    }

    private static let cases = [
        Case(.boolean, .integer32, "1", "integer|1"), Case(.integer16, .integer64, "-7", "integer|-7"),
        Case(.integer32, .double, "2147483647", "real|2147483647.0"), Case(.integer16, .float, "-7", "real|-7.0"),
        Case(.integer64, .float, "-16777216", "real|-16777216.0"),
        Case(.integer64, .double, "9007199254740992", "real|9.00719925474099e+15"),
        Case(.integer64, .decimal, "-9223372036854775808", "text|-9223372036854775808"),
        Case(.float, .double, "0.25", "real|0.25"), Case(.uri, .string, "'https://a.b'", "text|https://a.b"),
        Case(.string, .uri, "'https://a.b'", "text|https://a.b"), Case(.uuid, .binary, "x'4142'", "blob|AB"),
        Case(.binary, .transformable, "x'4142'", "blob|AB"), Case(.transformable, .binary, "x'4142'", "blob|AB"),
        Case(.integer16, .string, "-7", "text|-7"), Case(.decimal, .string, "'-7.05'", "text|-7.05"),
        Case(
            .uuid, .string, "x'00112233445566778899aabbccddeeff'", "text|00112233-4455-6677-8899-AABBCCDDEEFF"),
    ]

    @Test("Nothing is lost", arguments: cases)
    private func lossless(_ sample: Case) throws {
        let (old, new) = (post(optional("value", sample.old)), post(optional("value", sample.new)))
        let database = try migrate(
            old, to: new, rows: "INSERT INTO Post (id$, version$, value) VALUES (7, 3, \(sample.before))",
            "INSERT INTO Post DEFAULT VALUES")
        #expect(
            makePlan(old, new).steps == [.changeType(PropertyName("Post", "value"), from: sample.old, to: sample.new)])
        let lines = try database.lines("SELECT typeof(value), value FROM Post ORDER BY id$")
        #expect(lines == [sample.after, "null|-"])
        #expect(try database.lines("SELECT version$ FROM Post WHERE id$ = 7") == ["3"])
    }

    @Test("A number that the new type cannot hold is refused", arguments: [(AttributeType.float, 24), (.double, 53)])
    func tooGreat(type: AttributeType, bits: Int) throws {
        let (old, new) = (post(required("value", .integer64)), post(required("value", type)))
        for sign in ["", "-"] {
            let number = "\(sign)\((1 << bits) + 1)"
            let refusal = try refusal(old, to: new, rows: "INSERT INTO Post (id$, value) VALUES (2, 1), (4, \(number))")
            #expect(refusal?.identifier == "4")
            #expect(refusal?.reason.contains("'Post.value'") == true)
        }
    }

    @Test("A type that could lose values is an error at the new attribute")
    func refused() {
        let location = SourceLocation(file: "contents", line: 9, column: 4)
        let pairs: [(AttributeType, AttributeType)] = [
            (.string, .integer64), (.double, .integer64), (.integer64, .integer16), (.date, .double), (.string, .date),
            (.binary, .uuid), (.decimal, .double), (.integer64, .boolean), (.double, .float), (.string, .binary),
        ]
        for (old, new) in pairs {
            let plan = makePlan(post(optional("value", old)), post(optional("value", new, at: location)))
            let errors = plan.diagnostics.all.filter { $0.severity == .error }
            #expect(errors.map(\.code) == [.migrationNotInferrable], "\(old) to \(new)")
            #expect(errors.map(\.location) == [location])
            #expect(errors.first?.message.contains("'Post.value'") == true)
            #expect(errors.first?.notes.isEmpty == false)
        }
    }

    @Test(
        "A check lets values through that the new type holds, and refuses all others",
        arguments: [
            (AttributeType.integer64, AttributeType.integer16, "32767", "32768"), (.integer32, .boolean, "1", "2"),
            (.double, .integer64, "-3.0", "0.5"), (.double, .integer64, "1e18", "1e19"),
            (.double, .integer32, "2147483647.0", "2147483648.0"), (.string, .integer16, "'-12'", "'12a'"),
            (.string, .integer64, "'9223372036854775807'", "'9223372036854775808'"),
            (.string, .integer32, "'0'", "'00'"),
            (.decimal, .integer64, "'12'", "'12.5'"), (.integer64, .integer32, "-2147483648", "-2147483649"),
        ])
    func checked(_ old: AttributeType, _ new: AttributeType, good: String, bad: String) throws {
        let before = post(optional("value", old))
        var after = post(optional("value", new))
        after[0].attributes[0].userInfo = UserInfo([.init(key: "ashlar.migrationCheck", value: "lossless")])
        let rows = "INSERT INTO Post (id$, value) VALUES (1, \(good)), (2, NULL)"
        let database = try migrate(before, to: after, rows: rows)
        let plain = good.replacing("'", with: "").replacing(".0", with: "").replacing(
            "1e18", with: "1000000000000000000")
        #expect(
            try database.lines("SELECT typeof(value), value FROM Post ORDER BY id$") == ["integer|\(plain)", "null|-"])
        let refusal = try refusal(before, to: after, rows: rows, "INSERT INTO Post (id$, value) VALUES (3, \(bad))")
        #expect(refusal?.identifier == "3")
        let error = makePlan(before, post(optional("value", new))).diagnostics.all.first
        #expect(
            error?.fixes.map { $0.changes.map(\.action) }.last == [
                .setEntry("ashlar.migrationCheck", to: "lossless")
            ])
    }

    @Test("A new type, a new name and a new demand at once")
    func combined() throws {
        let database = try migrate(
            post(optional("likes", .integer16)),
            to: post(required("score", .double, was: "likes", default: "0.5")),
            rows: "INSERT INTO Post (likes) VALUES (3), (NULL)")
        #expect(try database.lines("SELECT score FROM Post") == ["3.0", "0.5"])
    }

    @Test("An attribute that becomes a relationship, and the reverse")
    func kinds() {
        let location = SourceLocation(file: "contents", line: 2, column: 2)
        func entity(_ isAttribute: Bool) -> [Entity] {
            isAttribute
                ? post(optional("next", .integer64, at: location))
                : [Entity(name: "Post", relationships: [toOne("next", "Post", at: location)])]
        }
        for isAttribute in [true, false] {
            let errors = makePlan(entity(isAttribute), entity(!isAttribute)).diagnostics.all
            #expect(errors.map(\.code) == [.migrationNotInferrable])
            #expect(errors.map(\.location) == [location])
        }
    }
}
