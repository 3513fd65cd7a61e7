import Foundation
import Hummingbird
import Logging
@_spi(Studio) import ModelAuthoring
import ServiceLifecycle
import Testing

@_spi(Studio) @testable import StudioServer

/// A model in a folder of its own, and a server of its pages.
final class ModelBench: Sendable {
    let folder: URL
    let studio: ModelStudio
    let port: Int

    private init(_ folder: URL, _ studio: ModelStudio, _ port: Int) {
        self.folder = folder
        self.studio = studio
        self.port = port
    }

    /// Posts of authors.
    static let feed = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Author">
                <attribute name="name" attributeType="String"/>
                <relationship name="posts" optional="YES" toMany="YES" deletionRule="Cascade" \
        destinationEntity="Post" inverseName="author" inverseEntity="Post"/>
            </entity>
            <entity name="Post">
                <attribute name="likes" attributeType="Integer 64" defaultValueString="0"/>
                <attribute name="title" attributeType="String"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Author" inverseName="posts" inverseEntity="Author"/>
            </entity>
            <entity name="Tag">
                <attribute name="word" attributeType="String"/>
            </entity>
        </model>

        """

    /// Runs a closure with the pages of a model.
    ///
    /// - Parameter contents: The text of its only version; nil for a model that does not exist yet.
    static func serving<Result: Sendable>(
        _ contents: String? = feed, isWritable: Bool = true, _ body: (ModelBench) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-model-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent("Feed.xcdatamodeld")
        if let contents {
            let version = bundle.appendingPathComponent("Feed.xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
        }
        let studio = ModelStudio(ModelDesk(bundle.path, isWritable: isWritable))
        return try await Gallery.serving(studio.application) { try await body(ModelBench(folder, studio, $0)) }
    }

    var model: URL { folder.appendingPathComponent("Feed.xcdatamodeld") }

    func file(_ version: String = "Feed") -> URL {
        model.appendingPathComponent("\(version).xcdatamodel/contents")
    }

    func contents(_ version: String = "Feed") throws -> String {
        String(decoding: try Data(contentsOf: file(version)), as: UTF8.self)
    }

    /// The places of boxes; empty without the file.
    var places: String {
        (try? String(
            decoding: Data(contentsOf: folder.appendingPathComponent("Feed.xcdatamodeld.diagram")), as: UTF8.self))
            ?? ""
    }

    /// Changes the file as another program does.
    func replace(_ text: String, with other: String) throws {
        let before = try contents()
        let changed = before.replacingOccurrences(of: text, with: other)
        #expect(changed != before)
        try Data(changed.utf8).write(to: file())
    }

    // MARK: Requests

    var cookie: String { "Cookie: ashlar-studio-\(port)=\(studio.token.text)" }

    func answer(_ lines: [String], body: String = "") async throws -> Answer {
        try await RawConnection.answer(Data((lines + ["", body]).joined(separator: "\r\n").utf8), port)
    }

    func page(_ address: String) async throws -> Answer {
        try await answer(["GET \(address) HTTP/1.1", "Host: 127.0.0.1:\(port)", cookie, "Connection: close"])
    }

    /// The server's answer to a form of ours.
    func submit(_ path: String, _ fields: [(String, String)], _ lines: [String]? = nil) async throws -> Answer {
        let all = [("form-token", studio.formToken.text)] + fields
        let form = all.map { "\(Address.encoded($0.0))=\(Address.encoded($0.1))" }.joined(separator: "&")
        return try await answer(
            [
                "POST \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", cookie, "Connection: close",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.utf8.count)",
            ] + (lines ?? ["Origin: http://127.0.0.1:\(port)"]), body: form)
    }

    /// Saves one field of an item.
    func save(
        _ kind: String, _ name: String, of owner: String = "", _ field: String, was: String, _ value: String
    ) async throws -> Answer {
        try await submit(
            "/model-save",
            [
                ("item-kind", kind), ("item-name", name), ("item-owner", owner),
                ("entity", owner.isEmpty ? name : owner),
                ("field." + field, value), ("was." + field, was),
            ])
    }
}
