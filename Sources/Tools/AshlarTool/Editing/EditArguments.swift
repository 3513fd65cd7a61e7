import ArgumentParser
import DataModel
import GeneratorPipeline
import ModelFormat

/// The arguments of the commands that edit the current version of a model.
struct EditArguments: ParsableArguments {
    @Option(help: "The path of the model; the package's only one when left out.")
    var model: String?

    @Flag(help: "Show the changes as a patch, and write nothing.")
    var dryRun = false

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var report: ReportArguments

    /// The help on how to call a command that writes.
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
        let others = ReleasedFiles.models(of: ModelPackage.current, besides: path)
        let before = try VersionText.current(ofModelAtPath: path, reader: reader, mergedInto: others)
        var version = before
        for edit in try edits(ModelEditor(before.model)) { try version.apply(edit) }
        let changed = zip(before.files, version.files).filter { $0.bytes != $1.bytes }.map { old, new in
            ModelFixer.FixedFile(path: old.path, before: old.bytes, after: new.bytes)
        }
        try ReleasedFiles.refuseEdits(of: changed.map(\.path), inModels: [path] + others) { path in
            try configuration.configuration(ofModelAtPath: path).reader(ofModelAtPath: path)
        }
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
