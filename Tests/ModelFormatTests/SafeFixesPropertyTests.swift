import DataModel
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import ModelFormat

/// Models with random mistakes of the kinds that people make.
@Suite("Safe fixes of random mistakes")
struct SafeFixesPropertyTests {
    /// Parts of the project's own models, small enough to be checked many times.
    private static let models = [
        document(
            """
                <entity name="Animal" representedClassName=".Animal" isAbstract="YES" syncable="YES">
                    <attribute name="name" attributeType="String" minValueString="1" defaultValueString="?"/>
                    <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="0" usesScalarValueType="NO"/>
                    <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
                    <relationship name="keeper" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Keeper" inverseName="animals" inverseEntity="Keeper"/>
                    <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
                    <fetchIndex name="byBirth"><fetchIndexElement property="born" type="RTree" order="ascending"/></fetchIndex>
                </entity>
                <entity name="Lion" parentEntity="Animal" elementID="Cat">
                    <attribute name="mane" optional="YES" attributeType="Boolean" defaultValueString="NO" indexed="YES"/>
                    <userInfo><entry key="ashlar.silence" value="no-action, missing-inverse"/><entry key="k" value="v"/></userInfo>
                </entity>
                <entity name="Keeper" representedClassName=".Keeper">
                    <attribute name="number" attributeType="Integer 32" defaultValueString="0" minValueString="0" maxValueString="99"/>
                    <attribute name="diet" optional="YES" attributeType="String" regularExpressionString="[a-z]+ &amp; [a-z]+"/>
                    <relationship name="animals" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Animal" inverseName="keeper" inverseEntity="Animal"/>
                    <uniquenessConstraints><uniquenessConstraint><constraint value="number"/></uniquenessConstraint></uniquenessConstraints>
                </entity>
            """)
    ]

    @Test func theyEndAndMakeNothingWorse() {
        for seed in seeds(150) {
            var generator = SeededGenerator(seed: seed)
            var bytes = Array(Self.models[0].utf8)
            for _ in 0..<Int.random(in: 1...5, using: &generator) { mutate(&bytes, &generator) }
            let before = check(bytes)
            let fixes = SafeFixes(contents: bytes, file: "contents")
            let after = check(fixes.bytes)
            let comment = "seed \(seed)\n\(String(decoding: bytes, as: UTF8.self))"
            #expect(after.errors <= before.errors, "\(comment)")
            #expect(fixes.applied.isEmpty == (fixes.bytes == bytes), "\(comment)")
            #expect(SafeFixes(contents: fixes.bytes, file: "contents").applied.isEmpty, "\(comment)")
            if before.errors == 0 {
                #expect(after.model?.versionHash == before.model?.versionHash, "\(comment)")
                #expect(after.model?.schemaHash == before.model?.schemaHash, "\(comment)")
            }
        }
    }

    /// A person may choose a bad fix, but every fix ends and leaves well-formed XML.
    @Test func anyFixLeavesAModelThatCanBeRead() {
        for seed in seeds(50) {
            var generator = SeededGenerator(seed: seed)
            var bytes = Array(Self.models[0].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) { mutate(&bytes, &generator) }
            let comment = "seed \(seed)\n\(String(decoding: bytes, as: UTF8.self))"
            let found = check(bytes)
            guard found.model != nil else { continue }
            for finding in found.findings {
                for fix in finding.fixes {
                    var resolver = FindingResolver(bytes, file: "contents")
                    let edits = resolver.edits(of: fix)
                    #expect(edits != nil, "\(fix.title): \(comment)")
                    let after = check((edits ?? []).applied(to: bytes))
                    #expect(after.model != nil, "\(fix.title): \(comment)")
                    #expect(!after.findings.contains { $0.code == .malformedXML }, "\(fix.title): \(comment)")
                }
            }
            let choices = Dictionary(
                uniqueKeysWithValues: Diagnostic.Code.allCases.map { ($0, FixChoice.first) })
            let all = SafeFixes(contents: bytes, file: "contents", alsoFixing: choices)
            #expect(check(all.bytes).errors <= found.errors, "\(comment)")
        }
    }

    private func check(_ bytes: [UInt8]) -> (model: Model?, findings: [Diagnostic], errors: Int) {
        var (model, diagnostics) = ModelReader.read(contents: bytes, named: "M", file: "contents")
        if let model { diagnostics.report(contentsOf: ModelChecker.check(model)) }
        return (model, diagnostics.sorted, diagnostics.all.count { $0.severity == .error })
    }

    // MARK: Mistakes

    private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard let document = SourceDocument(bytes),
            let element = document.elements.dropFirst().randomElement(using: &generator)
        else { return }
        let attribute = element.attributes.randomElement(using: &generator)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: if let attribute { misspell(&bytes, attribute.nameRange, &generator) }
        case 1, 2: if let attribute { misspell(&bytes, attribute.valueRange, &generator) }
        case 3: if let attribute { bytes.removeSubrange(attribute.range) }
        case 4: bytes.insert(contentsOf: bytes[element.range], at: element.range.upperBound)
        case 5: bytes.removeSubrange(element.range)
        case 6: misspell(&bytes, element.nameRange, &generator)
        case 7:
            guard let attribute, let value = Self.values.randomElement(using: &generator) else { return }
            bytes.replaceSubrange(attribute.valueRange, with: Array(value.utf8))
        default:
            guard let text = Self.attributes.randomElement(using: &generator) else { return }
            bytes.insert(contentsOf: Array(" \(text)".utf8), at: element.nameRange.upperBound)
        }
    }

    private func misspell(_ bytes: inout [UInt8], _ range: Range<Int>, _ generator: inout SeededGenerator) {
        guard let place = range.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] ^= 0x20
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(bytes[place], at: place)
        default: if place + 1 < range.upperBound { bytes.swapAt(place, place + 1) }
        }
    }

    private static let values = [
        "Y", "on", "FALSE", "-1", "1.5", "Integer32", "Int", "Bool", "nullify", "desc", "rtree", "no action",
        "a &lt; b",
        "", "1st", "hash", "_ashlar", "Lion", "lion", "name", "Name", "(", "NSSecureUnarchiveFromDataTransformer",
    ]
    private static let attributes = [
        "x='y'", "renamingIdentifier=\"old\"", "abstract=\"YES\"", "sincable=\"YES\"", "maxCount=\"3\"",
        "transient=\"YES\"",
        "defaultValueString=\"nothing\"", "valueTransformerName=\"T\"", "elementID='a'", "toMany=\"Y\"",
    ]
}
