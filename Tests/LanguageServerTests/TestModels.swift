import Foundation

@testable import LanguageServer

/// A folder of its own for one test, which goes away with it.
final class ModelFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-server-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file with the folders that it is in, and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// Writes a bundle whose last version is current, and returns the paths of the versions' files.
    func writeBundle(_ name: String, _ versions: KeyValuePairs<String, String>) throws -> [String] {
        let files = try versions.map { version, text in
            try write(text, to: "\(name).xcdatamodeld/\(version).xcdatamodel/contents")
        }
        try write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>\(versions.last?.key ?? "").xcdatamodel</string></dict></plist>
            """, to: "\(name).xcdatamodeld/.xccurrentversion")
        return files
    }
}

/// A `contents` document with these elements in it; they begin in the third line.
func contents(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    \(body)
    </model>

    """
}

/// Posts with an author and comments.
let feed = contents(
    """
        <entity name="Post" representedClassName=".Post" syncable="YES">
            <attribute name="title" attributeType="String"/>
            <attribute name="likes" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES"/>
            <attribute name="timestamp" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" \
    inverseName="posts" inverseEntity="Person"/>
            <fetchIndex name="byTitle">
                <fetchIndexElement property="title" type="Binary" order="ascending"/>
            </fetchIndex>
        </entity>
        <entity name="Person" representedClassName=".Person" syncable="YES">
            <attribute name="name" attributeType="String"/>
            <relationship name="posts" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Post" \
    inverseName="author" inverseEntity="Post"/>
        </entity>
        <fetchRequest name="Popular" entity="Post" predicateString="likes &gt; 10 AND author.name == &quot;Ada&quot;"/>
    """)

extension String {
    func replacing(first old: String, with new: String) -> String {
        guard let range = firstRange(of: old) else { return self }
        return replacingCharacters(in: range, with: new)
    }
}

/// The position of the sign `|` in a text, which is taken out.
func marked(_ text: String) -> (text: String, position: JSONValue) {
    let bytes = Array(text.utf8)
    let offset = bytes.firstIndex(of: UInt8(ascii: "|")) ?? bytes.count
    let before = bytes[..<offset]
    let line = before.count { $0 == 0x0A }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return (
        String(decoding: before + bytes.dropFirst(offset + 1), as: UTF8.self),
        ["line": .integer(line), "character": .integer(offset - start)]
    )
}
