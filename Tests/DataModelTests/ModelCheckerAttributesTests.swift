import DataModel
import Testing

@Suite("Attributes")
struct ModelCheckerAttributesTests {
    @Test func onlyTransientAttributesMayBeWithoutType() {
        #expect(findings(entity(type: .undefined)) == ["error missing-attribute-type"])
        #expect(findings(entity(type: .undefined) { $0.isTransient = true }).isEmpty)
    }

    @Test(arguments: [
        (AttributeType.integer16, "32768"), (.integer16, "0.5"), (.integer32, "2147483648"), (.integer64, "many"),
        (.integer64, ""), (.double, "x"), (.float, "nan"), (.decimal, "1,5"), (.boolean, "perhaps"),
        (.date, "yesterday"),
    ])
    func invalidDefaultsAreErrors(type: AttributeType, text: String) {
        #expect(findings(entity(type: type) { $0.defaultValueString = text }) == ["error invalid-default"])
    }

    @Test(arguments: [
        (AttributeType.integer16, "-32768"), (.integer32, "0.0"), (.integer64, "9223372036854775807"),
        (.integer16, "NO"), (.double, "1e3"), (.decimal, "12345678901234567890.5"), (.boolean, "YES"),
        (.boolean, "0.0"),
        (.string, ""), (.uuid, "7B1D6F6E-0C5C-4D0B-9A52-5D3C8C3AE0C1"), (.uri, "any"), (.date, "0"),
        (.binary, "ignored"),
    ])
    func validDefaultsAreValid(type: AttributeType, text: String) {
        #expect(findings(entity(type: type) { $0.defaultValueString = text }).isEmpty)
    }

    @Test(arguments: [
        (AttributeType.string, ["ashlar.swiftType": "Kind"], "other", []),
        (.integer16, ["ashlar.swiftType": "Kind"], "größe_2", []),
        (.string, ["ashlar.swiftType": "Kind"], ".other", ["error invalid-value"]),
        (.string, ["ashlar.swiftType": "Kind"], "other }\nfunc evil() {", ["error invalid-value"]),
        (.string, ["ashlar.swiftType": "Kind"], "2", ["error invalid-value"]),
        (.string, [:], "other", ["warning no-effect"]),
        (.binary, ["ashlar.swiftType": "Kind"], "other", ["warning no-effect"]),
        (.string, ["ashlar.swiftType": "Kind", "ashlar.encoding": "json"], "other", ["warning no-effect"]),
    ])
    func unknownValues(_ type: AttributeType, _ entries: [String: String], _ name: String, _ found: [String]) {
        let thing = entity(type: type) { attribute in
            let all = entries.merging([UserInfo.unknownValueKey: name]) { first, _ in first }
            attribute.userInfo = UserInfo(
                all.sorted { $0.key < $1.key }.map {
                    UserInfo.Entry(key: $0.key, value: $0.value, location: SourceLocation(file: ""))
                })
        }
        #expect(findings(thing) == found)
    }

    @Test(arguments: [
        (AttributeType.binary, "whenRead", []), (.binary, "atOnce", []), (.binary, "later", ["error invalid-value"]),
        (.string, "whenRead", ["warning no-effect"]),
        (.transformable, "whenRead", ["warning missing-transformer", "warning no-effect"]),
    ])
    func largeValuesOfALog(_ type: AttributeType, _ value: String, _ found: [String]) {
        let thing = entity(type: type) { attribute in
            attribute.userInfo = UserInfo([
                UserInfo.Entry(
                    key: UserInfo.syncLargeValuesKey, value: value, location: SourceLocation(file: ""))
            ])
        }
        #expect(findings(thing) == found)
    }

    @Test func flagsAreIntegersAsInRealModels() throws {
        let attribute = Attribute(name: "value", type: .integer16, defaultValueString: "YES")
        #expect(try attribute.defaultValue() == .integer(1))
    }

    @Test func aUUIDThatIsNoneIsNoDefault() throws {
        let thing = entity(type: .uuid) { $0.defaultValueString = "empy" }
        #expect(findings(thing) == ["warning invalid-default"])
        #expect(try thing.attributes.first?.defaultValue() == nil)
    }

    @Test func boundsMustBeNumbersInOrder() {
        #expect(findings(entity(type: .integer16) { $0.minimumValue = "low" }) == ["error invalid-value"])
        #expect(
            findings(
                entity(type: .integer16) {
                    $0.minimumValue = "5"
                    $0.maximumValue = "4"
                }) == ["error invalid-value"])
        #expect(
            findings(
                entity(type: .date) {
                    $0.minimumDateTimeInterval = "-1"
                    $0.maximumDateTimeInterval = "1"
                    $0.defaultDateTimeInterval = "0"
                }
            ).isEmpty)
    }

    @Test func aDefaultOutsideTheBoundsIsAWarning() {
        #expect(
            findings(
                entity(type: .integer16) {
                    $0.minimumValue = "3"
                    $0.defaultValueString = "2"
                }) == ["warning invalid-default"])
        #expect(
            findings(
                entity {
                    $0.maximumValue = "3"
                    $0.defaultValueString = "four"
                }) == ["warning invalid-default"])
        #expect(
            findings(
                entity(type: .decimal) {
                    $0.maximumValue = "0.5"
                    $0.defaultValueString = "0.5"
                }
            ).isEmpty)
    }

    @Test func transformablesNeedATransformer() {
        #expect(findings(entity(type: .transformable)) == ["warning missing-transformer"])
        #expect(findings(entity(type: .transformable) { $0.valueTransformerName = "Colors" }).isEmpty)
        #expect(findings(entity(type: .transformable) { $0.isTransient = true }).isEmpty)
    }

    @Test(
        arguments: [
            // A class, to which Core Data falls back.
            ("NSSecureUnarchiveFromDataTransformer", []), ("NSSecureUnarchiveFromData", []),
            ("NSSecureUnarchiveFromDataTransformerName", ["warning wrong-transformer"]),
            ("Tags", []), (".Tags", []), ("Shop.Tags", []), ("Shop.Values.Tags", []),
            ("com.example.Tags", ["warning wrong-transformer"]), ("tags-v2", ["error wrong-transformer"]),
            ("Shop..Tags", ["error wrong-transformer"]), ("my tags", ["error wrong-transformer"]),
        ])
    func theNameOfATransformer(_ name: String, _ expected: [String]) {
        let thing = entity(type: .transformable) { $0.valueTransformerName = name }
        #expect(findings(thing) == expected)
        if name.hasPrefix("NS") { return }
        for key in ["ashlar.transformer", "ashlar.swiftType"] {
            let named = entity(type: .transformable) {
                $0.valueTransformerName = name
                $0.userInfo.entries = [UserInfo.Entry(key: key, value: "Tags", location: SourceLocation(file: ""))]
            }
            #expect(findings(named).isEmpty)
        }
    }

    /// The secure transformer reads only a few classes, and is suggested only for these.
    @Test func aClassThatTheSecureTransformerDoesNotReadIsToldOnce() {
        let thing = entity(type: .transformable) { $0.customClassName = "UIColor" }
        let found = ModelChecker.check(Model(name: "Test", entities: [thing])).all
        #expect(found.map(\.code) == [.missingTransformer])
        #expect(found.map(\.fixes.count) == [0])
        let array = entity(type: .transformable) { $0.customClassName = "NSArray" }
        let fixes = ModelChecker.check(Model(name: "Test", entities: [array])).all.map(\.fixes.count)
        #expect(fixes == [1])
    }

    @Test func whatIsNotBuiltYetIsSaid() {
        #expect(findings(entity(type: .objectID)) == ["error not-supported"])
    }

    @Test func aDefaultOfTooManyBytesIsAnError() {
        let text = String(repeating: "é", count: ModelLimits.defaultLength / 2)
        #expect(findings(entity { $0.defaultValueString = text }).isEmpty)
        #expect(findings(entity { $0.defaultValueString = text + "e" }) == ["error exceeds-limit"])
        #expect(findings(entity(type: .integer64) { $0.defaultValueString = text + "e" }) == ["error exceeds-limit"])
    }
}
