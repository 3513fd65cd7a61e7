import DataModel
import Foundation
import ModelFormat

/// A `contents` document with these elements in it.
func document(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    \(body)
    </model>
    """
}

/// An entity called `Thing` with these elements in it; they stand in line 4.
func thing(_ body: String) -> String {
    document("<entity name=\"Thing\" representedClassName=\".Thing\" syncable=\"YES\">\n\(body)\n</entity>")
}

/// Reads a document from memory.
func read(_ text: String) -> (model: Model?, findings: [String], diagnostics: [Diagnostic]) {
    let (model, diagnostics) = ModelReader.read(contents: Array(text.utf8), named: "Test", file: "contents")
    return (model, diagnostics.all.map { "\($0.severity) \($0.code.rawValue)" }, diagnostics.all)
}

/// The only entity of a document.
func readThing(_ body: String) -> Entity? { read(thing(body)).model?.entities.first }

/// A folder of its own for one test, which goes away with it.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file with the folders that it is in.
    func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Makes a bundle with versions that hold an entity of the version's name each.
    func writeBundle(_ name: String, versions: [String], current: String? = nil) throws {
        for version in versions {
            try write(document("<entity name=\"Thing\"/>"), to: "\(name).xcdatamodeld/\(version).xcdatamodel/contents")
        }
        if let current { try write(versionFile(current), to: "\(name).xcdatamodeld/.xccurrentversion") }
    }

    /// The text of an `.xccurrentversion`, as Xcode writes it.
    func versionFile(_ name: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>_XCCurrentVersionName</key>
        \t<string>\(name).xcdatamodel</string>
        </dict>
        </plist>
        """
    }

    /// Reads the model with a name in the folder.
    func read(
        _ name: String, _ reader: ModelReader = ModelReader()
    ) -> (model: ModelBundle?, findings: [String], diagnostics: [Diagnostic]) {
        let (model, diagnostics) = reader.read(atPath: "\(path)/\(name)")
        return (model, diagnostics.all.map { "\($0.severity) \($0.code.rawValue)" }, diagnostics.all)
    }
}
