import DataModel
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

@Suite("Composites come, go and change")
struct CompositeTests {
    private static let point = Composite(
        name: "Point", attributes: [required("x", .double, default: "0"), optional("y", .double)])
    private static let place = Composite(name: "Place", attributes: [optional("street"), point(optional: true)])

    private static func point(_ name: String = "point", optional: Bool, was identifier: String? = nil) -> Attribute {
        Attribute(
            name: name, type: .composite, isOptional: optional, compositeName: "Point", renamingIdentifier: identifier)
    }

    private static func place(_ name: String = "home", optional: Bool, was identifier: String? = nil) -> Attribute {
        Attribute(
            name: name, type: .composite, isOptional: optional, compositeName: "Place", renamingIdentifier: identifier)
    }

    private func model(_ attributes: Attribute..., composites: [Composite] = [place, point]) -> Model {
        Model(
            name: "", entities: [Entity(name: "Post", attributes: [optional("title")] + attributes)],
            composites: composites)
    }

    private func plan(_ old: Model, _ new: Model) -> MigrationPlan {
        MigrationPlan(from: ModelGraph(old), to: ModelGraph(new))
    }

    private func steps(_ old: Model, _ new: Model) -> [String] { plan(old, new).steps.map(\.description) }

    /// Migrates two posts with a home, one of them without any details, and one without a home if that is optional.
    private func migrate(_ old: Model, _ new: Model) throws -> Database {
        let isOptional = old.entities[0].attributes.last?.isOptional == true
        var rows = [
            """
            INSERT INTO Post (title, "home$street", "home$point$$present", "home$point$x", "home$point$y")
            VALUES ('a', 'High', 1, 1.5, NULL), ('b', NULL, NULL, NULL, NULL)
            """
        ]
        if isOptional { rows += ["UPDATE Post SET \"home$$present\" = 1", "INSERT INTO Post (title) VALUES ('c')"] }
        let upgrade = try Upgrade(plan(old, new), rows: rows)
        expectSound(upgrade)
        return upgrade.database
    }

    @Test func addedAndRemoved() throws {
        let (without, with) = (model(), model(Self.place(optional: true)))
        #expect(steps(without, with) == ["add attribute Post.home"])
        #expect(plan(without, with).statements.count == 5)
        #expect(steps(with, without) == ["remove attribute Post.home and delete its values"])
        #expect(plan(with, without).steps.map(\.isDestructive) == [true])
        #expect(try migrate(with, without).lines("SELECT title FROM Post") == ["a", "b", "c"])
        let required = model(Self.point("home", optional: false))
        let upgrade = try Upgrade(plan(without, required), rows: ["INSERT INTO Post (title) VALUES ('a')"])
        expectSound(upgrade)
        #expect(try upgrade.database.lines("SELECT home$x, home$y FROM Post") == ["0.0|-"])
    }

    @Test("A required composite in which nothing is stored is there when it becomes optional")
    func emptyComposites() throws {
        func version(isOptional: Bool, _ attributes: Attribute...) -> Model {
            let home = Attribute(name: "home", type: .composite, isOptional: isOptional, compositeName: "Empty")
            return model(home, composites: [Composite(name: "Empty", attributes: attributes)])
        }
        let empty = version(isOptional: false)
        #expect(steps(empty, version(isOptional: true)) == ["make Post.home optional"])
        #expect(steps(empty, model()) == [])
        for new in [version(isOptional: true), version(isOptional: true, required("x", .double, default: "2"))] {
            let upgrade = try Upgrade(plan(empty, new), rows: ["INSERT INTO Post (title) VALUES ('a')"])
            expectSound(upgrade)
            #expect(try upgrade.database.lines("SELECT home$$present FROM Post") == ["1"])
        }
        var text = model()
        text.entities[0].attributes.append(optional("home"))
        #expect(steps(empty, text) == ["add attribute Post.home"])
    }

    @Test func renamed() throws {
        let old = model(Self.place(optional: true))
        let new = model(Self.place("residence", optional: true, was: "home"))
        #expect(steps(old, new) == ["rename attribute Post.home to Post.residence"])
        #expect(plan(old, new).statements.allSatisfy { $0.sql.contains("RENAME COLUMN") })
        #expect(
            try migrate(old, new).lines("SELECT residence$$present, residence$street, residence$point$x FROM Post") == [
                "1|High|1.5", "1|-|-", "-|-|-",
            ])
    }

    @Test func leavesAddedRemovedAndRenamedWhereverTheyAreUsed() throws {
        var place = Self.place
        var point = Self.point
        place.attributes[0] = optional("road", was: "street")
        point.attributes = [
            required("x", .double, default: "0"), optional("z", .double, default: "7"),
            required("unit", default: "m"),
        ]
        let old = model(Self.point("spot", optional: false), Self.place(optional: true))
        let new = model(Self.point("spot", optional: false), Self.place(optional: true), composites: [place, point])
        #expect(
            Set(steps(old, new)) == [
                "rename attribute Post.home.street to Post.home.road", "add attribute Post.home.point.unit",
                "add attribute Post.home.point.z", "add attribute Post.spot.unit", "add attribute Post.spot.z",
                "remove attribute Post.home.point.y and delete its values",
                "remove attribute Post.spot.y and delete its values",
            ])
        #expect(
            try migrate(old, new).lines("SELECT home$road, home$point$unit, home$point$z, spot$unit, spot$z FROM Post")
                == ["High|m|7.0|m|7.0", "-|-|-|m|7.0", "-|-|-|m|7.0"])
    }

    @Test func leavesOfAnotherType() throws {
        var point = Self.point
        point.attributes[0].type = .integer32
        let narrow = model(Self.point(optional: true), composites: [point])
        let upgrade = try Upgrade(
            plan(narrow, model(Self.point(optional: true))),
            rows: ["INSERT INTO Post (point$$present, point$x) VALUES (1, 5), (NULL, NULL)"])
        expectSound(upgrade)
        #expect(try upgrade.database.lines("SELECT point$x, typeof(point$x) FROM Post") == ["5.0|real", "-|null"])
        let back = plan(model(Self.point(optional: true)), narrow)
        #expect(back.diagnostics.all.map(\.code) == [.migrationNotInferrable])
        #expect(back.diagnostics.hasErrors)
    }

    @Test func whatBecomesRequiredGetsTheDefaultsOfItsLeaves() throws {
        let (old, new) = (model(Self.place(optional: true)), model(Self.place(optional: false)))
        #expect(steps(old, new) == ["make Post.home required"])
        #expect(
            try migrate(old, new).lines("SELECT home$street, home$point$$present, home$point$x FROM Post") == [
                "High|1|1.5", "-|-|-", "-|-|-",
            ])
        var place = Self.place
        place.attributes[1].isOptional = false
        let strict = model(Self.place(optional: false), composites: [place, Self.point])
        #expect(try migrate(old, strict).lines("SELECT home$point$x FROM Post") == ["1.5", "0.0", "0.0"])
        #expect(
            steps(old, strict).sorted() == ["make Post.home required", "make Post.home.point required"])
    }

    @Test func whatBecomesOptionalIsThere() throws {
        let (old, new) = (model(Self.place(optional: false)), model(Self.place(optional: true)))
        #expect(steps(old, new) == ["make Post.home optional"])
        #expect(
            try migrate(old, new).lines("SELECT home$$present, home$street, home$point$$present FROM Post") == [
                "1|High|1", "1|-|-",
            ])
    }

    @Test func aRequiredLeafWithoutADefaultNeedsThatNoneIsMissing() throws {
        var point = Self.point
        point.attributes[1].isOptional = false
        let old = model(Self.point(optional: true))
        let new = model(Self.point(optional: true), composites: [point])
        #expect(plan(old, new).diagnostics.all.map(\.severity) == [.warning])
        let missing = "INSERT INTO Post (title, point$$present, point$x) VALUES ('a', NULL, NULL), ('b', 1, 2)"
        #expect(try Upgrade(plan(old, new), rows: [missing]).run()?.identifier == "2")
        let complete = "INSERT INTO Post (point$$present, point$x, point$y) VALUES (NULL, NULL, NULL), (1, 2, 3)"
        #expect(try Upgrade(plan(old, new), rows: [complete]).run() == nil)
        point.attributes.append(required("z", .double))
        let added = model(Self.point(optional: true), composites: [point])
        #expect(try Upgrade(plan(new, added), rows: [complete]).run()?.identifier == "2")
        #expect(try Upgrade(plan(new, added), rows: ["INSERT INTO Post (title) VALUES ('a')"]).run() == nil)
    }

    @Test func whatWasAPlainAttributeIsNotLostSilently() {
        let location = SourceLocation(file: "contents", line: 4, column: 2)
        var home = Self.place(optional: true)
        home.location = location
        let plain = model(optional("home", at: location))
        var related = model()
        related.entities[0].relationships = [toOne("home", "Post", at: location)]
        for plan in [
            plan(plain, model(home)), plan(model(home), plain), plan(related, model(home)), plan(model(home), related),
        ] {
            #expect(plan.diagnostics.all.map(\.code) == [.migrationNotInferrable])
            #expect(plan.diagnostics.all.map(\.location) == [location])
            #expect(plan.diagnostics.hasErrors)
        }
        // An attribute with another name is another attribute.
        let moved = steps(model(optional("street")), model(Self.place(optional: true)))
        #expect(moved == ["add attribute Post.home", "remove attribute Post.street and delete its values"])
    }

    @Test func anotherCompositeKeepsTheLeavesThatItSharesWithTheFirst() throws {
        let other = Composite(name: "Other", attributes: [optional("street"), optional("zip")])
        var home = Self.place(optional: true)
        home.compositeName = "Other"
        let old = model(Self.place(optional: true))
        let new = model(home, composites: [other])
        #expect(
            steps(old, new) == [
                "add attribute Post.home.zip", "remove attribute Post.home.point and delete its values",
            ])
        #expect(try migrate(old, new).lines("SELECT home$$present, home$street FROM Post") == ["1|High", "1|-", "-|-"])
    }

    @Test func movesInAHierarchyTakeCompositesAlong() throws {
        func model(parentHas isInParent: Bool) -> Model {
            let home = [Self.place(optional: true)]
            return Model(
                name: "",
                entities: [
                    Entity(name: "Post", attributes: [optional("title")] + (isInParent ? home : [])),
                    Entity(name: "Picture", parentName: "Post", attributes: isInParent ? [] : home),
                ], composites: [Self.place, Self.point])
        }
        let plan = plan(model(parentHas: false), model(parentHas: true))
        #expect(plan.steps.map(\.description) == ["move attribute Picture.home to Post.home"])
        let upgrade = try Upgrade(
            plan,
            rows: [
                """
                INSERT INTO Post (entity$, title, "home$$present", "home$street")
                VALUES (NULL, 'a', NULL, NULL), ('Picture', 'b', 1, 'High')
                """
            ])
        expectSound(upgrade)
        #expect(
            try upgrade.database.lines("SELECT title, home$$present, home$street FROM Post") == ["a|-|-", "b|1|High"])
    }
}
