import DataModel
import Testing

@Suite struct SilencedFindingsTests {
    private func findings(_ userInfo: UserInfo, inverse: String? = nil) -> [Diagnostic.Code] {
        let relationship = Relationship(
            name: "owner", destinationName: "Person", inverseName: inverse, userInfo: userInfo,
            location: SourceLocation(file: "contents", line: 2, column: 3))
        let entity = Entity(
            name: "Person", relationships: [relationship],
            location: SourceLocation(file: "contents", line: 1, column: 1))
        return ModelChecker.check(Model(name: "M", entities: [entity])).all.map(\.code)
    }

    @Test func aWarningIsSilencedByItsCode() {
        #expect(findings(UserInfo()) == [.missingInverse])
        #expect(findings(UserInfo([.init(key: "ashlar.silence", value: "missing-inverse")])).isEmpty)
        #expect(findings(UserInfo([.init(key: "ashlar.silence", value: "invalid-index, missing-inverse")])).isEmpty)
        #expect(findings(UserInfo([.init(key: "ashlar.silence", value: "invalid-index")])) == [.missingInverse])
    }

    @Test func anErrorIsNotSilenced() {
        let userInfo = UserInfo([.init(key: "ashlar.silence", value: "unknown-inverse")])
        #expect(findings(userInfo, inverse: "pets") == [.unknownInverse])
    }

    @Test func aTypeForTheBytesIsAsGoodAsATransformer() {
        let attribute = Attribute(
            name: "tags", type: .transformable, userInfo: UserInfo([.init(key: "ashlar.swiftType", value: "[String]")]))
        let model = Model(name: "M", entities: [Entity(name: "A", attributes: [attribute])])
        #expect(ModelChecker.check(model).all.isEmpty)
    }
}
