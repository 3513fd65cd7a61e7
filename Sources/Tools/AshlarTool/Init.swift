import ArgumentParser
import FileErrors
import Foundation
import GeneratorPipeline
import ModelFormat

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a first model, and prints the lines that the package needs to build it.",
        discussion: """
            With --add-to-package the manifest is edited; one whose form is not understood is left as it is, and the \
            lines to add are printed. Ends with status 0 when the model was made, 64 when the tool was called wrongly, \
            and 73 when a file cannot be written.
            """)

    @Argument(help: "The model's name, which is best the target's; the package's only target when left out.")
    var name: String?

    @Option(help: "The folder to write the bundle to; Models in the package when left out.")
    var folder: String?

    @Flag(help: "Add the lines that build the model to the target in Package.swift.")
    var addToPackage = false

    @OptionGroup var report: ReportArguments

    func run() throws {
        let package = ModelPackage.current
        let manifest = try package.map { package in
            try FileFailure.catching("read", package.manifest.path) {
                // Text that is not UTF-8 could not be written back unchanged, and counts as not understood.
                PackageManifest(
                    String(bytes: try RegularFile.bytes(atPath: package.manifest.path), encoding: .utf8) ?? "")
            }
        }
        let name = try self.name ?? Self.onlyTarget(of: manifest)
        let folder = self.folder ?? package.map { ModelPackage.relativePath($0.url.appending(path: "Models")) }
        let changes = manifest.map { ManifestChanges(toBuildModelsOf: name, in: $0, ashlar: Self.identity) }
        let path = try FileFailure.catching("make the model in", folder ?? "Models") {
            try ModelBundleEditor.makeModel(named: name, inFolder: folder ?? "Models")
        }
        var result = InitReport(model: path, manifest: package.map { ModelPackage.relativePath($0.manifest) })
        try edit(package, changes, &result)
        switch report.format {
        case .json: try CommandOutput.results.write(json: result)
        case .text: try CommandOutput.results.write(line: result.text)
        }
    }

    private func edit(
        _ package: ModelPackage?, _ changes: ManifestChanges?, _ result: inout InitReport
    ) throws {
        guard let package, let changes else {
            result.toAdd = ManifestChanges.everything(target: name ?? "App", package: Self.identity)
            return
        }
        switch changes.outcome {
        case .nothingToDo: result.state = .complete
        case .notUnderstood(let reason):
            result.reason = reason
            result.toAdd = ManifestChanges.everything(target: changes.target, package: Self.identity)
        case .edits(let text):
            guard addToPackage else {
                result.toAdd = changes.lines
                return
            }
            try FileFailure.catching("write", package.manifest.path) {
                try Data(text.utf8).write(to: package.manifest.resolvingSymlinksInPath(), options: .atomic)
            }
            if changes.addsTarget { result.source = try makeTarget(changes.target, in: package) }
            result.state = .added
            result.toAdd = changes.lines
        }
    }

    /// Makes the folder of a target with a first file, if there is none, and returns the file's path.
    private func makeTarget(_ name: String, in package: ModelPackage) throws -> String? {
        let folder = package.url.appending(path: "Sources").appending(path: name)
        if FileManager.default.fileExists(atPath: folder.path) { return nil }
        let file = folder.appending(path: "\(name).swift")
        try FileFailure.catching("write", file.path) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("import Ashlar\n".utf8).write(to: file, options: .atomic)
        }
        return ModelPackage.relativePath(file)
    }

    /// The package's name for this one, from the command plugin.
    private static var identity: String {
        ProcessInfo.processInfo.environment[ManifestChanges.identityVariable] ?? "ashlar"
    }

    private static func onlyTarget(of manifest: PackageManifest?) throws -> String {
        let names = manifest?.targets.filter { $0.kind != "testTarget" }.map(\.name) ?? []
        if names.count == 1 { return names[0] }
        let all = names.isEmpty ? "" : " The package's are \(names.joined(separator: ", "))."
        throw ValidationError("Say the model's name, which is best that of the target that it is for.\(all)")
    }
}

/// The report of `ashlar init`.
struct InitReport: Encodable {
    /// The result for the manifest.
    enum State: String, Encodable {
        /// The manifest is unchanged, and lacks lines that must be added.
        case incomplete
        /// The manifest has everything that is needed.
        case complete
        /// The missing lines were added.
        case added
    }

    var version = 1
    /// The path of the model.
    var model: String
    /// The path of the manifest; nil outside of packages.
    var manifest: String?
    var state = State.incomplete
    /// Why the manifest cannot be edited.
    var reason: String?
    /// The path of the first file of a target that was made.
    var source: String?
    /// The lines that were added or must be added.
    var toAdd: [String] = []

    init(model: String, manifest: String?) {
        self.model = model
        self.manifest = manifest
    }

    var text: String {
        let file = manifest ?? "Package.swift"
        var lines = [model]
        switch state {
        case .complete: lines.append("\(file) is complete. Build the package.")
        case .added: lines.append("Added to \(file):")
        case .incomplete:
            if let reason { lines.append("\(file) is left as it is: \(reason)") }
            lines.append(
                reason == nil && manifest != nil
                    ? "Add to \(file), as `ashlar init --add-to-package` does by itself:" : "Add to \(file):")
        }
        lines += toAdd.map { "    \($0)" }
        if let source { lines.append(source) }
        return lines.joined(separator: "\n")
    }
}
