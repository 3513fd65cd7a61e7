import DataModel
import Foundation
import ModelFormat
import Testing

/// Every public name of the runtime, and every name of a type parameter, as that of an entity, a composite, an attribute,
/// a relationship, a template with its variable, an index and a configuration.
@Suite(Compiler.condition) struct RuntimeNamesTests {
    /// Names of types outside the runtime that generated code uses.
    private static let others = [
        "Codable", "Data", "Date", "Decimal", "Double", "Equatable", "Float", "Foundation", "Hashable", "Int", "Int16",
        "Int32", "Int64", "Optional", "Sendable", "String", "Swift", "UInt64", "URL", "UUID", "CodingKeys", "Array",
        "Set",
        "Dictionary", "Bool", "ClosedRange", "UnsafeMutableRawPointer", "Void", "Identifiable", "RawRepresentable",
        "Encoder", "Decoder", "Ashlar", "NamesModel", "Names",
    ]

    private static func relationships(_ name: String, _ inverse: String, to entity: String) -> String {
        "<relationship name=\"\(name)\" maxCount=\"1\" optional=\"YES\" deletionRule=\"Nullify\" "
            + "destinationEntity=\"\(entity)\" inverseName=\"\(inverse)\" inverseEntity=\"\(entity)\"/>"
            + "<relationship name=\"\(inverse)\" toMany=\"YES\" optional=\"YES\" deletionRule=\"Nullify\" "
            + "destinationEntity=\"\(entity)\" inverseName=\"\(name)\" inverseEntity=\"\(entity)\"/>"
    }

    /// An entity that leads to itself, has an attribute of its own name, and a template with a variable of it.
    private static func entity(_ name: String) -> String {
        """
        <entity name="\(name)"><attribute name="\(name)" attributeType="String" optional="YES"/>
        <attribute name="part" attributeType="Composite" composite="\(name)Part" optional="YES"/>
        \(relationships("parent0", "children0", to: name))
        <fetchIndex name="by\(name)"><fetchIndexElement property="\(name)" type="Binary"/></fetchIndex></entity>
        <composite name="\(name)Part"><attribute name="\(name)" attributeType="Decimal" defaultValueString="1.5"/>
        </composite>
        <fetchRequest name="of\(name)" entity="\(name)" predicateString="parent0 == $\(name) AND \(name) == 'a'"/>
        """
    }

    private static func document(entities: [String], composites: [String], members: [String]) -> String {
        let types = ["String", "Integer 64", "Boolean", "Date", "Decimal", "UUID"]
        let attributes = members.enumerated().map { index, name in
            "<attribute name=\"\(name)\" attributeType=\"\(types[index % types.count])\" optional=\"YES\"/>"
        }
        let links = members.map { name in
            "<relationship name=\"\(name)\" maxCount=\"1\" optional=\"YES\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"SecondOfAll\" inverseName=\"\(name)\" inverseEntity=\"SecondOfAll\"/>"
        }.joined()
        let inverses = links.replacingOccurrences(of: "maxCount=\"1\"", with: "toMany=\"YES\"")
            .replacingOccurrences(of: "SecondOfAll", with: "FirstOfAll")
        let templates = members.map { name in
            "<fetchRequest name=\"\(name)\" entity=\"WithAttributes\" predicateString=\"\(name) == $\(name)\"/>"
        }
        let structs = composites.map { name in
            "<composite name=\"\(name)\"><attribute name=\"\(name)\" attributeType=\"String\" defaultValueString=\"\"/>"
                + "<attribute name=\"a\" attributeType=\"Date\" optional=\"YES\"/></composite>"
        }
        let composed = composites.map { name in
            "<attribute name=\"\(name)\" attributeType=\"Composite\" composite=\"\(name)\"/>"
        }
        let configurations = members.map { name in
            "<configuration name=\"\(name)\"><memberEntity name=\"WithAttributes\"/></configuration>"
        }
        return """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="WithAttributes">\(attributes.joined())</entity>
            <entity name="FirstOfAll">\(links)</entity><entity name="SecondOfAll">\(inverses)</entity>
            <entity name="Composed">\(composed.joined())</entity>
            \(entities.map(entity).joined())\(structs.joined())\(templates.joined())\(configurations.joined())
            </model>
            """
    }

    private static func isLegal(_ name: String) -> Bool {
        let text = document(entities: [name], composites: [], members: [name])
        let (model, found) = ModelReader.read(contents: Array(text.utf8), named: "Names", file: "contents")
        guard let model, !found.hasErrors else { return false }
        return !ModelChecker.check(model).hasErrors
    }

    /// SQLite does not distinguish names that differ only in case.
    private static func unique(_ names: some Sequence<String>) -> [String] {
        var seen: Set<String> = []
        return names.sorted().filter { isLegal($0) && seen.insert($0.lowercased()).inserted }
    }

    /// Names for models that compile in seconds: one of each forty, or all where `ASHLAR_TEST_EFFORT` asks for more.
    private static func groups(_ names: [String]) -> [[String]] {
        let count = (names.count + 39) / 40
        let groups = (0..<count).map { group in
            names.indices.filter { $0 % count == group }.map { names[$0] }
        }
        let effort = ProcessInfo.processInfo.environment["ASHLAR_TEST_EFFORT"].flatMap { Int($0) } ?? 1
        return effort > 1 ? groups : Array(groups.prefix(1))
    }

    private func compile(_ document: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
        let folder = try GenerationFolder()
        let complaints = try Compiler.complaints(about: folder.generate(document))
        let lines = complaints.split(separator: "\n").filter { $0.contains("error:") || $0.contains("warning:") }
        #expect(complaints.isEmpty, "\(lines.prefix(40).joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    @Test func typesOfTheRuntimeAreNamesOfAnything() throws {
        let types = try Self.unique(RuntimeNames().types.union(Self.others))
        #expect(types.count > 150)
        #expect(["Model", "Columns", "Condition", "Composite", "Element", "Root"].allSatisfy(types.contains))
        for names in Self.groups(types) {
            try compile(Self.document(entities: names, composites: [], members: names))
            try compile(Self.document(entities: [], composites: names, members: ["only"]))
        }
    }

    @Test func membersOfTheRuntimeAreNamesOfProperties() throws {
        let members = try Self.unique(RuntimeNames().members)
        #expect(members.count > 300)
        for names in Self.groups(members) {
            try compile(Self.document(entities: [], composites: [], members: names))
        }
    }

    /// A name with an added underscore does not collide with a name that already has one.
    @Test func namesWithUnderscoresAreTheirOwn() throws {
        let names = ["init", "init_", "init__", "self", "self_", "Values", "Values_", "CodingKeys", "CodingKeys_"]
        try compile(
            Self.document(
                entities: ["Row", "Row_", "Row__", "Type", "Type_"], composites: ["String", "String_", "CodingKeys"],
                members: names))
    }
}
