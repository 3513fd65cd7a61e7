public import DataModel
import FileErrors
import Foundation
import GeneratorPipeline
import ModelFormat
import SchemaMigration
import Synchronization

/// A model that a person edits in a browser.
///
/// Nothing is kept in memory but the steps to undo. Each edit reads the files as they are then, so that edits of other
/// programs stay, and writes the smallest difference.
@_spi(Studio) public final class ModelDesk: Sendable {
    /// The path of the bundle.
    public let path: String
    /// Whether edits are allowed.
    public let isWritable: Bool
    private let configurationFile: String?
    let memory = PlanMemory()
    let history = Mutex(EditHistory())
    let drawn = Mutex<DrawnDiagram?>(nil)

    /// Opens the model at a path. The bundle need not exist yet.
    ///
    /// - Parameter configuration: The file `ashlar.json` to use; if it is nil, the one of the model's package.
    public init(_ path: String, configuration: String? = nil, isWritable: Bool = true) {
        self.path = ModelFiles.normalized(path)
        configurationFile = configuration
        self.isWritable = isWritable
    }

    /// The name of the model.
    public var name: String { ModelFiles.name(ofPath: path) }

    /// Whether a path is that of a model rather than of a store.
    public static func isModel(_ path: String) -> Bool {
        let path = ModelFiles.normalized(path)
        return path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".xcdatamodel")
    }

    /// Whether the model's folder exists.
    public var exists: Bool { FileManager.default.fileExists(atPath: path) }

    func configuration() throws(ModelDeskError) -> GeneratorConfiguration { try configuration(ofModelAtPath: path) }

    private func configuration(ofModelAtPath path: String) throws(ModelDeskError) -> GeneratorConfiguration {
        var diagnostics = Diagnostics()
        let options =
            if let configurationFile {
                GeneratorConfiguration.read(atPath: configurationFile, reportingTo: &diagnostics)
            } else {
                ConfigurationFinder.configuration(ofModelAtPath: path, reportingTo: &diagnostics)
            }
        let whole = options?.includingBundle(ofModelAtPath: path, reportingTo: &diagnostics)
        guard let whole, !diagnostics.hasErrors else { throw ModelDeskError(diagnostics) }
        return whole
    }

    func reader() throws(ModelDeskError) -> ModelReader { try reader(ofModelAtPath: path) }

    private func reader(ofModelAtPath path: String) throws(ModelDeskError) -> ModelReader {
        var reader = try configuration(ofModelAtPath: path).reader(ofModelAtPath: path)
        reader.texts.known = memory.versions
        return reader
    }

    // MARK: Reading

    /// Reads the model as it is now.
    ///
    /// - Parameter version: The version to show; the current one if it is nil.
    public func snapshot(version: String? = nil) throws(ModelDeskError) -> ModelSnapshot {
        // An edit while the files are read makes the state another one.
        let state = state
        let (bundle, found) = try reader().read(atPath: path)
        guard let bundle else { throw ModelDeskError(found) }
        let name = version ?? bundle.currentVersionName
        guard let position = bundle.versions.firstIndex(where: { $0.name == name }) else {
            if version != nil, !bundle.versionNames.contains(name) {
                throw ModelDeskError(.missing, "The model has no version '\(name)'.")
            }
            throw ModelDeskError(found)
        }
        let model = bundle.versions[position]
        let bytes = try FileChange.bytes(model.location.file)
        var diagnostics = found
        diagnostics.report(contentsOf: ModelChecker.check(model, isCurrent: name == bundle.currentVersionName))
        let lock = LockFile.read(for: bundle, reportingTo: &diagnostics)
        let (places, problems) = try places(of: model, bytes)
        return ModelSnapshot(
            bundle: bundle, model: model, previous: position > 0 ? bundle.versions[position - 1] : nil,
            lockedNames: lock?.versionNames ?? [],
            findings: ModelFinding.all(diagnostics, in: model, bytes), bytes: bytes,
            places: places, placeProblems: problems, state: state)
    }

    /// A text that is another one if a file of the model is, or of a bundle that is merged into it. It is found without
    /// reading the versions.
    public var state: String {
        var files = [DiagramPlaces.path(of: path), path + LockFile.suffix]
        var bundles = [path]
        var seen: Set<String> = []
        while let bundle = bundles.popLast() {
            guard seen.insert(ModelFiles.standardized(bundle)).inserted else { continue }
            files += ModelFiles.versionNames(inBundle: bundle).map { "\(bundle)/\($0).xcdatamodel/contents" }
            files += ["contents", ".xccurrentversion", "ashlar.json"].map { "\(bundle)/\($0)" }
            bundles += MergedBundles.paths(ofBundle: bundle)
        }
        var hasher = Hasher()
        for file in files {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            hasher.combine(file)
            hasher.combine(attributes?[.modificationDate] as? Date)
            hasher.combine(attributes?[.size] as? Int)
        }
        return String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    // MARK: Editing

    /// Makes edits of the current version as one, and writes its file, and those of the bundles that are merged with it.
    ///
    /// - Parameters:
    ///   - title: The title for undo, such as `Add Post.title`.
    ///   - edits: Returns the edits for the version as it is now.
    public func edit(
        _ title: String, _ edits: (ModelSnapshot) throws(ModelDeskError) -> [ModelEdit]
    ) throws(ModelDeskError) {
        try change(title) { before throws(ModelDeskError) in
            let wanted = try edits(before)
            if wanted.isEmpty { return [] }
            var changes: [FileChange]
            do {
                changes = try self.changes(wanted, of: before)
            } catch {
                throw error as? ModelDeskError ?? ModelDeskError(.refused, "\(error)")
            }
            if !changes.isEmpty, let change = try renamedPlaces(wanted) { changes.append(change) }
            return changes
        }
    }

    /// Writes files that a change of the current version makes others, unless one of them was released.
    func change(
        _ title: String, _ changes: (ModelSnapshot) throws(ModelDeskError) -> [FileChange]
    ) throws(ModelDeskError) {
        try requireWritable()
        try history.withLock { history throws(ModelDeskError) in
            let before = try snapshot()
            try before.requireUnlocked(path)
            let changes = try changes(before)
            if changes.isEmpty { return }
            do {
                let others = ReleasedFiles.models(of: package, besides: path)
                try ReleasedFiles.refuseEdits(of: changes.map(\.path), inModels: [path] + others) { path in
                    try reader(ofModelAtPath: path)
                }
            } catch {
                throw error as? ModelDeskError ?? ModelDeskError(.refused, "\(error)")
            }
            try history.make(EditStep(title: title, changes: changes))
        }
    }

    private var package: ModelPackage? { ModelPackage(containing: URL(fileURLWithPath: path)) }

    /// The files that edits of a version change.
    private func changes(_ edits: [ModelEdit], of snapshot: ModelSnapshot) throws -> [FileChange] {
        let others = ReleasedFiles.models(of: package, besides: path)
        let before = try VersionText.version(
            snapshot.model.name, of: snapshot.bundle, atPath: path, reader().texts, mergedInto: others)
        var after = before
        try after.apply(edits)
        return zip(before.files, after.files).filter { $0.bytes != $1.bytes }.map { old, new in
            FileChange(path: old.path, before: old.bytes, after: new.bytes)
        }
    }

    /// Writes files that an edit of the whole bundle changes.
    func make(_ title: String, _ changes: [FileChange]) throws(ModelDeskError) {
        let changes = changes.filter { $0.before != $0.after }
        if changes.isEmpty { return }
        try requireWritable()
        try history.withLock { history throws(ModelDeskError) in
            try history.make(EditStep(title: title, changes: changes))
        }
    }

    private func requireWritable() throws(ModelDeskError) {
        if !isWritable { throw ModelDeskError(.refused, "The model is only read. Start Studio with --writable.") }
    }

    // MARK: Undo

    /// The title of the edit that ``undo()`` takes back; nil if there is none.
    public var undoTitle: String? { history.withLock { $0.undone.last?.title } }
    /// The title of the edit that ``redo()`` makes again; nil if there is none.
    public var redoTitle: String? { history.withLock { $0.redone.last?.title } }

    /// Takes the last edit back, and returns its title. Edits that other programs made since stay.
    public func undo() throws(ModelDeskError) -> String {
        try history.withLock { history throws(ModelDeskError) in try history.undo() }
    }

    /// Makes the edit again that was taken back last, and returns its title.
    public func redo() throws(ModelDeskError) -> String {
        try history.withLock { history throws(ModelDeskError) in try history.redo() }
    }

    /// Writes the bundle of a new model without entities.
    public func create() throws(ModelDeskError) {
        if exists { throw ModelDeskError(.refused, "\(path) exists already.") }
        guard path.hasSuffix(".xcdatamodeld") else {
            throw ModelDeskError(.refused, "The name of a new model ends with .xcdatamodeld.")
        }
        try make(
            "Create \(name)",
            [
                FileChange(
                    path: "\(path)/\(name).xcdatamodel/contents", before: nil,
                    after: Array(ModelBundleEditor.emptyVersion.utf8)),
                FileChange(
                    path: path + "/.xccurrentversion", before: nil,
                    after: Array(ModelBundleEditor.text(makingCurrent: name).utf8)),
            ])
    }
}

extension ModelDesk {
    /// The text of a version as `ashlar format` writes it.
    public static func formatted(_ text: String) throws(ModelDeskError) -> String {
        do throws(ModelEditError) {
            return String(decoding: try ModelFormatter.formatted(Array(text.utf8), file: "contents"), as: UTF8.self)
        } catch {
            throw ModelDeskError(.unavailable, error.description)
        }
    }
}

/// The reason why a model cannot be shown, or an edit was refused.
@_spi(Studio) public struct ModelDeskError: Error, Hashable, CustomStringConvertible {
    /// The kind of answer for an error.
    public enum Kind: Sendable, Hashable {
        /// The named part does not exist.
        case missing
        /// The model does not allow the edit, or a file changed meanwhile.
        case refused
        /// A file cannot be read or written.
        case unavailable
    }

    public let kind: Kind
    public let description: String
    /// The messages about single fields, by their names.
    public var fields: [String: String] = [:]

    init(_ kind: Kind, _ description: String, fields: [String: String] = [:]) {
        (self.kind, self.description, self.fields) = (kind, description, fields)
    }

    /// The errors of a model that cannot be read.
    init(_ diagnostics: Diagnostics) {
        let errors = diagnostics.sorted.filter { $0.severity == .error }.map(\.description)
        self.init(.unavailable, "The model cannot be read.\n" + errors.joined(separator: "\n"))
    }
}
