import DataModel
import Testing

@Suite("What a contents file says")
struct ContentsTests {
    @Test("row 24: a model is read with all its parts") func aModelIsReadWithAllItsParts() throws {
        let (model, findings, _) = read(Self.everything)
        let read = try #require(model)
        #expect(findings.isEmpty)
        #expect(read.name == "Test")
        #expect(read.versionIdentifier == "1.2")
        #expect(read.entities.map(\.name) == ["Post", "Author"])
        #expect(read.composites.map(\.name) == ["Place"])
        #expect(read.composites.first?.attributes.map(\.name) == ["latitude"])
        #expect(read.configurations.first?.entityNames == ["Post"])
        let request = try #require(read.fetchRequests.first)
        #expect(request.entityName == "Post")
        #expect(request.predicate == "likes > $LEAST")
        #expect((request.fetchLimit, request.fetchBatchSize) == (220, 20))
    }

    @Test("row 3: an entity is read with all its attributes") func anEntityIsReadWithAllItsAttributes() throws {
        let post = try #require(read(Self.everything).model?.entities.first)
        #expect(post.representedClassName == "App.Post")
        #expect(post.parentName == "Base")
        #expect(post.isAbstract)
        #expect(post.versionHashModifier == "3")
        #expect(post.renamingIdentifier == "Article")
        #expect(post.userInfo["app.key"] == "a \"value\"")
        #expect(post.uniquenessConstraints.map(\.propertyNames) == [["title", "likes"], ["likes"]])
        #expect(post.fetchedProperties.first?.request.predicate == "author == $FETCH_SOURCE")
    }

    @Test func anAttributeIsReadWithAllItsAttributes() throws {
        let attribute = try #require(read(Self.everything).model?.entities.first?.attributes.first)
        #expect(attribute.name == "title")
        #expect(attribute.type == .string)
        #expect(attribute.isOptional && attribute.isTransient && attribute.isIndexed)
        #expect(attribute.allowsExternalBinaryDataStorage && attribute.preservesValueAfterDeletion)
        #expect(attribute.defaultValueString == "")
        #expect(attribute.defaultDateTimeInterval == "-10")
        #expect((attribute.minimumValue, attribute.maximumValue) == ("1", "2"))
        #expect((attribute.minimumDateTimeInterval, attribute.maximumDateTimeInterval) == ("3", "4"))
        #expect(attribute.regularExpression == "a.*")
        #expect(attribute.valueTransformerName == "Coder")
        #expect(attribute.customClassName == "[Int64]")
        #expect(attribute.derivationExpression == "now()")
        #expect(attribute.compositeName == "Place")
        #expect(attribute.renamingIdentifier == "name")
        #expect(attribute.versionHashModifier == "m")
        #expect(attribute.userInfo.entries.map(\.key) == ["k"])
    }

    @Test func aRelationshipIsReadWithAllItsAttributes() throws {
        let relationships = try #require(read(Self.everything).model?.entities.first?.relationships)
        let links = try #require(relationships.first)
        #expect(links.destinationName == "Author")
        #expect((links.inverseName, links.inverseEntityName) == ("posts", "Author"))
        #expect(links.isOptional && links.isToMany && links.isOrdered && links.isTransient)
        #expect((links.minimumCount, links.maximumCount) == (2, 20))
        #expect(links.deletionRule == .noAction)
        #expect(links.renamingIdentifier == "old")
        #expect(links.versionHashModifier == "h")
        #expect(links.userInfo["r"] == "")
    }

    @Test func whatIsAbsentHasTheDefaultOfTheFormat() throws {
        let entity = try #require(
            readThing("<attribute name=\"a\"/><relationship name=\"r\" destinationEntity=\"Thing\"/>"))
        let attribute = try #require(entity.attributes.first)
        let expected = Attribute(name: "a", type: .undefined, isOptional: false, location: attribute.location)
        #expect(attribute == expected)
        let relationship = try #require(entity.relationships.first)
        #expect(!relationship.isOptional && !relationship.isToMany && relationship.deletionRule == .nullify)
        #expect(relationship.maximumCount == 1)
        let bare = try #require(
            read(document("<entity name=\"A\" representedClassName=\"\" parentEntity=\"\"/>")).model)
        #expect(bare.entities == [Entity(name: "A", location: bare.entities[0].location)])
    }

    @Test(arguments: [
        ("", false, 1), ("maxCount=\"1\"", false, 1), ("toMany=\"YES\"", true, 0), ("maxCount=\"0\"", true, 0),
        ("maxCount=\"5\"", true, 5), ("toMany=\"YES\" maxCount=\"2\"", true, 2), ("minCount=\"1\"", false, 1),
    ])
    func toManyIsWhatIsNotToOne(attributes: String, isToMany: Bool, maximum: Int) throws {
        let entity = readThing("<relationship name=\"r\" destinationEntity=\"Thing\" \(attributes)/>")
        let relationship = try #require(entity?.relationships.first)
        #expect(relationship.isToMany == isToMany)
        #expect(relationship.maximumCount == maximum)
    }

    @Test(arguments: [("YES", true), ("true", true), ("1", true), ("no", false), ("False", false), ("0", false)])
    func booleansAreReadLeniently(text: String, expected: Bool) {
        let (model, findings, _) = read(thing("<attribute name=\"a\" attributeType=\"Date\" optional=\"\(text)\"/>"))
        #expect(model?.entities.first?.attributes.first?.isOptional == expected)
        #expect(findings.isEmpty)
    }

    @Test func theOtherSpellingOfARenamingIdentifierIsRead() {
        let entity = readThing("<attribute name=\"a\" attributeType=\"Date\" renamingIdentifier=\"b\"/>")
        #expect(entity?.attributes.first?.canonicalName == "b")
    }

    private static let everything = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758"
            systemVersion="23E224" minimumToolsVersion="Automatic" sourceLanguage="Swift" usedWithSwiftData="YES"
            usedWithCloudKit="false" macOSVersion="Automatic" iOSVersion="Automatic" name=""
            userDefinedModelVersionIdentifier="1.2">
            <entity name="Post" representedClassName="App.Post" parentEntity="Base" isAbstract="YES" syncable="YES"
                codeGenerationType="class" versionHashModifier="3" elementID="Article"
                coreSpotlightDisplayNameExpression="title">
                <attribute name="title" optional="YES" transient="YES" attributeType="String" defaultValueString=""
                    defaultDateTimeInterval="-10" minValueString="1" maxValueString="2" minDateTimeInterval="3"
                    maxDateTimeInterval="4" regularExpressionString="a.*" valueTransformerName="Coder"
                    customClassName="[Int64]" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"
                    allowsCloudEncryption="YES" spotlightIndexingEnabled="YES" storedInTruthFile="YES" indexed="YES"
                    derived="YES" derivationExpression="now()" composite="Place" versionHashModifier="m"
                    elementID="name" usesScalarValueType="NO" syncable="YES">
                    <userInfo><entry key="k" value="v"/></userInfo>
                </attribute>
                <relationship name="links" optional="YES" toMany="YES" minCount="2" maxCount="20" ordered="YES"
                    deletionRule="No Action" destinationEntity="Author" inverseName="posts" inverseEntity="Author"
                    transient="YES" indexed="YES" elementID="old" versionHashModifier="h" syncable="YES"
                    spotlightIndexingEnabled="YES">
                    <userInfo><entry key="r"/></userInfo>
                </relationship>
                <fetchedProperty name="related" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Post"
                        predicateString="author == $FETCH_SOURCE"/>
                </fetchedProperty>
                <fetchIndex name="byLikes">
                    <fetchIndexElement property="likes" type="Binary" order="descending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="title"/><constraint value="likes"/></uniquenessConstraint>
                    <uniquenessConstraint><constraint value="likes"/></uniquenessConstraint>
                </uniquenessConstraints>
                <compoundIndexes><compoundIndex><index value="likes"/></compoundIndex></compoundIndexes>
                <userInfo><entry key="app.key" value="a &quot;value&quot;"/></userInfo>
            </entity>
            <entity name="Author"><userInfo/></entity>
            <fetchRequest name="popular" entity="Post" predicateString="likes &gt; $LEAST" fetchLimit="220"
                fetchBatchSize="20" resultType="2" includeSubentities="YES" includePropertyValues="YES"
                returnObjectsAsFaults="YES" includesPendingChanges="YES" returnDistinctResults="YES"/>
            <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="Post"/></configuration>
            <composite name="Place"><attribute name="latitude" attributeType="Double"/></composite>
            <elements><element name="Post" positionX="0" positionY="0" width="128" height="90"/></elements>
        </model>
        """
}
