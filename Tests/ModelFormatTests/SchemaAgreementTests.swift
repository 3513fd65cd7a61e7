import DataModel
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import ModelFormat

/// The schema and the reader agree on any document: the schema refuses those that the reader reports, and no others.
@Suite("Agreement of schema and reader")
struct SchemaAgreementTests {
    /// An element that can be changed.
    private struct Node {
        var name: String
        var attributes: [(name: String, value: String)]
        var children: [Node]

        init(_ element: XMLElement) {
            name = element.name
            attributes = element.attributes.map { ($0.name, $0.value) }
            children = element.children.map(Node.init)
        }

        var text: String {
            let values = attributes.map { " \($0.name)=\"\($0.value.replacing("\"", with: "&quot;"))\"" }.joined()
            return "<\(name)\(values)>\(children.map(\.text).joined())</\(name)>"
        }

        /// The number of elements in it, itself included.
        var count: Int { children.reduce(1) { $0 + $1.count } }

        /// Changes the element with a number, counted from 0 in document order.
        mutating func change(_ number: Int, _ body: (inout Node) -> Void) {
            if number == 0 { return body(&self) }
            var first = 1
            for index in children.indices {
                let count = children[index].count
                if number < first + count { return children[index].change(number - first, body) }
                first += count
            }
        }

        func node(_ number: Int) -> Node {
            var copy = self
            var result = self
            copy.change(number) { result = $0 }
            return result
        }
    }

    private static let valid = document(
        """
        <entity name="Post" representedClassName=".Post" isAbstract="YES" elementID="Old" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String" defaultValueString="x" minValueString="1"/>
            <attribute name="likes" attributeType="Integer 64" transient="NO" indexed="YES">
                <userInfo><entry key="k" value="v"/></userInfo></attribute>
            <attribute name="count" attributeType="Integer 64" derived="YES" derivationExpression="now()"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
                inverseName="posts" inverseEntity="Author"/>
            <relationship name="tags" toMany="YES" ordered="YES" minCount="0" destinationEntity="Tag"/>
            <fetchedProperty name="f" optional="YES"><fetchRequest name="r" entity="Post"/></fetchedProperty>
            <fetchIndex name="i"><fetchIndexElement property="likes" type="RTree" order="ascending"/></fetchIndex>
            <fetchIndex name="j"><fetchIndexElement property="title" type="Binary" order="descending"/>
                <fetchIndexElement expression="likes + 1"/></fetchIndex>
            <uniquenessConstraints><uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
            </uniquenessConstraints>
            <compoundIndexes><compoundIndex><index value="likes"/></compoundIndex></compoundIndexes>
        </entity>
        <fetchRequest name="template" entity="Post" predicateString="TRUEPREDICATE" fetchLimit="3"/>
        <configuration name="C"><memberEntity name="Post"/></configuration>
        <composite name="Place"><attribute name="x" attributeType="Double"/></composite>
        <elements><element name="Post" positionX="0"/></elements>
        """)

    private static let values = [
        "", "1", "0", "-1", "YES", "No", "true", "maybe", "x", "Integer 64", "Date", "Cascade", "No Action", "RTree",
        "r-tree", "Binary", "binary", "descending", "Ascending", "99999999999999999999", "2.5",
    ]

    /// The attributes whose values only the schema checks. The reader ignores them, or leaves them to the model
    /// checker.
    private static let checkedBySchemaAlone: Set<String> = [
        "usedWithSwiftData", "usedWithCloudKit", "usesScalarValueType", "syncable", "spotlightIndexingEnabled",
        "storedInTruthFile", "allowsCloudEncryption", "includeSubentities", "includePropertyValues",
        "returnObjectsAsFaults", "includesPendingChanges", "returnDistinctResults", "resultType",
        "defaultDateTimeInterval", "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
    ]

    private static let attributeNames =
        ElementVocabulary.all.values.flatMap { $0.attributes }.sorted() + ["optoinal", "defaultValue", "xml:lang"]
    private static let elementNames = ElementVocabulary.all.keys.sorted() + ["atribute"]

    /// A value. If only one of the two checks the attribute, it is a value that both accept.
    private static func value(
        of attribute: String, in element: String, _ generator: inout some RandomNumberGenerator
    ) -> String {
        let isFree =
            checkedBySchemaAlone.contains(attribute)
            || element == "relationship" && attribute == "indexed"
            || element == "fetchedProperty" && ["optional", "transient"].contains(attribute)
        return isFree ? "1" : values.randomElement(using: &generator) ?? ""
    }

    private static func mutate(_ root: inout Node, _ generator: inout some RandomNumberGenerator) {
        // The root element does not change.
        let number = Int.random(in: 1..<root.count, using: &generator)
        let other = root.node(Int.random(in: 1..<root.count, using: &generator))
        var random = generator
        root.change(number) { node in
            let index = node.attributes.indices.randomElement(using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: if let index { node.attributes.remove(at: index) }
            case 1:
                if let index {
                    node.attributes[index].value = value(of: node.attributes[index].name, in: node.name, &random)
                }
            case 2, 3:
                let name = attributeNames.randomElement(using: &random) ?? ""
                if node.attributes.contains(where: { $0.name == name }) { return }
                node.attributes.append((name, value(of: name, in: node.name, &random)))
            case 4:
                // If a fetched property has two requests, the reader takes the first without a finding.
                if node.name == "fetchedProperty" && other.name == "fetchRequest" || node.count > 200 { return }
                node.children.append(other)
            case 5: node.name = elementNames.randomElement(using: &random) ?? ""
            default:
                if let index = node.children.indices.randomElement(using: &random) { node.children.remove(at: index) }
            }
        }
        generator = random
    }

    /// Values of attributes that came to another element, where only one of the two looks.
    private static func isComparable(_ node: Node) -> Bool {
        let isFetchedProperty = node.name == "fetchedProperty"
        if isFetchedProperty && node.children.count(where: { $0.name == "fetchRequest" }) > 1 { return false }
        // The schema accepts each attribute by itself, and the reader reports that the two contradict each other.
        if node.name == "relationship", let maximum = node.attributes.first(where: { $0.name == "maxCount" })?.value {
            let toMany = node.attributes.first { $0.name == "toMany" }?.value.lowercased() ?? ""
            if ["yes", "true", "1"].contains(toMany) == (Int(maximum) == 1) { return false }
        }
        // A schema cannot compare the keys of entries.
        let entries = node.children.filter { $0.name == "userInfo" }.flatMap(\.children)
        let keys = entries.compactMap { entry in entry.attributes.first { $0.name == "key" }?.value }
        if Set(keys).count < keys.count { return false }
        let free = node.attributes.filter { attribute in
            checkedBySchemaAlone.contains(attribute.name)
                || node.name == "relationship" && attribute.name == "indexed"
                || isFetchedProperty && ["optional", "transient"].contains(attribute.name)
        }
        return free.allSatisfy { ["0", "1", "YES"].contains($0.value) } && node.children.allSatisfy(isComparable)
    }

    @Test func oneRefusesWhatTheOtherReports() throws {
        let schema = try FormatSchema()
        var diagnostics = Diagnostics()
        let root = try #require(
            XMLElement(parsing: Array(Self.valid.utf8), file: "contents", reportingTo: &diagnostics))
        let original = Node(root)
        #expect(read(original.text).findings.isEmpty)
        #expect(schema.refusal(of: original.text.utf8) == nil)
        let seeds = seeds(1500)
        var accepted = 0
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            var node = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) { Self.mutate(&node, &generator) }
            guard Self.isComparable(node) else { continue }
            let text = node.text
            let refusal = schema.refusal(of: text.utf8)
            let findings = read(text).diagnostics
            if refusal == nil { accepted += 1 }
            #expect(
                (refusal == nil) == findings.isEmpty,
                "seed \(seed): \(findings), \(refusal ?? "accepted")\n\(text)")
        }
        #expect(accepted > seeds.count / 15, "too few of the documents are valid")
    }
}
