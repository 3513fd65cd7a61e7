import DataModel
import Testing

@testable import ModelFormat

@Suite("Changes of a model's parts as edits of its text")
struct ModelChangeTests {
    private func edited(_ edits: ModelEdit..., in text: String, previous: String? = nil) throws -> String {
        var version = try VersionText(
            contents: Array(text.utf8), file: "contents", previous: previous.flatMap { read($0).model })
        for edit in edits { try version.apply(edit) }
        return String(decoding: version.bytes, as: UTF8.self)
    }

    private func refusal(_ edit: ModelEdit, in text: String) throws -> String? {
        let version = try VersionText(contents: Array(text.utf8), file: "contents")
        return #expect(throws: ModelEditError.self) { try version.textEdits(for: edit) }?.description
    }

    // MARK: Attributes

    @Test func severalAttributesOfAnElementAreOneEdit() throws {
        let attribute = #"<attribute name="size" attributeType="String" defaultValueString="small"/>"#
        let text = document("    <entity name=\"P\">\n        \(attribute)\n    </entity>")
        let size = ModelItem.property("size", of: "P")
        // By itself, the type would leave a default that is not a number.
        #expect(
            try refusal(.change(size, attribute: "attributeType", to: "Integer 16"), in: text)?
                .hasPrefix("The edit would make an error: ") == true)
        let edit: ModelEdit = .change(
            size, [.init("attributeType", to: "Integer 16"), .init("defaultValueString", to: "3")])
        #expect(
            try edited(edit, in: text)
                == text.replacing("String\" defaultValueString=\"small", with: "Integer 16\" defaultValueString=\"3"))
        #expect(
            try edited(
                .change(size, [.init("attributeType", to: "Date"), .init("defaultValueString", to: nil)]), in: text)
                == text.replacing("\"String\" defaultValueString=\"small\"", with: "\"Date\""))
    }

    @Test func onlyTheLastOfSeveralEditsMayNotBeAnError() throws {
        let text = document(
            "    <entity name=\"P\">\n        <attribute name=\"likes\" attributeType=\"Integer 64\" "
                + "defaultValueString=\"0\"/>\n    </entity>")
        let likes = ModelItem.property("likes", of: "P")
        let value = ModelEdit.change(likes, attribute: "defaultValueString", to: "many")
        let type = ModelEdit.change(likes, attribute: "attributeType", to: "String")
        _ = try refusal(value, in: text)
        var version = try VersionText(contents: Array(text.utf8), file: "contents")
        #expect(throws: ModelEditError.self) { try version.apply([.addEntity("Q"), value]) }
        #expect(String(decoding: version.bytes, as: UTF8.self) == text)
        try version.apply([value, type])
        #expect(
            String(decoding: version.bytes, as: UTF8.self)
                == text.replacing(
                    "Integer 64\" defaultValueString=\"0", with: "String\" defaultValueString=\"many"))
    }

    @Test func anotherTypeTakesAlongSettingsOfTheFormerOne() throws {
        let text = document(
            """
                <entity name="P">
                    <attribute name="mark" attributeType="String" minValueString="1" regularExpressionString="a+"/>
                    <attribute name="home" attributeType="Composite" composite="Address"/>
                </entity>
                <composite name="Address">
                    <attribute name="street" optional="YES" attributeType="String" regularExpressionString="a+"/>
                </composite>
            """)
        func change(_ name: String, _ owner: String, _ type: String) throws -> String {
            try edited(.change(.property(name, of: owner), attribute: "attributeType", to: type), in: text)
        }
        #expect(
            try change("mark", "P", "Integer 16")
                == text.replacing(
                    "String\" minValueString=\"1\" regularExpressionString=\"a+\"",
                    with: "Integer 16\" minValueString=\"1\"", maxReplacements: 1))
        #expect(
            try change("mark", "P", "UUID")
                == text.replacing(
                    "String\" minValueString=\"1\" regularExpressionString=\"a+\"", with: "UUID\"", maxReplacements: 1))
        #expect(
            try change("home", "P", "String")
                == text.replacing("Composite\" composite=\"Address\"", with: "String\""))
        #expect(
            try change("street", "Address", "Boolean")
                == text.replacing(
                    "String\" regularExpressionString=\"a+\"/>\n    </comp", with: "Boolean\"/>\n    </comp"))
    }

    @Test func aDerivationIsSetAndRemovedWithItsMark() throws {
        let text = document(
            "    <entity name=\"P\">\n        <attribute name=\"title\" attributeType=\"String\"/>\n"
                + "        <attribute name=\"key\" attributeType=\"String\"/>\n    </entity>")
        let key = ModelItem.property("key", of: "P")
        let derived = try edited(
            .change(key, attribute: "derivationExpression", to: "canonical:(title)"), in: text)
        #expect(
            derived.contains(
                #"<attribute name="key" attributeType="String" derived="YES" derivationExpression="canonical:(title)"/>"#
            ))
        #expect(try edited(.change(key, attribute: "derivationExpression", to: nil), in: derived) == text)
        #expect(try edited(.change(key, attribute: "derived", to: nil), in: derived) == text)
    }

    // MARK: Relationships

    private static let pair = document(
        """
            <entity name="A">
                <relationship name="bs" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="B" inverseName="a" inverseEntity="B"/>
            </entity>
            <entity name="B">
                <relationship name="a" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A" inverseName="bs" inverseEntity="A"/>
            </entity>
        """)

    @Test func aRelationshipLeadsToOneOrToMany() throws {
        let one = try edited(.change(.property("bs", of: "A"), attribute: "toMany", to: nil), in: Self.pair)
        #expect(
            one
                == Self.pair.replacing(
                    #"optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES""#,
                    with: #"optional="YES" maxCount="1" deletionRule="Cascade""#))
        let many = try edited(.change(.property("a", of: "B"), attribute: "toMany", to: "YES"), in: Self.pair)
        #expect(many == Self.pair.replacing(#"maxCount="1" deletion"#, with: #"toMany="YES" deletion"#))
        #expect(read(one).findings == [] && read(many).findings == [])
        // A greatest number that the edit gives stays.
        let three = try edited(
            .change(.property("a", of: "B"), [.init("toMany", to: "YES"), .init("maxCount", to: "3")]), in: Self.pair)
        #expect(try #require(read(three).model).entities[1].relationships[0].maximumCount == 3)
    }

    @Test func theRuleAndTheCountsChangeAlone() throws {
        #expect(
            try edited(
                .change(.property("bs", of: "A"), [.init("deletionRule", to: "Deny"), .init("minCount", to: "2")]),
                in: Self.pair)
                == Self.pair.replacing(
                    #"toMany="YES" deletionRule="Cascade""#, with: #"minCount="2" toMany="YES" deletionRule="Deny""#))
        #expect(
            try refusal(.change(.property("bs", of: "A"), attribute: "destinationEntity", to: "A"), in: Self.pair)
                == "'A.bs' has an inverse. Remove the inverse before the destination changes.")
    }

    // MARK: Indexes, constraints, requests and configurations

    private static let indexed = document(
        """
            <entity name="P">
                <attribute name="first" attributeType="String"/>
                <attribute name="last" attributeType="String"/>
                <attribute name="mail" attributeType="String"/>
                <fetchIndex name="byName">
                    <fetchIndexElement property="first" type="Binary" order="ascending"/>
                    <!-- kept -->
                    <fetchIndexElement expression="lowercase:(last)" expressionType="String" type="Binary" order="ascending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="first"/>
                        <constraint value="last"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo>
                    <entry key="note" value="x"/>
                    <entry key="ashlar.title" value="mail"/>
                </userInfo>
            </entity>
            <fetchRequest name="all" entity="P"/>
            <configuration name="Main">
                <memberEntity name="P"/>
            </configuration>
        """)

    @Test func anIndexGetsOtherElements() throws {
        func change(_ elements: ModelEdit.IndexElement...) throws -> String {
            try edited(.setElements(elements, ofIndex: "byName", of: "P"), in: Self.indexed)
        }
        let first = ModelEdit.IndexElement("first")
        let last = ModelEdit.IndexElement("lowercase:(last)", expressionType: "String")
        #expect(try change(first, last) == Self.indexed)
        #expect(
            try change(.init("first", isAscending: false), last)
                == Self.indexed.replacing(
                    #"property="first" type="Binary" order="ascending""#,
                    with: #"property="first" type="Binary" order="descending""#))
        let added = try change(first, last, .init("mail"))
        #expect(
            added
                == Self.indexed.replacing(
                    "order=\"ascending\"/>\n        </fetchIndex>",
                    with:
                        "order=\"ascending\"/>\n            <fetchIndexElement property=\"mail\" type=\"Binary\" order=\"ascending\"/>\n        </fetchIndex>"
                ))
        let swapped = try #require(try read(change(last, first)).model).entities[0].indexes[0]
        #expect(swapped.elements.map { $0.propertyName ?? $0.expression } == ["lowercase:(last)", "first"])
        #expect(swapped.elements[0].expressionType == "String")
        #expect(
            try refusal(.setElements([.init("nam")], ofIndex: "byName", of: "P"), in: Self.indexed)
                == "The model has no property 'P.nam'.")
        #expect(
            try edited(
                .change(.index("byName", of: "P"), attribute: "partialIndexPredicate", to: "mail != nil"),
                in: Self.indexed)
                == Self.indexed.replacing(
                    "<fetchIndex name=\"byName\">",
                    with: "<fetchIndex name=\"byName\" partialIndexPredicate=\"mail != nil\">"))
    }

    @Test func aConstraintGetsOtherProperties() throws {
        let old = ["first", "last"]
        let changed = try edited(.setProperties(["mail"], ofConstraint: old, of: "P"), in: Self.indexed)
        #expect(
            changed
                == Self.indexed.replacing("<constraint value=\"first\"/>", with: "<constraint value=\"mail\"/>")
                .replacing("                <constraint value=\"last\"/>\n", with: ""))
        #expect(try edited(.setProperties(old, ofConstraint: ["mail"], of: "P"), in: changed) == Self.indexed)
        #expect(try edited(.setProperties(old, ofConstraint: old, of: "P"), in: Self.indexed) == Self.indexed)
        let swapped = try edited(.setProperties(["last", "first"], ofConstraint: old, of: "P"), in: Self.indexed)
        #expect(
            try #require(read(swapped).model).entities[0].uniquenessConstraints.map(\.propertyNames)
                == [["last", "first"]])
        #expect(
            try refusal(.setProperties(["mail"], ofConstraint: ["mail"], of: "P"), in: Self.indexed)
                == "The model has no constraint (mail) of 'P'.")
    }

    @Test func requestsCompositesAndConfigurationsAreAddedAndChanged() throws {
        #expect(
            try edited(
                .change(.fetchRequest("all"), attribute: "predicateString", to: "mail BEGINSWITH \"a\""),
                in: Self.indexed)
                == Self.indexed.replacing(
                    "entity=\"P\"/>", with: "entity=\"P\" predicateString=\"mail BEGINSWITH &quot;a&quot;\"/>"))
        let text = try edited(
            .addComposite("Address"), .addAttribute("street", of: "Address", type: .string),
            .addEntity("Q"), .addConfiguration("Second", entities: ["Q"]),
            .setMembers(["Q", "P"], ofConfiguration: "Main"), .rename(.configuration("Second"), to: "Third"),
            in: Self.indexed)
        let model = try #require(read(text).model)
        #expect(model.composites.map(\.name) == ["Address"])
        #expect(model.configurations.map(\.name) == ["Main", "Third"])
        #expect(model.configurations.map(\.entityNames) == [["P", "Q"], ["Q"]])
        let left = try edited(
            .setMembers(["Q"], ofConfiguration: "Main"), .remove(.configuration("Third")), in: text)
        #expect(try #require(read(left).model).configurations.map(\.entityNames) == [["Q"]])
        #expect(
            try refusal(.addConfiguration("Main", entities: []), in: text)
                == "The model already has configuration 'Main'. Choose another name.")
    }

    @Test func anEntryIsSetAndRemoved() throws {
        let set = try edited(.setEntry(.entity("P"), key: "note", to: "a < b"), in: Self.indexed)
        #expect(set == Self.indexed.replacing("value=\"x\"", with: "value=\"a &lt; b\""))
        let left = try edited(.setEntry(.entity("P"), key: "note", to: nil), in: Self.indexed)
        #expect(left == Self.indexed.replacing("            <entry key=\"note\" value=\"x\"/>\n", with: ""))
        #expect(try edited(.setEntry(.entity("P"), key: "other", to: nil), in: Self.indexed) == Self.indexed)
    }

    // MARK: Moves

    @Test func aPropertyThatLeavesItsTableIsNamedAsRemoved() throws {
        let text = document(
            """
                <entity name="A">
                    <attribute name="x" attributeType="String"/>
                </entity>
                <entity name="B" parentEntity="A"/>
                <entity name="C">
                    <attribute name="y" attributeType="String"/>
                </entity>
            """)
        let moved = try edited(.move("x", of: "A", to: "C"), in: text, previous: text)
        #expect(try #require(read(moved).model).entities[0].userInfo["ashlar.removed"] == "x")
        #expect(try #require(read(moved).model).entities[2].attributes.map(\.name) == ["x", "y"])
        #expect(try !edited(.move("x", of: "A", to: "B"), in: text, previous: text).contains("ashlar.removed"))
        #expect(try !edited(.move("x", of: "A", to: "C"), in: text).contains("ashlar.removed"))
    }
}
