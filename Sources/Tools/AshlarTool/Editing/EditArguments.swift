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

    /// Makes an edit of the current version, writes the file, and reports it.
    func apply(_ edit: (ModelEditor) throws -> ModelEdit) throws {
        let path = try Self.path(model)
        let reader = try configuration.configuration(ofModelAtPath: path).reader(ofModelAtPath: path)
        var version = try VersionText.current(ofModelAtPath: path, reader: reader)
        try checkUnlocked(version, path, reader)
        let before = version.bytes
        try version.apply(edit(ModelEditor(version.model)))
        let file = ModelFixer.FixedFile(path: version.file, before: before, after: version.bytes)
        if !dryRun, file.before != file.after { try ModelFixer.write(file) }
        let patch =
            file.before == file.after ? "" : LineDifference(from: before, to: file.after).patch(ofFile: file.path)
        switch report.format {
        case .json:
            try CommandOutput.results.write(
                json: EditReport(
                    model: path, modelVersion: version.model.name, file: file.path,
                    isWritten: !dryRun && !patch.isEmpty,
                    patch: patch))
        case .text:
            if dryRun { return try CommandOutput.results.write(data: patch) }
            try CommandOutput.results.write(line: patch.isEmpty ? "\(file.path) is already so." : file.path)
        }
    }

    /// A released version is not edited any more.
    private func checkUnlocked(_ version: VersionText, _ path: String, _ reader: ModelReader) throws {
        var diagnostics = Diagnostics()
        guard let bundle = reader.read(atPath: path).model,
            let lock = LockFile.read(for: bundle, reportingTo: &diagnostics),
            lock.versionNames.contains(version.model.name)
        else { return }
        throw ModelEditError.notPossible(
            "Version '\(version.model.name)' is locked, because it was released. Run 'ashlar new-version \(path)' first."
        )
    }
}

/// The report of an edit.
private struct EditReport: Encodable {
    var version = 1
    var model: String
    var modelVersion: String
    /// The path of the edited file.
    var file: String
    var isWritten: Bool
    /// The difference; empty if the model was already so.
    var patch: String
}
