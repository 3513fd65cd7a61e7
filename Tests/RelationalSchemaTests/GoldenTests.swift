import DataModel
import RelationalSchema
import Testing

@Suite("The text of a schema")
struct GoldenTests {
    @Test("A photo feed")
    func photoFeed() {
        let post = Entity(
            name: "Post",
            attributes: [
                Attribute(name: "timestamp", type: .date), Attribute(name: "title", type: .string),
                Attribute(name: "favorite", type: .boolean, defaultValueString: "NO"),
                Attribute(name: "latitude", type: .double, isOptional: true),
            ],
            relationships: [
                toOne("author", "Author", inverse: "posts", optional: false),
                toMany("tags", "Tag", inverse: "posts"),
            ],
            indexes: [
                FetchIndex(name: "byTimestamp", elements: [.init(propertyName: "timestamp", isAscending: false)]),
                FetchIndex(name: "byLatitude", kind: .rtree, elements: [.init(propertyName: "latitude")]),
            ])
        let author = Entity(
            name: "Author", attributes: [Attribute(name: "name", type: .string)],
            relationships: [toMany("posts", "Post", inverse: "author", ordered: true, rule: .cascade)],
            uniquenessConstraints: [UniquenessConstraint(["name"])])
        let tag = Entity(name: "Tag", relationships: [toMany("posts", "Post", inverse: "tags")])
        let text = makeSchema(tag, post, author).statements.joined(separator: ";\n\n") + ";\n"
        #expect(text == golden)
        #expect(makeSchema(author, post, tag).statements == makeSchema(tag, post, author).statements)
    }
}
