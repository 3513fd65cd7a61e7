import DataModel
import Foundation
import ModelFormat
import Testing
import ToolProgram

/// `ashlar add`, `rename`, `remove`, `new-version` and `format`.
@Suite(.enabled(if: ToolProgram.isThere)) struct EditingTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @discardableResult
    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(arguments, in: folder.url)
    }

    private func contents(_ version: String = "PhotoFeed") throws -> String {
        try folder.text("Models/PhotoFeed.xcdatamodeld/\(version).xcdatamodel/contents")
    }

    private func makePhotoFeed() throws {
        try folder.write("let package = Package(name: \"PhotoFeed\")\n", to: "Package.swift")
        for command in [
            ["init", "PhotoFeed"], ["add", "entity", "Post", "Author"], ["remove", "Item"],
            ["add", "attribute", "Author.name", "String"],
            ["add", "attribute", "Post.likes", "Int64", "--default", "0"],
            ["add", "attribute", "Post.timestamp", "Date"], ["add", "attribute", "Post.title", "string"],
            ["add", "relationship", "Author.posts", "Post", "--one-to-many", "--deletion-rule", "cascade"],
        ] {
            let run = try ToolProgram.run(command, in: folder.url)
            #expect(run.status == 0, "\(command): \(run.messages)")
        }
    }

    private static let readme: String? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = (try? String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)) ?? ""
        guard let start = text.firstRange(of: "```xml\n")?.upperBound,
            let end = text[start...].firstRange(of: "```")?.lowerBound
        else { return nil }
        return String(text[start..<end])
    }()

    /// Compares the lines of the entities. The README omits the model's attributes for tools.
    @Test func theModelOfTheFirstPageIsMadeByVerbsAlone() throws {
        try makePhotoFeed()
        let readme = try #require(Self.readme)
        let formatted = String(
            decoding: try ModelFormatter.formatted(Array(readme.utf8), file: "README.md"), as: UTF8.self)
        func entities(_ text: String) -> [Substring] { text.split(separator: "\n").filter { $0.hasPrefix("    ") } }
        #expect(try entities(contents()) == entities(formatted))
        #expect(entities(formatted).count == 10)
        let check = try run("check", "Models/PhotoFeed.xcdatamodeld")
        #expect(check.status == 0 && !check.messages.contains("error"), "\(check.messages)")
    }

    @Test func aRenamedPropertyKeepsItsDataInANewVersion() throws {
        try makePhotoFeed()
        try run("add", "index", "Post", "title", "likes:descending")
        #expect(try run("new-version").results == "PhotoFeed 2\n")
        let run = try run("rename", "Post.title", "headline")
        #expect(run.status == 0 && run.results == "Models/PhotoFeed.xcdatamodeld/PhotoFeed 2.xcdatamodel/contents\n")
        let text = try contents("PhotoFeed 2")
        #expect(text.contains(#"<attribute name="headline" attributeType="String" elementID="title"/>"#))
        #expect(text.contains(#"<fetchIndex name="byTitleLikes">"#))
        #expect(text.contains(#"<fetchIndexElement property="headline" type="Binary" order="ascending"/>"#))
        #expect(text.contains(#"<fetchIndexElement property="likes" type="Binary" order="descending"/>"#))
        #expect(try contents().contains(#"<attribute name="title""#))
        let removal = try self.run("remove", "Author.posts")
        #expect(removal.status == 0, "\(removal.messages)")
        let check = try self.run("check", "Models/PhotoFeed.xcdatamodeld", "--format", "json")
        #expect(check.status == 0)
        #expect(
            try (check.json()["findings"] as? [[String: Any]])?.filter { $0["code"] as? String != "unbuilt-model" }
                .count == 0, "\(check.results)")
    }

    @Test func everyPartIsChangedByItsVerb() throws {
        try makePhotoFeed()
        for command in [
            ["add", "composite", "Place"], ["add", "attribute", "Place.city", "String", "--optional"],
            ["add", "attribute", "Author.home", "Place"], ["add", "index", "Post", "title"],
            ["add", "constraint", "Author", "name"], ["add", "fetch-request", "popular", "Post"],
            ["add", "entity", "Event", "--abstract"],
            ["change", "entity", "Post", "--parent", "Event", "--info", "ashlar.title=title"],
            ["change", "entity", "Event", "--no-abstract"],
            ["change", "attribute", "Post.likes", "--type", "integer 32", "--default", "3", "--optional"],
            ["change", "attribute", "Post.timestamp", "--default", "2001-01-01T00:00:10Z"],
            ["change", "relationship", "Author.posts", "--deletion-rule", "deny", "--ordered", "--required"],
            ["change", "index", "Post.byTitle", "likes:descending", "title"],
            ["add", "attribute", "Author.mail", "String", "--optional"],
            ["change", "constraint", "Author", "name", "--to", "name", "mail"],
            ["change", "fetch-request", "popular", "--predicate", "likes > 3"],
            ["add", "entity", "Tag"], ["add", "configuration", "Main", "Tag"],
            ["change", "configuration", "Main", "Event", "Post", "Author"],
            ["move", "Post.timestamp", "Event"],
            ["add", "index", "Post", "abs:(likes):descending"],
            ["add", "fetched-property", "Author.liked", "Post", "--predicate", "likes > 3"],
            ["change", "fetched-property", "Author.liked", "--predicate", "likes > 4", "--set", "fetchLimit=7"],
            ["change", "model", "--info", "owner=Ada"],
        ] {
            let run = try ToolProgram.run(command, in: folder.url)
            #expect(run.status == 0, "\(command): \(run.messages)")
        }
        let text = try contents()
        for line in [
            #"<entity name="Event">"#, #"<entity name="Post" parentEntity="Event">"#,
            #"<attribute name="home" attributeType="Composite" composite="Place"/>"#,
            #"<attribute name="likes" optional="YES" attributeType="Integer 32" defaultValueString="3"/>"#,
            #"<attribute name="timestamp" attributeType="Date" defaultDateTimeInterval="10"/>"#,
            #"<relationship name="posts" toMany="YES" deletionRule="Deny" ordered="YES" destinationEntity="Post""#,
            #"<fetchRequest name="popular" entity="Post" predicateString="likes &gt; 3"/>"#,
            #"<entry key="ashlar.title" value="title"/>"#, #"<constraint value="mail"/>"#,
            #"<fetchIndex name="byAbsLikes">"#,
            #"<fetchIndexElement expression="abs:(likes)" expressionType="Integer"#,
            #"<fetchRequest name="fetchedPropertyFetchRequest" entity="Post" predicateString="likes &gt; 4" fetchLimit="7"/>"#,
            #"<entry key="owner" value="Ada"/>"#,
        ] { #expect(text.contains(line), "\(line)\n\(text)") }
        let check = try run("check", "Models/PhotoFeed.xcdatamodeld")
        #expect(check.status == 0, "\(check.messages)")
        for command in [
            ["change", "attribute", "Post.likes", "--no-optional", "--unset", "defaultValueString"],
            ["change", "relationship", "Author.posts", "--no-inverse"],
            ["change", "relationship", "Author.posts", "--inverse", "Post.author", "--to-one"],
            ["change", "entity", "Post", "--unset", "parentEntity", "--info", "ashlar.title="],
            ["remove", "constraint", "Author", "name", "mail"], ["remove", "popular"], ["remove", "Main"],
            ["remove", "Author.liked"],
        ] {
            let run = try ToolProgram.run(command, in: folder.url)
            #expect(run.status == 0, "\(command): \(run.messages)")
        }
        let left = try contents()
        #expect(left.contains(#"<attribute name="likes" attributeType="Integer 32"/>"#))
        #expect(
            left.contains(
                #"<relationship name="posts" maxCount="1" deletionRule="Deny" destinationEntity="Post" inverseName="author""#
            ), "\(left)")
        for word in ["Constraint", "fetchRequest", "configuration", "ashlar.title", "parentEntity"] {
            #expect(!left.contains(word), "\(left)")
        }
    }

    @Test func aMovedPropertyIsNamedAsRemovedInANewVersion() throws {
        try makePhotoFeed()
        try run("new-version")
        let run = try run("move", "Post.title", "Author")
        #expect(run.status == 0, "\(run.messages)")
        let check = try self.run("check", "Models/PhotoFeed.xcdatamodeld")
        #expect(check.status == 0, "\(check.messages)")
        #expect(try contents("PhotoFeed 2").contains(#"<entry key="ashlar.removed" value="title"/>"#))
    }

    @Test func aRenameChangesTheBundlesOfAMergedModel() throws {
        try makePhotoFeed()
        let kept =
            #"<entity name="Bookmark"><relationship name="post" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Post"/></entity>"#
        try folder.write(document(kept), to: "Models/Kept.xcdatamodeld/Kept.xcdatamodel/contents")
        try folder.write(
            #"{"merges": {"PhotoFeed.xcdatamodeld": {"Kept": "PhotoFeed"}}}"#,
            to: "Models/Kept.xcdatamodeld/ashlar.json")
        let model = "Models/PhotoFeed.xcdatamodeld"
        let run = try run("rename", "Post", "Photo", "--model", model)
        #expect(
            run.results
                == "\(model)/PhotoFeed.xcdatamodel/contents\nModels/Kept.xcdatamodeld/Kept.xcdatamodel/contents\n",
            "\(run.messages)")
        #expect(
            try folder.text("Models/Kept.xcdatamodeld/Kept.xcdatamodel/contents")
                == document(kept.replacing("\"Post\"", with: "\"Photo\"")))
        // The released version of the other bundle stays.
        try self.run("new-version", "Models/Kept.xcdatamodeld")
        #expect(try self.run("lock", "Models/Kept.xcdatamodeld").status == 0)
        let locked = try self.run("rename", "Photo", "Picture", "--model", model)
        #expect(locked.status == 1)
        #expect(
            locked.messages
                == "error: \(model)/PhotoFeed.xcdatamodel/contents is merged into version 'Kept' of Models/Kept.xcdatamodeld, which is locked, because it was released. Make new versions of both bundles first, and name them under 'merges'.\n"
        )
        #expect(try contents().contains("\"Photo\""))
    }

    @Test func aTrialShowsThePatchAndWritesNothing() throws {
        try makePhotoFeed()
        let before = try contents()
        let run = try run("add", "attribute", "Post.subtitle", "String", "--optional", "--dry-run")
        #expect(run.status == 0)
        #expect(
            run.results.contains("+        <attribute name=\"subtitle\" optional=\"YES\" attributeType=\"String\"/>\n"))
        #expect(run.results.hasPrefix("--- Models/PhotoFeed.xcdatamodeld/PhotoFeed.xcdatamodel/contents\n"))
        #expect(try self.run("new-version", "--dry-run").results == "PhotoFeed 2\n")
        #expect(try self.run("new-version", "PhotoFeed next", "--dry-run").results == "PhotoFeed next\n")
        #expect(try self.run("new-version", "Other.xcdatamodeld", "--dry-run").status == 66)
        #expect(
            try self.run("rename", "Author", "Writer", "--dry-run").results.contains("+    <entity name=\"Writer\">"))
        #expect(try contents() == before)
        let json = try self.run("rename", "Author", "Writer", "--format", "json").json()
        #expect(json["modelVersion"] as? String == "PhotoFeed" && json["isWritten"] as? Bool == true)
        #expect(try contents() == before.replacing("\"Author\"", with: "\"Writer\""))
    }

    @Test func refusals() throws {
        try makePhotoFeed()
        let before = try contents()
        let unknown = try run("rename", "Autor.name", "x")
        #expect(unknown.status == 1)
        #expect(unknown.messages == "error: The model has no entity 'Autor'. Did you mean 'Author'?\n")
        let type = try run("add", "attribute", "Post.x", "Strng")
        #expect(type.status == 64 && type.messages.contains("Did you mean 'String'?"))
        let composite = try run("add", "attribute", "Post.x", "place")
        #expect(composite.status == 64 && composite.messages.contains("The types are Integer 16"))
        let value = try run("add", "attribute", "Post.x", "UUID", "--set", "defualtValueString=1")
        #expect(
            value.messages
                == "error: <attribute> has no attribute 'defualtValueString'. Did you mean 'defaultValueString'?\n")
        let invalid = try run("add", "attribute", "Post.x", "String", "--derived", "author.nme")
        #expect(invalid.status == 1 && invalid.messages.contains("Author has no property 'nme'"))
        #expect(try run("add", "relationship", "Post.tags", "Tag", "--many-to-many").status == 1)
        #expect(try run("add", "relationship", "Post.next", "Post").status == 64)
        let path = try run("move", "Post", "Author")
        #expect(
            path.status == 64 && path.messages.contains("'Post' is invalid for '<entity.property>'"), "\(path.messages)"
        )
        let kind = try run("change", "attribute", "Author.posts", "--optional")
        #expect(kind.status == 1 && kind.messages == "error: 'Author.posts' is not an attribute.\n")
        let changed = try run("change", "attribute", "Post.likes", "--default", "many")
        #expect(changed.status == 1 && changed.messages.contains("The edit would make an error"), "\(changed.messages)")
        try folder.write(document(""), to: "Other.xcdatamodel/contents")
        let several = try run("add", "entity", "Tag")
        #expect(
            several.status == 64 && several.messages.contains("Other.xcdatamodel, Models/PhotoFeed")
                || several.messages.contains("Models/PhotoFeed.xcdatamodeld, Other.xcdatamodel"))
        #expect(try contents() == before)
    }

    @Test func aReleasedVersionIsNotEdited() throws {
        try makePhotoFeed()
        let model = "Models/PhotoFeed.xcdatamodeld"
        let list = try folder.text("\(model)/.xccurrentversion")
        try run("new-version", model)
        #expect(try run("lock", model).status == 0)
        #expect(try run("add", "entity", "Tag").status == 0)
        try folder.write(list, to: "\(model)/.xccurrentversion")
        let locked = try run("add", "entity", "Tag")
        #expect(locked.status == 1)
        #expect(
            locked.messages
                == "error: Version 'PhotoFeed' is locked, because it was released. Run 'ashlar new-version \(model)' first.\n"
        )
        #expect(try !contents().contains("Tag"))
    }

    private func document(_ body: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\n\(body)\n</model>"
    }

    @Test func format() throws {
        try makePhotoFeed()
        let path = "Models/PhotoFeed.xcdatamodeld/PhotoFeed.xcdatamodel/contents"
        #expect(try run("format").results.isEmpty)
        let formatted = try contents()
        try folder.write(formatted.replacing("\n    ", with: "\n"), to: path)
        let trial = try run("format", "--dry-run")
        #expect(trial.status == 1 && trial.results.contains("+    <entity name=\"Author\">"))
        #expect(try run("format", "Models/PhotoFeed.xcdatamodeld").results == "\(path)\n")
        #expect(try contents() == formatted)
        try folder.write("<model>", to: path)
        let unreadable = try run("format")
        #expect(unreadable.status == 66 && unreadable.messages.contains("cannot be edited"))
        #expect(try contents() == "<model>")
    }
}
