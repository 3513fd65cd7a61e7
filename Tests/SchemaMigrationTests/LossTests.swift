import DataModel
import RelationalSchema
import SchemaMigration
import Testing

@Suite("What a migration takes away")
struct LossTests {
    private func place(_ line: Int) -> DataModel.SourceLocation {
        DataModel.SourceLocation(file: "contents", line: line, column: 1)
    }

    private func findings(
        _ old: [Entity], _ new: [Entity], removed: String? = nil, isReviewed: Bool
    ) -> [Diagnostic] {
        var model = makeModel("New", new)
        model.location = place(1)
        if let removed { model.userInfo = UserInfo([.init(key: "ashlar.removed", value: removed)]) }
        return MigrationPlan(
            from: ModelGraph(makeModel("Old", old)), to: ModelGraph(model), isReviewed: isReviewed
        ).diagnostics.all
    }

    private func removing(_ names: String) -> UserInfo {
        UserInfo([.init(key: "ashlar.removed", value: names, location: place(7))])
    }

    private func entries(_ finding: Diagnostic) -> [String] {
        finding.fixes.flatMap(\.changes).map { change in
            switch change.action {
            case .setEntry(let key, let value): "\(change.element.line): \(key)=\(value)"
            case .setAttribute(let name, let value): "\(change.element.line): \(name)=\(value)"
            default: "\(change.element.line)"
            }
        }
    }

    @Test("Values that go are told of, and must be named in a model that is reviewed")
    func removedProperties() {
        let old = post(optional("a"), optional("b", .date), required("kept", default: ""))
        var new = post(required("kept", default: ""))
        new[0].location = place(4)
        let told = findings(old, new, isReviewed: false)
        #expect(told.map(\.code) == [.dataLoss])
        #expect(told.map(\.severity) == [.note])
        let errors = findings(old, new, isReviewed: true)
        #expect(errors.map(\.severity) == [.error])
        #expect(errors.map(\.location) == [place(4)])
        #expect(errors[0].message.contains("'Post.a', 'Post.b'"))
        #expect(entries(errors[0]) == ["4: ashlar.removed=a, b"])
        #expect(errors[0].notes.last?.hasSuffix(".before.sql'") == true)
        new[0].userInfo = removing("b")
        #expect(findings(old, new, isReviewed: true).map(entries) == [["4: ashlar.removed=b, a"]])
        new[0].userInfo = removing("a, b")
        #expect(findings(old, new, isReviewed: true).isEmpty)
    }

    @Test("What is named and not removed is a note, whose fix takes the name away")
    func stale() {
        let old = post(optional("a"), optional("b"))
        var new = post(optional("b"))
        new[0].userInfo = removing("a, b")
        let found = findings(old, new, isReviewed: true)
        #expect(found.map(\.code) == [.staleAcknowledgement])
        #expect(found.map(\.severity) == [.note])
        #expect(entries(found[0]) == ["7: value=a"])
        let model = findings(old, new, removed: "Draft", isReviewed: false)
        #expect(model.map(\.code) == [.staleAcknowledgement, .staleAcknowledgement])
    }

    @Test("A new attribute of the type of one that is gone, and with a name like it, is a question with both answers")
    func possibleRenaming() {
        let old = post(optional("title"), optional("likes", .integer64))
        var new = post(optional("mainTitle", at: place(5)), optional("titles", at: place(6)), optional("summary"))
        new[0].location = place(4)
        for (isReviewed, severity) in [(false, Diagnostic.Severity.warning), (true, .error)] {
            let found = findings(old, new, isReviewed: isReviewed).filter { $0.code == .possibleRenaming }
            #expect(found.map(\.severity) == [severity])
            #expect(found.map(\.location) == [place(5)])
            #expect(found.map(entries) == [["5: elementID=title", "6: elementID=title", "4: ashlar.removed=title"]])
            // A build does not print the texts of fixes, so the note has the XML attribute.
            #expect(found.map { $0.notes.last?.hasSuffix(#": elementID="title""#) } == [true])
        }
        new[0].attributes[0].renamingIdentifier = "title"
        new[0].userInfo = removing("likes")
        #expect(findings(old, new, isReviewed: true).isEmpty)
    }

    @Test(
        "Names that have nothing in common are no question",
        arguments: [("title", "caption"), ("width", "pixelHeight"), ("s_text", "s_data"), ("a", "b")])
    func namesWithNothingInCommon(_ names: (old: String, new: String)) {
        let old = post(optional(names.old))
        var new = post(optional(names.new, at: place(5)))
        new[0].location = place(4)
        for (isReviewed, severity) in [(false, Diagnostic.Severity.note), (true, .error)] {
            let found = findings(old, new, isReviewed: isReviewed)
            #expect(found.map(\.code) == [.dataLoss])
            #expect(found.map(\.severity) == [severity])
            #expect(found.map(entries) == [["4: ashlar.removed=\(names.old)", "5: elementID=\(names.old)"]])
        }
    }

    @Test(
        arguments: [
            ("height", "pixelHeight"), ("image", "images"), ("desc", "description"), ("updated", "updated_date"),
            ("colour", "color"), ("headline", "heading"), ("URL", "imageURL"),
        ])
    func namesWithSomethingInCommon(_ names: (old: String, new: String)) {
        let found = findings(post(optional(names.old)), post(optional(names.new)), isReviewed: false)
        #expect(found.map(\.code) == [.possibleRenaming])
    }

    @Test("An attribute that already had an identifier goes on with it")
    func identifierThatLasts() {
        let old = post(optional("headline", was: "title"))
        let new = post(optional("heading", at: place(5)))
        #expect(findings(old, new, isReviewed: true).map { entries($0)[0] } == ["5: elementID=title"])
        #expect(makePlan(old, post(optional("heading", was: "title"))).steps.map(\.isDestructive) == [false])
    }

    @Test("An entity that goes is named on the model, and may have been renamed")
    func entities() {
        let draft = Entity(name: "Draft", attributes: [optional("title"), optional("text")])
        let kept = post(optional("title"))
        let gone = findings(kept + [draft], kept, isReviewed: true)
        #expect(gone.map(\.code) == [.dataLoss])
        #expect(entries(gone[0]) == ["1: ashlar.removed=Draft"])
        #expect(findings(kept + [draft], kept, removed: "Draft", isReviewed: true).isEmpty)
        var sketch = draft
        sketch.name = "Sketch"
        sketch.location = place(9)
        let renamed = findings(kept + [draft], kept + [sketch], isReviewed: true)
        #expect(renamed.map(\.code) == [.possibleRenaming])
        #expect(entries(renamed[0]) == ["9: elementID=Draft", "1: ashlar.removed=Draft"])
        var abstract = draft
        abstract.isAbstract = true
        #expect(findings(kept + [abstract], kept, isReviewed: true).isEmpty)
    }

    @Test("Links are lost where neither side is left, and are told of once")
    func relationships() {
        func entities(_ posts: Relationship?, _ author: Relationship?) -> [Entity] {
            [
                Entity(name: "Author", relationships: posts.map { [$0] } ?? [], location: place(2)),
                Entity(name: "Post", relationships: author.map { [$0] } ?? [], location: place(3)),
            ]
        }
        let old = entities(toMany("posts", "Post", inverse: "author"), toOne("author", "Author", inverse: "posts"))
        #expect(findings(old, entities(nil, toOne("author", "Author")), isReviewed: true).isEmpty)
        let found = findings(old, entities(nil, nil), isReviewed: true)
        #expect(found.map(entries) == [["2: ashlar.removed=posts"]])
        var other = entities(nil, nil)
        other[1].userInfo = removing("author")
        #expect(findings(old, other, isReviewed: true).isEmpty)
        let destination = findings(old, [old[0]].map { Entity(name: $0.name) }, removed: "Post", isReviewed: true)
        #expect(destination.isEmpty)
    }

    @Test("NULLs that a default replaces, derived values that nobody set")
    func nulls() {
        let old = post(optional("title"))
        var new = post(required("title", default: "none", at: place(5)))
        let found = findings(old, new, isReviewed: true)
        #expect(found.map(\.code) == [.dataLoss])
        #expect(found.map(entries) == [["5: ashlar.migrationDefault=none"]])
        new[0].attributes[0].userInfo = UserInfo([.init(key: "ashlar.migrationDefault", value: "none")])
        #expect(findings(old, new, isReviewed: true).isEmpty)
        var derived = optional("copy")
        derived.derivationExpression = "title"
        #expect(findings(post(optional("title"), derived), old, isReviewed: true).isEmpty)
    }

    @Test("A new constraint warns that stores may be refused, unless duplicates may go")
    func duplicates() throws {
        let old = post(optional("slug"), optional("title"))
        var new = old
        new[0].uniquenessConstraints = [UniquenessConstraint(["slug"], location: place(6))]
        new[0].location = place(4)
        let found = findings(old, new, isReviewed: true)
        #expect(found.map(\.severity) == [.warning])
        #expect(found.map(\.location) == [place(6)])
        #expect(found.map(entries) == [["4: ashlar.deletesDuplicates=slug"]])
        #expect(findings(new, new, isReviewed: true).isEmpty)
        let rows =
            "INSERT INTO Post (id$, slug, title) VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'a', 'z'), (4, NULL, 'n')"
        #expect(try refusal(old, to: new, rows: rows)?.identifier == "3")
        new[0].userInfo = UserInfo([.init(key: "ashlar.deletesDuplicates", value: "slug")])
        #expect(findings(old, new, isReviewed: true).isEmpty)
        let database = try migrate(old, to: new, rows: rows)
        #expect(try database.lines("SELECT id$, title FROM Post ORDER BY 1") == ["1|x", "2|y", "4|n"])
    }

    @Test("What leads to a duplicate goes the way of its deletion rule; sub-entities are compared among themselves")
    func duplicatesInHierarchies() throws {
        func entities(_ isUnique: Bool) -> [Entity] {
            var writer = Entity(name: "Writer", parentName: "Person")
            if isUnique {
                writer.uniquenessConstraints = [UniquenessConstraint(["first", "last"])]
                writer.userInfo = UserInfo([.init(key: "ashlar.deletesDuplicates", value: "first+last")])
            }
            return [
                Entity(name: "Person", attributes: [optional("first"), optional("last")]), writer,
                Entity(name: "Post", relationships: [toOne("author", "Person"), toMany("readers", "Person")]),
            ]
        }
        let database = try migrate(
            entities(false), to: entities(true),
            rows: """
                INSERT INTO Person (id$, entity$, first, last) VALUES (1, NULL, 'a', 'b'), (2, 'Writer', 'a', 'b'),
                    (3, 'Writer', 'a', 'b'), (4, 'Writer', 'a', NULL), (5, 'Writer', 'a', NULL), (6, NULL, 'a', 'b')
                """, "INSERT INTO Post (id$, author) VALUES (1, 2), (2, 3)",
            "INSERT INTO Post$readers VALUES (1, 3), (1, 6), (2, 2)")
        #expect(try database.lines("SELECT id$ FROM Person ORDER BY 1") == ["1", "2", "4", "5", "6"])
        #expect(try database.lines("SELECT id$, author FROM Post ORDER BY 1") == ["1|2", "2|-"])
        #expect(try database.lines("SELECT * FROM Post$readers ORDER BY 1, 2") == ["1|6", "2|2"])
    }
}
