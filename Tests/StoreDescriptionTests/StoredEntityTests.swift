import AwkwardText
import RandomNumbers
import StoreDescription
import Testing

/// The lines that describe stored entities in generated code: reading written lines gives the same entities.
@Suite struct StoredEntityTests {
    @Test func everyWord() throws {
        let text = """
            :Article Content table=Content abstract
            home$present presence column=home$$present
            home.street string? column=home$street
            photo binary? external preserved
            total decimal derived
            author ->Person ~articles column=author
            parts =>Part? ~article ordered inverse=article order=article$order
            tags =>Tag? table=Article$tags own=source$ other=target$ order=target$order
            """
        let entities = try #require(StoredEntity.entities(text))
        #expect(entities.map(\.text).joined(separator: "\n") == text)
        let article = try #require(entities.first)
        #expect(article.parent == "Content" && article.table == "Content" && article.isAbstract)
        #expect(article.attributes.map(\.type) == [nil, .string, .binary, .decimal])
        #expect(article.attributes[1].path == ["home", "street"] && article.attributes[2].isExternal)
        #expect(article.attributes.map(\.isDerived) == [false, false, false, true])
        #expect(article.relationships.map(\.isToMany) == [false, true, true])
        #expect(article.relationships.map(\.inverse) == ["articles", "article", nil])
        #expect(
            article.relationships[2].storage
                == .joinTable("Article$tags", own: "source$", other: "target$", order: "target$order"))
    }

    @Test(arguments: [
        "title string", ":", ":A", ":A B C table=T", ":A table=", ":A table=T more", ":A table=T\ntitle",
        ":A table=T\ntitle text",
        ":A table=T\ntitle string large", ":A table=T\nb ->B", ":A table=T\nb ->B column",
        ":A table=T\nb =>B own=x other=y",
    ])
    func noLines(_ text: String) { #expect(StoredEntity.entities(text) == nil) }

    @Test func whatIsWrittenIsRead() throws {
        var generator = SeededGenerator(seed: TestEffort.seed ?? 23)
        // A name is not empty, has no space, line break or point, and does not begin with a mark.
        let names =
            (AwkwardText.texts(around: ["ordered", "external", "x"]) + ["ordered", "derived", "abstract", "a"])
            .filter { name in
                !name.isEmpty && !name.utf8.contains { [0x20, 0x0A, 0x2E, 0x3F, 0x3D].contains($0) }
                    && !["~", ":", "-"].contains { name.hasPrefix($0) }
            }
        func name() -> String { names[generator.number(0..<names.count)] }
        for _ in 0..<(500 * TestEffort.factor) {
            var versions: [[StoredEntity]] = [[]]
            for _ in 0..<3 {
                var entities: [String: StoredEntity] = [:]
                for entity in versions[versions.count - 1] where !generator.oneIn(4) { entities[entity.name] = entity }
                for _ in 0..<generator.number(1..<4) {
                    var entity = StoredEntity(
                        name: name(), parent: generator.oneIn(2) ? name() : nil, isAbstract: generator.oneIn(3),
                        table: name())
                    if generator.oneIn(4) { entity.renamingIdentifier = name() }
                    for _ in 0..<generator.number(0..<4) {
                        let types = ColumnLine.AttributeType.allCases
                        var attribute = StoredEntity.Attribute(
                            path: generator.oneIn(3) ? [name(), name()] : [name()],
                            type: generator.oneIn(6) ? nil : types[generator.number(0..<types.count)], column: name())
                        attribute.isOptional = generator.oneIn(2)
                        attribute.isExternal = generator.oneIn(2)
                        attribute.isDerived = generator.oneIn(2)
                        attribute.isPreserved = generator.oneIn(2)
                        entity.attributes.append(attribute)
                    }
                    for _ in 0..<generator.number(0..<4) {
                        let storages: [StoredEntity.Relationship.Storage] = [
                            .column(name()), .inverseColumn(name(), order: generator.oneIn(2) ? name() : nil),
                            .joinTable(name(), own: name(), other: name(), order: generator.oneIn(2) ? name() : nil),
                        ]
                        var relationship = StoredEntity.Relationship(
                            name: name(), destination: name(), inverse: generator.oneIn(2) ? name() : nil,
                            isToMany: generator.oneIn(2), storage: storages[generator.number(0..<3)])
                        relationship.isOrdered = generator.oneIn(2)
                        relationship.isOptional = generator.oneIn(2)
                        entity.relationships.append(relationship)
                    }
                    entities[entity.name] = entity
                }
                versions.append(entities.values.sorted { $0.name < $1.name })
            }
            var read: [StoredEntity] = []
            for (old, new) in zip(versions, versions.dropFirst()) {
                read = try #require(StoredEntity.entities(after: read, StoredEntity.changes(from: old, to: new)))
                #expect(read == new)
            }
        }
    }
}
