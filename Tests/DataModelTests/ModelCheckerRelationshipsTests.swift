import DataModel
import Testing

@Suite("Relationships")
struct ModelCheckerRelationshipsTests {
    /// A post with its author, and the author with the posts; both may be changed.
    private func check(
        _ changeAuthor: (inout Relationship) -> Void = { _ in },
        posts changePosts: (inout Relationship) -> Void = { _ in },
        others: [Entity] = []
    ) -> [String] {
        var author = Relationship(
            name: "author", destinationName: "Author", inverseName: "posts", inverseEntityName: "Author",
            maximumCount: 1)
        var posts = Relationship(
            name: "posts", destinationName: "Post", inverseName: "author", inverseEntityName: "Post", isToMany: true)
        changeAuthor(&author)
        changePosts(&posts)
        let entities = [Entity(name: "Post", relationships: [author]), Entity(name: "Author", relationships: [posts])]
        return findings(Model(name: "Test", entities: entities + others))
    }

    @Test func aPairIsLegal() {
        #expect(check().isEmpty)
    }

    @Test func theDestinationMustExist() {
        #expect(check { $0.destinationName = "Autor" } == ["error unknown-destination"])
        #expect(
            findings(Entity(name: "A", relationships: [Relationship(name: "b", destinationName: "B")]))
                == ["error unknown-destination", "warning missing-inverse"])
    }

    @Test func withoutInverseIsAWarning() {
        let lonely = Relationship(name: "thing", destinationName: "Thing")
        #expect(findings(Entity(name: "Thing", relationships: [lonely])) == ["warning missing-inverse"])
    }

    @Test func theInverseMustExist() {
        #expect(check { $0.inverseEntityName = "Nobody" }.contains("error unknown-inverse"))
        #expect(check { $0.inverseName = "articles" }.contains("error unknown-inverse"))
        var author = Relationship(name: "author", destinationName: "Thing", inverseName: "value")
        author.inverseEntityName = "Thing"
        #expect(
            findings(Entity(name: "Post", relationships: [author]), entity()) == ["error unknown-inverse"],
            "an attribute is no inverse")
    }

    @Test func bothMustNameEachOther() {
        #expect(check(posts: { $0.inverseName = nil }) == ["warning missing-inverse", "error inverse-mismatch"])
        #expect(check(posts: { $0.name = "articles" }).contains("error unknown-inverse"))
        var second = Relationship(name: "editor", destinationName: "Author", inverseName: "posts")
        second.inverseEntityName = "Author"
        let first = Relationship(name: "author", destinationName: "Author", inverseName: "posts")
        let posts = Relationship(name: "posts", destinationName: "Post", inverseName: "author", isToMany: true)
        #expect(
            findings(
                Entity(name: "Post", relationships: [first, second]), Entity(name: "Author", relationships: [posts]))
                == ["error inverse-mismatch"])
    }

    @Test func bothMustLeadToEachOther() {
        let other = Entity(name: "Other")
        #expect(check(posts: { $0.destinationName = "Other" }, others: [other]).contains("error inverse-mismatch"))
        #expect(check({ $0.destinationName = "Other" }, others: [other]).contains("error inverse-mismatch"))
    }

    @Test func theInverseMayBeDeclaredByAParent() {
        let base = Entity(
            name: "Item", isAbstract: true,
            relationships: [
                Relationship(
                    name: "folder", destinationName: "Folder", inverseName: "items", inverseEntityName: "Folder")
            ])
        let photo = Entity(name: "Photo", parentName: "Item")
        var items = Relationship(name: "items", destinationName: "Item", inverseName: "folder", isToMany: true)
        items.inverseEntityName = "Item"
        #expect(findings(photo, base, Entity(name: "Folder", relationships: [items])).isEmpty)
        items.destinationName = "Photo"
        items.inverseEntityName = "Photo"
        #expect(
            findings(photo, base, Entity(name: "Folder", relationships: [items])) == ["error inverse-mismatch"],
            "not every item is a photo")
    }

    @Test func aRelationshipMayBeItsOwnInverse() {
        let friends = Relationship(name: "friends", destinationName: "Person", inverseName: "friends", isToMany: true)
        #expect(findings(Entity(name: "Person", relationships: [friends])).isEmpty)
    }

    @Test func onlyManyCanBeOrdered() {
        #expect(check { $0.isOrdered = true } == ["warning ordered-to-one"])
        #expect(check(posts: { $0.isOrdered = true }).isEmpty)
    }

    @Test func countsMustBeInOrder() {
        #expect(check(posts: { ($0.minimumCount, $0.maximumCount) = (3, 2) }) == ["error invalid-value"])
        #expect(check(posts: { ($0.minimumCount, $0.maximumCount) = (3, 0) }).isEmpty)
    }
}
