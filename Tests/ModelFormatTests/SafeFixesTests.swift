import DataModel
import Foundation
import Testing

@testable import ModelFormat

@Suite("Safe fixes")
struct SafeFixesTests {
    private static let broken = document(
        """
            <entity name="Post" sincable="YES">
                <attribute name="likes" attributeType="Integer64" optional="Y"/>
                <attribute name="tags" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromDataTransformerName"/>
                <relationship name="author" optional="yes!" destinationEntity="author" inverseName="posts" inverseEntity="Author"/>
                <fetchIndex name="empty"/>
                <!-- a comment -->
            </entity>
            <entity name="Author" abstract="YES">
                <relationship name="posts" optional="YES" toMany="YES" destinationEntity="Post"/>
            </entity>
        """)

    private static let fixed = document(
        """
            <entity name="Post" syncable="YES">
                <attribute name="likes" attributeType="Integer 64" optional="YES"/>
                <attribute name="tags" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
                <relationship name="author" optional="yes!" destinationEntity="Author" inverseName="posts" inverseEntity="Author"/>
                <!-- a comment -->
            </entity>
            <entity name="Author" abstract="YES">
                <relationship name="posts" optional="YES" toMany="YES" destinationEntity="Post" inverseName="author" inverseEntity="Post"/>
            </entity>
        """)

    @Test func allAreMadeRoundByRound() {
        let fixes = SafeFixes(contents: Array(Self.broken.utf8), file: "contents")
        #expect(String(decoding: fixes.bytes, as: UTF8.self) == Self.fixed)
        #expect(
            fixes.applied.map(\.finding.code.rawValue).sorted() == [
                "invalid-index", "invalid-value", "inverse-mismatch", "unknown-attribute", "unknown-attribute-type",
                "unknown-destination", "wrong-transformer",
            ])
        #expect(SafeFixes(contents: fixes.bytes, file: "contents").applied.isEmpty)
    }

    @Test func aReleasedVersionKeepsItsWarnings() {
        let fixes = SafeFixes(contents: Array(Self.broken.utf8), file: "contents", onlyErrors: true)
        #expect(fixes.applied.allSatisfy { $0.finding.severity == .error })
        #expect(fixes.applied.count == 4)
    }

    @Test func aPersonMayDecideForMore() {
        let fixes = SafeFixes(
            contents: Array(Self.broken.utf8), file: "contents",
            alsoFixing: [.misspelledAttribute: .first, .invalidValue: .first])
        let expected = Self.fixed.replacing(" abstract=", with: " isAbstract=").replacing(
            " optional=\"yes!\"", with: "")
        #expect(String(decoding: fixes.bytes, as: UTF8.self) == expected)
    }

    @Test func aSilencedFindingIsLeftAsItIs() {
        let silence = "<userInfo><entry key=\"ashlar.silence\" value=\"unknown-attribute\"/></userInfo>"
        let text = document("<entity name=\"A\" sincable=\"YES\">\(silence)</entity>")
        #expect(SafeFixes(contents: Array(text.utf8), file: "contents").applied.isEmpty)
    }

    // MARK: Fixes that are not made

    /// A finding that names one more thing in its fix each time, and stays.
    private static func stubborn(_ model: Model) -> Diagnostics {
        var diagnostics = Diagnostics()
        guard let entity = model.entities.first else { return diagnostics }
        let names = entity.userInfo.names(UserInfo.removedKey) + ["b"]
        diagnostics.report(
            .migrationNotInferrable, at: entity.location, "It stays",
            fixes: [
                .settingEntry(
                    UserInfo.removedKey, to: names.joined(separator: ", "), of: entity.location, "Name it")
            ])
        return diagnostics
    }

    @Test(arguments: [(FixChoice.first, SafeFixes.Refused.Reason.noEffect), (.position(2), .noSuchFix)])
    func aFixThatDoesNotMendItsFindingIsNotMade(_ choice: FixChoice, _ reason: SafeFixes.Refused.Reason) {
        let text = document("<entity name=\"A\" sincable=\"YES\"/>")
        let fixes = SafeFixes(
            contents: Array(text.utf8), file: "contents", alsoFixing: [.migrationNotInferrable: choice],
            findings: Self.stubborn)
        #expect(String(decoding: fixes.bytes, as: UTF8.self) == text.replacing("sincable", with: "syncable"))
        #expect(fixes.applied.map(\.finding.code) == [.unknownAttribute])
        #expect(fixes.refused.map(\.reason) == [reason])
        #expect(fixes.refused.first?.finding.message == "It stays")
    }

    /// If the time grew quadratically with the number of mistakes, this test would take minutes.
    @Test func manyMistakesTakeNoLongerThanTheirNumber() throws {
        let entry = "<userInfo><entry key=\"ashlar.silence\" value=\"unknown-element\"/></userInfo>"
        let entities = (0..<1000).map { "<entity name=\"E\($0)\" sincable=\"YES\"><x/>\(entry)</entity>" }
        let fixes = SafeFixes(contents: Array(document(entities.joined(separator: "\n")).utf8), file: "contents")
        #expect(fixes.applied.count == 1000)
        #expect(!String(decoding: fixes.bytes, as: UTF8.self).contains("sincable"))
    }

    @Test func whatIsNoModelIsLeftAsItIs() {
        for text in ["", "<model", "<plist/>"] {
            #expect(SafeFixes(contents: Array(text.utf8), file: "contents").bytes == Array(text.utf8))
        }
    }

    // MARK: Files

    @Test func aFileIsReplacedAndItsVersionsAreTreatedByWhatTheyAre() throws {
        let folder = try TemporaryFolder()
        try folder.writeBundle("M", versions: ["M", "M 2"], current: "M 2")
        let files = ["M", "M 2"].map { "\(folder.path)/M.xcdatamodeld/\($0).xcdatamodel/contents" }
        for file in files { try Data(Self.broken.utf8).write(to: URL(fileURLWithPath: file)) }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: files[1])
        let fixed = ModelFixer.fixedFiles(ofModelAtPath: folder.path + "/M.xcdatamodeld")
        #expect(Set(fixed.map(\.path)) == Set(files))
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: files[1])) == Data(Self.broken.utf8), "nothing is written yet")
        for file in fixed { try ModelFixer.write(file) }
        #expect(try String(contentsOfFile: files[1], encoding: .utf8) == Self.fixed)
        let permissions = try FileManager.default.attributesOfItem(atPath: files[1])[.posixPermissions] as? Int
        #expect(permissions == 0o640)
        #expect(try String(contentsOfFile: files[0], encoding: .utf8).contains("sincable"))
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/M.xcdatamodeld/M 2.xcdatamodel")
        #expect(left == ["contents"])
    }

    @Test func aFileThatSomebodyElseChangedIsLeftAsItIs() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.broken, to: "M.xcdatamodel/contents")
        let file = try #require(ModelFixer.fixedFiles(ofModelAtPath: folder.path + "/M.xcdatamodel").first)
        try folder.write(Self.broken + "\n", to: "M.xcdatamodel/contents")
        #expect(throws: ModelEditingError.changed(file.path)) { try ModelFixer.write(file) }
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == Self.broken + "\n")
    }

    @Test func aFileThatCannotBeReplacedIsAnErrorThatSaysWhy() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.broken, to: "M.xcdatamodel/contents")
        let file = try #require(ModelFixer.fixedFiles(ofModelAtPath: folder.path + "/M.xcdatamodel").first)
        try FileManager.default.removeItem(atPath: folder.path + "/M.xcdatamodel")
        #expect { try ModelFixer.write(file) } throws: { error in
            guard case ModelEditingError.notWritable(file.path, let reason) = error else { return false }
            return !reason.isEmpty && "\(error)".contains(file.path)
        }
    }

    /// The superuser can write everywhere.
    @Test(.enabled(if: geteuid() != 0, "root may write everywhere")) func aFolderThatIsReadOnlyIsAnError() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.broken, to: "M.xcdatamodel/contents")
        let file = try #require(ModelFixer.fixedFiles(ofModelAtPath: folder.path + "/M.xcdatamodel").first)
        let path = folder.path + "/M.xcdatamodel"
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path) }
        #expect(throws: ModelEditingError.self) { try ModelFixer.write(file) }
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == Self.broken)
    }
}
