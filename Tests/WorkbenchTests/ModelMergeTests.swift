import DataModel
import ModelMerge
import RandomNumbers
import RandomSeeds
import Testing

/// Two edits of a model as one.
@Suite struct ModelMergeTests {
    private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"

    private func bytes(_ tree: ModelTree) -> [UInt8] { Array(ModelFile(head: Self.head, root: tree).text.utf8) }

    private func read(_ bytes: [UInt8]) throws -> ModelTree {
        var diagnostics = Diagnostics()
        return try #require(
            ModelFile(bytes, file: "contents", reportingTo: &diagnostics)?.root, "\(diagnostics.all)")
    }

    /// Random edits of different things on both sides are all applied, whichever side merges.
    @Test(arguments: seeds(100)) func bothSidesAreApplied(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let base = RandomModel(&random).tree
        var edits: [RandomEdit] = []
        for number in 0..<random.number(1..<16) {
            guard let edit = RandomEdit.random(of: base, number: number, &random),
                !edits.contains(where: { $0.touches(edit) })
            else { continue }
            edits.append(edit)
        }
        var (ours, theirs, both) = (base, base, base)
        for edit in edits {
            edit.apply(&both)
            if random.oneIn(2) { edit.apply(&ours) } else { edit.apply(&theirs) }
        }
        let merge = ModelMerge(base: base, ours: ours, theirs: theirs)
        #expect(merge.conflicts.isEmpty, "\(seed): \(merge.conflicts)")
        #expect(merge.result.sorted == both.sorted, "\(seed): \(edits.map(\.slot))")
        let reverse = ModelMerge(base: base, ours: theirs, theirs: ours)
        #expect(reverse.result.sorted == both.sorted, "\(seed)")
        #expect(try read(bytes(merge.result)) == merge.result, "\(seed)")
    }

    /// Between additions of both sides, a missing attribute counts as the format's default.
    @Test func additionsOfBothSides() {
        let base = ModelTree("model")
        func model(_ attributes: [ModelTree.Attribute]) -> ModelTree {
            let attribute = ModelTree("attribute", [ModelTree.Attribute("name", "p")] + attributes)
            return ModelTree(
                "model",
                children: [
                    ModelTree("entity", [ModelTree.Attribute("name", "Z")], children: [attribute])
                ])
        }
        let (required, optional) = (model([]), model([ModelTree.Attribute("optional", "YES")]))
        for (ours, theirs) in [(required, optional), (optional, required)] {
            let merge = ModelMerge(base: base, ours: ours, theirs: theirs)
            #expect(merge.conflicts.map(\.place) == ["entity Z, attribute p"])
            #expect(merge.conflicts.map(\.subject) == ["optional"])
            #expect(merge.result.children[0].children[0]["optional"] == ours.children[0].children[0]["optional"])
        }
        #expect(ModelMerge(base: base, ours: optional, theirs: optional).conflicts.isEmpty)
    }

    /// Conflicting changes of both sides are named, the rest is merged, and the result can be read.
    @Test(arguments: seeds(60)) func whatBothChangedIsNamed(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let base = RandomModel(&random).tree
        let entities = base.children.filter { $0.name == "entity" }
        let entity = try #require(entities.randomElement(using: &random))
        let attribute = try #require(entity.children.filter { $0.name == "attribute" }.last)
        let (stable, own) = (try #require(entity["stable"]), try #require(attribute["stable"]))
        var (ours, theirs) = (base, base)
        let value = ["a--b", "-->", "\"'<&>\n\u{1F9F1}", "\u{202E}"].randomElement(using: &random) ?? ""
        let subject: String
        switch random.number(0..<5) {
        case 0:
            subject = "attribute \(attribute["name"] ?? ""): defaultValueString"
            ours.with(own) { $0["defaultValueString"] = value }
            theirs.with(own) { $0["defaultValueString"] = value + "2" }
        case 1:
            subject = "attribute \(attribute["name"] ?? ""): the whole"
            ours.remove(own)
            theirs.with(own) { $0["optional"] = "NO" }
        case 2:
            subject = "entity \(entity["name"] ?? ""): name"
            ours.rename(entity: stable, to: "One")
            theirs.rename(entity: stable, to: "Two")
        case 3:
            subject = "entry note: value"
            ours.with(stable) { $0.changeEntry("note", to: value) }
            theirs.with(stable) { $0.changeEntry("note", to: "another") }
        default:
            subject = "fetchIndex byValue: elements"
            for (order, side) in [("descending", 0), ("sideways", 1)] {
                func change(_ tree: inout ModelTree) {
                    tree.with(stable) { entity in
                        guard let index = entity.children.firstIndex(where: { $0.name == "fetchIndex" }) else { return }
                        entity.children[index].children[0]["order"] = order
                    }
                }
                if side == 0 { change(&ours) } else { change(&theirs) }
            }
        }
        theirs["onlyThere"] = "yes"
        let merge = ModelMerge(base: base, ours: ours, theirs: theirs)
        #expect(merge.conflicts.count == 1, "\(seed): \(merge.conflicts)")
        #expect(merge.conflicts.first?.description.contains(subject) == true, "\(seed): \(merge.conflicts), \(subject)")
        #expect(merge.result["onlyThere"] == "yes")
        let written = bytes(merge.result)
        #expect(String(decoding: written, as: UTF8.self).contains("<!-- merge conflict: "), "\(seed)")
        #expect(try read(written).meaning == merge.result.meaning, "\(seed)")
    }

    /// If only one side changed, the result is that side's file, byte by byte.
    @Test func whatOneSideChangedStaysAsItIsWritten() throws {
        let base = Array("<model>\n  <entity   name='A'/></model>".utf8)
        let changed = Array("<model>\n  <entity   name='B' elementID='A'/>\n</model>\n\n".utf8)
        for (ours, theirs) in [(base, changed), (changed, base), (changed, changed)] {
            let merge = try FileMerge(base: base, ours: ours, theirs: theirs, file: "contents")
            #expect(merge.bytes == changed && merge.conflicts.isEmpty)
        }
    }

    /// Both sides added a version of one name: there is no common base.
    @Test func withoutABase() throws {
        let ours = Array("<model><entity name=\"A\"/><entity name=\"B\" isAbstract=\"YES\"/></model>".utf8)
        let theirs = Array("<model><entity name=\"B\" isAbstract=\"NO\"/><entity name=\"C\"/></model>".utf8)
        let merge = try FileMerge(base: [], ours: ours, theirs: theirs, file: "contents")
        #expect(
            merge.conflicts.map(\.description) == [
                "entity B: isAbstract was not there, is \"YES\" here and \"NO\" on the other side"
            ])
        let text = String(decoding: merge.bytes, as: UTF8.self)
        for name in ["A", "B", "C"] { #expect(text.contains("<entity name=\"\(name)\"")) }
    }

    /// Each side is valid by itself, and both together are not.
    @Test func whatDoesNotGoTogether() throws {
        func model(_ elements: String) -> [UInt8] { Array(TemporaryFolder.contents(elements).utf8) }
        let base = model("<entity name=\"A\"/><entity name=\"B\"/>")
        let ours = model("<entity name=\"A\"/>")
        let theirs = model(
            "<entity name=\"A\"><relationship name=\"b\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"B\"/></entity>"
                + "<entity name=\"B\"/>")
        let merge = try FileMerge(base: base, ours: ours, theirs: theirs, file: "contents")
        #expect(merge.conflicts.isEmpty)
        #expect(merge.errors.map(\.code) == [.unknownDestination])
    }

    @Test func whatIsNoModel() {
        let model = Array("<model/>".utf8)
        for other in ["", "<model>", "<html/>", "bplist00", "<<<<<<< HEAD\n<model/>"] {
            #expect(throws: FileMerge.Failure.self, "\(other)") {
                _ = try FileMerge(
                    base: Array("<model a=\"1\"/>".utf8), ours: model, theirs: Array(other.utf8), file: "contents")
            }
        }
    }

    /// A comment stays in its place, and disappears if a side removes it.
    @Test func comments() throws {
        func model(_ elements: String) -> [UInt8] { Array("<model>\(elements)</model>".utf8) }
        let base = model("<!-- one --><entity name=\"A\"/><!-- end -->")
        let ours = model("<!-- one --><entity name=\"A\" x=\"1\"/>")
        let theirs = model("<!-- one --><!-- two --><entity name=\"A\" y=\"2\"/><!-- end -->")
        let merge = try FileMerge(base: base, ours: ours, theirs: theirs, file: "contents")
        #expect(
            String(decoding: merge.bytes, as: UTF8.self) == """
                <model>
                    <!-- one -->
                    <!-- two -->
                    <entity name="A" x="1" y="2"/>
                </model>
                """)
    }
}
