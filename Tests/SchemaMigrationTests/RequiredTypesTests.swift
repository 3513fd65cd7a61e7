import DataModel
import RelationalSchema
import SchemaMigration
import Testing

/// New required attributes of every type, and attributes that become required.
@Suite struct RequiredTypesTests {
    struct Sample: Sendable, CustomStringConvertible {
        var type: AttributeType
        /// The entry `ashlar.migrationDefault`, and the value that it stands for as SQLite quotes it.
        var text: String
        var value: String

        init(_ type: AttributeType, _ text: String, _ value: String) {
            (self.type, self.text, self.value) = (type, text, value)
        }

        var description: String { "\(type.rawValue) = \(text)" }

        static let all = [
            Sample(.integer16, "7", "7"), Sample(.integer32, "-7", "-7"), Sample(.integer64, "7", "7"),
            Sample(.double, "1.5", "1.5"), Sample(.float, "0.25", "0.25"), Sample(.decimal, "1.50", "'1.5'"),
            Sample(.boolean, "YES", "1"), Sample(.date, "12", "12.0"), Sample(.string, "", "''"),
            Sample(.uri, "a:b", "'a:b'"),
            Sample(.uuid, "00112233-4455-6677-8899-AABBCCDDEEFF", "X'00112233445566778899AABBCCDDEEFF'"),
            Sample(.binary, "x'00fF0a'", "X'00FF0A'"), Sample(.binary, "X''", "X''"),
            Sample(.transformable, "x'01'", "X'01'"),
        ]
    }

    /// The place of the attribute's declaration: an entity alone, the parent or the child in a hierarchy, or a
    /// composite.
    enum Place: CaseIterable, Sendable {
        case alone, parent, child, composite
    }

    private func model(_ name: String, _ attribute: Attribute?, _ place: Place) -> Model {
        let attributes = [attribute].compactMap(\.self)
        let home = Attribute(name: "home", type: .composite, compositeName: "Home")
        var post = Entity(name: "Post", attributes: place == .composite ? [home] : place == .child ? [] : attributes)
        post.attributes.append(optional("title"))
        let letter = Entity(name: "Letter", parentName: "Post", attributes: place == .child ? attributes : [])
        let composite = Composite(name: "Home", attributes: [optional("other")] + attributes)
        return Model(
            name: name, entities: place == .parent || place == .child ? [post, letter] : [post],
            composites: place == .composite ? [composite] : [])
    }

    private func plan(
        _ type: AttributeType, _ place: Place, wasOptional: Bool, default text: String? = nil, script: String? = nil
    ) -> MigrationPlan {
        var attribute = required("value", type)
        if let text { attribute.userInfo = UserInfo([.init(key: "ashlar.migrationDefault", value: text)]) }
        let location = SourceLocation(file: "New.sql", line: 1)
        return MigrationPlan(
            from: ModelGraph(model("Old", wasOptional ? optional("value", type) : nil, place)),
            to: ModelGraph(model("New", attribute, place)),
            script: MigrationScript(
                after: [script].compactMap(\.self).map { MigrationScript.Statement(sql: $0, location: location) }))
    }

    private func column(_ place: Place) -> String { place == .composite ? "\"home$value\"" : "value" }

    private func row(_ place: Place) -> String {
        place == .child ? "INSERT INTO Post (entity$) VALUES ('Letter')" : "INSERT INTO Post DEFAULT VALUES"
    }

    @Test(arguments: Sample.all, Place.allCases)
    func objectsGetTheDefaultForMigrations(_ sample: Sample, _ place: Place) throws {
        for wasOptional in [false, true] {
            let plan = plan(sample.type, place, wasOptional: wasOptional, default: sample.text)
            #expect(plan.diagnostics.all.isEmpty)
            let upgrade = try Upgrade(plan, rows: [row(place)])
            expectSound(upgrade)
            #expect(try upgrade.database.lines("SELECT quote(\(column(place))) FROM Post") == [sample.value])
        }
    }

    @Test(arguments: Sample.all, Place.allCases)
    func withoutOneObjectsAreRefused(_ sample: Sample, _ place: Place) throws {
        for wasOptional in [false, true] {
            let plan = plan(sample.type, place, wasOptional: wasOptional)
            #expect(plan.diagnostics.sorted.map(\.code) == [.migrationNotInferrable])
            expectProven(plan)
            #expect(try Upgrade(plan, rows: [row(place)]).run()?.identifier == "1")
            #expect(try Upgrade(plan, rows: []).run() == nil)
        }
    }

    @Test(arguments: Sample.all, Place.allCases)
    func aScriptReplacesTheDefault(_ sample: Sample, _ place: Place) throws {
        let script = "UPDATE Post SET \(column(place)) = \(sample.value) WHERE id$ = 2"
        let plan = plan(sample.type, place, wasOptional: false, default: sample.text, script: script)
        let upgrade = try Upgrade(plan, rows: [row(place), row(place)])
        expectSound(upgrade)
        #expect(
            try upgrade.database.lines("SELECT quote(\(column(place))) FROM Post") == [sample.value, sample.value])
    }

    @Test(
        arguments: [AttributeType.binary, .transformable],
        ["", "AA==", "00ff", "x'0'", "x'0g'", "x'", "x'+1'", "x'００'"])
    func bytesAreWrittenAsInSQL(_ type: AttributeType, _ text: String) {
        var attribute = required("value", type)
        attribute.userInfo = UserInfo([.init(key: "ashlar.migrationDefault", value: text)])
        let model = Model(name: "New", entities: [Entity(name: "Post", attributes: [attribute])])
        let finding = ModelChecker.check(model).all.first { $0.code == .invalidDefault }
        #expect(finding?.notes == ["Write bytes in hexadecimal, as x'00ff', or x'' for none"])
    }
}
