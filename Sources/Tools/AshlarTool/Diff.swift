import ArgumentParser
import Ashlar
import DataModel
import FileErrors
import Foundation
import ModelComparison
import ModelDiagram
import StoreInspection

struct Diff: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, markdown, json, svg
    }

    static let configuration = CommandConfiguration(
        abstract: "Compares two versions of a model, or the data of two stores.",
        discussion: """
            A and B are bundles, whose current versions are compared, versions (Feed.xcdatamodeld/Feed.xcdatamodel), \
            or either at a revision of git's (main:Models/Feed.xcdatamodeld). If only one bundle is given, its current \
            version is compared with the one before, or with --since with the bundle as it was. The comparison of \
            versions includes the SQL of the migration and the data that it deletes. Rows of two stores are compared \
            by their identity. Ends with status 0 when all was compared; with --exit-code 2 when anything differs; 1 \
            when a model has errors, 3 or 4 when a store cannot be read, 64 when it was called wrongly, and 66 when \
            git does not have a model.

            swift run ashlar diff Models/Feed.xcdatamodeld --since main --format markdown
            """)

    @Argument(help: "The older model, version or store.")
    var first: String

    @Argument(help: "The newer one.")
    var second: String?

    @Option(help: ArgumentHelp("Compare with the model as it was at a revision of git's.", valueName: "revision"))
    var since: String?

    @Option(help: "Text, Markdown for a review, JSON, or for models a picture.")
    var format = Format.text

    @Option(help: "For stores: how many rows of a table are printed one by one.")
    var rows = 20

    @Flag(help: "End with status 2 when anything differs.")
    var exitCode = false

    @OptionGroup var configuration: ConfigurationArguments

    func validate() throws {
        if since != nil, second != nil { throw ValidationError("--since goes with one model.") }
        if rows < 0 { throw ValidationError("--rows is a number of rows.") }
    }

    func run() throws {
        let isDifferent = try comparesStores() ? compareStores() : compareModels()
        if exitCode, isDifferent { throw ExitCode(StoreStatus.isNotCurrent.rawValue) }
    }

    /// Returns whether the arguments are stores. If only one of them is, the comparison is impossible.
    private func comparesStores() throws -> Bool {
        guard let second, isStore(first) || isStore(second) else { return false }
        for path in [first, second] where !isStore(path) {
            let url = URL(fileURLWithPath: path)
            if !FileManager.default.fileExists(atPath: path) { throw StoreError.missingFile(url) }
            throw ValidationError("\(path) is not a store, but the other file is. Compare two models, or two stores.")
        }
        return true
    }

    /// Returns whether a path is that of a file, which no model is.
    private func isStore(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        return isThere && !isFolder.boolValue && URL(fileURLWithPath: path).lastPathComponent != "contents"
    }

    // MARK: Stores

    private func compareStores() throws -> Bool {
        let paths = [first, second ?? ""]
        if format == .svg { throw ValidationError("Only models can be drawn as a picture.") }
        let comparison = try StoreComparison(
            of: URL(fileURLWithPath: paths[0]), and: URL(fileURLWithPath: paths[1]), limit: rows)
        switch format {
        case .json:
            try CommandOutput.results.write(json: StoreReport(first: paths[0], second: paths[1], comparison))
        case .text, .svg:
            let lines = StoreComparisonText(comparison).lines
            try CommandOutput.results.write(lines: lines)
        case .markdown: try CommandOutput.results.write(data: StoreComparisonText(comparison).markdown)
        }
        return !comparison.isSame
    }

    private struct StoreReport: Encodable {
        var version = 1
        var first: String
        var second: String
        var isSame: Bool
        var tables: [StoreComparison.Table]
        var notCompared: [String]

        init(first: String, second: String, _ comparison: StoreComparison) {
            (self.first, self.second) = (first, second)
            isSame = comparison.isSame
            tables = comparison.tables
            notCompared = comparison.notCompared
        }
    }

    // MARK: Models

    private func compareModels() throws -> Bool {
        let (old, new) = try models()
        let comparison = ModelComparison(from: old, to: new)
        let report = ComparisonReport(old, new, comparison, ComparedMigration(from: old, to: new))
        switch format {
        case .text: try CommandOutput.results.write(lines: report.lines)
        case .markdown: try CommandOutput.results.write(data: report.markdown)
        case .json: try CommandOutput.results.write(json: report)
        case .svg:
            let diagram = Diagram(
                from: Diagram(ModelGraph(old)), to: Diagram(ModelGraph(new)), formerNames: comparison.formerNames)
            try CommandOutput.results.write(data: diagram.svg)
        }
        return !comparison.changes.isEmpty
    }

    private func models() throws -> (Model, Model) {
        if let second { return try (model(first), model(second)) }
        if let since {
            let past = try taken(first, at: since)
            return try withExtendedLifetime(past) { try (currentVersion(past.path), model(first)) }
        }
        let bundle = try read(first)
        guard let position = bundle.versions.firstIndex(where: { $0.name == bundle.currentVersionName }), position > 0
        else {
            throw ValidationError(
                "\(first) has no version before the current one. Name another model, or a revision with --since.")
        }
        return (try checked(bundle.versions[position - 1]), try checked(bundle.versions[position]))
    }

    /// The version that an argument refers to.
    private func model(_ argument: String) throws -> Model {
        if !FileManager.default.fileExists(atPath: argument), let colon = argument.firstIndex(of: ":") {
            let past = try taken(String(argument[argument.index(after: colon)...]), at: String(argument[..<colon]))
            return try withExtendedLifetime(past) { try currentVersion(past.path) }
        }
        return try currentVersion(argument)
    }

    private func taken(_ path: String, at revision: String) throws -> GitModel {
        do {
            return try GitModel(path, at: revision)
        } catch {
            try printError("\(path) at \(revision) cannot be read: \(FileErrorReason.text(error))")
            throw ExitCode(66)
        }
    }

    private func currentVersion(_ path: String) throws -> Model {
        let bundle = try read(path)
        guard let model = bundle.currentVersion else { throw ExitCode(1) }
        return try checked(model)
    }

    private func read(_ path: String) throws -> ModelBundle {
        let reader = try configuration.configuration(ofModelAtPath: path).reader(ofModelAtPath: path)
        let (bundle, diagnostics) = reader.read(atPath: path)
        var errors = Diagnostics()
        for finding in diagnostics.all where finding.severity == .error { errors.report(finding) }
        try printFindings(errors)
        guard let bundle, !errors.hasErrors else { throw ExitCode(1) }
        return bundle
    }

    /// Returns a version without errors; the migration of a version with errors cannot be determined.
    private func checked(_ model: Model) throws -> Model {
        var errors = Diagnostics()
        for finding in ModelChecker.check(model).all where finding.severity == .error { errors.report(finding) }
        try printFindings(errors)
        if errors.hasErrors { throw ExitCode(1) }
        return model
    }
}
