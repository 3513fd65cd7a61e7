import DataModel
import Foundation
import Testing

@testable import ModelFormat

/// Real models in a folder beside the project, if the machine has them. They belong to others and are not part of it.
enum Corpus {
    static let folder: String = {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return root.deletingLastPathComponent().appendingPathComponent("shared/corpus/models").path
    }()

    static var exists: Bool { FileManager.default.fileExists(atPath: folder) }

    /// The paths of all bundles and bare models, and not of those within others.
    static var models: [String] {
        var result: [String] = []
        let enumerator = FileManager.default.enumerator(atPath: folder)
        while let path = enumerator?.nextObject() as? String {
            guard path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".xcdatamodel") else { continue }
            result.append("\(folder)/\(path)")
            enumerator?.skipDescendants()
        }
        return result.sorted()
    }
}

@Suite("Real models", .enabled(if: Corpus.exists, "there is no corpus of real models on this machine"))
struct CorpusTests {
    @Test func everyModelIsReadWithoutUnexpectedErrors() {
        let models = Corpus.models
        #expect(models.count > 100)
        var versionCount = 0
        for path in models {
            var (model, diagnostics) = ModelReader().read(atPath: path)
            for version in model?.versions ?? [] {
                versionCount += 1
                diagnostics.report(contentsOf: ModelChecker.check(version))
            }
            for diagnostic in diagnostics.all {
                #expect(isExpected(diagnostic), "\(diagnostic)")
            }
        }
        #expect(versionCount > 500)
    }

    /// Returns whether real models may have a finding: Xcode's format cannot express it, this release does not build
    /// it, or the warning is correct.
    private func isExpected(_ diagnostic: Diagnostic) -> Bool {
        switch diagnostic.code {
        case .binaryModel, .emptyBundle, .missingCurrentVersion, .notSupported: true
        case .missingInverse, .missingTransformer, .wrongTransformer, .invalidIndex, .invalidDefault, .noAction,
            .noEffect:
            diagnostic.severity == .warning
        case .redundantIndex: diagnostic.severity == .note
        default: false
        }
    }

    /// After the safe fixes, a released model must still open its stores.
    @Test func safeFixesKeepEveryHashAndEveryFixCanBeMade() throws {
        for path in Corpus.models {
            guard let version = ModelReader().read(atPath: path).model?.currentVersion else { continue }
            let file = version.location.file
            var diagnostics = Diagnostics()
            let bytes = try #require(ModelFiles.bytes(ofFile: file, reportingTo: &diagnostics))
            let (model, found) = ModelReader.read(contents: bytes, named: "", file: file)
            var resolver = FindingResolver(bytes, file: file)
            for finding in try found.all + ModelChecker.check(#require(model)).all {
                for fix in finding.fixes { #expect(resolver.edits(of: fix) != nil, "\(finding)") }
            }
            let fixes = SafeFixes(contents: bytes, file: file)
            if fixes.applied.isEmpty { continue }
            let after = try VersionHash(#require(ModelReader.read(contents: fixes.bytes, named: "", file: file).model))
            #expect(after.versionHash == version.versionHash)
            #expect(after.schemaHash == version.schemaHash)
        }
    }

    @Test func noTwoVersionsOfDifferentContentHaveOneHash() {
        for path in Corpus.models {
            let versions = ModelReader().read(atPath: path).model?.versions ?? []
            var seen: [String: Model] = [:]
            for version in versions {
                let hash = VersionHash(version)
                #expect(hash.versionHashes.count == version.entities.count)
                guard let other = seen.updateValue(version, forKey: hash.schemaHash) else { continue }
                let names = [version, other].map { Set($0.entities.flatMap { $0.attributes.map(\.name) }) }
                #expect(names[0] == names[1])
            }
        }
    }
}

extension Corpus {
    /// The paths of all versions' files.
    static var files: [String] {
        var result: [String] = []
        let enumerator = FileManager.default.enumerator(atPath: folder)
        while let path = enumerator?.nextObject() as? String {
            if path.hasSuffix(".xcdatamodel/contents") { result.append("\(folder)/\(path)") }
        }
        return result.sorted()
    }
}
