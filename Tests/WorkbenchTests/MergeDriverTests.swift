import Foundation
import Testing
import ToolProgram

/// `ashlar merge-driver`, as git calls it.
@Suite(.enabled(if: ToolProgram.isThere)) struct MergeDriverTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @discardableResult
    private func git(_ arguments: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["git", "-C", folder.url.path, "-c", "user.name=A", "-c", "user.email=a@example.com"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["GIT_CONFIG_NOSYSTEM": "1"]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private let path = "Models/It's 100% a \"feed\".xcdatamodeld"

    private func write(_ elements: String, version: String = "Feed") throws {
        let file = folder.file("\(path)/\(version).xcdatamodel/contents")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try TemporaryFolder.contents(elements).write(to: file, atomically: true, encoding: .utf8)
    }

    private func setCurrentVersion(_ name: String) throws {
        let list = ["_XCCurrentVersionName": name + ".xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: folder.file("\(path)/.xccurrentversion"))
    }

    private func contents() throws -> String {
        try String(contentsOf: folder.file("\(path)/Feed.xcdatamodel/contents"), encoding: .utf8)
    }

    /// Makes a repository with a model, and sets up the driver.
    private func makeRepository(_ elements: String) throws {
        #expect(try git("init", "-q", "-b", "main") == 0)
        let install = try ToolProgram.run(["merge-driver", "--install"], in: folder.url)
        #expect(install.status == 0, "\(install.messages)")
        // A second time changes nothing.
        let attributes = try Data(contentsOf: folder.file(".gitattributes"))
        #expect(try ToolProgram.run(["merge-driver", "--install"], in: folder.url).status == 0)
        #expect(try Data(contentsOf: folder.file(".gitattributes")) == attributes)
        try write(elements)
        try setCurrentVersion("Feed")
        try commit()
    }

    private func commit() throws {
        #expect(try git("add", "-A") == 0)
        #expect(try git("commit", "-qm", "A change") == 0)
    }

    private func attribute(_ name: String, _ more: String = "") -> String {
        "        <attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(more)/>\n"
    }

    private func post(_ attributes: String, _ more: String = "") -> String {
        "    <entity name=\"Post\"\(more)>\n\(attributes)    </entity>"
    }

    /// Both add something at one place, where git's own merge fails.
    @Test func bothSides() throws {
        try makeRepository(post(attribute("title")))
        try git("checkout", "-qb", "other")
        try write(
            post(attribute("title") + attribute("body")).replacing("\"Post\"", with: "\"Article\" elementID=\"Post\""))
        try commit()
        try git("checkout", "-q", "main")
        try write(post(attribute("title") + attribute("date")))
        try commit()
        #expect(try git("merge", "-q", "--no-edit", "other") == 0)
        let text = try contents()
        #expect(text.contains("<entity name=\"Article\" elementID=\"Post\">") && !text.contains("<<<<"))
        for name in ["title", "body", "date"] { #expect(text.contains("<attribute name=\"\(name)\"")) }
        #expect(try ToolProgram.run(["check", path], in: folder.url).status == 0)
    }

    @Test func aConflict() throws {
        try makeRepository(post(attribute("title")))
        try git("checkout", "-qb", "other")
        try write(post(attribute("title", " defaultValueString=\"there\"") + attribute("body")))
        try commit()
        try git("checkout", "-q", "main")
        try write(post(attribute("title", " defaultValueString=\"here\"")))
        try commit()
        #expect(try git("merge", "-q", "--no-edit", "other") == 1)
        let text = try contents()
        #expect(
            text.contains(
                "<!-- merge conflict: entity Post, attribute title: defaultValueString was not there, "
                    + "is \"here\" here and \"there\" on the other side -->"))
        #expect(text.contains("defaultValueString=\"here\"") && text.contains("name=\"body\""))
        // Git lists the file as unmerged, and it can be read as it is.
        #expect(try git("diff", "--quiet", "--diff-filter=U") == 1)
        #expect(try ToolProgram.run(["check", path], in: folder.url).status == 0)
    }

    /// There is one current version. If both sides chose another one, that is a conflict, and the file can still be
    /// read.
    @Test func theCurrentVersion() throws {
        try makeRepository(post(attribute("title")))
        for version in ["Feed 2", "Feed 3"] {
            try write(post(attribute("title") + attribute("body")), version: version)
        }
        try commit()
        try git("checkout", "-qb", "other")
        try setCurrentVersion("Feed 2")
        try commit()
        try git("checkout", "-q", "main")
        try write(post(attribute("title")), version: "Feed")
        try setCurrentVersion("Feed 3")
        try commit()
        #expect(try git("merge", "-q", "--no-edit", "other") == 1)
        let data = try Data(contentsOf: folder.file("\(path)/.xccurrentversion"))
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: String]
        #expect(list == ["_XCCurrentVersionName": "Feed 3.xcdatamodel"])
        #expect(String(decoding: data, as: UTF8.self).contains("merge conflict: "))
        #expect(try git("merge", "--abort") == 0)
        try git("checkout", "-q", "-b", "third", "main~1")
        try write(post(attribute("title") + attribute("date")))
        try commit()
        #expect(try git("merge", "-q", "--no-edit", "other") == 0)
        let merged = try Data(contentsOf: folder.file("\(path)/.xccurrentversion"))
        #expect(String(decoding: merged, as: UTF8.self).contains("Feed 2.xcdatamodel"))
    }

    @Test func calledWrongly() throws {
        #expect(try ToolProgram.run(["merge-driver"], in: folder.url).status == 64)
        #expect(try ToolProgram.run(["merge-driver", "a", "b"], in: folder.url).status == 64)
        #expect(try ToolProgram.run(["merge-driver", "a", "b", "c"], in: folder.url).status == 66)
        let nowhere = try ToolProgram.run(
            ["merge-driver", "--install"], in: folder.url,
            environment: ["GIT_CEILING_DIRECTORIES": folder.url.deletingLastPathComponent().path])
        #expect(nowhere.status == 73 && nowhere.messages.contains("git says: "))
        try Data("<model/>".utf8).write(to: folder.file("a"))
        try Data("<model x='1'/>".utf8).write(to: folder.file("b"))
        try Data("<<<<<<<".utf8).write(to: folder.file("c"))
        let broken = try ToolProgram.run(["merge-driver", "a", "b", "c", "e\u{1B}[2J"], in: folder.url)
        #expect(broken.status == 1 && broken.messages.contains("e\\u{1B}[2J") && !broken.messages.contains("\u{1B}"))
        #expect(try String(contentsOf: folder.file("b"), encoding: .utf8) == "<model x='1'/>")
    }
}
