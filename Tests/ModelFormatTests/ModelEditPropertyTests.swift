import DataModel
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import ModelFormat

/// Random edits of real models beside the same changes of plain XML.
@Suite("Random edits of real models", .enabled(if: Corpus.exists, "there is no corpus of real models on this machine"))
struct ModelEditPropertyTests {
    private static let files = Corpus.files

    @Test func theyAreTheIntendedChangesAndNothingElse() throws {
        var made: [String: Int] = [:]
        for seed in seeds(12) {
            var generator = SeededGenerator(seed: seed)
            let file = try #require(Self.files.randomElement(using: &generator))
            var version = try VersionText(
                contents: [UInt8](Data(contentsOf: URL(fileURLWithPath: file))), file: "contents")
            for _ in 0..<6 {
                guard let (edit, names, change) = Self.edit(of: version.model, &generator) else { continue }
                let before = version
                let comment = "seed \(seed), \(file): \(edit)"
                do {
                    try version.apply(edit)
                } catch {
                    // A property that a derivation, a predicate or a child needs is not removed.
                    guard case .inUse = error else {
                        Issue.record("\(error): \(comment)")
                        continue
                    }
                    #expect(version.bytes == before.bytes, "\(comment)")
                    continue
                }
                made[Self.kind(of: edit), default: 0] += 1
                var expected = try #require(PlainXML(before.bytes))
                change(&expected)
                let after = try #require(PlainXML(version.bytes), "\(comment)")
                #expect(Self.comparable(after) == Self.comparable(expected), "\(comment)")
                Self.expectOtherLinesUnchanged(before.bytes, version.bytes, names, comment)
                #expect(Self.errorCount(version) <= Self.errorCount(before), "\(comment)")
            }
            let formatted = try ModelFormatter.formatted(version.bytes, file: "contents")
            #expect(try ModelFormatter.formatted(formatted, file: "contents") == formatted, "seed \(seed)")
        }
        #expect(made.count >= 5 && made.values.reduce(0, +) > 25, "\(made)")
    }

    // MARK: Edits

    private typealias Change = (inout PlainXML) -> Void

    /// An edit, the names that changed lines may contain, and the same change of the XML. Each changed line has a name.
    private static func edit(
        of model: Model, _ generator: inout SeededGenerator
    ) -> (ModelEdit, names: [String], Change)? {
        guard let entity = model.entities.randomElement(using: &generator) else { return nil }
        let owner = entity.name
        let new = "new\(Int.random(in: 0..<1_000_000_000, using: &generator))"
        let properties = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        let name = properties.randomElement(using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            return (.addEntity(new), [new], { $0.children.append(PlainXML("entity", ["name": new])) })
        case 1:
            let element = PlainXML(
                "attribute", ["name": new, "attributeType": "String", "optional": "YES"])
            return (
                .addAttribute(new, of: owner, type: .string, values: [.init(name: "optional", value: "YES")]),
                ["\"\(owner)\"", new], { $0.add(element, to: owner) }
            )
        case 2:
            guard let other = model.entities.randomElement(using: &generator)?.name else { return nil }
            let sides = (
                ModelEdit.NewRelationship.Side(new, isToMany: true),
                ModelEdit.NewRelationship.Side(new + "Back", isToMany: false)
            )
            func element(_ name: String, _ count: (String, String), _ destination: String, _ inverse: String)
                -> PlainXML
            {
                PlainXML(
                    "relationship",
                    [
                        "name": name, "optional": "YES", count.0: count.1, "deletionRule": "Nullify",
                        "destinationEntity": destination, "inverseName": inverse, "inverseEntity": destination,
                    ])
            }
            return (
                .addRelationship(.init(sides.0, of: owner, to: other, inverse: sides.1)),
                ["\"\(owner)\"", "\"\(other)\"", new],
                {
                    $0.add(element(new, ("toMany", "YES"), other, new + "Back"), to: owner)
                    $0.add(element(new + "Back", ("maxCount", "1"), owner, new), to: other)
                }
            )
        case 3: return (.rename(.entity(owner), to: new), [owner, new], { $0.renameEntity(owner, to: new) })
        case 4, 5:
            guard let name else { return nil }
            return (
                .rename(.property(name, of: owner), to: new), [name, new],
                { $0.renameProperty(name, of: owner, to: new) }
            )
        case 6:
            guard let name else { return nil }
            // The content of the property is removed with it.
            let structure = [name, "onstraint", "ndex", "relationship", "userInfo", "entry"]
            return (.remove(.property(name, of: owner)), structure, { $0.removeProperty(name, of: owner) })
        default:
            guard let attribute = entity.attributes.randomElement(using: &generator)?.name else { return nil }
            return (
                .change(.property(attribute, of: owner), attribute: "versionHashModifier", to: new),
                ["\"\(attribute)\""],
                { model in
                    model.visit { element, entity in
                        guard element.name == "attribute", element["name"] == attribute, entity == owner else { return }
                        element["versionHashModifier"] = new
                    }
                }
            )
        }
    }

    private static func kind(of edit: ModelEdit) -> String {
        String("\(edit)".prefix { $0 != "(" }) + ("\(edit)".contains(".entity(") ? " entity" : "")
    }

    // MARK: Comparisons

    /// The tree without the predicates and expressions, which other tests look at.
    private static func comparable(_ tree: PlainXML) -> PlainXML {
        var tree = tree
        tree.visit { element, _ in
            for name in ["predicateString", "derivationExpression", "expression", "partialIndexPredicate"] {
                element[name] = nil
            }
        }
        return tree.unordered
    }

    /// Lines that went or came have one of the names.
    private static func expectOtherLinesUnchanged(
        _ before: [UInt8], _ after: [UInt8], _ names: [String], _ comment: String
    ) {
        for line in LineDifference(from: before, to: after).changes {
            let isStructure = line.text.dropFirst().trimmingCharacters(in: .whitespaces).hasPrefix("</")
            #expect(isStructure || names.contains { line.text.contains($0) }, "\(line.text): \(comment)")
        }
    }

    private static func errorCount(_ version: VersionText) -> Int {
        let (_, found) = ModelReader.read(contents: version.bytes, named: "", file: "contents")
        return (found.all + ModelChecker.check(version.model).all).count { $0.severity == .error }
    }
}

extension PlainXML {
    fileprivate mutating func add(_ element: PlainXML, to entity: String) {
        for index in children.indices where children[index].name == "entity" && children[index]["name"] == entity {
            children[index].children.append(element)
        }
    }
}
