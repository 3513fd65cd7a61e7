import DataModel
import RandomNumbers
import RandomSeeds
import SchemaMigration
import Testing

@Suite("The lock file")
struct LockFileTests {
    private func version(_ name: String, _ entities: [Entity], composites: [Composite] = []) -> Model {
        var model = Model(name: name, entities: entities, composites: composites)
        model.location = SourceLocation(file: "\(name)/contents", line: 1, column: 1)
        for index in model.entities.indices {
            model.entities[index].location = SourceLocation(file: "\(name)/contents", line: 2 + index, column: 5)
        }
        return model
    }

    private func bundle(_ versions: [Model]) -> ModelBundle {
        ModelBundle(
            name: "M", versions: versions, currentVersionName: versions.last?.name ?? "",
            location: SourceLocation(file: "M.xcdatamodeld"))
    }

    private var versions: [Model] {
        let author = Entity(name: "Author", attributes: [optional("name")])
        let writer = Entity(name: "Writer", parentName: "Author")
        return [
            version("M", post(optional("title")) + [author]),
            version("M \"2\" \\", post(optional("title"), optional("text")) + [author, writer]),
            version("M 3", [author, writer]),
        ]
    }

    private func read(_ text: String) -> (file: LockFile, findings: [Diagnostic]) {
        var diagnostics = Diagnostics()
        let file = LockFile(text: text, path: "M.lock", reportingTo: &diagnostics)
        return (file, diagnostics.all)
    }

    @Test("What was written is read, and finds the versions unchanged")
    func roundTrip() {
        let file = LockFile(versions, path: "M.lock")
        let text = file.text(modelName: "M")
        let (again, findings) = read(text)
        #expect(findings.isEmpty)
        #expect(again == file)
        #expect(again.versionNames == Set(versions.map(\.name)))
        #expect(again.check(bundle(versions)).all.isEmpty)
        #expect(read(text.replacing("\n", with: "\r\n")).file.versionNames.count == 3)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 3)
        #expect(lines[1].contains(" Post:") && lines[1].contains(" Writer:") && !lines[1].contains("Author:"))
        #expect(lines[2].hasSuffix(" -Post"))
    }

    @Test("Lines that are added later are those that would have been written at once")
    func appended() {
        var file = LockFile(Array(versions[..<1]), path: "M.lock")
        file.append(Array(versions[1...]))
        #expect(file == LockFile(versions, path: "M.lock"))
    }

    @Test("Every change of a released version is told with its entity and the way out")
    func changes() {
        let file = LockFile(versions, path: "M.lock")
        func findings(_ change: (inout Model) -> Void) -> [Diagnostic] {
            var versions = versions
            change(&versions[1])
            return file.check(bundle(versions)).all
        }
        let changes: [(String, (inout Model) -> Void)] = [
            ("Post", { $0.entities[0].attributes[0].isOptional = false }),
            ("Post", { $0.entities[0].attributes[0].defaultValueString = "x" }),
            ("Post", { $0.entities[0].attributes[0].renamingIdentifier = "heading" }),
            ("Post", { $0.entities[0].renamingIdentifier = "Article" }),
            (
                "Post",
                { $0.entities[0].indexes.append(FetchIndex(name: "i", elements: [.init(propertyName: "title")])) }
            ),
            (
                "Post",
                { $0.entities[0].attributes[0].userInfo = UserInfo([.init(key: "ashlar.migrationDefault", value: "")]) }
            ),
            ("Author", { $0.entities[1].attributes[0].name = "other" }), ("Post", { $0.entities.remove(at: 0) }),
            ("New", { $0.entities.append(Entity(name: "New", location: $0.location)) }),
        ]
        for (name, change) in changes {
            let found = findings(change)
            #expect(found.map(\.code) == [.releasedVersionChanged])
            #expect(found[0].message.contains("Entity '\(name)'") && found[0].message.contains("'M \"2\" \\'"))
            #expect(found[0].location.file == "M \"2\" \\/contents")
            #expect(found[0].notes.contains { $0.contains("ashlar new-version M.xcdatamodeld") })
        }
        let unseen: [(inout Model) -> Void] = [
            { $0.entities[0].userInfo = UserInfo([.init(key: "documentation", value: "x")]) },
            { $0.entities[0].representedClassName = "Other" },
            { $0.entities[0].attributes.reverse() },
            { $0.entities.reverse() },
            { $0.entities[0].userInfo = UserInfo([.init(key: "ashlar.removed", value: "x")]) },
        ]
        for change in unseen { #expect(findings(change).isEmpty) }
    }

    @Test func compositesAreLockedToo() {
        var model = version(
            "M", [Entity(name: "E", attributes: [Attribute(name: "c", type: .composite, compositeName: "C")])],
            composites: [Composite(name: "C", attributes: [optional("a")])])
        let file = LockFile([model], path: "M.lock")
        model.composites[0].attributes[0].renamingIdentifier = "b"
        #expect(file.check(bundle([model])).all.map(\.message).contains { $0.hasPrefix("Composite 'C'") })
    }

    @Test("A version that is missing, new before others, or in another place")
    func order() {
        let file = LockFile(versions, path: "M.lock")
        let missing = file.check(bundle([versions[0], versions[2]])).all
        #expect(missing.map(\.location.line) == [4])
        var between = versions
        between.insert(version("M 2b", []), at: 2)
        #expect(file.check(bundle(between)).all.map(\.location.file) == ["M 2b/contents"])
        let swapped = file.check(bundle([versions[1], versions[0], versions[2]])).all
        #expect(swapped.map(\.code) == [.releasedVersionChanged])
        var later = versions
        later.append(version("M 4", post()))
        #expect(file.check(bundle(later)).all.isEmpty)
    }

    @Test("A file that was edited, or in which two branches were merged, is an error at its line")
    func edited() {
        let text = LockFile(versions, path: "M.lock").text(modelName: "M")
        let lines = text.split(separator: "\n").map(String.init)
        var other = versions
        other[1].name = "M 2 too"
        let branch = LockFile(other, path: "M.lock").text(modelName: "M").split(separator: "\n").map(String.init)
        let broken: [([String], Int)] = [
            ([lines[0], lines[1], lines[2], lines[4]], 4),
            ([lines[0], lines[1], lines[3], lines[2]], 3),
            (lines[...3] + [branch[3]], 5),
            (lines[...2] + ["<<<<<<< HEAD", lines[3], "=======", branch[3], ">>>>>>> branch"], 4),
            (lines.map { $0.replacing("Post:", with: "Post:0") }, 3),
            (lines[...2] + [lines[3].replacing(" Post", with: "  Post")], 4),
            (lines + ["garbage"], 6),
        ]
        for (lines, number) in broken {
            let findings = read(lines.joined(separator: "\n")).findings
            #expect(findings.map(\.code) == [.invalidLockFile])
            #expect(findings.map(\.location.line) == [number])
        }
    }

    /// A file from elsewhere: for any bytes, the reader returns the file as written, or reports where it is wrong.
    @Test("Bytes that were changed at random are told, or make no difference", arguments: seeds(3))
    func altered(seed: Seed) {
        var generator = SeededGenerator(seed: seed)
        let text = LockFile(versions, path: "M.lock").text(modelName: "M")
        var told = 0
        for _ in 0..<300 {
            var bytes = Array(text.utf8)
            for _ in 0..<generator.number(1..<4) {
                let place = generator.number(0..<bytes.count)
                switch generator.number(0..<5) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8(generator.number(0..<256)), at: place)
                case 2: bytes.insert(contentsOf: Array("\r\n\"\u{301}\\ -9223372036854775808:".utf8), at: place)
                case 3: bytes.swapAt(place, generator.number(0..<bytes.count))
                default: bytes[place] = UInt8(generator.number(0..<256))
                }
            }
            let (file, findings) = read(String(decoding: bytes, as: UTF8.self))
            if findings.isEmpty {
                // Empty lines and comments may change.
                #expect(file.text(modelName: "M") == text, "\(String(decoding: bytes, as: UTF8.self))")
            } else {
                #expect(findings.allSatisfy { $0.code == .invalidLockFile })
                told += 1
            }
            _ = file.check(bundle(versions))
        }
        #expect(told > 0)
    }
}
