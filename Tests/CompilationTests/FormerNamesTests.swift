import Foundation
import Testing

/// The names of the version before, in a program that still uses them.
@Suite(Compiler.condition) struct FormerNamesTests {
    private static let before = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Post"><attribute name="title" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person"
            inverseName="posts" inverseEntity="Person"/></entity>
        <entity name="Person"><relationship name="posts" optional="YES" toMany="YES" deletionRule="Cascade"
            destinationEntity="Post" inverseName="author" inverseEntity="Post"/></entity>
        </model>
        """

    private static let use = """
        import Ashlar

        func use(_ context: ModelContext, _ person: Person) throws {
            let posts = try context.fetch(Post.where { $0.title == "a" && $0.author == person })
            for post in posts {
                post.title += "b"
                post.author = nil
            }
        }
        """

    private func bundle(_ folder: borrowing GenerationFolder, _ versions: [String]) throws -> URL {
        let bundle = folder.url.appendingPathComponent("Feed.xcdatamodeld")
        for (number, text) in versions.enumerated() {
            let version = bundle.appendingPathComponent("Feed \(number).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
        }
        let list = """
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>Feed \(versions.count - 1).xcdatamodel</string></dict></plist>
            """
        try Data(list.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
        return bundle
    }

    @Test func theCompilerOffersTheNewOnes() throws {
        let after = Self.before
            .replacing("name=\"Post\"", with: "name=\"Article\" elementID=\"Post\"")
            .replacing("Entity=\"Post\"", with: "Entity=\"Article\"")
            .replacing("name=\"title\"", with: "name=\"headline\" elementID=\"title\"")
            .replacing("name=\"author\"", with: "name=\"writer\" elementID=\"author\"")
            .replacing("inverseName=\"author\"", with: "inverseName=\"writer\"")
        let folder = try GenerationFolder()
        let program = try folder.write(Self.use, to: "Use.swift")
        let first = try folder.generate(bundle: bundle(folder, [Self.before]))
        let complaints = try Compiler.complaints(about: first + [program])
        #expect(complaints.isEmpty, "\(complaints.prefix(2000))")

        let second = try folder.generate(bundle: bundle(folder, [Self.before, after]))
        let errors = try Compiler.complaints(
            about: second + [program], options: ["-diagnostic-style", "llvm"], checksTypesOnly: true)
        // The line of source follows each error, then a mark, then the text of the fix.
        var lines = Self.use.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let said = errors.split(separator: "\n", omittingEmptySubsequences: false)
        var fixed: [String] = []
        let renaming = #/Use\.swift:(\d+):(\d+): error: '(\w+)' has been renamed to '(\w+)'/#
        for (index, line) in said.enumerated() {
            guard let error = line.firstMatch(of: renaming), let number = Int(error.1),
                let column = Int(error.2), index + 3 < said.count
            else { continue }
            #expect(said[index + 3].trimmingCharacters(in: .whitespaces) == error.4, "\(errors.prefix(3000))")
            let start = lines[number - 1].index(lines[number - 1].startIndex, offsetBy: column - 1)
            // The fixes of a line come in order. Those before this one are already applied, and may have moved it.
            let rest = try #require(lines[number - 1][start...].firstRange(of: error.3))
            lines[number - 1].replaceSubrange(rest, with: error.4)
            fixed.append("\(error.3) \(error.4)")
        }
        let expected = ["Post Article", "title headline", "author writer", "title headline", "author writer"]
        #expect(fixed.sorted() == expected.sorted(), "\(errors.prefix(3000))")
        let corrected = try folder.write(lines.joined(separator: "\n"), to: "Corrected.swift")
        let left = try Compiler.complaints(about: second + [corrected])
        #expect(left.isEmpty, "\(left.prefix(2000))")

        // The names are those of one version.
        let third = try folder.generate(bundle: bundle(folder, [Self.before, after, after]))
        let unknown = try Compiler.complaints(about: third + [program], checksTypesOnly: true)
        #expect(unknown.contains("cannot find 'Post' in scope"), "\(unknown.prefix(2000))")
    }
}
