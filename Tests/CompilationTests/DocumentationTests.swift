import Foundation
import Testing

/// The Swift code in the documentation compiles.
///
/// Pages are compiled with `Given.swift` and with code generated from the models in `Programs/Documentation`. These
/// models contain the sample's entities and the further ones that pages use.
@Suite(Compiler.condition) struct DocumentationTests {
    private static let folder = Compiler.root.appendingPathComponent("Tests/CompilationTests/Programs/Documentation")

    /// The pages, and the sources of the libraries with their doc comments, with the blocks of each.
    private static func documents() throws -> [(file: String, blocks: [DocumentedBlock])] {
        var files: [String] = []
        for folder in ["", "Benchmarks", "Documentation", "Sources/Runtime/Ashlar/Ashlar.docc"] {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: Compiler.root.appendingPathComponent(folder).path)
            files += names.filter { $0.hasSuffix(".md") }.map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        }
        for folder in [
            "Sources/Runtime/Ashlar", "Sources/Runtime/AshlarCoreData", "Sources/Runtime/AshlarImport",
            "Sources/Runtime/AshlarLogging",
            "Sources/Shared/AshlarSQLite", "Sources/Sync/AshlarSync", "Sources/Sync/AshlarSyncTesting",
            "Sources/Testing/AshlarTesting", "Sources/Testing/AshlarTestingTraits",
        ] {
            let paths = FileManager.default.enumerator(
                atPath: Compiler.root.appendingPathComponent(folder).path)
            for case let path as String in paths ?? .init() where path.hasSuffix(".swift") {
                files.append("\(folder)/\(path)")
            }
        }
        return try files.sorted().map { file in
            let text = try String(contentsOf: Compiler.root.appendingPathComponent(file), encoding: .utf8)
            let isPage = file.hasSuffix(".md")
            return (
                file, isPage ? DocumentedBlock.fenced(in: text, of: file) : DocumentedBlock.indented(in: text, of: file)
            )
        }
    }

    @Test func blocksCompile() throws {
        let folder = try GenerationFolder()
        var files = [Self.folder.appendingPathComponent("Given.swift")]
        for model in ["Notes.xcdatamodel", "PhotoFeed.xcdatamodeld"] {
            files += try folder.generate(bundle: Self.folder.appendingPathComponent(model))
        }
        var programs: [DocumentedProgram] = []
        for (number, document) in try Self.documents().enumerated() where document.file != GettingStartedTests.page {
            let blocks = document.blocks.filter { $0.reason == nil && !$0.isManifest }
            if blocks.isEmpty { continue }
            programs.append(DocumentedProgram(blocks, imports: Self.imports(of: document.file), number: number))
        }
        #expect(programs.count > 50)
        // Pages that do not extend the same type in the same way are compiled in one call.
        var modules: [[DocumentedProgram]] = []
        for program in programs {
            let index = modules.firstIndex { $0.allSatisfy { $0.extensions.isDisjoint(with: program.extensions) } }
            if let index { modules[index].append(program) } else { modules.append([program]) }
        }
        for (module, programs) in modules.enumerated() {
            let pages = try programs.enumerated().map { number, program in
                try folder.write(program.text, to: "Page\(module)-\(number).swift")
            }
            let complaints = try Compiler.complaints(
                about: files + pages, options: ["-suppress-warnings"] + Compiler.optionsForTests())
            let errors = complaints.split(separator: "\n").filter { $0.contains("error: ") }
            #expect(complaints.isEmpty, "\(errors.joined(separator: "\n").prefix(5000))")
        }
    }

    /// The modules that a file's blocks need beside `Ashlar`. Pages import them themselves.
    private static func imports(of file: String) -> [String] {
        switch file.split(separator: "/").dropFirst(2).first {
        case "AshlarCoreData": ["AshlarCoreData"]
        case "AshlarImport": ["AshlarImport"]
        case "AshlarLogging": ["AshlarLogging", "Logging"]
        case "AshlarSync": ["AshlarSync"]
        case "AshlarSyncTesting": ["AshlarSync", "AshlarSyncTesting"]
        default: []
        }
    }

    @Test func manifestsCompile() throws {
        let folder = try GenerationFolder()
        var text = "import PackageDescription\n"
        for (number, block) in try Self.documents().flatMap(\.blocks).filter(\.isManifest).enumerated() {
            let code = block.lines.filter { !$0.hasPrefix("//") && !$0.hasPrefix("import ") }.joined(separator: "\n")
            let place = "#sourceLocation(file: \"\(block.file)\", line: \(block.line - 1))"
            let isPart = !code.contains("Package(")
            let isTarget = code.hasPrefix(".")
            text += """
                func manifest\(number)() {
                \(place)
                \(isTarget ? "let targets: [Target] = [" : isPart ? "_ = Package(name: \"Program\"," : "")
                \(code)
                \(isTarget ? "]" : isPart ? ")" : "")
                #sourceLocation()
                }

                """
        }
        let complaints = try Compiler.complaints(
            about: [try folder.write(text, to: "Manifests.swift")],
            options: ["-suppress-warnings", "-package-description-version", "6.2.0"] + Compiler.optionsForManifests())
        #expect(complaints.isEmpty, "\(complaints.prefix(3000))")
    }

    /// Few blocks are not compiled, all on purpose: code of other libraries, and code that must not compile.
    @Test func exceptionsAreCounted() throws {
        var counts: [String: Int] = [:]
        for block in try Self.documents().flatMap(\.blocks) where block.reason != nil {
            counts[block.file, default: 0] += 1
        }
        let articles = "Sources/Runtime/Ashlar/Ashlar.docc"
        #expect(
            counts == [
                "\(articles)/ComingFromCoreData.md": 8, "\(articles)/ComingFromGRDB.md": 4,
                "\(articles)/ComingFromSwiftData.md": 2,
            ])
    }

    /// The model that pages are compiled with contains everything of the sample.
    @Test func theModelOfThePagesHasWhatTheSampleHas() throws {
        let sample = Compiler.root.appendingPathComponent("Models/PhotoFeed.xcdatamodeld/PhotoFeed 4.xcdatamodel")
        let pages = Self.folder.appendingPathComponent("PhotoFeed.xcdatamodeld/PhotoFeed 3.xcdatamodel")
        let expected = try Self.properties(ofModelAt: sample)
        #expect(expected.contains("Post.palette: Transformable"))
        #expect(expected.subtracting(try Self.properties(ofModelAt: pages)).isEmpty)
    }

    /// Each property with its type or destination, and each index and fetch request.
    private static func properties(ofModelAt url: URL) throws -> Set<String> {
        var properties: Set<String> = []
        var entity = ""
        let text = try String(contentsOf: url.appendingPathComponent("contents"), encoding: .utf8)
        for line in text.split(separator: "\n") {
            guard let match = line.firstMatch(of: /<(\w+) name="(\w+)"/) else { continue }
            if match.1 == "entity" { entity = String(match.2) }
            let type =
                line.firstMatch(of: /(?:attributeType|destinationEntity|predicateString)="([^"]*)"/)?.1 ?? match.1
            let owner = match.1 == "fetchRequest" && !line.hasPrefix("      ") ? "" : entity
            properties.insert("\(owner).\(match.2): \(type)")
        }
        return properties
    }
}
