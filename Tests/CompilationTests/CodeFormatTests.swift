import Foundation
import Testing

/// Code that another release generated does not compile, and the error names the command to run.
@Suite(Compiler.condition) struct CodeFormatTests {
    private func complaints(_ change: (String) -> String) throws -> String {
        let folder = try GenerationFolder()
        let files = try folder.generate(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Item"><attribute name="name" attributeType="String"/></entity>
            </model>
            """)
        let text = try String(contentsOf: files[0], encoding: .utf8)
        let changed = change(text)
        try Data(changed.utf8).write(to: files[0])
        return try Compiler.complaints(about: files)
    }

    @Test func codeOfThisReleaseCompiles() throws {
        #expect(try complaints { $0 }.isEmpty)
    }

    @Test func codeOfANewerReleaseIsNotAccepted() throws {
        let found = try complaints { $0.replacing("= .format1", with: "= .format2") }
        #expect(found.contains("error: type 'GeneratedCodeFormat' has no member 'format2'"))
        #expect(found.contains("swift package ashlar generate"))
    }

    @Test func codeOfAnOlderReleaseIsNotAccepted() throws {
        let found = try complaints { $0.replacing("= .format1", with: "= .format0") }
        #expect(found.contains("Generate it anew: swift package ashlar generate"))
    }
}
