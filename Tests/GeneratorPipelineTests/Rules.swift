import DataModel
import Testing

/// A model that breaks a rule.
///
/// In every text, `▸` marks the place of the finding.
struct Rule: Sendable, CustomTestStringConvertible {
    var code: Diagnostic.Code
    var severity: Diagnostic.Severity
    /// The contents of the model, or of an entity called `Thing`.
    var text: String
    /// The text after each of the fixes, which replaces everything else. `✓ ` before it marks a safe fix.
    var fixed: [String]

    init(_ code: Diagnostic.Code, _ text: String, _ fixed: String...) {
        (self.code, severity, self.text, self.fixed) = (code, code.defaultSeverity, text, fixed)
    }

    init(_ code: Diagnostic.Code, _ severity: Diagnostic.Severity, _ text: String, _ fixed: String...) {
        (self.code, self.severity, self.text, self.fixed) = (code, severity, text, fixed)
    }

    var testDescription: String { "\(code.rawValue): \(text)" }
}

extension Rule {
    /// Findings about the form of the file.
    static let ofTheFormat = [
        Rule(.unknownElement, "▸<note/>", ""),
        Rule(
            .unknownElement, #"▸<atribute name="a" attributeType="String"/>"#,
            #"<attribute name="a" attributeType="String"/>"#,
            ""),
        Rule(
            .unknownElement, #"<fetchIndex name="i"><fetchIndexElement property="p"/>▸<x></x></fetchIndex>\#(p)"#,
            #"<fetchIndex name="i"><fetchIndexElement property="p"/></fetchIndex>\#(p)"#),
        Rule(
            .unknownAttribute, #"<attribute name="a" ▸optoinal="YES" attributeType="String"/>"#,
            #"<attribute name="a" optional="YES" attributeType="String"/>"#,
            #"<attribute name="a" attributeType="String"/>"#),
        Rule(
            .unknownAttribute, #"<attribute name="a" attributeType="String" ▸sincable="YES"/>"#,
            #"✓ <attribute name="a" attributeType="String" syncable="YES"/>"#,
            #"<attribute name="a" attributeType="String"/>"#),
        Rule(.unknownAttribute, "<entity name=\"A\"\n    ▸color='&gt;\"'\n/>", "<entity name=\"A\"\n/>"),
        Rule(
            .misspelledAttribute, #"<entity name="A" ▸abstract="YES"/>"#, #"<entity name="A" isAbstract="YES"/>"#,
            #"<entity name="A"/>"#),
        Rule(
            .misspelledAttribute, #"<attribute name="a" attributeType="String" ▸defaultValue="&quot;é&quot;"/>"#,
            #"<attribute name="a" attributeType="String" defaultValueString="&quot;é&quot;"/>"#,
            #"<attribute name="a" attributeType="String"/>"#),
        Rule(
            .misspelledAttribute, #"<attribute name="a" attributeType="String" ▸renamingIdentifier="b"/>"#,
            #"✓ <attribute name="a" attributeType="String" elementID="b"/>"#),
        Rule(
            .misspelledAttribute,
            #"<attribute name="a" attributeType="String" elementID="b" ▸renamingIdentifier="c"/>"#,
            #"✓ <attribute name="a" attributeType="String" elementID="b"/>"#),
        Rule(.missingAttribute, #"▸<attribute attributeType="String"/>"#),
        Rule(.missingAttribute, #"<attribute ▸name="" attributeType="String"/>"#),
        Rule(
            .invalidValue, #"<attribute name="a" attributeType="String" ▸optional="Y"/>"#,
            #"✓ <attribute name="a" attributeType="String" optional="YES"/>"#),
        Rule(
            .invalidValue, #"<userInfo>▸<entry key="ashlar.generatedClass" value="no name"/></userInfo>"#),
        Rule(
            .invalidValue, #"<userInfo>▸<entry key="ashlar.generatedClass" value="Thing"/></userInfo>"#),
        Rule(
            .invalidValue, #"<userInfo>▸<entry key="ashlar.superclass" value="no name"/></userInfo>"#),
        Rule(
            .invalidValue,
            #"<attribute name="first" attributeType="String"/><userInfo>▸<entry key="ashlar.title" value="frist"/></userInfo>"#,
            #"<attribute name="first" attributeType="String"/><userInfo><entry key="ashlar.title" value="first"/></userInfo>"#
        ),
        Rule(
            .invalidValue,
            #"<attribute name="data" attributeType="Binary"/><userInfo>▸<entry key="ashlar.title" value="data"/></userInfo>"#
        ),
        Rule(
            .invalidValue, #"<attribute name="a" attributeType="String" ▸optional="maybe"/>"#,
            #"<attribute name="a" attributeType="String"/>"#),
        Rule(
            .invalidValue, #"<relationship name="r" ▸deletionRule='nullfy' destinationEntity="Thing"/>"#,
            #"✓ <relationship name="r" deletionRule='Nullify' destinationEntity="Thing"/>"#),
        Rule(
            .invalidValue, #"<relationship name="r" ▸deletionRule="NoAction" destinationEntity="Thing"/>"#,
            #"✓ <relationship name="r" deletionRule="No Action" destinationEntity="Thing"/>"#),
        Rule(
            .invalidValue, #"<fetchIndex name="i"><fetchIndexElement property="p" ▸order="desc"/></fetchIndex>\#(p)"#,
            #"✓ <fetchIndex name="i"><fetchIndexElement property="p" order="descending"/></fetchIndex>\#(p)"#),
        Rule(
            .invalidValue, #"<fetchIndex name="i"><fetchIndexElement property="p" ▸type="binnary"/></fetchIndex>\#(p)"#,
            #"✓ <fetchIndex name="i"><fetchIndexElement property="p" type="Binary"/></fetchIndex>\#(p)"#),
        Rule(
            .invalidValue, #"<relationship name="r" toMany="YES" ▸maxCount="-1" destinationEntity="Thing"/>"#,
            #"<relationship name="r" toMany="YES" destinationEntity="Thing"/>"#),
        Rule(
            .duplicateKey,
            #"<userInfo>▸<entry key="k" value="1"/><entry key="l"/><entry key="k" value="2"/></userInfo>"#,
            #"✓ <userInfo><entry key="l"/><entry key="k" value="2"/></userInfo>"#),
        Rule(
            .unknownKey, #"<userInfo><entry ▸key="ashlar.silense" value="no-action"/></userInfo>"#,
            #"✓ <userInfo><entry key="ashlar.silence" value="no-action"/></userInfo>"#, "<userInfo></userInfo>"),
        Rule(
            .unknownKey, #"<userInfo><entry ▸key="Ashlar.swifttype" value="Int"/></userInfo>"#,
            #"<userInfo><entry key="ashlar.swiftType" value="Int"/></userInfo>"#, "<userInfo></userInfo>"),
        Rule(
            .unknownSilencedCode,
            #"<userInfo><entry key="ashlar.silence" ▸value="no-action,mising-inverse"/></userInfo>"#,
            #"✓ <userInfo><entry key="ashlar.silence" value="no-action, missing-inverse"/></userInfo>"#),
        Rule(.unknownSilencedCode, #"<userInfo><entry key="ashlar.silence" ▸value="everything"/></userInfo>"#),
    ]

    /// Findings about names.
    static let ofNames = [
        Rule(
            .duplicateEntity, "<entity name=\"A\"/>\n<entity ▸name=\"A\"/>\n", "<entity name=\"A\"/>\n"),
        Rule(.duplicateEntity, #"<entity name="A"/><entity ▸name="a"/>"#),
        Rule(.duplicateProperty, #"\#(p)<attribute ▸name="p" attributeType="Date"/>"#, p),
        Rule(
            .duplicateProperty,
            #"<entity name="A">\#(p)</entity><entity name="B" parentEntity="A"><attribute ▸name="P" attributeType="Date"/></entity>"#,
            #"<entity name="A">\#(p)</entity><entity name="B" parentEntity="A"></entity>"#),
        Rule(
            .duplicateIndex,
            #"\#(p)\#(index("i", "p"))<fetchIndex ▸name="i"><fetchIndexElement property="p"/></fetchIndex>"#,
            #"✓ \#(p)\#(index("i", "p"))"#),
        Rule(
            .duplicateIndex,
            #"\#(p)\#(index("i", "p"))<fetchIndex ▸name="i"><fetchIndexElement property="p" order="descending"/></fetchIndex>"#,
            #"\#(p)\#(index("i", "p"))"#),
        Rule(
            .illegalName, #"<attribute ▸name="first name" attributeType="String"/>\#(index("i", "first name"))"#,
            #"<attribute name="first_name" attributeType="String" elementID="first name"/>\#(index("i", "first_name"))"#
        ),
        Rule(
            .illegalName,
            #"<entity ▸name="1st"/><entity name="B" parentEntity="1st"><relationship name="r" destinationEntity="1st"/></entity>"#,
            #"<entity name="_1st" elementID="1st"/><entity name="B" parentEntity="_1st"><relationship name="r" destinationEntity="_1st"/></entity>"#
        ),
        Rule(
            .reservedName, .error, #"<attribute ▸name="_ashlar_p" attributeType="String"/>"#,
            #"<attribute name="p" attributeType="String" elementID="_ashlar_p"/>"#),
        Rule(
            .reservedName,
            #"<relationship ▸name="hash" optional="YES" destinationEntity="Thing" inverseName="hash" inverseEntity="Thing"/>"#,
            #"<relationship name="hashValue" optional="YES" destinationEntity="Thing" inverseName="hashValue" inverseEntity="Thing" elementID="hash"/>"#
        ),
        Rule(.reservedName, .error, #"<entity ▸name="sqlite_a"/>"#, #"<entity name="a" elementID="sqlite_a"/>"#),
        Rule(.swiftName, #"<attribute ▸name="hashValue" attributeType="String"/>"#),
        Rule(.swiftName, #"<attribute ▸name="Title" attributeType="String"/>"#),
        Rule(.swiftName, #"<entity ▸name="Date"/>"#),
        Rule(
            .swiftName,
            #"<entity name="Node" representedClassName="Node"/><entity name="Leaf" ▸representedClassName="App.Node"/>"#),
        Rule(
            .sharedRenamingIdentifier, #"<entity name="A" elementID="C"/><entity name="B" ▸elementID="C"/>"#,
            #"<entity name="A" elementID="C"/><entity name="B"/>"#),
        Rule(
            .sharedRenamingIdentifier,
            #"<relationship name="a" destinationEntity="Thing" elementID="c"/><relationship name="b" destinationEntity="Thing" ▸elementID="c"/>"#,
            #"<relationship name="a" destinationEntity="Thing" elementID="c"/><relationship name="b" destinationEntity="Thing"/>"#
        ),
    ]

    /// Findings about attributes.
    static let ofAttributes = [
        Rule(
            .invalidDefault,
            #"<attribute name="a" attributeType="Date"><userInfo><entry key="ashlar.migrationDefault" ▸value="now"/></userInfo></attribute>"#,
            #"<attribute name="a" attributeType="Date"><userInfo></userInfo></attribute>"#),
        Rule(
            .invalidDefault,
            #"<attribute name="a" attributeType="Binary"><userInfo><entry key="ashlar.migrationDefault" ▸value="AA=="/></userInfo></attribute>"#,
            #"<attribute name="a" attributeType="Binary"><userInfo></userInfo></attribute>"#),
        Rule(
            .invalidValue,
            #"<attribute name="a" attributeType="Date"><userInfo><entry key="ashlar.migrationCheck" ▸value="YES"/></userInfo></attribute>"#,
            #"<attribute name="a" attributeType="Date"><userInfo><entry key="ashlar.migrationCheck" value="lossless"/></userInfo></attribute>"#
        ),
        Rule(
            .unknownAttributeType, #"<attribute name="a" ▸attributeType="Integer32"/>"#,
            #"✓ <attribute name="a" attributeType="Integer 32"/>"#),
        Rule(
            .unknownAttributeType, #"<attribute name="a" ▸attributeType="Bool"/>"#,
            #"✓ <attribute name="a" attributeType="Boolean"/>"#),
        Rule(
            .unknownAttributeType, #"<attribute name="a" ▸attributeType="Data"/>"#,
            #"✓ <attribute name="a" attributeType="Binary"/>"#),
        Rule(
            .unknownAttributeType, #"<attribute name="a" ▸attributeType="Int"/>"#,
            #"<attribute name="a" attributeType="Integer 64"/>"#, #"<attribute name="a" attributeType="Integer 32"/>"#,
            #"<attribute name="a" attributeType="Integer 16"/>"#),
        Rule(.unknownAttributeType, #"<attribute name="a" ▸attributeType="Anything"/>"#),
        Rule(.missingAttributeType, #"▸<attribute name="a"/>"#),
        Rule(
            .invalidDefault, #"<attribute name="a" attributeType="Double" ▸defaultValueString="1,5"/>"#,
            #"<attribute name="a" attributeType="Double" defaultValueString="1.5"/>"#,
            #"<attribute name="a" attributeType="Double"/>"#),
        Rule(
            .invalidDefault, #"<attribute name="a" attributeType="Boolean" ▸defaultValueString="on"/>"#,
            #"<attribute name="a" attributeType="Boolean" defaultValueString="YES"/>"#,
            #"<attribute name="a" attributeType="Boolean"/>"#),
        Rule(
            .invalidDefault, #"<attribute name="a" attributeType="Float" ▸defaultValueString="1e39"/>"#,
            #"<attribute name="a" attributeType="Float"/>"#),
        Rule(
            .invalidDefault,
            #"<attribute name="a" attributeType="Decimal" ▸defaultValueString="123456789012345678901234567890123456789012345.678"/>"#,
            #"<attribute name="a" attributeType="Decimal"/>"#),
        Rule(
            .invalidValue,
            #"<attribute name="a" attributeType="String"><userInfo><entry key="ashlar.swiftType" ▸value="String; func a() {}"/></userInfo></attribute>"#,
            #"<attribute name="a" attributeType="String"><userInfo></userInfo></attribute>"#),
        Rule(
            .invalidDefault, #"<attribute name="a" attributeType="Integer 16" ▸defaultValueString="40000"/>"#,
            #"<attribute name="a" attributeType="Integer 16"/>"#),
        Rule(
            .invalidDefault, #"<attribute name="a" attributeType="Date" ▸defaultDateTimeInterval="today"/>"#,
            #"<attribute name="a" attributeType="Date"/>"#),
        Rule(
            .invalidDefault, .warning, #"<attribute name="a" attributeType="UUID" ▸defaultValueString="none"/>"#,
            #"✓ <attribute name="a" attributeType="UUID"/>"#),
        Rule(
            .invalidDefault, .warning,
            #"<attribute name="a" attributeType="Integer 16" minValueString="1" ▸defaultValueString="0"/>"#,
            #"<attribute name="a" attributeType="Integer 16" minValueString="1" defaultValueString="1"/>"#,
            #"<attribute name="a" attributeType="Integer 16" defaultValueString="0"/>"#),
        Rule(
            .invalidDefault, .warning,
            #"<attribute name="a" attributeType="String" ▸defaultValueString="four" maxValueString="3"/>"#,
            #"<attribute name="a" attributeType="String" defaultValueString="four"/>"#),
        Rule(
            .invalidDefault, .warning,
            #"<attribute name="a" attributeType="String" ▸defaultValueString="ab1" regularExpressionString="[a-z]+"/>"#,
            #"<attribute name="a" attributeType="String" regularExpressionString="[a-z]+"/>"#),
        Rule(
            .invalidValue, #"<attribute name="a" attributeType="Integer 16" ▸minValueString="low"/>"#,
            #"<attribute name="a" attributeType="Integer 16"/>"#),
        Rule(
            .invalidValue, #"<attribute name="a" attributeType="String" ▸maxValueString="-1"/>"#,
            #"<attribute name="a" attributeType="String"/>"#),
        Rule(
            .invalidValue,
            #"<attribute name="a" attributeType="Date" ▸minDateTimeInterval="2" maxDateTimeInterval="1"/>"#,
            #"<attribute name="a" attributeType="Date" minDateTimeInterval="1" maxDateTimeInterval="2"/>"#),
        Rule(
            .invalidRegularExpression, #"<attribute name="a" attributeType="String" ▸regularExpressionString="(a"/>"#,
            #"<attribute name="a" attributeType="String"/>"#),
        Rule(
            .missingTransformer, #"▸<attribute name="a" attributeType="Transformable"/>"#,
            #"<attribute name="a" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>"#),
        Rule(
            .wrongTransformer,
            #"<attribute name="a" attributeType="Transformable" ▸valueTransformerName="NSSecureUnarchiveFromDataTransformerName"/>"#,
            #"✓ <attribute name="a" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>"#),
        Rule(
            .wrongTransformer, .error,
            #"<attribute name="a" attributeType="Transformable" ▸valueTransformerName="tags-and-more"/>"#),
        Rule(
            .wrongTransformer,
            #"<attribute name="a" attributeType="Transformable" ▸valueTransformerName="com.example.Tags"/>"#),
        Rule(
            .missingTransformer, #"▸<attribute name="a" attributeType="Transformable" customClassName="UIColor"/>"#),
        Rule(
            .noEffect, #"<attribute name="a" attributeType="URI" ▸valueTransformerName="Tags"/>"#,
            #"✓ <attribute name="a" attributeType="URI"/>"#),
        Rule(
            .noEffect, #"<attribute name="a" attributeType="String" ▸allowsExternalBinaryDataStorage="YES"/>"#,
            #"<attribute name="a" attributeType="String"/>"#),
        Rule(
            .noEffect, #"<attribute name="a" attributeType="Boolean" ▸maxValueString="1"/>"#,
            #"✓ <attribute name="a" attributeType="Boolean"/>"#),
        Rule(
            .noEffect, #"<attribute name="a" attributeType="Integer 16" ▸regularExpressionString="1+"/>"#,
            #"✓ <attribute name="a" attributeType="Integer 16"/>"#),
        Rule(
            .noEffect, #"<attribute name="a" attributeType="Double" ▸defaultDateTimeInterval="0"/>"#,
            #"✓ <attribute name="a" attributeType="Double"/>"#),
        Rule(
            .noEffect, #"<attribute name="a" attributeType="String" transient="YES" ▸indexed="YES"/>"#,
            #"<attribute name="a" attributeType="String" transient="YES"/>"#),
        Rule(
            .unknownComposite,
            #"<composite name="Place"/><entity name="A"><attribute name="a" attributeType="Composite" ▸composite="place"/></entity>"#,
            #"✓ <composite name="Place"/><entity name="A"><attribute name="a" attributeType="Composite" composite="Place"/></entity>"#
        ),
    ]

    /// Findings about composites.
    static let ofComposites = [
        Rule(
            .unknownComposite,
            #"<composite name="A"><attribute name="a" attributeType="Composite" ▸composite="B"/></composite>\#(e)"#),
        Rule(.duplicateComposite, #"<composite name="A"/><composite ▸name="A"/>\#(e)"#, #"<composite name="A"/>\#(e)"#),
        Rule(
            .compositeCycle,
            #"▸<composite name="A"><attribute name="a" attributeType="Composite" composite="A"/></composite>\#(e)"#),
        Rule(
            .invalidComposite,
            #"<composite name="A"><attribute name="a" attributeType="String" ▸transient="YES"/></composite>\#(e)"#,
            #"<composite name="A"><attribute name="a" attributeType="String"/></composite>\#(e)"#),
        Rule(
            .invalidComposite,
            #"<composite name="A"><attribute name="a" attributeType="Date" ▸derived="YES" derivationExpression="now()"/></composite>\#(e)"#,
            #"<composite name="A"><attribute name="a" attributeType="Date"/></composite>\#(e)"#),
        Rule(
            .invalidComposite, .warning,
            #"<composite name="A"/><entity name="E"><attribute name="a" attributeType="Composite" composite="A"><userInfo>▸<entry key="ashlar.swiftType" value="T"/></userInfo></attribute></entity>"#,
            #"<composite name="A"/><entity name="E"><attribute name="a" attributeType="Composite" composite="A"><userInfo></userInfo></attribute></entity>"#
        ),
    ]

    /// A model needs an entity.
    private static let e = #"<entity name="E"/>"#

    /// An attribute to index.
    static let p = #"<attribute name="p" optional="YES" attributeType="String"/>"#

    static func index(_ name: String, _ properties: String...) -> String {
        let elements = properties.map { "<fetchIndexElement property=\"\($0)\"/>" }
        return "<fetchIndex name=\"\(name)\">\(elements.joined())</fetchIndex>"
    }
}
