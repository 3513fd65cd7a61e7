import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import StoreExchange
import Testing
import ToolProgram

/// `ashlar dump` and `ashlar load`.
@Suite(.enabled(if: ToolProgram.isThere)) struct DumpTests {
    let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("feed.store").path
    }

    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(arguments + ["--model", "Feed.xcdatamodeld"], in: folder.url)
    }

    private static let elements = """
            <entity name="Post">
                <attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="id" optional="YES" attributeType="String" defaultValueString="none"/>
                <attribute name="entity" optional="YES" attributeType="Integer 64"/>
                <attribute name="likes" attributeType="Integer 64" defaultValueString="0"/>
                <attribute name="isNew" attributeType="Boolean" defaultValueString="NO"/>
                <attribute name="date" optional="YES" attributeType="Date"/>
                <attribute name="score" optional="YES" attributeType="Double"/>
                <attribute name="price" optional="YES" attributeType="Decimal"/>
                <attribute name="key" optional="YES" attributeType="UUID"/>
                <attribute name="link" optional="YES" attributeType="URI"/>
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <attribute name="origin" attributeType="Composite" composite="Place"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="posts" inverseEntity="Author"/>
                <relationship name="tags" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Tag" inverseName="posts" inverseEntity="Tag"/>
                <fetchIndex name="byLikes"><fetchIndexElement property="likes" type="Binary" order="ascending"/></fetchIndex>
            </entity>
            <entity name="Video" parentEntity="Post">
                <attribute name="length" optional="YES" attributeType="Float"/>
            </entity>
            <entity name="Author">
                <attribute name="name" attributeType="String" defaultValueString=""/>
                <relationship name="posts" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Post" inverseName="author" inverseEntity="Post"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>\
        </uniquenessConstraints>
            </entity>
            <entity name="Tag">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="posts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Post" \
        inverseName="tags" inverseEntity="Post"/>
            </entity>
            <composite name="Place">
                <attribute name="x" optional="YES" attributeType="Double"/>
                <attribute name="name" optional="YES" attributeType="String"/>
            </composite>
        """

    private func makeStore(_ statements: [String] = []) throws {
        let model = try folder.writeModel("Feed", [("Feed", Self.elements)])
        try TestStore.make(URL(fileURLWithPath: store), model: model, statements)
    }

    private static let awkward = [
        "'a\"b,c\nd\r\n'", "''", "'\u{1F9F1}é\u{301}'", "'[{\"x\":1}]'", "char(27)||'[2J'", "'true'", "NULL", "'\\'",
        "'null'",
    ]

    /// Objects with values of all types, and references in every direction.
    private func fill(_ random: inout SeededGenerator) throws {
        func any(_ values: [String]) -> String { values.randomElement(using: &random) ?? "NULL" }
        var statements: [String] = []
        for number in 1...4 { statements.append("INSERT INTO Author (id$, name) VALUES (\(number), 'x' || \(number))") }
        for number in 1...5 {
            statements.append("INSERT INTO Tag (id$, name) VALUES (\(number * 10), \(any(Self.awkward)))")
        }
        for number in 1...12 {
            let isVideo = random.oneIn(3)
            let hasPlace = random.oneIn(2)
            let author = any(["NULL", "1", "2", "3"])
            statements.append(
                """
                INSERT INTO Post (id$, entity$, title, likes, isNew, date, score, price, key, link, cover, author,
                    "author$order", length)
                VALUES (\(number), \(isVideo ? "'Video'" : "NULL"), \(any(Self.awkward)),
                    \(any(["0", "9223372036854775807", "-9223372036854775808"])), \(any(["0", "1"])),
                    \(any(["NULL", "0.0", "-0.25", "762000000.123456", "762000000.1234567", "-62135769600.0", "1e300"])),
                    \(any(["NULL", "0.1", "-1e308", "9e999", "5e-324"])), \(any(["NULL", "'12.50'", "'-3'"])),
                    \(any(["NULL", "x'000102030405060708090a0b0c0d0e0f'"])), \(any(["NULL", "'https://example.com/?a=1'"])),
                    \(any(["NULL", "x''", "x'00ff'", "CAST('ashlar$data:ashlar$file:01234' AS BLOB)"])), \(author),
                    \(author == "NULL" ? "NULL" : "\(20 - number)"), \(isVideo ? any(["NULL", "2.5"]) : "NULL"))
                """)
            statements.append(
                "UPDATE Post SET \"place$$present\" = \(hasPlace ? "1" : "NULL"), \"place$x\" = \(hasPlace ? "1.5" : "NULL"), "
                    + "\"origin$name\" = \(any(Self.awkward)) WHERE id$ = \(number)")
            for (position, tag) in Set([10, 20, 30, 40].filter { _ in random.oneIn(2) }).enumerated() {
                statements.append(
                    "INSERT INTO \"Post$tags\" (source$, target$, \"target$order\") VALUES (\(number), \(tag), \((position + 1) << 20))"
                )
            }
        }
        try makeStore(statements)
    }

    /// Reading a dump gives the same store, value by value.
    @Test(arguments: seeds(4)) func thereAndBack(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        try fill(&random)
        let before = try folder.snapshot()
        let dumped = try run("dump", store)
        #expect(dumped.status == 0, "\(dumped.messages)")
        #expect(try folder.snapshot() == before)
        try dumped.results.write(to: folder.file("all.json"), atomically: true, encoding: .utf8)
        let loaded = try run("load", "copy.store", "all.json")
        #expect(loaded.status == 0 && loaded.results == "21 objects loaded.\n", "\(seed): \(loaded.messages)")
        let difference = try ToolProgram.run(["diff", store, "copy.store"], in: folder.url)
        #expect(difference.results == "The stores hold the same.\n", "\(seed)")
        #expect(try run("dump", "copy.store").results == dumped.results)
        // A line for each entity; entities that others refer to come first.
        for (index, entity) in ["Author", "Tag", "Post"].enumerated() {
            let csv = try run("dump", store, "--entity", entity, "--format", "csv", "--output", "\(index).csv")
            #expect(csv.status == 0, "\(csv.messages)")
            let result = try run("load", "csv.store", "\(index).csv", "--format", "csv")
            #expect(result.status == 0, "\(seed): \(entity): \(result.messages)")
        }
        let second = try ToolProgram.run(["diff", store, "csv.store"], in: folder.url)
        #expect(second.results == "The stores hold the same.\n", "\(seed)")
        #expect(
            !(try FileManager.default.contentsOfDirectory(atPath: folder.url.path)).contains { $0.contains(".part") })
    }

    /// The statements use the store's tables.
    @Test(arguments: seeds(2)) func asSQL(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        try fill(&random)
        let sql = try run("dump", store, "--format", "sql").results
        let model = folder.file("Feed.xcdatamodeld").path
        try TestStore.make(folder.file("copy.store"), model: model)
        let connection = try Connection(toWrite: folder.file("copy.store"))
        var rest = Substring(sql)
        while let end = rest.firstRange(of: ";\n") {
            // A text value may contain the end mark, too.
            var statement = rest[..<end.upperBound]
            while (try? connection.execute(String(statement))) == nil {
                guard let next = rest[statement.endIndex...].firstRange(of: ";\n") else { break }
                statement = rest[..<next.upperBound]
            }
            rest = rest[statement.endIndex...]
        }
        let difference = try ToolProgram.run(["diff", store, "copy.store"], in: folder.url)
        #expect(difference.results == "The stores hold the same.\n", "\(seed)")
    }

    @Test func someOfThem() throws {
        try makeStore([
            "INSERT INTO Author (id$, name) VALUES (1, 'it''s'), (2, 'b')",
            "INSERT INTO Post (id$, entity$, title, likes, author) VALUES (1, NULL, 'a', 5, 1), (2, 'Video', 'b', 15, 2), (3, NULL, 'c', 25, 1)",
        ])
        let some = try run(
            "dump", store, "--entity", "Post", "--where", "likes > 10 AND author.name BEGINSWITH[c] \"IT'\"", "--by",
            "Author.name")
        #expect(some.status == 0, "\(some.messages)")
        let list = try #require(try JSONSerialization.jsonObject(with: Data(some.results.utf8)) as? [[String: Any]])
        #expect(list.map { $0["$id"] as? Int } == [3] && list[0]["author"] as? String == "it's")
        let videos = try run("dump", store, "--entity", "Video").results
        #expect(videos.contains("\"b\"") && !videos.contains("\"a\""))
        #expect(try run("dump", store, "--entity", "Post", "--where", "likes > 99").results == "[\n]\n")
        for arguments in [
            ["--where", "likes > %@", "--entity", "Post"], ["--where", "likes > $x", "--entity", "Post"],
            ["--where", "nothing = 1", "--entity", "Post"], ["--where", "likes >", "--entity", "Post"],
            ["--where", "likes > 1"], ["--format", "csv"], ["--by", "Author"],
        ] {
            let wrong = try ToolProgram.run(
                ["dump", store, "--model", "Feed.xcdatamodeld"] + arguments, in: folder.url)
            #expect(wrong.status == 64 && wrong.results.isEmpty, "\(arguments): \(wrong.messages)")
        }
        for arguments in [["--entity", "Nobody"], ["--by", "Author.nothing"]] {
            let wrong = try ToolProgram.run(
                ["dump", store, "--model", "Feed.xcdatamodeld"] + arguments, in: folder.url)
            #expect(wrong.status == 3 && wrong.results.isEmpty, "\(arguments): \(wrong.messages)")
        }
        // The references are resolved by name in the store that is loaded.
        try some.results.write(to: folder.file("some.json"), atomically: true, encoding: .utf8)
        try "[{\"name\": \"b\", \"$id\": 7}, {\"name\": \"it's\", \"$id\": 9}]".write(
            to: folder.file("authors.json"), atomically: true, encoding: .utf8)
        #expect(try run("load", "new.store", "authors.json", "--entity", "Author").status == 0)
        #expect(try run("load", "new.store", "some.json", "--by", "Author.name").status == 0)
        #expect(try run("dump", "new.store", "--entity", "Post").results.contains("\"author\": 9"))
    }

    /// Properties with names like the keys of a dump, and nil for attributes with a default.
    @Test(arguments: ["json", "csv"]) func namesAndNil(_ format: String) throws {
        try makeStore([
            "INSERT INTO Post (id$, entity$, id, entity) VALUES (1, NULL, 'own', 7), (2, 'Video', NULL, NULL), (3, NULL, '', 0)"
        ])
        #expect(try run("dump", store, "--entity", "Post", "--format", format, "--output", "posts").status == 0)
        let load = try run("load", "copy.store", "posts", "--format", format)
        #expect(load.status == 0, "\(load.messages)")
        let difference = try ToolProgram.run(["diff", store, "copy.store"], in: folder.url)
        #expect(difference.results == "The stores hold the same.\n")
        let connection = try Connection(opening: folder.file("copy.store").path, flags: SQLITE_OPEN_READWRITE)
        let rows = try connection.rows("SELECT id, entity FROM Post ORDER BY id$")
        #expect(rows == [[.text("own"), .integer(7)], [.null, .null], [.text(""), .integer(0)]])
    }

    /// A text may refer by an attribute to objects that come later: of another entity, of the same, and in pairs.
    @Test func referencesToWhatComesLater() throws {
        try makeStore()
        let objects = #"""
            [{"$entity": "Post", "title": "a", "author": "Ada", "tags": ["x", "y"], "origin": {}},
             {"$entity": "Post", "title": "b", "author": "Ada", "tags": ["y", "x"], "origin": {}},
             {"$entity": "Tag", "name": "y"}, {"$entity": "Tag", "name": "x"}, {"$entity": "Author", "name": "Ada"}]
            """#
        try objects.write(to: folder.file("objects.json"), atomically: true, encoding: .utf8)
        let keys = ["--by", "Author.name", "--by", "Tag.name", "--model", "Feed.xcdatamodeld"]
        let load = try ToolProgram.run(["load", "new.store", "objects.json"] + keys, in: folder.url)
        #expect(load.status == 0, "\(load.messages)")
        let connection = try Connection(opening: folder.file("new.store").path, flags: SQLITE_OPEN_READWRITE)
        let tags = try connection.rows(
            "SELECT p.title, group_concat(t.name, '') FROM (SELECT * FROM \"Post$tags\" ORDER BY source$, target$order) AS l "
                + "JOIN Post AS p ON p.id$ = source$ JOIN Tag AS t ON t.id$ = target$ GROUP BY 1 ORDER BY 1")
        #expect(tags == [[.text("a"), .text("xy")], [.text("b"), .text("yx")]])
        let authors = try connection.rows("SELECT count(*), count(DISTINCT author$order) FROM Post WHERE author = 1")
        #expect(authors == [[.integer(2), .integer(2)]])
        // A dump can be loaded again, whatever the references between its objects.
        let dump = try ToolProgram.run(["dump", "new.store", "--output", "dump.json"] + keys, in: folder.url)
        #expect(dump.status == 0, "\(dump.messages)")
        #expect(try ToolProgram.run(["load", "copy.store", "dump.json"] + keys, in: folder.url).status == 0)
        #expect(
            try ToolProgram.run(["dump", "copy.store"] + keys, in: folder.url).results
                == (try String(contentsOf: folder.file("dump.json"), encoding: .utf8)))
        // If a reference finds no object, nothing is loaded.
        try objects.replacingOccurrences(of: #""name": "Ada""#, with: #""name": "Eve""#)
            .write(to: folder.file("objects.json"), atomically: true, encoding: .utf8)
        let refused = try ToolProgram.run(["load", "other.store", "objects.json"] + keys, in: folder.url)
        #expect(refused.status == 3)
        #expect(refused.messages.contains("Object 1: no object of Author has the name that Post.author names."))
        #expect(!FileManager.default.fileExists(atPath: folder.file("other.store").path))
    }

    /// If the text has only one of two ordered sides, the positions of the other side come after existing ones.
    @Test func oneOfTwoOrders() throws {
        func side(_ name: String, _ property: String, _ other: String, _ inverse: String) -> String {
            """
            <entity name="\(name)"><relationship name="\(property)" optional="YES" toMany="YES" ordered="YES" \
            deletionRule="Nullify" destinationEntity="\(other)" inverseName="\(inverse)" inverseEntity="\(other)"/></entity>
            """
        }
        let model = try folder.writeModel(
            "Lines", [("Lines", side("Route", "ships", "Ship", "routes") + side("Ship", "routes", "Route", "ships"))])
        let objects = #"""
            [{"$entity": "Ship", "$id": 1}, {"$entity": "Ship", "$id": 2},
             {"$entity": "Route", "$id": 1, "ships": [2, 1]}, {"$entity": "Route", "$id": 2, "ships": [1, 2]}]
            """#
        try objects.write(to: folder.file("lines.json"), atomically: true, encoding: .utf8)
        let load = try ToolProgram.run(["load", "lines.store", "lines.json", "--model", model], in: folder.url)
        #expect(load.status == 0, "\(load.messages)")
        let check = try ToolProgram.run(["check", "lines.store", "--model", model], in: folder.url)
        #expect(check.results == "lines.store: sound.\n", "\(check.results)")
        let dump = try ToolProgram.run(["dump", "lines.store", "--model", model], in: folder.url).results
        #expect(dump.contains(#"{"$entity": "Route", "$id": 1, "ships": [2, 1]}"#), "\(dump)")
        #expect(dump.contains(#"{"$entity": "Ship", "$id": 2, "routes": [1, 2]}"#), "\(dump)")
    }

    @Test func attributesByWhichNobodyIsFound() throws {
        try makeStore(["INSERT INTO Tag (id$, name) VALUES (1, 'x'), (2, NULL), (3, 'x'), (4, NULL)"])
        let dump = try run("dump", store, "--by", "Tag.name")
        #expect(dump.status == 3)
        #expect(dump.messages.contains("The objects 1 and 3 of Tag have the same name"))
    }

    /// Malformed lists in a line are refused, not skipped.
    @Test(arguments: ["oops", "[x]", "[1 2]", "\"[1\"", "1", "{}"]) func listsThatAreNone(_ text: String) throws {
        try makeStore(["INSERT INTO Tag (id$, name) VALUES (1, 'x'), (2, 'y')"])
        let quoted = text.contains("\"") ? "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\"" : text
        try "title,tags\na,\(quoted)\n".write(to: folder.file("posts.csv"), atomically: true, encoding: .utf8)
        let load = try run("load", store, "posts.csv", "--format", "csv", "--entity", "Post")
        #expect(load.status == 3)
        #expect(load.messages.contains("Object 1: Post.tags is not a list"), "\(load.messages)")
    }

    /// A decimal number that floating point cannot hold is kept digit by digit, or refused.
    @Test func decimalsThatAreNumbers() throws {
        try makeStore()
        func load(_ number: String) throws -> ToolProgram.Run {
            try #"[{"$entity": "Post", "origin": {}, "price": \#(number)}]"#
                .write(to: folder.file("price.json"), atomically: true, encoding: .utf8)
            return try run("load", store, "price.json")
        }
        for number in ["123456789012345678901234567890", "0.12345678901234567890123456789", "-17", "2.5"] {
            #expect(try load(number).status == 0)
        }
        #expect(try load("0." + String(repeating: "7", count: 39)).status == 3)
        let connection = try Connection(opening: store, flags: SQLITE_OPEN_READWRITE)
        let prices = try connection.rows("SELECT price FROM Post ORDER BY id$").map { $0[0] }
        #expect(
            prices == [
                .text("123456789012345678901234567890"), .text("0.12345678901234567890123456789"), .text("-17"),
                .text("2.5"),
            ])
    }

    /// A value that a program reads as true is written as true, and values that no program could read are not loaded.
    @Test func valuesAtTheEdge() throws {
        try makeStore(["INSERT INTO Post (id$, isNew) VALUES (1, 7)"])
        #expect(try run("dump", store).results.contains(#""isNew": true"#))
        for (object, name) in [
            (#"{"$entity": "Video", "origin": {}, "length": 1e300}"#, "Video.length"),
            (#"{"$entity": "Post", "origin": {}, "link": ""}"#, "Post.link"),
        ] {
            try object.write(to: folder.file("object.json"), atomically: true, encoding: .utf8)
            let load = try run("load", store, "object.json")
            #expect(load.status == 3 && load.messages.contains("\(name) has no value of its type"), "\(load.messages)")
        }
    }

    /// A byte order mark is not part of the text, and the error names the other side of a relationship.
    @Test func marksAndOtherSides() throws {
        try makeStore()
        try ("\u{FEFF}" + #"[{"$entity": "Author", "name": "Ada"}]"#)
            .write(to: folder.file("marked.json"), atomically: true, encoding: .utf8)
        #expect(try run("load", store, "marked.json").status == 0)
        try #"{"$entity": "Author", "name": "Eve", "posts": [1]}"#
            .write(to: folder.file("posts.json"), atomically: true, encoding: .utf8)
        let load = try run("load", store, "posts.json")
        #expect(load.status == 3)
        #expect(load.messages.contains("Author.posts is said by the other side: give each Post its author."))
        try "name\nEve\n".write(to: folder.file("authors.csv"), atomically: true, encoding: .utf8)
        let other = try run("load", store, "authors.csv", "--entity", "Author")
        #expect(other.status == 3)
        #expect(other.messages.contains("does not begin with an object or a list of objects. Say --format csv of CSV."))
    }

    /// A dump does not overwrite its source, and writes through links and to devices.
    @Test func whereItIsWritten() throws {
        try makeStore(["INSERT INTO Tag (id$, name) VALUES (1, 'x')"])
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let link = folder.file("link.json")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(fileURLWithPath: store))
        let hard = folder.file("hard.json")
        try FileManager.default.linkItem(at: URL(fileURLWithPath: store), to: hard)
        for path in [store, store + "-wal", link.path, hard.path] {
            let run = try run("dump", store, "--output", path)
            #expect(
                run.status == 64 && run.messages.contains("--output is the store itself"), "\(path): \(run.messages)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        // A dump through a link writes the link's target.
        let target = folder.file("target.json")
        try FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        #expect(try run("dump", store, "--output", link.path).status == 0)
        #expect(try link.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
        #expect(try String(contentsOf: target, encoding: .utf8).contains("\"x\""))
        #expect(try run("dump", store, "--output", "/dev/null").status == 0)
        #expect(
            try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
                == .typeCharacterSpecial)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.contains(".part") })
    }

    /// A truncated dump is refused, wherever it ends.
    @Test func aFileThatWasCutOff() throws {
        try makeStore(["INSERT INTO Author (id$, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')"])
        let whole = Array(try run("dump", store).results.utf8)
        let end = try #require(whole.lastIndex(of: UInt8(ascii: "]")))
        for length in 1...end {
            try Data(whole[..<length]).write(to: folder.file("cut.json"))
            #expect(try run("load", "copy.store", "cut.json").status == 3, "\(length)")
        }
        try Data(whole + Array("[]".utf8)).write(to: folder.file("cut.json"))
        #expect(try run("load", "copy.store", "cut.json").status == 3)
        let statements = try run("dump", store, "--format", "sql").results
        #expect(statements.hasPrefix("BEGIN;\n") && statements.hasSuffix("COMMIT;\n"))
    }

    /// A text that is not UTF-8 is reported, and not changed into another one; SQL can express it.
    @Test func textsThatAreNone() throws {
        try makeStore(["INSERT INTO Tag (id$, name) VALUES (1, 'a'), (2, CAST(x'61ff00' AS TEXT))"])
        for format in ["json", "csv"] {
            let refused = try run("dump", store, "--entity", "Tag", "--format", format)
            #expect(refused.status == 3 && refused.messages.contains("row 2 of Tag"), "\(refused.messages)")
        }
        let sql = try run("dump", store, "--entity", "Tag", "--format", "sql")
        #expect(sql.status == 0 && sql.results.contains("(2, CAST(x'61ff00' AS TEXT))"), "\(sql.results)")
        try Data("\"name\"\n\"a\u{E9}".utf8.dropLast() + Data("\"\n".utf8)).write(to: folder.file("x.csv"))
        let line = try run("load", store, "x.csv", "--format", "csv", "--entity", "Tag")
        #expect(
            line.status == 3 && line.messages.contains("Line 2 has a field that is not valid UTF-8"),
            "\(line.messages)")
    }

    /// Objects whose fields are others, or in another order or spelling, than those of the object before.
    @Test func fieldsInAnyOrder() throws {
        let objects = [
            #"{"$entity": "Author", "$id": 1, "name": "a"}"#, #"{"name": "b", "$entity": "Author", "$id": 2}"#,
            #"{"$entity": "Post", "title": "t", "likes": 3}"#, #"{"$entity": "Video", "likes": 4, "title": "u"}"#,
            #"{"$entity": "Author", "n\u0061me": "c"}"#, #"{"$entity": "Author", "name": "d", "$id": 9}"#,
            #"{ "$entity" : "Post" , "place" : { "x" : 1 } }"#, #"{"$entity": "Post", "place": {"name": "p"}}"#,
            #"{"$entity": "Post", "place": null}"#, #"{"$entity": "Post"}"#,
        ]
        try makeStore()
        try "[\(objects.joined(separator: ",\n"))]".write(
            to: folder.file("x.json"), atomically: true, encoding: .utf8)
        let load = try run("load", store, "x.json")
        #expect(load.status == 0, "\(load.messages)")
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(try run("dump", store).results.utf8)) as? [[String: Any]])
        let names = list.filter { $0["$entity"] as? String == "Author" }.map { $0["name"] as? String }
        #expect(names == ["a", "b", "c", "d"])
        let posts = list.filter { $0["$entity"] as? String != "Author" }
        #expect(posts.map { $0["likes"] as? Int } == [3, 4, 0, 0, 0, 0])
        let places = posts.map { $0["place"] as? [String: Any] }
        #expect(places.map { $0?["x"] as? Double } == [nil, nil, 1, nil, nil, nil])
        #expect(places.map { $0?["name"] as? String } == [nil, nil, nil, "p", nil, nil])
    }

    /// Objects of different forms that take turns cost no more than equal ones: the arrangement of each form is
    /// computed once.
    @Test func formsThatTakeTurns() throws {
        let model = try folder.writeModel("Feed", [("Feed", Self.elements)])
        let description = try TestStore.description(model)
        try TestStore.make(URL(fileURLWithPath: store), model: model)
        let version = ExchangedVersion(try #require(description.storedEntities()?.last))
        let load = try StoreLoad(version, at: URL(fileURLWithPath: store))
        let lines = (0..<300).map { number in
            number.isMultiple(of: 3)
                ? #"{"$entity": "Video", "length": 1.5}"#
                : #"{"$entity": "Post", "title": "t"\#(number.isMultiple(of: 2) ? "" : #", "likes": 1"#)}"#
        }
        var text: Data? = Data(lines.joined(separator: "\n").utf8)
        var objects = JSONObjects {
            defer { text = nil }
            return text ?? Data()
        }
        #expect(try load.run(&objects, entity: nil) == 300)
        #expect(load.arrangementCount == 3)
    }

    /// Texts that look alike differ if their bytes do.
    @Test func textsOfOtherBytes() throws {
        try makeStore(["INSERT INTO Author (id$, name) VALUES (1, 'caf' || char(233))"])
        try FileManager.default.copyItem(atPath: store, toPath: folder.file("copy.store").path)
        try TestStore.execute(folder.file("copy.store"), ["UPDATE Author SET name = 'cafe' || char(769)"])
        let difference = try ToolProgram.run(["diff", store, "copy.store"], in: folder.url)
        #expect(difference.results != "The stores hold the same.\n")
    }

    /// Values in files of their own, among the others and in a folder.
    @Test func largeValues() throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let name = "6F9619FF-8B86-4011-B42D-00C04FC964FF"
        try makeStore(["INSERT INTO Post (id$, cover) VALUES (1, CAST('ashlar$file:\(name)/200000' AS BLOB))"])
        let files = folder.file(".feed.store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try bytes.write(to: files.appendingPathComponent(name))
        let inside = try run("dump", store)
        #expect(inside.results.contains(bytes.base64EncodedString()))
        let beside = try run("dump", store, "--large-values", "files", "--output", "all.json")
        #expect(beside.status == 0, "\(beside.messages)")
        #expect(try Data(contentsOf: folder.file("files/\(name)")) == bytes)
        #expect(try run("load", "copy.store", "all.json", "--large-values", "files").status == 0)
        #expect(try run("dump", "copy.store").results == inside.results)
        // Large values are in files again, if the model allows that.
        let copied = folder.file(".copy.store_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copied.path).count == 1)
        #expect(try run("check", "copy.store").results == "copy.store: sound.\n")
        // If a load fails, its files are removed.
        try "[{\"cover\": \"\(bytes.base64EncodedString())\"}, {\"likes\": \"x\"}]".write(
            to: folder.file("x.json"), atomically: true, encoding: .utf8)
        #expect(try run("load", "copy.store", "x.json", "--entity", "Post").status == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: copied.path).count == 1)
        let line = try run(
            "dump", store, "--entity", "Post", "--large-values", "files", "--format", "csv", "--output", "all.csv")
        #expect(line.status == 0, "\(line.messages)")
        #expect(try run("load", "other.store", "all.csv", "--large-values", "files", "--format", "csv").status == 0)
        #expect(try run("dump", "other.store").results == inside.results)
        try FileManager.default.removeItem(at: files)
        let missing = try run("dump", store)
        #expect(
            missing.status == 3 && missing.messages.contains("A large value of the row 1 of Post cannot be copied from")
        )
        try "{\"cover\": {\"file\": \"\(UUID().uuidString)\"}}".write(
            to: folder.file("x.json"), atomically: true, encoding: .utf8)
        let unknown = try run("load", "copy.store", "x.json", "--entity", "Post", "--large-values", "files")
        #expect(unknown.status == 3 && unknown.messages.contains("Object 1: Post.cover: "), "\(unknown.messages)")
        // A dump never has a name that leads to another folder.
        try "{\"cover\": {\"file\": \"../all.json\"}}".write(
            to: folder.file("x.json"), atomically: true, encoding: .utf8)
        #expect(try run("load", "copy.store", "x.json", "--entity", "Post", "--large-values", "files").status == 3)
    }

    /// An error names the value that does not fit, and the store stays unchanged.
    @Test func whatDoesNotFit() throws {
        try makeStore(["INSERT INTO Author (id$, name) VALUES (1, 'a')"])
        let before = try folder.snapshot()["feed.store"]?.first
        for (text, expected) in [
            ("{\"title\": 1}", "Post.title has no value of its type"), ("{\"likes\": 1.5}", "Post.likes"),
            ("{\"likes\": 99999999999999999999}", "Post.likes"), ("{\"likes\": null}", "NOT NULL"),
            ("{\"none\": 1}", "no property none"),
            ("{\"key\": \"x\"}", "Post.key"), ("{\"date\": \"2026-02-30T00:00:00Z\"}", "Post.date"),
            ("{\"cover\": \"?\"}", "Post.cover"), ("{\"price\": \"1.2.3\"}", "Post.price"),
            ("{\"price\": \"1-2\"}", "Post.price"), ("{\"score\": \"nan\"}", "Post.score"),
            ("{\"score\": 1e999}", "Post.score"),
            ("{\"author\": 99}]", "refers to no object"), ("{\"author\": \"a\"}", "not the number of an object"),
            ("{\"tags\": 1}", "is not a list"),
            ("{\"$entity\": \"Nobody\"}", "no entity Nobody"), ("{\"$id\": 0}", "its $id"),
            ("{\"$entity\": \"Author\", \"name\": \"a\"}", "UNIQUE"),
            ("{\"$entity\": \"Author\", \"$id\": 1, \"name\": \"b\"}", "UNIQUE"),
            ("{\"title\": \"a\"", "ends within object 2"),
            ("{\"title\": \"\\ud800\"}", "is not valid JSON"), ("{\"title\": \"a\", \"title\": \"b\"}", "twice"),
            ("hello", "after object 1 is not an object"),
            (
                "{\"x\":\(String(repeating: "[", count: 100_000))\(String(repeating: "]", count: 100_000))}",
                "is not valid JSON"
            ),
        ] {
            try ("[{\"title\": \"first\"},\n" + text).write(
                to: folder.file("x.json"), atomically: true, encoding: .utf8)
            let run = try run("load", store, "x.json", "--entity", "Post")
            #expect(run.status == 3 && run.messages.contains(expected), "\(text.prefix(80)): \(run.messages)")
            #expect(try folder.snapshot()["feed.store"]?.first == before)
        }
        for (text, expected) in [
            ("title,likes\na\n", "Line 2 has 1 fields"), ("title,title\n", "names a field twice"),
            ("title\n\"a\"b\n", "behind a quoted field"),
            ("title\n\"a", "ends within a quoted field"), ("likes\nx\n", "Post.likes"),
            ("nothing\nx\n", "no property nothing"),
        ] {
            try text.write(to: folder.file("x.csv"), atomically: true, encoding: .utf8)
            let run = try run("load", store, "x.csv", "--entity", "Post", "--format", "csv")
            #expect(run.status == 3 && run.messages.contains(expected), "\(text): \(run.messages)")
        }
        #expect(try run("load", store, "none.json").status == 66)
        #expect(try run("load", store, ".").status == 66)
        // A store that was made for a failed load is removed.
        #expect(try run("load", "new.store", "x.csv", "--format", "csv", "--entity", "Post").status == 3)
        #expect(!FileManager.default.fileExists(atPath: folder.file("new.store").path))
        #expect(try run("dump", store, "--output", "none/x.json").status == 73)
        #expect(try run("dump", "none.store").status == 4)
    }
}
