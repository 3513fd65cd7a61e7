import Foundation

/// A temporary folder of a test, which is removed with this object.
final class TestFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "ashlar-tool-\(UUID().uuidString)")
            .resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appending(path: name) }

    func write(_ text: String, to name: String) throws {
        let folder = file(name).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file(name))
    }

    func text(_ name: String) throws -> String { String(decoding: try Data(contentsOf: file(name)), as: UTF8.self) }

    /// Writes a model of one version with some XML in it.
    func writeModel(_ name: String, _ contents: String) throws -> String {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            \(contents)
            </model>

            """
        try write(text, to: "Models/\(name).xcdatamodeld/\(name).xcdatamodel/contents")
        return "Models/\(name).xcdatamodeld"
    }

    /// Writes a model with a warning: a relationship has no inverse.
    func writeModelWithWarning(_ name: String = "Feed", note: String = "note") throws -> String {
        try writeModel(
            name,
            """
            <entity name="Post" representedClassName="Post">
                <attribute name="title" attributeType="String"/>
                <attribute name="note" optional="YES" attributeType="String" defaultValueString="\(note)"/>
                <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Post"/>
            </entity>
            """)
    }
}
