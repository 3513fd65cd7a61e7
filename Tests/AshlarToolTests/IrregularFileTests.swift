#if !os(Windows)
    import Foundation
    import Testing
    import ToolProgram

    /// Paths that lead to no regular file.
    @Suite(.enabled(if: ToolProgram.isThere)) struct IrregularFileTests {
        let folder: TestFolder

        init() throws { folder = try TestFolder() }

        /// The test has the pipe open and put a text into it, so that a tool that reads it ends too, with another message.
        @Test func checkRefusesAPipe() throws {
            let path = folder.file("pipe").path
            try #require(mkfifo(path, 0o600) == 0)
            let descriptor = open(path, O_RDWR)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            let text = Data("SQLite format 3\0".utf8)
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: text)
            let run = try ToolProgram.run(["check", "pipe"], in: folder.url)
            #expect(run.status == 1 && run.messages.contains("This is not a data model"), "\(run)")
        }

        @Test(arguments: [
            "Feed.xcdatamodeld/Feed.xcdatamodel/contents", "Feed.xcdatamodeld.lock", "Feed.xcdatamodeld/ashlar.json",
        ])
        func aDeviceIsNoFileOfAModel(_ name: String) throws {
            let model = try folder.writeModelWithWarning()
            let file = folder.file("Models/\(name)")
            try? FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/null")
            let run = try ToolProgram.run(["check", model], in: folder.url)
            #expect(run.status == 1 && run.messages.contains("It is a pipe, a socket or a device"), "\(run)")
        }
    }
#endif
