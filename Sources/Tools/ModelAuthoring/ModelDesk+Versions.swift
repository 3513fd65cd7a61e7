import DataModel
import Foundation
import GeneratorPipeline
import ModelComparison
import ModelFormat
import SchemaMigration

extension ModelDesk {
    /// Copies the current version to a new one, and makes that the current one. Returns its name.
    public func addVersion(named wanted: String?) throws(ModelDeskError) -> String {
        let before = try snapshot()
        let name: String
        do {
            name = try ModelBundleEditor.addVersion(
                toBundleAtPath: path, named: wanted, reader: try reader(), isTrial: true)
        } catch {
            throw ModelDeskError(.refused, "\(error)")
        }
        let (from, to) = (ModelFiles.folder(ofPath: before.model.location.file), "\(path)/\(name).xcdatamodel")
        var changes: [FileChange] = []
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: from)) ?? []
        for file in files.sorted() {
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: "\(from)/\(file)", isDirectory: &isFolder)
            if !isThere || isFolder.boolValue { continue }
            changes.append(
                FileChange(path: "\(to)/\(file)", before: nil, after: try FileChange.bytes("\(from)/\(file)")))
        }
        try make("New version \(name)", changes + [try choosing(name)])
        return name
    }

    /// Makes a version the current one.
    public func setCurrent(_ name: String) throws(ModelDeskError) {
        guard try snapshot().bundle.versionNames.contains(name) else {
            throw ModelDeskError(.missing, "The model has no version '\(name)'.")
        }
        try make("Make \(name) current", [try choosing(name)])
    }

    private func choosing(_ name: String) throws(ModelDeskError) -> FileChange {
        let file = path + "/.xccurrentversion"
        return FileChange(
            path: file, before: try FileChange.bytesIfThere(file),
            after: Array(ModelBundleEditor.text(makingCurrent: name).utf8))
    }

    /// Locks a version and those before it, as `ashlar lock` does.
    public func lock(_ name: String) throws(ModelDeskError) {
        let bundle = try snapshot(version: name).bundle
        guard let position = bundle.versions.firstIndex(where: { $0.name == name }) else { return }
        var diagnostics = Diagnostics()
        let path = LockFile.path(of: bundle)
        let before = try FileChange.bytesIfThere(path)
        var file = LockFile([], path: path)
        if before != nil {
            guard let existing = LockFile.read(for: bundle, reportingTo: &diagnostics) else {
                throw ModelDeskError(diagnostics)
            }
            diagnostics.report(contentsOf: existing.check(bundle))
            file = existing
        }
        if name == bundle.currentVersionName {
            let found = ModelPlan.make(
                modelPath: self.path, configuration: try configuration(), texts: ModelTexts(), memory: memory)
            for finding in found.diagnostics.all where finding.severity == .error { diagnostics.report(finding) }
        }
        if diagnostics.hasErrors {
            let errors = diagnostics.sorted.filter { $0.severity == .error }.map(\.message)
            throw ModelDeskError(.refused, "The version cannot be locked. " + errors.joined(separator: "\n"))
        }
        file.append(bundle.versions[...position].filter { !file.versionNames.contains($0.name) })
        try make(
            "Lock \(name)",
            [FileChange(path: path, before: before, after: Array(file.text(modelName: bundle.name).utf8))])
    }

    /// Compares a version with the one before, and proves the migration between them.
    public func review(of name: String) throws(ModelDeskError) -> VersionReview? {
        let snapshot = try snapshot(version: name)
        guard let previous = snapshot.previous else { return nil }
        let (plan, diagnostics) = ModelPlan.make(
            modelPath: path, configuration: try configuration(), texts: ModelTexts(), memory: memory)
        let index = plan?.versions.firstIndex { $0.name == name }
        var review = VersionReview(name: name, previous: previous.name)
        review.changes = ModelComparison(from: previous, to: snapshot.model).changes.map(VersionReview.Change.init)
        if let plan, let index, index > 0 {
            review.sql = plan.migrationText(to: index)
            review.destroys = plan.steps[index].filter(\.isDestructive).map(\.description)
            if name == snapshot.bundle.currentVersionName {
                review.warnings = diagnostics.sorted.filter { $0.severity == .warning }.map(\.message)
            }
        } else if plan == nil {
            review.obstacles = diagnostics.sorted.filter { $0.severity == .error }.map(\.message)
        } else {
            let migration = ComparedMigration(from: previous, to: snapshot.model)
            (review.sql, review.destroys) = (migration.sql, migration.destroys)
            (review.warnings, review.obstacles) = (migration.warnings, migration.obstacles)
        }
        return review
    }
}

/// The differences of a version from the one before, with the migration.
@_spi(Studio) public struct VersionReview: Sendable {
    /// One thing that is new, gone or another.
    public struct Change: Sendable {
        public let action: String
        /// The thing, such as `attribute Post.title (was name)`.
        public let subject: String
        /// The changed properties, with both values.
        public let facets: [(name: String, before: String, after: String)]

        init(_ change: ModelComparison.Change) {
            action = change.action.rawValue
            subject =
                "\(change.kind.rawValue) \(change.owner.map { "\($0)." } ?? "")\(change.name)"
                + (change.formerName.map { " (was \($0))" } ?? "")
            facets = change.action == .changed ? change.facets.map { ($0.name, $0.before ?? "", $0.after ?? "") } : []
        }
    }

    public let name: String
    public let previous: String
    public internal(set) var changes: [Change] = []
    /// The migration as a script; nil if there is none.
    public internal(set) var sql: String?
    /// The steps that delete data.
    public internal(set) var destroys: [String] = []
    public internal(set) var warnings: [String] = []
    /// The errors that prevent a migration, such as those of its proof.
    public internal(set) var obstacles: [String] = []

    init(name: String, previous: String) { (self.name, self.previous) = (name, previous) }
}
