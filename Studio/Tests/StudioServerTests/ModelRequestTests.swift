import Foundation
@_spi(Studio) import ModelAuthoring
import Testing

@_spi(Studio) @testable import StudioServer

/// The forms of a model's pages, without a browser and without a script.
@Suite struct ModelRequestTests {
    @Test("A saved field changes nothing but its attribute in the file")
    func smallestDifference() async throws {
        try await ModelBench.serving { bench async throws in
            let answer = try await bench.save("property", "title", of: "Post", "optional", was: "", "YES")
            #expect(answer.status == 303)
            #expect(
                try bench.contents()
                    == ModelBench.feed.replacingOccurrences(
                        of: "name=\"title\" attributeType", with: "name=\"title\" optional=\"YES\" attributeType"))
            #expect(try await bench.page("/model?entity=Post").text.contains("Undo: "))
            #expect(try await bench.submit("/model-undo", []).status == 303)
            #expect(try bench.contents() == ModelBench.feed)
            #expect(try await bench.submit("/model-redo", []).status == 303)
            #expect(try bench.contents().contains("name=\"title\" optional=\"YES\""))
        }
    }

    @Test(
        "Every field of an attribute and a relationship is written as the format has it",
        arguments: [
            ("property", "likes", "Post", "minimum", "", "0", "minValueString=\"0\""),
            ("property", "likes", "Post", "maximum", "", "9", "maxValueString=\"9\""),
            ("property", "likes", "Post", "default", "0", "3", "defaultValueString=\"3\""),
            ("property", "likes", "Post", "attributeType", "Integer 64", "Integer 32", "attributeType=\"Integer 32\""),
            ("property", "title", "Post", "transient", "", "YES", "transient=\"YES\""),
            ("property", "title", "Post", "unique", "", "YES", "<constraint value=\"title\"/>"),
            ("property", "title", "Post", "regularExpressionString", "", "a.*", "regularExpressionString=\"a.*\""),
            ("property", "title", "Post", "elementID", "", "name", "elementID=\"name\""),
            ("property", "title", "Post", "name", "title", "headline", "<attribute name=\"headline\""),
            ("property", "title", "Post", "entity", "Post", "Tag", "<attribute name=\"title\""),
            ("property", "posts", "Author", "ordered", "", "YES", "ordered=\"YES\""),
            ("property", "posts", "Author", "deletionRule", "Cascade", "Deny", "deletionRule=\"Deny\""),
            ("property", "posts", "Author", "maxCount", "", "5", "maxCount=\"5\""),
            ("property", "author", "Post", "toMany", "", "YES", "name=\"author\" optional=\"YES\" toMany=\"YES\""),
            ("property", "author", "Post", "inverse", "Author.posts", "", "destinationEntity=\"Author\"/>"),
            ("entity", "Post", "", "isAbstract", "", "YES", "isAbstract=\"YES\""),
            ("entity", "Tag", "", "parentEntity", "", "Post", "parentEntity=\"Post\""),
            ("entity", "Tag", "", "name", "Tag", "Label", "<entity name=\"Label\""),
        ])
    func fields(
        _ kind: String, _ name: String, _ owner: String, _ field: String, _ was: String, _ value: String,
        _ wanted: String
    ) async throws {
        try await ModelBench.serving { bench async throws in
            let answer = try await bench.save(kind, name, of: owner, field, was: was, value)
            #expect(answer.status == 303, "\(answer.text)")
            let text = try bench.contents()
            #expect(text.contains(wanted), "\(text)")
            // The form shows the value.
            let box = field == "entity" ? value : owner.isEmpty ? (field == "name" ? value : name) : owner
            #expect(try await bench.page("/model?entity=\(box)").status == 200)
        }
    }

    @Test("A wrong value stays in its field, with the reason beside it, and nothing is written")
    func wrongValue() async throws {
        try await ModelBench.serving { bench async throws in
            let answer = try await bench.save("property", "likes", of: "Post", "default", was: "0", "many")
            #expect(answer.status == 409)
            #expect(answer.text.contains("value=\"many\"") && answer.text.contains("aria-invalid=\"true\""))
            #expect(try bench.contents() == ModelBench.feed)
            #expect(try await bench.save("entity", "Post", "name", was: "Post", "Author").status == 409)
            #expect(try bench.contents() == ModelBench.feed)
        }
    }

    @Test("Edits of other programs stay, also if an older edit is undone")
    func merging() async throws {
        try await ModelBench.serving { bench async throws in
            #expect(try await bench.save("property", "title", of: "Post", "optional", was: "", "YES").status == 303)
            try bench.replace("name=\"word\" attributeType", with: "name=\"word\" optional=\"YES\" attributeType")
            #expect(try await bench.save("property", "likes", of: "Post", "optional", was: "", "YES").status == 303)
            #expect(try bench.contents().contains("name=\"word\" optional=\"YES\""))
            #expect(try await bench.submit("/model-undo", []).status == 303)
            try bench.replace("<entity name=\"Tag\">", with: "<entity name=\"Tag\" isAbstract=\"YES\">")
            #expect(try await bench.submit("/model-undo", []).status == 303)
            #expect(
                try bench.contents()
                    == ModelBench.feed.replacingOccurrences(
                        of: "name=\"word\" attributeType", with: "name=\"word\" optional=\"YES\" attributeType"
                    )
                    .replacingOccurrences(of: "<entity name=\"Tag\">", with: "<entity name=\"Tag\" isAbstract=\"YES\">")
            )
        }
    }

    @Test("Files of merged bundles change with the model's, and an undo takes both back")
    func mergedBundles() async throws {
        try await ModelBench.serving { bench async throws in
            let other = bench.folder.appendingPathComponent("People.xcdatamodeld/People.xcdatamodel/contents")
            try FileManager.default.createDirectory(
                at: other.deletingLastPathComponent(), withIntermediateDirectories: true)
            let people = """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="Author"/>
                    <entity name="Guest" parentEntity="Author"/>
                </model>

                """
            try Data(people.utf8).write(to: other)
            try Data(#"{"merges": {"People.xcdatamodeld": {"Feed": "People"}}}"#.utf8).write(
                to: bench.model.appendingPathComponent("ashlar.json"))
            let answer = try await bench.save("entity", "Author", "name", was: "Author", "Writer")
            #expect(answer.status == 303, "\(answer.text)")
            #expect(try bench.contents() == ModelBench.feed.replacing("\"Author\"", with: "\"Writer\""))
            #expect(
                try String(decoding: Data(contentsOf: other), as: UTF8.self)
                    == people.replacing("\"Author\"", with: "\"Writer\""))
            #expect(try await bench.submit("/model-undo", []).status == 303)
            #expect(try bench.contents() == ModelBench.feed)
            #expect(try String(decoding: Data(contentsOf: other), as: UTF8.self) == people)
        }
    }

    @Test("A field that another program changed too is not overwritten without a question")
    func conflict() async throws {
        try await ModelBench.serving { bench async throws in
            try bench.replace("defaultValueString=\"0\"", with: "defaultValueString=\"5\"")
            let answer = try await bench.save("property", "likes", of: "Post", "default", was: "0", "7")
            #expect(answer.status == 409 && answer.text.contains("Another program changed the value to"))
            #expect(answer.text.contains("name=\"was.default\" value=\"5\""))
            #expect(try bench.contents().contains("defaultValueString=\"5\""))
            #expect(try await bench.save("property", "likes", of: "Post", "default", was: "5", "7").status == 303)
            #expect(try bench.contents().contains("defaultValueString=\"7\""))
        }
    }

    @Test("Indexes, constraints, fetch requests, composites, configurations and userInfo are added and removed")
    func parts() async throws {
        try await ModelBench.serving { bench async throws in
            let additions: [([(String, String)], String)] = [
                (
                    [
                        ("kind", "index"), ("name", ""), ("elements", "likes:descending, title"),
                        ("index-kind", "binary"),
                    ], "<fetchIndex name=\"byLikesTitle\">"
                ),
                ([("kind", "constraint"), ("elements", "title")], "<constraint value=\"title\"/>"),
                (
                    [("kind", "fetchRequest"), ("name", "Popular"), ("predicate", "likes > 10")],
                    "predicateString=\"likes &gt; 10\""
                ),
                (
                    [("kind", "composite"), ("name", "Place"), ("attribute", "city"), ("type", "String")],
                    "<composite name=\"Place\">"
                ),
                (
                    [("kind", "attribute"), ("name", "place"), ("type", "Place"), ("optional", "YES")],
                    "composite=\"Place\""
                ),
            ]
            for (fields, wanted) in additions {
                let answer = try await bench.submit("/model-add", fields + [("entity", "Post")])
                #expect(answer.status == 303, "\(fields) \(answer.text)")
                let text = try bench.contents()
                #expect(text.contains(wanted), "\(text)")
            }
            // The predicate has its SQL beside it.
            #expect(try await bench.page("/model?entity=Post").text.contains("&quot;likes&quot; &gt;"))
            #expect(
                try await bench.save(
                    "index", "byLikesTitle", of: "Post", "elements", was: "likes:descending, title", "title"
                ).status
                    == 303)
            #expect(
                try bench.contents().contains(
                    "<fetchIndexElement property=\"title\" type=\"Binary\" order=\"ascending\"/>"))
            let entry = [("item-kind", "property"), ("item-name", "title"), ("item-owner", "Post"), ("entity", "Post")]
            #expect(
                try await bench.submit("/model-entries", entry + [("new-key", "ashlar.note"), ("new-value", "x")])
                    .status == 303)
            #expect(try bench.contents().contains("<entry key=\"ashlar.note\" value=\"x\"/>"))
            #expect(try await bench.submit("/model-entries", entry + [("entry.ashlar.note", "")]).status == 303)
            #expect(!(try bench.contents().contains("ashlar.note")))
            #expect(
                try await bench.submit(
                    "/model-configuration",
                    [("name", "Cloud"), ("member.Post", "1"), ("member.Author", "1"), ("member.Tag", "1")]
                ).status == 303)
            #expect(try bench.contents().contains("<memberEntity name=\"Tag\"/>"))
            #expect(
                try await bench.submit(
                    "/model-configuration", [("name", "Cloud"), ("member.Post", "1"), ("member.Author", "1")]
                ).status == 303)
            #expect(!(try bench.contents().contains("<memberEntity name=\"Tag\"/>")))
            #expect(try await bench.submit("/model-configuration", [("name", "Cloud")]).status == 303)
            #expect(!(try bench.contents().contains("<configuration")))
            for (kind, name, owner) in [
                ("index", "byLikesTitle", "Post"), ("constraint", "title", "Post"), ("fetchRequest", "Popular", ""),
                ("property", "place", "Post"), ("composite", "Place", ""),
            ] {
                let answer = try await bench.submit(
                    "/model-remove", [("item-kind", kind), ("item-name", name), ("item-owner", owner)])
                #expect(answer.status == 303, "\(name)")
            }
            #expect(
                try bench.contents().replacingOccurrences(of: "><userInfo/></attribute>", with: "/>").filter {
                    !$0.isWhitespace
                }
                .contains("<attributename=\"title\"attributeType=\"String\""))
        }
    }

    @Test("A new version is a copy; it is compared with the one before, made current, and locked")
    func versions() async throws {
        try await ModelBench.serving { bench async throws in
            #expect(try await bench.submit("/model-version", [("action", "new"), ("name", "")]).status == 303)
            #expect(try bench.contents("Feed 2") == ModelBench.feed)
            let answer = try await bench.submit(
                "/model-add",
                [("kind", "attribute"), ("name", "place"), ("type", "String"), ("optional", "YES"), ("entity", "Post")])
            #expect(answer.status == 303)
            #expect(try bench.contents() == ModelBench.feed)
            let review = try await bench.page("/model-review?version=Feed%202")
            #expect(review.text.contains("added: ") && review.text.contains("attribute Post.place"))
            #expect(review.text.contains("ALTER TABLE") && review.text.contains("class=\"proof\""))
            #expect(try await bench.submit("/model-version", [("action", "lock"), ("name", "Feed 2")]).status == 303)
            let lock = bench.folder.appendingPathComponent("Feed.xcdatamodeld.lock")
            #expect(String(decoding: try Data(contentsOf: lock), as: UTF8.self).contains("\"Feed 2\""))
            let refused = try await bench.submit(
                "/model-add", [("kind", "attribute"), ("name", "other"), ("type", "String"), ("entity", "Post")])
            #expect(refused.status == 409 && refused.text.contains("is locked"))
            #expect(try await bench.submit("/model-undo", []).status == 303)
            #expect(!FileManager.default.fileExists(atPath: lock.path))
            #expect(try await bench.submit("/model-version", [("action", "current"), ("name", "Feed")]).status == 303)
            #expect(try await bench.page("/model").text.contains("aria-current=\"true\""))
            // Undo removes the version, with its files.
            for _ in 0..<3 { #expect(try await bench.submit("/model-undo", []).status == 303) }
            #expect(
                !FileManager.default.fileExists(atPath: bench.model.appendingPathComponent("Feed 2.xcdatamodel").path))
        }
    }

    @Test("Places of an older Xcode are read, and never written")
    func elements() async throws {
        let old = ModelBench.feed.replacingOccurrences(
            of: "</model>",
            with: """
                    <elements>
                        <element name="Author" positionX="-63" positionY="-18" width="128" height="73"/>
                        <element name="Post" positionX="160" positionY="36" width="128" height="103"/>
                        <element name="Tag" positionX="160" positionY="200" width="128" height="60"/>
                    </elements>
                </model>
                """)
        try await ModelBench.serving(old) { bench async throws in
            let page = try await bench.page("/model").text
            #expect(
                page.contains("data-arranged=\"0\"") && page.contains("data-box=\"Author\" data-x=\"24\" data-y=\"24\"")
            )
            #expect(try await bench.submit("/model-move", [("place.Tag", "700,20")]).status == 303)
            #expect(bench.places.contains("700 20 Tag\n") && bench.places.contains("24 24 Author\n"))
            #expect(try bench.contents() == old)
            #expect(try await bench.submit("/model-arrange", []).status == 303)
            #expect(try bench.contents() == old && !bench.places.contains("700 20 Tag"))
        }
    }

    @Test("Places survive renaming, and are undone one by one")
    func places() async throws {
        try await ModelBench.serving { bench async throws in
            #expect(try await bench.page("/model").text.contains("data-arranged=\"1\""))
            #expect(try await bench.submit("/model-move", [("box", "Tag"), ("x", "500"), ("y", "40")]).status == 303)
            #expect(try await bench.save("entity", "Tag", "name", was: "Tag", "Label").status == 303)
            #expect(bench.places.contains("500 40 Label\n") && !bench.places.contains("Tag"))
            #expect(try await bench.submit("/model-undo", []).status == 303)
            #expect(bench.places.contains("500 40 Tag\n"))
            #expect(try await bench.submit("/model-undo", []).status == 303)
            #expect(bench.places.isEmpty)
            #expect(try bench.contents() == ModelBench.feed)
        }
    }

    @Test("Strangers, other pages and forms without the secret are refused by every page of a model")
    func strangers() async throws {
        try await ModelBench.serving { bench async throws in
            let (host, end) = ("Host: 127.0.0.1:\(bench.port)", "Connection: close")
            for path in ["/", "/model", "/model?entity=Post", "/model-review?version=Feed", "/model-state"] {
                for lines in [
                    [host], [host, bench.cookie, "Origin: https://example.org"],
                    [host, bench.cookie, "Sec-Fetch-Site: cross-site"], ["Host: example.org", bench.cookie],
                ] {
                    let answer = try await bench.answer(["GET \(path) HTTP/1.1", end] + lines)
                    #expect([403, 421].contains(answer.status), "\(path) \(lines)")
                    #expect(!answer.text.contains("Post"))
                }
            }
            for (path, _) in ModelStudio.answers {
                let fields = [
                    ("kind", "entity"), ("name", "Evil"), ("action", "new"), ("box", "Tag"), ("x", "1"), ("y", "1"),
                ]
                #expect(
                    try await bench.submit("/" + path, fields, ["Origin: https://example.org"]).status == 403, "\(path)"
                )
                #expect(try await bench.submit("/" + path, fields, []).status == 403, "\(path)")
                let form = "form-token=0&kind=entity&name=Evil&action=new"
                let answer = try await bench.answer(
                    [
                        "POST /\(path) HTTP/1.1", host, bench.cookie, end, "Origin: http://127.0.0.1:\(bench.port)",
                        "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.utf8.count)",
                    ], body: form)
                #expect(answer.status == 403, "\(path)")
            }
            #expect(try bench.contents() == ModelBench.feed && bench.places.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) == ["Feed.xcdatamodeld"])
        }
    }

    @Test("A model that is only read has no forms, and takes no edits")
    func readOnly() async throws {
        try await ModelBench.serving(isWritable: false) { bench async throws in
            let page = try await bench.page("/model?entity=Post")
            #expect(page.status == 200 && !page.text.contains("method=\"post\""))
            for (path, _) in ModelStudio.answers { #expect(try await bench.submit("/" + path, []).status == 404) }
        }
    }

    @Test("Nonsense is an error, markup in a model is shown as text, and the server goes on")
    func nonsense() async throws {
        let markup = "&lt;script&gt;document.title=1&lt;/script&gt;&quot;onload=x"
        let odd = ModelBench.feed.replacingOccurrences(
            of: "attributeType=\"String\"/>\n    </entity>\n</model>",
            with:
                "attributeType=\"String\" customClassName=\"\(markup)\" defaultValueString=\"\(markup)\"><userInfo><entry key=\"\(markup)\" value=\"\(markup)\"/></userInfo></attribute>\n    </entity>\n</model>"
        )
        try await ModelBench.serving(odd) { bench async throws in
            let page = try await bench.page("/model?entity=Tag&search=%3Cscript%3Ex")
            #expect(page.status == 200 && !page.text.contains("<script>") && !page.text.contains("\"onload"))
            for address in [
                "/model?entity=%3Cscript%3E", "/model?near=Nothing", "/model?version=..%2F..", "/model?entity=%FF",
                "/model-review", "/model-review?version=Nothing",
                "/model?entity=Post&property=nothing&destination=nothing",
            ] {
                let answer = try await bench.page(address)
                #expect(answer.status < 500 && !answer.text.contains("<script>"), "\(address)")
            }
            for (path, _) in ModelStudio.answers where path != "model-undo" && path != "model-redo" {
                for fields in [
                    [], [("kind", "nothing"), ("name", "x")], [("item-kind", "entity"), ("item-name", "Nothing")],
                    [("item-kind", "property"), ("item-name", "x"), ("item-owner", "y")],
                    [("box", "Nothing"), ("x", "a"), ("y", "")],
                    [("place.Tag", "1"), ("name", "../x"), ("action", "new")],
                    [("action", "lock"), ("name", "Nothing")],
                ] as [[(String, String)]] {
                    let answer = try await bench.submit("/" + path, fields)
                    #expect(answer.status < 500, "\(path) \(fields)")
                }
            }
            #expect(try await bench.page("/model").status == 200)
        }
    }
}
