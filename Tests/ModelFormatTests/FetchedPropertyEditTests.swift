import DataModel
import Testing

@testable import ModelFormat

@Suite("Edits of fetched properties, of index expressions, and of the model's userInfo")
struct FetchedPropertyEditTests {
    private static let text = document(
        """
            <entity name="Author">
                <attribute name="name" attributeType="String"/>
            </entity>
            <entity name="Post">
                <attribute name="likes" attributeType="Integer 64"/>
                <attribute name="title" attributeType="String"/>
            </entity>
        """)

    private func edited(_ edits: ModelEdit..., in text: String = text) throws -> String {
        var version = try VersionText(contents: Array(text.utf8), file: "contents")
        for edit in edits { try version.apply(edit) }
        return String(decoding: version.bytes, as: UTF8.self)
    }

    private func refusal(_ edit: ModelEdit, in text: String = text) throws -> String? {
        let version = try VersionText(contents: Array(text.utf8), file: "contents")
        return #expect(throws: ModelEditError.self) { try version.textEdits(for: edit) }?.description
    }

    /// Spaces belong to no name, and a quotation mark after a backslash ends no text.
    @Test func indexElementsAreReadWithSpacesAndEscapes() throws {
        let element = try #require(ModelEdit.IndexElement(parsing: " likes :descending"))
        #expect(element.property == "likes" && !element.isAscending)
        #expect(
            ModelEdit.IndexElement.texts(in: #"f(title, 'it\'s, ok'), likes"#) == [#"f(title, 'it\'s, ok')"#, "likes"])
        #expect(ModelEdit.IndexElement.texts(in: #"'it\'s, ok', likes"#) == [#"'it\'s, ok'"#, "likes"])
    }

    @Test func aFetchedPropertyIsAddedChangedAndRemoved() throws {
        let added = try edited(
            .addFetchedProperty("popular", of: "Author", destination: "Post", predicate: "likes > 9"))
        #expect(
            added
                == Self.text.replacing(
                    "<attribute name=\"name\" attributeType=\"String\"/>\n",
                    with: """
                        <attribute name="name" attributeType="String"/>
                                <fetchedProperty name="popular" optional="YES">
                                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Post" predicateString="likes &gt; 9"/>
                                </fetchedProperty>

                        """))
        let popular = ModelItem.property("popular", of: "Author")
        // The predicate is the request's, the renaming identifier the property's.
        #expect(
            try edited(.change(popular, attribute: "predicateString", to: "likes > 99"), in: added)
                == added.replacing("likes &gt; 9", with: "likes &gt; 99"))
        #expect(
            try edited(
                .change(
                    popular,
                    [
                        .init("entity", to: "Author"), .init("predicateString", to: nil), .init("fetchLimit", to: "3"),
                        .init("elementID", to: "liked"),
                    ]), in: added)
                == added.replacing(
                    "entity=\"Post\" predicateString=\"likes &gt; 9\"", with: "entity=\"Author\" fetchLimit=\"3\""
                )
                .replacing(
                    "name=\"popular\" optional=\"YES\"", with: "name=\"popular\" optional=\"YES\" elementID=\"liked\""))
        #expect(try edited(.remove(popular), in: added) == Self.text)
        // The predicate goes along with a name.
        #expect(
            try edited(.rename(.property("likes", of: "Post"), to: "hearts"), in: added)
                == added.replacing("likes", with: "hearts"))
    }

    @Test func aWrongFetchedPropertyIsRefused() throws {
        let added = try edited(.addFetchedProperty("posts", of: "Author", destination: "Post"))
        let posts = ModelItem.property("posts", of: "Author")
        #expect(
            try refusal(.addFetchedProperty("name", of: "Author", destination: "Post"))
                == "The model already has property 'Author.name'. Choose another name.")
        #expect(
            try refusal(.addFetchedProperty("posts", of: "Author", destination: "Pst"))
                == "The model has no entity 'Pst'. Did you mean 'Post'?")
        #expect(
            try refusal(.change(posts, attribute: "entity", to: nil), in: added) == "'Author.posts' needs an entity.")
        #expect(try refusal(.change(posts, attribute: "predicateString", to: "lks > 3"), in: added) != nil)
        #expect(
            try refusal(.change(posts, attribute: "toMany", to: "YES"), in: added)
                == "<fetchedProperty> has no attribute 'toMany'.")
    }

    @Test func anExpressionOfAnIndexGetsItsType() throws {
        let elements = ModelEdit.IndexElement.texts(in: "lowercase:(title), likes:descending,add:to:(likes, 1)").map {
            ModelEdit.IndexElement(parsing: $0)
        }
        #expect(elements.count == 3 && !elements.contains(nil))
        let parsed = elements.compactMap(\.self)
        #expect(ModelEdit.IndexElement.indexName(of: parsed) == "byLowercaseTitleLikesAddToLikes1")
        let text = try edited(.addIndex("byTitle", of: "Post", kind: .binary, elements: Array(parsed.prefix(2))))
        #expect(
            text.contains(
                """
                        <fetchIndex name="byTitle">
                            <fetchIndexElement expression="lowercase:(title)" expressionType="String" type="Binary" order="ascending"/>
                            <fetchIndexElement property="likes" type="Binary" order="descending"/>
                        </fetchIndex>
                """))
        #expect(try refusal(.addIndex("x", of: "Post", kind: .binary, elements: [.init("lowercase:(tle)")])) != nil)
        #expect(ModelEdit.IndexElement(parsing: "likes:down") == nil)
        #expect(ModelEdit.IndexElement(parsing: ":descending") == nil)
        #expect(ModelEdit.IndexElement(parsing: "home.street:descending")?.isAscending == false)
    }

    @Test func theModelHasEntries() throws {
        let set = try edited(.setEntry(.model, key: "owner", to: "Ada"))
        #expect(
            set
                == Self.text.replacing(
                    "</model>",
                    with: """
                            <userInfo>
                                <entry key="owner" value="Ada"/>
                            </userInfo>
                        </model>
                        """))
        #expect(try edited(.setEntry(.model, key: "owner", to: "Bea"), in: set) == set.replacing("Ada", with: "Bea"))
        #expect(try edited(.setEntry(.model, key: "owner", to: nil), in: set).contains("owner") == false)
        #expect(try refusal(.remove(.model)) == "A model cannot be removed. Delete its bundle.")
        #expect(try refusal(.rename(.model, to: "x")) != nil)
    }
}
