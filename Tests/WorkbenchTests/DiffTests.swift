import AshlarSQLite
import DataModel
import Foundation
import ModelMerge
import Testing
import ToolProgram

/// `ashlar diff`.
@Suite(.enabled(if: ToolProgram.isThere)) struct DiffTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(["diff"] + arguments, in: folder.url)
    }

    private static let old = """
            <entity name="Post">
                <attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="body" optional="YES" attributeType="String"/>
                <relationship name="writer" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="posts" inverseEntity="Author"/>
                <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex>
            </entity>
            <entity name="Author">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="posts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Post" \
        inverseName="writer" inverseEntity="Post"/>
            </entity>
            <entity name="Draft"><attribute name="text" optional="YES" attributeType="String"/></entity>
        """
    private static let new = """
            <entity name="Article" elementID="Post">
                <attribute name="heading" elementID="title" optional="YES" attributeType="String" \
        defaultValueString="a|`b`&lt;i&gt;&#10;*c*"/>
                <attribute name="date" optional="YES" attributeType="Date"/>
                <relationship name="writer" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="posts" inverseEntity="Author"/>
            </entity>
            <entity name="Author">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="posts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Article" \
        inverseName="writer" inverseEntity="Article"/>
            </entity>
        """

    private func makeModel() throws -> String {
        try folder.writeModel("Feed", [("Feed", Self.old), ("Feed 2", Self.new)])
    }

    @Test func twoVersions() throws {
        let path = try makeModel()
        let run = try run(path, "--format", "json")
        #expect(run.status == 0, "\(run.messages)")
        let json = try run.json()
        #expect(json["source"] as? String == "Feed" && json["destination"] as? String == "Feed 2")
        let changes = try #require(json["changes"] as? [[String: Any]])
        let texts = changes.map { change in
            ["action", "kind", "owner", "name", "formerName"].compactMap { change[$0] as? String }.joined(
                separator: " ")
        }
        #expect(
            texts == [
                "changed entity Article Post", "changed attribute Article heading title",
                "added attribute Article date",
                "removed attribute Article body", "removed index Article byTitle", "removed entity Draft",
                "removed attribute Draft text",
            ])
        let migration = try #require(json["migration"] as? [String: Any])
        #expect(
            migration["destroys"] as? [String] == [
                "remove entity Draft and delete its objects", "remove attribute Post.body and delete its values",
            ] || (migration["destroys"] as? [String])?.count == 2)
        #expect(try #require(migration["sql"] as? String).contains("DROP TABLE \"Draft\""))
        #expect((migration["obstacles"] as? [String])?.isEmpty == true)
        // The same with the versions' folders as arguments, and in the other direction.
        let same = try self.run("\(path)/Feed.xcdatamodel", "\(path)/Feed 2.xcdatamodel", "--format", "json")
        #expect(same.results == run.results)
        let back = try self.run("\(path)/Feed 2.xcdatamodel", "\(path)/Feed.xcdatamodel")
        #expect(back.results.contains("+ entity Draft") && back.results.contains("- attribute date"))
    }

    @Test func texts() throws {
        let path = try makeModel()
        let text = try run(path).results
        #expect(text.hasPrefix("Feed -> Feed 2\n~ entity Article (was Post)\n"))
        #expect(text.contains("    ~ attribute heading (was title)\n") && text.contains("- entity Draft\n"))
        #expect(text.contains("The migration destroys:\n"))
        // The text of a cell cannot leave the cell, or act as markup.
        let markdown = try run(path, "--format", "markdown").results
        let rows = markdown.split(separator: "\n").filter { $0.hasPrefix("|") }
        for row in rows {
            let bars = row.replacing("\\|", with: "").count { $0 == "|" }
            #expect(bars == 5, "\(row)")
        }
        #expect(markdown.contains("was `title`") && markdown.contains("```sql"))
        #expect(markdown.contains("``\"a\\|`b`<i>\\u{A}*c*\"``"))
    }

    @Test func aPicture() throws {
        let path = try makeModel()
        let svg = try run(path, "--format", "svg").results
        for part in [
            "<title>Feed → Feed 2</title>", ">~ Article (was Post)</text>", ">− Draft</text>", ">+ date</text>",
            ">− body</text>",
            ">~ heading</text>", "class=\"entity removed\"", "class=\"removed\"",
        ] { #expect(svg.contains(part), "\(part)") }
        var diagnostics = Diagnostics()
        #expect(ModelFile(Array(svg.utf8), file: "svg", reportingTo: &diagnostics) != nil, "\(diagnostics.all)")
        // A picture of one version has no marks.
        #expect(!(try ToolProgram.run(["diagram", path], in: folder.url).results.contains("removed")))
    }

    private func git(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["git", "-C", folder.url.path, "-c", "user.name=A", "-c", "user.email=a@example.com"] + arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(arguments)")
    }

    /// A bundle that is merged of others is compared with their contents at the revision.
    @Test func mergedBundlesAtARevision() throws {
        let account =
            "<entity name=\"Account\"><attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/></entity>"
        let path = try folder.writeModel("Shop", [("Shop", "<entity name=\"Product\"/>")])
        let accounts = try folder.writeModel("Accounts", [("Accounts", account)])
        try #"{ "merges": { "Accounts.xcdatamodeld": { "Shop": "Accounts" } } }"#.write(
            toFile: path + "/ashlar.json", atomically: true, encoding: .utf8)
        try git("init", "-q", "-b", "main")
        try git("add", "-A")
        try git("commit", "-qm", "Old")
        let name = "Shop.xcdatamodeld"
        #expect(try run(name, "--since", "main", "--exit-code").results == "The versions say the same.\n")
        let contents = accounts + "/Accounts.xcdatamodel/contents"
        let text = try String(contentsOfFile: contents, encoding: .utf8)
        try text.replacingOccurrences(of: "\"name\" optional", with: "\"title\" elementID=\"name\" optional").write(
            toFile: contents, atomically: true, encoding: .utf8)
        let since = try run(name, "--since", "main", "--exit-code")
        #expect(since.status == 2 && since.results.contains("attribute title (was name)"), "\(since)")
        try git("commit", "-qam", "New")
        #expect(try run("HEAD~1:\(name)", "HEAD:\(name)").results == since.results)
    }

    /// Attributes that the migration planner pairs are reported as renamed, whichever side names the identifier.
    @Test func theIdentifierOfTheOlderVersion() throws {
        func entity(_ attribute: String) -> String {
            "<entity name=\"Mood\"><attribute \(attribute) optional=\"YES\" attributeType=\"String\"/></entity>"
        }
        let path = try folder.writeModel(
            "Moody",
            [
                ("Moody", entity("name=\"remoteID\" elementID=\"remoteIdentifier\"")),
                ("Moody 2", entity("name=\"remoteIdentifier\"")),
            ])
        let told = try run(path + "/Moody.xcdatamodel", path + "/Moody 2.xcdatamodel")
        #expect(told.results.contains("~ attribute remoteIdentifier (was remoteID)"), "\(told)")
        #expect(told.results.contains("RENAME COLUMN"), "\(told)")
        // An attribute with an explicit identifier takes the old name before one that happens to have that name.
        let exchanged = try folder.writeModel(
            "Exchanged",
            [
                ("Exchanged", entity("name=\"a\"")),
                (
                    "Exchanged 2",
                    entity("name=\"b\" elementID=\"a\"")
                        .replacingOccurrences(
                            of: "<attribute",
                            with: "<attribute name=\"a\" optional=\"YES\" attributeType=\"String\"/><attribute")
                ),
            ])
        let second = try run(exchanged + "/Exchanged.xcdatamodel", exchanged + "/Exchanged 2.xcdatamodel")
        #expect(second.results.contains("~ attribute b (was a)"), "\(second)")
        #expect(second.results.contains("+ attribute a:"), "\(second)")
    }

    @Test func revisionsOfGit() throws {
        let name = "It's a \"feed\" é"
        let models = folder.file("Models")
        try FileManager.default.createDirectory(at: models, withIntermediateDirectories: true)
        let inner = try TemporaryFolder()
        func put(_ elements: String) throws {
            try? FileManager.default.removeItem(at: models.appendingPathComponent(name + ".xcdatamodeld"))
            try FileManager.default.copyItem(
                atPath: inner.writeModel(name, [(name, elements)]),
                toPath: models.appendingPathComponent(name + ".xcdatamodeld").path)
        }
        try git("init", "-q", "-b", "main")
        try put(Self.old)
        try git("add", "-A")
        try git("commit", "-qm", "Old")
        try put(Self.new)
        let path = "Models/\(name).xcdatamodeld"
        let since = try run(path, "--since", "main", "--exit-code")
        #expect(since.status == 2 && since.results.contains("~ entity Article (was Post)"), "\(since.messages)")
        try git("add", "-A")
        try git("commit", "-qm", "New")
        let between = try run("HEAD~1:\(path)", "HEAD:\(path)")
        #expect(between.results == since.results, "\(between.messages)")
        #expect(try run(path, "--since", "HEAD", "--exit-code").results == "The versions say the same.\n")
        // From a folder of the repository, and for a model that has been deleted since.
        let below = try ToolProgram.run(
            ["diff", "HEAD~1:\(name).xcdatamodeld", "\(name).xcdatamodeld"], in: models)
        #expect(below.results == since.results, "\(below.messages)")
        // With git's own paths, from the repository's folder.
        let asGit = try ToolProgram.run(["diff", "HEAD~1:\(path)", "HEAD:\(path)"], in: models)
        #expect(asGit.results == since.results, "\(asGit.messages)")
        try FileManager.default.removeItem(at: models)
        #expect(try run("HEAD~1:\(path)", "HEAD:\(path)").results == since.results)
        for revision in ["nowhere", "--output=x", "HEAD~99"] {
            let failed = try run("\(revision):\(path)", "HEAD:\(path)")
            #expect(failed.status == (revision.hasPrefix("-") ? 64 : 66), "\(revision): \(failed.messages)")
        }
        #expect(try run("HEAD:Models/Other.xcdatamodeld", "HEAD:\(path)").status == 66)
        #expect(!FileManager.default.fileExists(atPath: folder.file("x").path))
    }

    @Test func whatIsNoModel() throws {
        let path = try makeModel()
        #expect(try run("None.xcdatamodeld", path).status == 1)
        #expect(try run("\(path)/Feed.xcdatamodel").status == 64)
        #expect(try run(path, path, "--since", "main").status == 64)
    }

    /// Two versions are compared even if no migration can be inferred.
    @Test func withoutAMigration() throws {
        let path = try folder.writeModel(
            "Bad",
            [
                ("Bad", "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"Date\"/></entity>"),
                (
                    "Bad 2",
                    "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"UUID\"/></entity>"
                ),
            ])
        let run = try run(path)
        #expect(run.status == 0 && run.results.contains("type: Date -> UUID"))
        #expect(run.results.contains("There is no migration:"))
    }

    // MARK: Stores

    @Test func twoStores() throws {
        let path = try folder.writeModel("Feed", [("Feed", Self.old)])
        let (first, second) = (folder.file("a.store"), folder.file("b.store"))
        try TestStore.make(
            first, model: path,
            [
                "INSERT INTO Author (id$, name) VALUES (1, 'x'), (2, 'y'), (3, 'z')",
                "INSERT INTO Post (id$, title, writer) VALUES (1, 'a', 1), (2, 'b', 2)",
            ])
        try FileManager.default.copyItem(at: first, to: second)
        #expect(try run(first.path, second.path, "--exit-code").status == 0)
        #expect(try run(first.path, second.path).results == "The stores hold the same.\n")
        try TestStore.execute(
            second,
            [
                "UPDATE Author SET name = 'Y' WHERE id$ = 2", "DELETE FROM Author WHERE id$ = 3",
                "INSERT INTO Author (id$, name) VALUES (7, char(27) || '[2J')",
            ])
        let before = try folder.snapshot()
        let run = try run(first.path, second.path, "--exit-code")
        #expect(run.status == 2)
        #expect(
            run.results == """
                Author: 1 added, 1 removed, 1 changed, 1 same
                    ~ 2
                        name: "y" -> "Y"
                    - 3
                    + 7

                """)
        #expect(try folder.snapshot() == before)
        let json = try self.run(second.path, first.path, "--format", "json").json()
        let tables = try #require(json["tables"] as? [[String: Any]])
        let author = try #require(tables.first { $0["name"] as? String == "Author" })
        #expect(author["added"] as? Int == 1 && author["removed"] as? Int == 1 && author["changed"] as? Int == 1)
        #expect(json["isSame"] as? Bool == false)
        #expect(try self.run(first.path, second.path, "--rows", "0").results.split(separator: "\n").count == 1)
        #expect(try self.run(first.path, second.path, "--format", "svg").status == 64)
    }

    /// The message names the wrong path, and not the other one.
    @Test func aPathWithoutAStoreIsNamed() throws {
        let store = folder.file("a.sqlite").path
        try TestStore.execute(URL(fileURLWithPath: store), ["CREATE TABLE t (x)"])
        let missing = folder.file("missing.sqlite").path
        for run in [try run(store, missing), try run(missing, store)] {
            #expect(run.status != 0 && run.messages == "error: There is no store at \(missing).\n", "\(run)")
        }
        let model = try makeModel()
        for run in [try run(store, model), try run(model, store)] {
            #expect(run.status == 64 && run.messages.contains("\(model) is not a store"), "\(run)")
        }
    }

    /// Copied stores name their files of large values alike, so the files' contents are compared.
    @Test func filesOfLargeValues() throws {
        let path = try folder.writeModel(
            "Album",
            [
                (
                    "Album",
                    """
                        <entity name="Photo">
                            <attribute name="data" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                        </entity>
                    """
                )
            ])
        let object = #"{"$entity": "Photo", "data": "\#(Data(repeating: 7, count: 300_000).base64EncodedString())"}"#
        try object.write(to: folder.file("photo.json"), atomically: true, encoding: .utf8)
        let load = try ToolProgram.run(["load", "a.store", "photo.json", "--model", path], in: folder.url)
        #expect(load.status == 0, "\(load.messages)")
        for name in ["a.store", ".a.store_SUPPORT"] {
            try FileManager.default.copyItem(
                at: folder.file(name), to: folder.file(name.replacingOccurrences(of: "a.store", with: "b.store")))
        }
        #expect(try run("a.store", "b.store").results == "The stores hold the same.\n")
        let values = folder.file(".b.store_SUPPORT/_EXTERNAL_DATA")
        let file = try #require(
            try FileManager.default.contentsOfDirectory(at: values, includingPropertiesForKeys: nil).first)
        try Data(repeating: 0, count: 300_000).write(to: file)
        #expect(try run("a.store", "b.store").results.contains("data: 300000 bytes -> 300000 bytes"))
        try FileManager.default.removeItem(at: file)
        #expect(
            try run("a.store", "b.store").results
                .contains("data: 300000 bytes -> a file that is not there, \(file.lastPathComponent)"))
    }

    /// The report says that the contents of another program's virtual tables are not compared.
    @Test func virtualTables() throws {
        for (name, text) in [("a.sqlite", "x"), ("b.sqlite", "y")] {
            try TestStore.execute(
                folder.file(name), ["CREATE VIRTUAL TABLE f USING fts5(t)", "INSERT INTO f VALUES ('\(text)')"])
        }
        let run = try run("a.sqlite", "b.sqlite")
        #expect(run.results.hasPrefix("The stores hold the same.\nNot compared: f, "), "\(run.results)")
        #expect(try self.run("a.sqlite", "b.sqlite", "--format", "json").json()["notCompared"] as? [String] == ["f"])
    }

    @Test func aModelWithErrors() throws {
        let model = try makeModel()
        let elements =
            #"<entity name="Post"><relationship name="author" optional="YES" destinationEntity="Nobody"/></entity>"#
        let broken = try folder.writeModel("Broken", [("Broken", elements)])
        let run = try run(model, broken)
        #expect(run.status == 1, "\(run.results)")
        #expect(run.results.isEmpty && run.messages.contains("Nobody"))
    }

    /// Two tables are read side by side in the order of their keys, of any kind.
    @Test func keysOfAllKinds() throws {
        for (index, keys) in [
            "k", "k COLLATE NOCASE PRIMARY KEY", "k PRIMARY KEY", "k, l, PRIMARY KEY (l, k)",
        ].enumerated() {
            let columns = keys.contains("l,") ? keys.replacing("k, l,", with: "k, l, v,") : keys + ", v"
            let (first, second) = (folder.file("a\(index)"), folder.file("b\(index)"))
            let values = ["1", "2.5", "'a'", "'B'", "x'00'", "'ä'", "-7"]
            for (file, skipped) in [(first, 2), (second, 4)] {
                let list = values.indices.filter { $0 != skipped }.map { number in
                    keys.contains("l,") ? "(\(values[number]), 1, \(number))" : "(\(values[number]), \(number))"
                }
                let names = keys.contains("l,") ? "k, l, v" : "k, v"
                try TestStore.execute(
                    file,
                    [
                        "CREATE TABLE t (\(columns))",
                        "INSERT INTO t (rowid, \(names)) SELECT NULL, * FROM (VALUES \(list.joined(separator: ", ")))",
                    ])
            }
            let json = try run(first.path, second.path, "--format", "json").json()
            let table = try #require((json["tables"] as? [[String: Any]])?.first)
            // Without a key, rows are identified by their numbers, which the gap moves.
            if index == 0 {
                #expect(table["same"] as? Int == 4 && table["changed"] as? Int == 2)
            } else {
                #expect(table["same"] as? Int == 5, "\(keys)")
                #expect(table["added"] as? Int == 1 && table["removed"] as? Int == 1, "\(keys)")
            }
        }
    }
}
