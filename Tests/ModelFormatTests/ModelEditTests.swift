import DataModel
import Testing

@testable import ModelFormat

@Suite("Edits of a model as edits of its text")
struct ModelEditTests {
    /// Two entities with everything that can name a property.
    private static let feed = document(
        """
            <!-- people -->
            <entity name="Author" representedClassName=".Author" syncable='YES'>
                <attribute name="name" attributeType="String" x:note="kept"/>
                <attribute name="postCount" attributeType="Integer 64" defaultValueString="0" derived="YES" derivationExpression="posts.@count"/>
                <relationship name="posts" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Post" inverseName="author" inverseEntity="Post"/>
                <fetchIndex name="byName">
                    <fetchIndexElement property="name" type="Binary" order="ascending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="name"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Post" representedClassName="Feed.Post" syncable="YES">
                <attribute name="authorName" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(author.name)"/>
                <attribute name="name" attributeType="String"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="posts" inverseEntity="Author"/>
                <fetchIndex name="drafts" partialIndexPredicate="name == &quot;name&quot; AND name != nil">
                    <fetchIndexElement property="name" type="Binary" order="descending"/>
                </fetchIndex>
            </entity>
            <entity name="Guest" parentEntity="Author" syncable="YES"/>
            <fetchRequest name="named" entity="Post" predicateString="author.name == $NAME AND name BEGINSWITH 'author.name' AND SUBQUERY(author.posts, $x, $x.author.name = name).@count &gt; 1"/>
            <configuration name="Main">
                <memberEntity name="Author"/>
                <memberEntity name="Post"/>
            </configuration>
            <elements>
                <element name="Author" positionX="1" positionY="2" width="3" height="4"/>
            </elements>
        """
    ).replacing("<model ", with: "<model xmlns:x=\"urn:x\" ")

    private func version(_ text: String = feed, previous: String? = nil) throws -> VersionText {
        try VersionText(
            contents: Array(text.utf8), file: "contents", previous: previous.flatMap { read($0).model })
    }

    private func edited(_ edit: ModelEdit, _ text: String = feed, previous: String? = nil) throws -> String {
        var version = try version(text, previous: previous)
        try version.apply(edit)
        return String(decoding: version.bytes, as: UTF8.self)
    }

    private func refusal(_ edit: ModelEdit, _ text: String = feed) throws -> ModelEditError? {
        #expect(throws: ModelEditError.self) { try version(text).textEdits(for: edit) }
    }

    // MARK: Renaming

    @Test func aRenamedPropertyIsRenamedWhereverItIsNamed() throws {
        let text = try edited(.rename(.property("name", of: "Author"), to: "fullName"))
        let expected = Self.feed
            .replacing(
                #"<attribute name="name" attributeType="String" x:"#,
                with: #"<attribute name="fullName" attributeType="String" x:"#
            )
            .replacing(
                #"<fetchIndexElement property="name" type="Binary" order="ascending"/>"#,
                with: #"<fetchIndexElement property="fullName" type="Binary" order="ascending"/>"#
            )
            .replacing(#"<constraint value="name"/>"#, with: #"<constraint value="fullName"/>"#)
            .replacing("canonical:(author.name)", with: "canonical:(author.fullName)")
            .replacing("author.name == $NAME", with: "author.fullName == $NAME")
            .replacing("$x.author.name = name", with: "$x.author.fullName = name")
        #expect(text == expected)
    }

    @Test func aPropertyOfAnotherEntityWithTheNameStays() throws {
        let text = try edited(.rename(.property("name", of: "Post"), to: "size"))
        let expected = Self.feed
            .replacing(
                "<attribute name=\"name\" attributeType=\"String\"/>",
                with: "<attribute name=\"size\" attributeType=\"String\"/>"
            )
            .replacing("name == &quot;name&quot; AND name != nil", with: "#size == &quot;name&quot; AND #size != nil")
            .replacing(
                #"property="name" type="Binary" order="descending""#,
                with: #"property="size" type="Binary" order="descending""#
            )
            .replacing("AND name BEGINSWITH", with: "AND #size BEGINSWITH")
            .replacing("$x.author.name = name", with: "$x.author.name = #size")
        #expect(text == expected)
    }

    @Test func aRenamedRelationshipIsRenamedInItsInverseAndInPaths() throws {
        let text = try edited(.rename(.property("author", of: "Post"), to: "writer"))
        let expected = Self.feed
            .replacing(#"<relationship name="author""#, with: #"<relationship name="writer""#)
            .replacing(#"inverseName="author""#, with: #"inverseName="writer""#)
            .replacing("canonical:(author.name)", with: "canonical:(writer.name)")
            .replacing("author.name == $NAME", with: "writer.name == $NAME")
            .replacing("SUBQUERY(author.posts, $x, $x.author.name", with: "SUBQUERY(writer.posts, $x, $x.writer.name")
        #expect(text == expected)
    }

    @Test func aRenamedEntityIsRenamedWithItsClassAndInTheDiagram() throws {
        let text = try edited(.rename(.entity("Author"), to: "Writer"))
        let expected = Self.feed
            .replacing("\"Author\"", with: "\"Writer\"").replacing("\".Author\"", with: "\".Writer\"")
        #expect(text == expected)
        #expect(
            try edited(.rename(.entity("Post"), to: "Article")).contains(
                #"<entity name="Article" representedClassName="Feed.Article""#))
    }

    @Test func namesOfEntitiesInPredicatesAreRenamed() throws {
        let text = document(
            """
                <entity name="A"/>
                <entity name="B" parentEntity="A"><attribute name="x" attributeType="String"/></entity>
                <fetchRequest name="r" entity="A" predicateString="CAST(SELF, &quot;B&quot;).x == 'B' AND entity.name IN {'A', 'B'}"/>
            """)
        #expect(
            try edited(.rename(.entity("B"), to: "C"), text).contains(
                "CAST(SELF, &quot;C&quot;).x == 'B' AND entity.name IN {'A', 'C'}"))
    }

    @Test func aRenamedItemKeepsTheNameOfTheVersionBefore() throws {
        let previous = document("<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>")
        let current = document(
            "<entity name=\"A\">\n<attribute name=\"x\" attributeType=\"String\"/>\n"
                + "<attribute name=\"y\" attributeType=\"String\"/></entity>")
        func rename(_ item: ModelItem, _ name: String, _ text: String = current) throws -> String {
            try edited(.rename(item, to: name), text, previous: previous)
        }
        let renamed = try rename(.property("x", of: "A"), "z")
        #expect(
            renamed
                == current.replacing(
                    "\"x\" attributeType=\"String\"", with: "\"z\" attributeType=\"String\" elementID=\"x\""))
        // The first name stays, and the name itself needs no identifier.
        #expect(try rename(.property("z", of: "A"), "w", renamed) == renamed.replacing("\"z\"", with: "\"w\""))
        #expect(try rename(.property("z", of: "A"), "x", renamed) == current)
        #expect(try rename(.property("y", of: "A"), "z") == current.replacing("\"y\"", with: "\"z\""))
        #expect(try rename(.entity("A"), "B") == current.replacing("name=\"A\"", with: "name=\"B\" elementID=\"A\""))
        #expect(
            try edited(.rename(.entity("A"), to: "B"), current) == current.replacing("name=\"A\"", with: "name=\"B\""))
    }

    @Test func aKeyPathOfACompositeIsRenamedPartByPart() throws {
        let text = document(
            """
                <entity name="P">
                    <attribute name="home" attributeType="Composite" composite="Address"/>
                    <fetchIndex name="i"><fetchIndexElement property="home.street" order="ascending"/></fetchIndex>
                </entity>
                <composite name="Address"><attribute name="street" attributeType="String" defaultValueString=""/></composite>
            """)
        #expect(try edited(.rename(.property("home", of: "P"), to: "h"), text).contains("property=\"h.street\""))
        #expect(try edited(.rename(.property("street", of: "Address"), to: "s"), text).contains("property=\"home.s\""))
        #expect(try edited(.rename(.composite("Address"), to: "Place"), text).contains("composite=\"Place\""))
    }

    @Test func entriesThatNamePropertiesAreRenamed() throws {
        let text = document(
            """
                <entity name="P">
                    <attribute name="first" attributeType="String"/>
                    <attribute name="mail" attributeType="String"/>
                    <fetchIndex name="words"><fetchIndexElement property="mail" order="ascending"/></fetchIndex>
                    <userInfo>
                        <entry key="ashlar.deletesDuplicates" value="mail, first+mail"/>
                        <entry key="ashlar.index.words" value="fulltext"/>
                        <entry key="ashlar.index.words.prefixes" value="2"/>
                        <entry key="ashlar.title" value="mail"/>
                    </userInfo>
                </entity>
                <fetchRequest name="r" entity="P" predicateString="words MATCHES 'mail' AND FUNCTION(SELF, 'valueForKeyPath:', 'mail') == 'mail'"/>
            """)
        let mail = try edited(.rename(.property("mail", of: "P"), to: "address"), text)
        #expect(mail.contains(#"value="address, first+address""#))
        #expect(mail.contains(#"<entry key="ashlar.title" value="address"/>"#))
        let words = try edited(.rename(.index("words", of: "P"), to: "texts"), text)
        #expect(words.contains(#"key="ashlar.index.texts""#) && words.contains(#"key="ashlar.index.texts.prefixes""#))
        #expect(words.contains("\"texts MATCHES 'mail'"))
    }

    @Test func aTitleGoesWithItsAttribute() throws {
        let text = document(
            """
                <entity name="P">
                    <attribute name="first" attributeType="String"/>
                    <attribute name="mail" attributeType="String"/>
                    <userInfo>
                        <entry key="ashlar.title" value="mail"/>
                        <entry key="note" value="mail"/>
                    </userInfo>
                </entity>
            """)
        let left = try edited(.remove(.property("mail", of: "P")), text)
        #expect(!left.contains("ashlar.title") && left.contains(#"key="note" value="mail""#))
    }

    // MARK: Adding

    @Test func addedPartsStandWhereXcodeWritesThem() throws {
        var version = try version(document(""))
        for edit: ModelEdit in [
            .addEntity("Post"), .addEntity("Author"),
            .addAttribute("title", of: "Post", type: .string),
            .addAttribute(
                "likes", of: "Post", type: .integer64, values: [.init(name: "defaultValueString", value: "0")]),
            .addRelationship(
                ModelEdit.NewRelationship(
                    .init("posts", isToMany: true), of: "Author", to: "Post", inverse: .init("author", isToMany: false))
            ),
            .addIndex("byTitle", of: "Post", kind: .fullText, elements: [.init("title")]),
            .addConstraint(["title"], of: "Post"), .addConstraint(["likes"], of: "Post"),
            .addFetchRequest("all", entity: "Post", predicate: "likes > 3"),
            .change(.property("title", of: "Post"), attribute: "optional", to: "YES"),
        ] { try version.apply(edit) }
        #expect(
            String(decoding: version.bytes, as: UTF8.self)
                == document(
                    """
                        <entity name="Author">
                            <relationship name="posts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Post" inverseName="author" inverseEntity="Post"/>
                        </entity>
                        <entity name="Post">
                            <attribute name="likes" attributeType="Integer 64" defaultValueString="0"/>
                            <attribute name="title" optional="YES" attributeType="String"/>
                            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="posts" inverseEntity="Author"/>
                            <fetchIndex name="byTitle">
                                <fetchIndexElement property="title" type="Binary" order="ascending"/>
                            </fetchIndex>
                            <uniquenessConstraints>
                                <uniquenessConstraint>
                                    <constraint value="title"/>
                                </uniquenessConstraint>
                                <uniquenessConstraint>
                                    <constraint value="likes"/>
                                </uniquenessConstraint>
                            </uniquenessConstraints>
                            <userInfo>
                                <entry key="ashlar.index.byTitle" value="fulltext"/>
                            </userInfo>
                        </entity>
                        <fetchRequest name="all" entity="Post" predicateString="likes &gt; 3"/>

                    """))
    }

    @Test func bothSidesOfARelationshipWithItselfAreAdded() throws {
        let text = try edited(
            .addRelationship(
                ModelEdit.NewRelationship(
                    .init("children", isToMany: true), of: "N", to: "N", inverse: .init("parent", isToMany: false))),
            document("<entity name=\"N\"/>"))
        let model = try #require(read(text).model)
        #expect(model.entities[0].relationships.map(\.inverseName) == ["parent", "children"])
        #expect(read(text).findings == [])
    }

    @Test func proposedNamesOfManyArePlurals() {
        let names = ["Post", "Category", "Day", "Address", "Box", "Batch", "Y"]
        #expect(
            names.map { ModelEditor.inverseName(of: $0, isToMany: true) } == [
                "posts", "categories", "days", "addresses", "boxes", "batches", "ys",
            ])
        #expect(ModelEditor.inverseName(of: "Category", isToMany: false) == "category")
    }

    // MARK: Removing and moving

    @Test func aRemovedRelationshipTakesItsInverseAlong() throws {
        let text = try edited(
            .remove(.property("posts", of: "Author")),
            Self.feed.replacing(#" derived="YES" derivationExpression="posts.@count""#, with: "")
                .replacing(#" derived="YES" derivationExpression="canonical:(author.name)""#, with: "")
                .replacing(#" predicateString="author.name"#, with: #" x:p="author.name"#))
        #expect(!text.contains("<relationship"))
        #expect(read(text).model?.entities.map(\.relationships.count) == [0, 0, 0])
    }

    @Test func aRemovedPropertyTakesItsIndexesAndConstraintsAlong() throws {
        let text = Self.feed.replacing("(author.name)", with: "(name)").replacing("author.name ==", with: "name ==")
            .replacing("$x.author.name", with: "$x.name")
        let expected = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let after = try edited(.remove(.property("name", of: "Author")), text)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = try #require(expected.firstIndex { $0.contains("x:note") })
        let index = try #require(expected.firstIndex { $0.contains("byName") })
        var kept = expected
        kept.removeSubrange(index..<index + 8)
        kept.remove(at: start)
        #expect(after == kept)
    }

    @Test func whatOthersNeedIsNotRemoved() throws {
        #expect(
            try refusal(.remove(.property("name", of: "Author")))
                == .inUse(.property("name", of: "Author"), by: ["'Post.authorName'", "fetch request 'named'"]))
        #expect(
            try refusal(.remove(.entity("Author")))
                == .inUse(.entity("Author"), by: ["'Post.authorName'", "entity 'Guest'", "fetch request 'named'"]))
    }

    @Test func theVersionSaysWhatItRemovedOfTheOneBefore() throws {
        let text = document(
            "    <entity name=\"A\">\n        <attribute name=\"x\" attributeType=\"String\"/>\n    </entity>\n    <entity name=\"B\"/>"
        )
        #expect(
            try edited(.remove(.property("x", of: "A")), text, previous: text)
                == document(
                    "    <entity name=\"A\">\n        <userInfo>\n            <entry key=\"ashlar.removed\" value=\"x\"/>\n        </userInfo>\n"
                        + "    </entity>\n    <entity name=\"B\"/>"))
        let removed = try edited(.remove(.entity("B")), text, previous: text)
        #expect(read(removed).model?.userInfo["ashlar.removed"] == "B")
        #expect(try !edited(.remove(.entity("B")), text).contains("ashlar.removed"))
    }

    @Test func aPropertyMovesWithAllThatIsInIt() throws {
        let text = document(
            """
                <entity name="A">
                    <attribute name="z" attributeType="String"/>
                </entity>
                <entity name="B" parentEntity="A">
                    <attribute name="x" attributeType="String">
                        <!-- kept --><y/>
                    </attribute>
                    <attribute name="y" attributeType="String"/>
                    <fetchIndex name="i"><fetchIndexElement property="x" order="ascending"/></fetchIndex>
                </entity>
            """)
        let attribute = """
                    <attribute name="x" attributeType="String">
                        <!-- kept --><y/>
                    </attribute>

            """
        #expect(
            try edited(.move("x", of: "B", to: "A"), text)
                == text.replacing(attribute, with: "")
                .replacing("        <attribute name=\"z\"", with: attribute + "        <attribute name=\"z\""))
    }

    @Test func anInverseIsSetOnBothSides() throws {
        let alone = try edited(.setInverse("posts", of: "Author", to: nil))
        #expect(!alone.contains("inverse"))
        let pair = ModelEdit.RelationshipName(entity: "Author", name: "posts")
        #expect(try edited(.setInverse("author", of: "Post", to: pair), alone) == Self.feed)
    }

    // MARK: Refusals

    @Test func refusalsNameWhatWasMeant() throws {
        #expect(
            try refusal(.remove(.entity("Autor")))?.description
                == "The model has no entity 'Autor'. Did you mean 'Author'?")
        #expect(
            try refusal(.rename(.property("nmae", of: "Post"), to: "x"))?.description
                == "The model has no property 'Post.nmae'. Did you mean 'Post.name'?")
        #expect(
            try refusal(.rename(.property("name", of: "Guest"), to: "x"))?.description
                == "'Guest' inherits 'name' from 'Author'. Write Author.name.")
        #expect(
            try refusal(.rename(.property("name", of: "Post"), to: "AUTHOR"))?.description
                == "The model already has property 'Post.author'. Choose another name.")
        #expect(
            try refusal(.change(.property("name", of: "Post"), attribute: "optinal", to: "YES"))?.description
                == "<attribute> has no attribute 'optinal'. Did you mean 'optional'?")
        #expect(
            try refusal(
                .addAttribute(
                    "n", of: "Post", type: .integer16, values: [.init(name: "defaultValueString", value: "x")])
            )?.description.hasPrefix("The edit would make an error: Attribute 'Post.n' ") == true)
        #expect(throws: ModelEditError.self) { try version("<model>") }
    }
}
