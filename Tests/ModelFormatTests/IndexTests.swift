import DataModel
import Testing

@Suite("Indexes in a contents file")
struct IndexTests {
    @Test(arguments: ["RTree", "rTree", "R-Tree", "rtree", "RTREE"])
    func anRTreeMayBeSpelledInManyWays(spelling: String) throws {
        let entity = readThing(
            "<fetchIndex name=\"i\"><fetchIndexElement property=\"x\" type=\"\(spelling)\"/></fetchIndex>")
        #expect(entity?.indexes.first?.kind == .rtree)
    }

    @Test func elementsKeepTheirOrderAndDirection() throws {
        let body = """
            <fetchIndex name="i" partialIndexPredicate="a > 0"><fetchIndexElement property="b" type="Binary" \
            order="descending"/><fetchIndexElement property="a" type="Binary" order="ascending"/>\
            <fetchIndexElement expression="lowercase:(a)" expressionType="String" type="Binary"/></fetchIndex>
            """
        let index = try #require(readThing(body)?.indexes.first)
        #expect(index.kind == .binary)
        #expect(index.partialIndexPredicate == "a > 0")
        #expect(index.elements.map(\.propertyName) == ["b", "a", nil])
        #expect(index.elements.map(\.isAscending) == [false, true, true])
        #expect(index.elements.last?.expression == "lowercase:(a)")
        #expect(index.elements.last?.expressionType == "String")
    }

    @Test func mixedKindsAreAnError() {
        let body = """
            <fetchIndex name="i"><fetchIndexElement property="a" type="RTree"/>\
            <fetchIndexElement property="b" type="Binary"/></fetchIndex>
            """
        #expect(read(thing(body)).findings == ["error invalid-index"])
    }

    @Test func userInfoMakesAFullTextIndex() throws {
        let body = """
            <attribute name="a" attributeType="String"/><attribute name="b" attributeType="String"/>\
            <fetchIndex name="words"><fetchIndexElement property="b" type="Binary"/>\
            <fetchIndexElement property="a" type="Binary"/></fetchIndex>\
            <userInfo><entry key="ashlar.index.words.weights" value="2.5 1"/>\
            <entry key="ashlar.index.words.prefixes" value="3, 2,3"/><entry key="ashlar.index.words" value="fulltext"/>\
            <entry key="ashlar.index.words.tokenizer" value="trigram"/></userInfo>
            """
        let (_, findings, _) = read(thing(body))
        #expect(findings.isEmpty)
        let index = try #require(readThing(body)?.indexes.first)
        #expect(index.kind == .fullText)
        #expect(index.elements.map(\.propertyName) == ["b", "a"])
        #expect(index.fullText == FullTextOptions(tokenizer: .trigram, prefixLengths: [2, 3], weights: [2.5, 1]))
    }

    @Test func attributesMakeAFullTextIndexTogether() throws {
        let body = """
            <attribute name="a" attributeType="String"><userInfo><entry key="ashlar.index" value="fulltext"/></userInfo>\
            </attribute><attribute name="b" attributeType="String"/><attribute name="c" attributeType="String"><userInfo>\
            <entry key="ashlar.index" value="fulltext"/></userInfo></attribute>\
            <userInfo><entry key="ashlar.index.fullText.tokenizer" value="porter"/></userInfo>
            """
        #expect(read(thing(body)).findings.isEmpty)
        let index = try #require(readThing(body)?.indexes.first)
        #expect(index.kind == .fullText)
        #expect(index.name == "fullText")
        #expect(index.elements.map(\.propertyName) == ["a", "c"])
        #expect(index.fullText.tokenizer == .porter)
    }

    @Test(arguments: [
        ("ashlar.index.words", "btree", "error invalid-index"),
        ("ashlar.index.word", "fulltext", "error invalid-index"),
        ("ashlar.index.words.tokenizer", "porter", "error invalid-index"),
        ("ashlar.index.words.weight", "1", "warning unknown-key"), ("ashlar.index", "fulltext", "warning unknown-key"),
        ("ashlar.index.", "fulltext", "warning unknown-key"), ("ashlar.index.words.a.b", "1", "warning unknown-key"),
    ])
    func entriesThatSayNothing(key: String, value: String, finding: String) {
        let body = """
            <attribute name="a" attributeType="String"/><fetchIndex name="words">\
            <fetchIndexElement property="a" type="Binary"/></fetchIndex>\
            <userInfo><entry key="\(key)" value="\(value)"/></userInfo>
            """
        #expect(read(thing(body)).findings == [finding])
    }

    @Test(arguments: [
        ("tokenizer", "klingon"), ("prefixes", "0"), ("prefixes", "two"), ("prefixes", ""), ("weights", "-1"),
        ("weights", "nan"), ("weights", "1;2"),
    ])
    func optionsThatAreNone(option: String, value: String) {
        let body = """
            <attribute name="a" attributeType="String"/><fetchIndex name="words">\
            <fetchIndexElement property="a" type="Binary"/></fetchIndex><userInfo>\
            <entry key="ashlar.index.words" value="fulltext"/>\
            <entry key="ashlar.index.words.\(option)" value="\(value)"/></userInfo>
            """
        #expect(read(thing(body)).findings == ["error invalid-index"])
    }

    @Test func anRTreeIsNoFullTextIndex() {
        let body = """
            <attribute name="a" attributeType="Double"/><fetchIndex name="words">\
            <fetchIndexElement property="a" type="RTree"/></fetchIndex><userInfo>\
            <entry key="ashlar.index.words" value="fulltext"/></userInfo>
            """
        #expect(read(thing(body)).findings == ["error invalid-index"])
    }

    @Test func anIndexWithoutElementsIsLeftOut() {
        let (model, findings, _) = read(thing("<fetchIndex name=\"i\"/>"))
        #expect(model?.entities.first?.indexes.isEmpty == true)
        #expect(findings == ["warning invalid-index"])
    }

    @Test func unknownValuesAreErrors() {
        func check(_ attributes: String) -> [String] {
            read(thing("<fetchIndex name=\"i\"><fetchIndexElement \(attributes)/></fetchIndex>")).findings
        }
        #expect(check("property=\"a\" type=\"Hash\"") == ["error invalid-value"])
        #expect(check("property=\"a\" order=\"up\"") == ["error invalid-value"])
        #expect(check("type=\"Binary\"") == ["error missing-attribute"])
    }

    private func compound(_ indexes: [[String]], before: String = "") -> [FetchIndex] {
        let elements = indexes.map { names in
            "<compoundIndex>" + names.map { "<index value=\"\($0)\"/>" }.joined() + "</compoundIndex>"
        }
        let body = "\(before)<compoundIndexes>\(elements.joined())</compoundIndexes>"
        return readThing(body)?.indexes ?? []
    }

    @Test("row 19: compound indexes get names from their properties")
    func compoundIndexesGetNamesFromTheirProperties() {
        let indexes = compound([["b", "a"], ["c"]])
        #expect(indexes.map(\.name) == ["compound_b_a", "compound_c"])
        #expect(indexes.first?.elements.map(\.propertyName) == ["b", "a"])
        #expect(indexes.allSatisfy { $0.kind == .binary && $0.elements.allSatisfy(\.isAscending) })
        #expect(compound([["c"], ["b", "a"]]).map(\.name) == ["compound_b_a", "compound_c"])
    }

    @Test func generatedNamesAreNeverTakenTwice() {
        let before =
            "<fetchIndex name=\"Compound_A_B\"><fetchIndexElement property=\"x\" type=\"Binary\"/></fetchIndex>"
        let names = compound([["a_b"], ["a", "b"]], before: before).map(\.name)
        #expect(names == ["Compound_A_B", "compound_a_b_2", "compound_a_b_3"])
        #expect(compound([["a", "b"], ["a_b"]], before: before).map(\.name) == names)
        #expect(compound([["a"], ["a"]]).map(\.name) == ["compound_a"])
    }

    @Test func coreDatasOwnNamesAreLeftOutOfCompoundIndexes() {
        #expect(compound([["self"], ["entity", "a"]]).map(\.name) == ["compound_a"])
        let own = "<attribute name=\"entity\" attributeType=\"String\"/>"
        #expect(compound([["entity"]], before: own).map(\.name) == ["compound_entity"])
    }
}
