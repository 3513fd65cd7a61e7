import DataModel
import Testing

@Suite("Proposals for misspelled names")
struct SpellingTests {
    @Test(arguments: [
        ("Autor", "Author"), ("author", "Author"), ("Posst", "Post"), ("Picutre", "Picture"), ("Pst", "Post"),
        // Two letters in the wrong order are one mistake.
        ("Psot", "Post"),
    ])
    func whatIsCloseIsProposed(name: String, expected: String) {
        #expect(Spelling.closest(to: name, among: ["Author", "Post", "Picture"]) == expected)
    }

    @Test func whatIsFarIsNot() {
        #expect(Spelling.closest(to: "Comment", among: ["Author", "Post"]) == nil)
        #expect(Spelling.closest(to: "ab", among: ["xy"]) == nil)
        #expect(Spelling.closest(to: "", among: ["a"]) == nil)
        #expect(Spelling.closest(to: "a", among: []) == nil)
    }

    @Test func theOrderOfTheCandidatesMeansNothing() {
        #expect(Spelling.closest(to: "name", among: ["game", "fame"]) == "fame")
        #expect(Spelling.closest(to: "name", among: ["fame", "game"]) == "fame")
    }
}
