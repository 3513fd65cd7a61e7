public import DataModel
import FileErrors
import Foundation

/// Fixes the files of a model, as far as no person has to decide anything.
public enum ModelFixer {
    /// A version's file with something to fix.
    public struct FixedFile: Sendable {
        public var path: String
        /// The bytes as they were read.
        public var before: [UInt8]
        /// The bytes with all fixes made.
        public var after: [UInt8]
        /// The fixes in the order in which they were made.
        public var applied: [SafeFixes.Applied]
        /// The findings that remain although a fix of their code was chosen.
        public var refused: [SafeFixes.Refused] = []

        init(
            path: String, before: [UInt8], after: [UInt8], applied: [SafeFixes.Applied] = [],
            refused: [SafeFixes.Refused] = []
        ) {
            (self.path, self.before, self.after, self.applied, self.refused) = (path, before, after, applied, refused)
        }

        /// Makes a file that edits changed.
        public init(path: String, before: [UInt8], after: [UInt8]) {
            self.init(path: path, before: before, after: after, applied: [])
        }
    }

    /// The files of the model at a path that fixes change, or in which a chosen fix was refused; nothing is written.
    ///
    /// In versions other than the current one, only errors are fixed: a released version is not edited any more.
    /// - Parameters:
    ///   - reader: Determines the current version if the bundle does not.
    ///   - choices: Codes whose findings are fixed although the fix is not safe.
    ///   - bundleFindings: Finds problems that a version does not show by itself, such as deletions.
    public static func fixedFiles(
        ofModelAtPath path: String, reader: ModelReader = ModelReader(),
        alsoFixing choices: [Diagnostic.Code: FixChoice] = [:],
        findings bundleFindings: (ModelBundle, _ versionName: String) -> Diagnostics = { _, _ in Diagnostics() }
    ) -> [FixedFile] {
        let (model, found) = reader.read(atPath: path)
        let versions = model?.versions ?? []
        let findings =
            found.all
            + Concurrency.map(versions) {
                ModelChecker.check($0, isCurrent: $0.name == model?.currentVersionName).all
            }.joined()
            + (model.map { model in versions.flatMap { bundleFindings(model, $0.name).all } } ?? [])
        let current = model?.currentVersion?.location.file
        let mended = findings.filter { !$0.fixes.isEmpty || choices[$0.code] != nil }
        return Set(mended.map(\.location.file)).sorted().compactMap { file in
            var diagnostics = Diagnostics()
            guard let bytes = ModelFiles.bytes(ofFile: file, reportingTo: &diagnostics) else { return nil }
            let name = versions.first { $0.location.file == file }?.name
            // If the current version of a bundle is unknown, all of them may have been released.
            let fixes = SafeFixes(
                contents: bytes, file: file, onlyErrors: file != current, alsoFixing: choices,
                findings: { version in
                    guard let name, let bundle = model?.replacing(version, named: name) else { return Diagnostics() }
                    return bundleFindings(bundle, name)
                })
            if fixes.applied.isEmpty, fixes.refused.isEmpty { return nil }
            return FixedFile(
                path: file, before: bytes, after: fixes.bytes, applied: fixes.applied, refused: fixes.refused)
        }
    }

    /// Returns a version's file with changes of its elements that a person asked for; nothing is written.
    ///
    /// - Throws: ``ModelEditingError/notExact(_:)`` if the file no longer matches the changes, or one of them cannot be
    ///   made exactly.
    public static func changedFile(
        by changes: [Diagnostic.Change]
    ) throws(ModelEditingError) -> FixedFile {
        let path = changes.first?.element.file ?? ""
        var resolver = FindingResolver()
        guard let edits = resolver.edits(of: Diagnostic.Fix("", changes)), let before = resolver.bytes(ofFile: path)
        else { throw .notExact(path) }
        let after = edits.applied(to: before)
        func errors(_ bytes: [UInt8]) -> Int {
            var (model, diagnostics) = ModelReader.read(contents: bytes, named: "", file: path)
            if let model { diagnostics.report(contentsOf: ModelChecker.check(model)) }
            return diagnostics.all.count { $0.severity == .error }
        }
        if errors(after) > errors(before) { throw .notExact(path) }
        return FixedFile(path: path, before: before, after: after)
    }

    /// Replaces a file by its fixed text, in one step: a file beside it takes its place.
    ///
    /// - Throws: ``ModelEditingError/changed(_:)`` if the file changed after it was read, and
    ///   ``ModelEditingError/notWritable(_:reason:)`` if it cannot be replaced. The file is then unchanged.
    public static func write(_ file: FixedFile) throws(ModelEditingError) {
        // A symbolic link is kept, and its destination is replaced.
        let url = URL(fileURLWithPath: file.path).resolvingSymlinksInPath()
        do {
            guard try [UInt8](Data(contentsOf: url)) == file.before else { throw ModelEditingError.changed(file.path) }
            try replace(url, by: Data(file.after))
        } catch let error as ModelEditingError {
            throw error
        } catch {
            throw .notWritable(file.path, reason: FileErrorReason.text(error))
        }
    }

    /// Writes a file beside another one, with its permissions, and lets it take the other's place.
    private static func replace(_ url: URL, by data: Data) throws {
        let name = ".\(url.lastPathComponent).\(UUID().uuidString)"
        let temporary = url.deletingLastPathComponent().appending(path: name)
        do {
            let permissions = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
            try data.write(to: temporary, options: .withoutOverwriting)
            if let permissions {
                try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: temporary.path)
            }
            #if os(Windows)
                _ = try FileManager.default.replaceItemAt(url, withItemAt: temporary)
            #else
                guard rename(temporary.path, url.path) == 0 else {
                    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
                }
            #endif
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
    }
}

extension ModelBundle {
    /// The bundle with an edited version, which keeps its name.
    fileprivate func replacing(_ version: Model, named name: String) -> ModelBundle {
        var bundle = self
        for index in bundle.versions.indices where bundle.versions[index].name == name {
            bundle.versions[index] = version
            bundle.versions[index].name = name
        }
        return bundle
    }
}
