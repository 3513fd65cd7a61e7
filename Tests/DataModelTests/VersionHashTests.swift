import DataModel
import Digests
import Testing

@Suite("Version hashes")
struct VersionHashTests {
    private static let model = Model(
        name: "Test",
        entities: [
            Entity(
                name: "Post",
                attributes: [
                    Attribute(name: "title", type: .string),
                    Attribute(name: "likes", type: .integer64, isOptional: true),
                ],
                relationships: [
                    Relationship(name: "author", destinationName: "Author", inverseName: "posts", maximumCount: 1),
                    Relationship(name: "links", destinationName: "Post", inverseName: "links", isToMany: true),
                ],
                indexes: [
                    FetchIndex(
                        name: "byTitle",
                        elements: [
                            FetchIndex.Element(propertyName: "title"), FetchIndex.Element(propertyName: "likes"),
                        ])
                ],
                uniquenessConstraints: [UniquenessConstraint(["title", "likes"]), UniquenessConstraint(["likes"])]),
            Entity(name: "Picture", parentName: "Post"),
            Entity(
                name: "Author",
                relationships: [
                    Relationship(name: "posts", destinationName: "Post", inverseName: "author", isToMany: true)
                ]),
        ])

    /// Which hashes a change changes: `version`, `schema` and the entities whose version hash differs.
    private func changes(_ change: (inout Model) -> Void) -> [String] {
        var model = Self.model
        change(&model)
        let before = VersionHash(Self.model)
        let after = VersionHash(model)
        var result: [String] = []
        if before.versionHash != after.versionHash { result.append("version") }
        if before.schemaHash != after.schemaHash { result.append("schema") }
        return result
            + before.versionHashes.keys.sorted().filter { before.versionHashes[$0] != after.versionHashes[$0] }
    }

    private func changesOfPost(_ change: (inout Entity) -> Void) -> [String] {
        changes { change(&$0.entities[0]) }
    }

    @Test func hashesAreWhatTheyWereWhenTheFormWasFixed() {
        // Stores and lock files keep these. A change of the form needs a new number in its `format` line.
        let model = Model(name: "Fixed", entities: [Entity(name: "A", attributes: [Attribute(name: "b", type: .date)])])
        #expect(model.versionHash == "d2d04c2bfae0bf39013e3a4b9fb97920e8dcf2b41acf75264dfd5a53de998366")
        #expect(model.schemaHash == "d7e47f279a55d3e86a2ccda8609d2762e72d045d2831094181160c9edd8c86c2")
        #expect(model.entityVersionHashes == ["A": SHA256.hexadecimal(of: Self.canonicalText.utf8)])
    }

    private static let canonicalText = """
        format 23:ashlar version entity 1
        name 1:A
        attribute 21:name 1:b
        type 4:Date


        """

    @Test func theOrderInTheDocumentMeansNothing() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            #expect(
                changes { model in
                    model.entities.shuffle(using: &generator)
                    for index in model.entities.indices {
                        model.entities[index].attributes.shuffle(using: &generator)
                        model.entities[index].relationships.shuffle(using: &generator)
                        model.entities[index].indexes.shuffle(using: &generator)
                        model.entities[index].uniquenessConstraints.shuffle(using: &generator)
                    }
                }.isEmpty)
        }
    }

    @Test("rows 26, 156: what core data hashes changes the version hash")
    func whatCoreDataHashesChangesTheVersionHash() {
        let children = ["version", "schema", "Picture", "Post"]
        #expect(changesOfPost { $0.isAbstract = true } == children)
        #expect(changesOfPost { $0.versionHashModifier = "2" } == children)
        #expect(changesOfPost { $0.attributes[0].name = "name" } == children)
        #expect(changesOfPost { $0.attributes[0].type = .uri } == children)
        #expect(changesOfPost { $0.attributes[0].isOptional = true } == children)
        #expect(changesOfPost { $0.attributes[0].isTransient = true } == children)
        #expect(changesOfPost { $0.attributes[0].versionHashModifier = "" } == children)
        #expect(changesOfPost { $0.attributes[0].allowsExternalBinaryDataStorage = true } == children)
        #expect(changesOfPost { $0.attributes[0].preservesValueAfterDeletion = true } == children)
        #expect(changesOfPost { $0.relationships[0].name = "writer" } == children)
        #expect(changesOfPost { $0.relationships[0].isOptional = false } == children)
        #expect(changesOfPost { $0.relationships[0].isTransient = true } == children)
        #expect(changesOfPost { $0.relationships[0].isToMany = true } == children)
        #expect(changesOfPost { $0.relationships[0].destinationName = "Post" } == children)
        #expect(changesOfPost { $0.relationships[0].inverseName = nil } == children)
        #expect(changesOfPost { $0.relationships[0].versionHashModifier = "2" } == children)
        #expect(changesOfPost { $0.relationships[1].isOrdered = true } == children)
        #expect(changesOfPost { $0.relationships[1].minimumCount = 1 } == children)
        #expect(changesOfPost { $0.relationships[1].maximumCount = 7 } == children)
        #expect(changesOfPost { $0.uniquenessConstraints.removeLast() } == children)
        #expect(changes { $0.entities[1].parentName = nil } == ["version", "schema", "Picture"])
    }

    @Test func whatIsStoredOtherwiseChangesTheSchemaHashOnly() {
        #expect(changesOfPost { $0.attributes[1].defaultValueString = "1" } == ["schema"])
        #expect(changesOfPost { $0.attributes[0].isIndexed = true } == ["schema"])
        #expect(changesOfPost { $0.attributes[0].derivationExpression = "now()" } == ["schema"])
        #expect(changesOfPost { $0.relationships[0].deletionRule = .cascade } == ["schema"])
        #expect(changesOfPost { $0.relationships[0].inverseEntityName = "Other" } == ["schema"])
        #expect(changesOfPost { $0.indexes.removeLast() } == ["schema"])
        #expect(changesOfPost { $0.indexes[0].name = "index" } == ["schema"])
        #expect(changesOfPost { $0.indexes[0].kind = .rtree } == ["schema"])
        #expect(changesOfPost { $0.indexes[0].kind = .fullText } == ["schema"])
        #expect(changesOfPost { $0.indexes[0].elements.reverse() } == ["schema"])
        #expect(changesOfPost { $0.indexes[0].elements[0].isAscending = false } == ["schema"])
        #expect(changesOfPost { $0.indexes[0].partialIndexPredicate = "likes > 0" } == ["schema"])
        #expect(changesOfPost { $0.uniquenessConstraints[0].propertyNames.reverse() } == ["schema"])
    }

    @Test func whatIsNotStoredChangesNothing() {
        #expect(
            changes { model in
                model.name = "Other"
                model.versionIdentifier = "7"
                model.fetchRequests = [FetchRequest(name: "all", entityName: "Post")]
                model.entities[0].representedClassName = ".Post"
                model.entities[0].renamingIdentifier = "Article"
                model.entities[0].userInfo = UserInfo([UserInfo.Entry(key: "key", value: "value")])
                model.entities[0].location = SourceLocation(file: "elsewhere", line: 3)
                model.entities[0].attributes[0].renamingIdentifier = "name"
                model.entities[0].attributes[0].maximumValue = "9"
                model.entities[0].attributes[0].customClassName = "Title"
                model.entities[0].relationships[0].minimumCount = 1
                model.entities[0].relationships[0].inverseEntityName = "Author"
            }.isEmpty)
    }

    @Test func defaultsCountByTheirValue() {
        func hash(_ text: String) -> String {
            Model(name: "", entities: [entity(type: .integer16) { $0.defaultValueString = text }]).schemaHash
        }
        #expect(hash("0") == hash("0.0"))
        #expect(hash("0") == hash("NO"))
        #expect(hash("0") != hash("1"))
    }

    @Test func craftedNamesDoNotCollide() {
        func hash(_ names: [String], _ modifier: String? = nil) -> String {
            let attributes = names.map { Attribute(name: $0, type: .string) }
            return Model(name: "", entities: [Entity(name: "E", attributes: attributes, versionHashModifier: modifier)])
                .versionHash
        }
        let hashes = [
            hash(["a", "b"]), hash(["ab"]), hash(["a\ntype 6:String\n\nattribute 8:name 1:b"]), hash(["a\n", "b"]),
            hash(["a", "\nb"]), hash([]), hash([], ""), hash([], "attribute"), hash(["a b"]), hash(["1:a"]),
        ]
        #expect(Set(hashes).count == hashes.count)
    }

    @Test func compositesEnterThroughTheirAttributes() {
        func model(_ leaf: AttributeType, inner: String = "Point") -> Model {
            let point = Composite(name: "Point", attributes: [Attribute(name: "x", type: leaf)])
            let place = Composite(
                name: "Place", attributes: [Attribute(name: "point", type: .composite, compositeName: inner)])
            let thing = entity(type: .composite) { $0.compositeName = "Place" }
            return Model(name: "", entities: [thing, entity("Other")], composites: [place, point])
        }
        let before = VersionHash(model(.double))
        let after = VersionHash(model(.float))
        #expect(before.versionHashes["Thing"] != after.versionHashes["Thing"])
        #expect(before.versionHashes["Other"] == after.versionHashes["Other"])
        #expect(before == VersionHash(model(.double)))
        #expect(VersionHash(model(.double, inner: "Place")).versionHash != before.versionHash, "a cycle ends")
    }

    @Test func parentsThatGoRoundHaveHashesToo() {
        let model = Model(name: "", entities: [Entity(name: "A", parentName: "B"), Entity(name: "B", parentName: "A")])
        #expect(Set(model.entityVersionHashes.values).count == 2)
        #expect(model.entitySchemaHashes.keys.sorted() == ["A", "B"])
    }
}
