import Testing

@testable import SwiftGeneration

@Suite struct SwiftNameTests {
    @Test(arguments: ["class", "default", "init", "in", "protocol", "extension", "repeat", "where", "await", "Any"])
    func keywordsAreInBackticks(_ keyword: String) {
        #expect(SwiftName.property(keyword) == (keyword == "init" ? "init_" : "`\(keyword)`"))
    }

    @Test(arguments: ["hashValue", "Values", "self", "Type"])
    func membersOfTheClassGetAnUnderscore(_ name: String) {
        #expect(SwiftName.property(name) == name + "_")
        #expect(SwiftName.label(name) == name + "_")
    }

    @Test func fullTextIndexesAreNoMembersOfEveryClass() {
        let names = ["values", "search", "id", "class"].map(SwiftName.fullText)
        #expect(names == ["values_", "search", "id_", "`class`"])
    }

    @Test func labelsNeedBackticksForThreeWordsOnly() {
        #expect(
            ["class", "required", "in", "await", "inout", "let", "var"].map(SwiftName.label)
                == ["class", "required", "in", "await", "`inout`", "`let`", "`var`"])
    }

    @Test(arguments: ["id", "values", "context", "order", "description", "hash", "größe", "名前"])
    func otherNamesStayAsTheyAre(_ name: String) {
        #expect(SwiftName.property(name) == name)
    }

    @Test func classNamesLoseTheirModule() {
        #expect(SwiftName.className(represented: nil, entity: "Post") == "Post")
        #expect(SwiftName.className(represented: "", entity: "Post") == "Post")
        #expect(SwiftName.className(represented: ".Note", entity: "Post") == "Note")
        #expect(SwiftName.className(represented: "Data.Favorite", entity: "Bookmark") == "Favorite")
        #expect(SwiftName.className(represented: "NSManagedObject", entity: "Post") == "Post")
    }

    @Test(arguments: ["String", "Row", "Statement", "Foundation", "Columns"])
    func classesDoNotHideTypesOfTheGeneratedCode(_ name: String) {
        #expect(SwiftName.className(represented: nil, entity: name) == name + "_")
    }

    @Test func literalsEscapeWhatSwiftWouldRead() {
        #expect(SwiftName.literal(#"a"b\(c)"#) == #""a\"b\\(c)""#)
        #expect(SwiftName.literal("a\nb\tc\u{0}\u{2028}") == #""a\nb\tc\u{0}\u{2028}""#)
        #expect(SwiftName.literal("ä🦁") == "\"ä🦁\"")
    }

    @Test func literalsOfSeveralLinesKeepBackslashes() {
        #expect(SwiftName.multilineLiteral("one") == ["\"one\""])
        #expect(SwiftName.multilineLiteral("one\ntwo") == ["\"\"\"", "one", "two", "\"\"\""])
        #expect(SwiftName.multilineLiteral("one\n\\two") == ["##\"\"\"", "one", "\\two", "\"\"\"##"])
    }
}
