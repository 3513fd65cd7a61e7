import Foundation
import Testing

@testable import Ashlar

/// Names and properties of files, read without URLs.
@Suite struct FileSystemTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func link(_ name: String, to target: String) throws -> String {
        let path = folder.file(name).path
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        return path
    }

    @Test func partsOfPaths() {
        func parts(_ path: String) -> [String] { [FileSystem.parts(of: path).folder, FileSystem.parts(of: path).name] }
        #expect(parts("/a/b c.store") == ["/a", "b c.store"])
        #expect(parts("/ä.store") == ["/", "ä.store"])
        #expect(parts("a.store") == [".", "a.store"])
    }

    @Test func oneFileHasOnePath() throws {
        let real = FileSystem.canonicalPath(folder.url.path)
        try Data("content".utf8).write(to: folder.file("a.store"))
        let names = [
            folder.file("a.store").path, folder.url.path + "/./a.store", folder.url.path + "//a.store",
            try link("absolute", to: folder.file("a.store").path), try link("relative", to: "a.store"),
            try link("folder", to: ".") + "/a.store", try link("chain", to: "relative"),
        ]
        for name in names { #expect(FileSystem.canonicalPath(name) == real + "/a.store", "\(name)") }
    }

    /// The path of a file that does not exist yet is the same after a container creates the file.
    @Test func aFileThatIsMadeKeepsItsPath() throws {
        let names = [
            folder.file("new.store").path, try link("to new", to: "new.store"),
            try link("folder", to: folder.url.path) + "/new.store",
        ]
        let before = names.map(FileSystem.canonicalPath)
        try Data().write(to: folder.file("new.store"))
        #expect(before == names.map(FileSystem.canonicalPath))
        #expect(Set(before).count == 1)
    }

    @Test func linksInACircle() throws {
        let first = try link("first", to: "second")
        let second = try link("second", to: "first")
        #expect(!FileSystem.exists(first) && !FileSystem.exists(second))
        #expect(throws: StoreError.self) { try ModelContainer(for: TortureModel.self, at: URL(fileURLWithPath: first)) }
    }

    @Test func theBeginningOfAFile() throws {
        let path = folder.file("a").path
        #expect(try FileSystem.beginning(ofFile: path, length: 3) == nil)
        try Data("content".utf8).write(to: folder.file("a"))
        #expect(try FileSystem.beginning(ofFile: path, length: 3) == Data("con".utf8))
        #expect(try FileSystem.beginning(ofFile: path, length: 100) == Data("content".utf8))
        #expect(throws: StoreError.self) { try FileSystem.beginning(ofFile: folder.url.path, length: 3) }
    }

    /// A store that is open under one name cannot be destroyed under another.
    @Test func aStoreThatIsOpenByALink() throws {
        let link = URL(fileURLWithPath: try link("link.store", to: "new.store"))
        let container = try ModelContainer(for: TortureModel.self, at: link)
        withExtendedLifetime(container) {
            do {
                try ModelContainer.destroyStore(at: folder.file("new.store"))
                Issue.record("the store is open")
            } catch StoreError.storeInUse {
            } catch {
                Issue.record(error)
            }
        }
    }
}
