import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import SchemaMigration

/// The arguments of the commands that edit the current version of a model.
struct EditArguments: ParsableArguments {
    @Option(help: "The path of the model; the package's only one when left out.")
    var model: String?

    @Flag(help: "Show the changes as a patch, and write nothing.")
    var dryRun = false

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var report: ReportArguments

    /// How a command that writes is called, for its help.
    static let note = """
        Only the lines change that the edit is about. Ends with status 0, 1 when the edit is refused, 64 when the tool was \
        called wrongly, 66 when the model cannot be read, and 73 when it cannot be written. On macOS, call it with swift \
        package --allow-writing-to-package-directory ashlar, or with swift run ashlar.
        """

    /// The path of the model: the given one, or that of the package's only model.
    static func path(_ given: String?) throws -> String {
        if let given { return given }
        let models = ModelPackage.current?.models ?? []
        if models.count == 1 { return models[0] }
        let list = models.isEmpty ? "" : " The package's are \(models.joined(separator: ", "))."
        throw ValidationError("Say which model is meant.\(list)")
    }

    /// Makes an edit of the current version, writes the files, and reports it.
    func apply(_ edit: (ModelEditor) throws -> ModelEdit) throws { try applyAll { [try edit($0)] } }

    /// Makes several edits as one.
    func applyAll(_ edits: (ModelEditor) throws -> [ModelEdit]) throws {
        let path = try Self.path(model)
        let reader = try configuration.configuration(ofModelAtPath: path).reader(ofModelAtPath: path)
        let others = ModelPackage.current?.models.filter { !Self.isSame($0, path) } ?? []
        let before = try VersionText.current(ofModelAtPath: path, reader: reader, mergedInto: others)
        var version = before
        for edit in try edits(ModelEditor(before.model)) { try version.apply(edit) }
        let changed = zip(before.files, version.files).filter { $0.bytes != $1.bytes }.map { old, new in
            ModelFixer.FixedFile(path: old.path, before: old.bytes, after: new.bytes)
        }
        try checkUnlocked(changed.map(\.path), [path] + others)
        if !dryRun { for file in changed { try ModelFixer.write(file) } }
        let patch = changed.map { LineDifference(from: $0.before, to: $0.after).patch(ofFile: $0.path) }.joined()
        switch report.format {
        case .json:
            try CommandOutput.results.write(
                json: EditReport(
                    model: path, modelVersion: version.model.name, files: changed.map(\.path),
                    isWritten: !dryRun && !changed.isEmpty, patch: patch))
        case .text:
            if dryRun { return try CommandOutput.results.write(data: patch) }
            if changed.isEmpty { try CommandOutput.results.write(line: "\(before.file) is already so.") }
            for file in changed { try CommandOutput.results.write(line: file.path) }
        }
    }

    /// Refuses to edit a file of a released version, which may be one of a bundle that the file's is merged into.
    private func checkUnlocked(_ files: [String], _ models: [String]) throws {
        for path in models where path.hasSuffix(".xcdatamodeld") {
            let reader = try configuration.configuration(ofModelAtPath: path).reader(ofModelAtPath: path)
            var diagnostics = Diagnostics()
            guard let bundle = reader.read(atPath: path).model,
                let lock = LockFile.read(for: bundle, reportingTo: &diagnostics)
            else { continue }
            for version in bundle.versions where lock.versionNames.contains(version.name) {
                if files.contains(where: { Self.isSame($0, version.location.file) }) {
                    throw ModelEditError.notPossible(
                        "Version '\(version.name)' is locked, because it was released. "
                            + "Run 'ashlar new-version \(path)' first.")
                }
                let merged = MergedFiles(
                    ofVersion: version.name, among: bundle.versionNames, inBundle: path, others: [])
                if let file = files.first(where: { file in merged.files.contains { Self.isSame($0.path, file) } }) {
                    throw ModelEditError.notPossible(
                        "\(file) is merged into version '\(version.name)' of \(path), which is locked, because it was "
                            + "released. Make new versions of both bundles first, and name them under 'merges'.")
                }
            }
        }
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        URL(fileURLWithPath: path).standardizedFileURL == URL(fileURLWithPath: other).standardizedFileURL
    }
}

/// The report of an edit.
private struct EditReport: Encodable {
    var version = 1
    var model: String
    var modelVersion: String
    /// The paths of the edited files.
    var files: [String]
    var isWritten: Bool
    /// The difference; empty if the model was already so.
    var patch: String
}
