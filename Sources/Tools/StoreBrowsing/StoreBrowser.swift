import Ashlar
import AshlarSQLite
import DataModel
import FileErrors
import Foundation
import GeneratorPipeline
import PlannedModel
import StoreExchange
import Synchronization

/// Shows the contents of a store, or of any SQLite file, page by page.
///
/// Each request opens the file, reads in one short transaction and closes the file. Writers do not wait for it, and the
/// write-ahead log can be checkpointed between requests. The file is never changed. If the file was replaced, the next
/// request reads the new one.
@_spi(Studio) public final class StoreBrowser: Sendable {
    /// The file.
    public let url: URL
    /// The path of the model; nil where none was given or found.
    public let modelPath: String?
    let plan: ModelPlan?
    let versions: [BrowsedVersion]
    /// Whether Core Data or SwiftData wrote the file.
    public let isOfCoreData: Bool
    /// The reason why no objects of such a file are shown; nil if they are.
    let modelNote: String?
    /// The copy that the objects of such a file are read from.
    private let copy: ImportedCopy?

    /// The largest number of steps of SQLite's virtual machine that a request may take: a second or two.
    static let stepLimit = 50_000_000

    /// Opens a store for browsing.
    ///
    /// - Parameters:
    ///   - model: The path of the store's model. When nil, the package around the current folder is searched for the
    ///     model that the store names.
    ///   - configuration: The path of the `ashlar.json` to use. When nil, the one in the package of the model is used.
    /// - Throws: ``BrowsingError`` if the file does not exist or is not a database, or if the given model has errors.
    public init(_ url: URL, model: String? = nil, configuration: String? = nil) throws(BrowsingError) {
        self.url = url
        do {
            let (metadata, isOfCoreData) = try Self.reading(url, doing: "opening it") {
                let metadata = try StoreMetadata($0)
                return (metadata, try metadata == nil && $0.isCoreDataStore())
            }
            let path = model ?? metadata.flatMap { Self.path(ofModelNamed: $0.modelName) }
            modelPath = path
            self.isOfCoreData = isOfCoreData
            var plan = try path.map { try Self.plan(ofModelAtPath: $0, configuration) }
            var note: String?
            if isOfCoreData, plan == nil {
                do {
                    plan = try ImportedCopy.keptPlan(ofStoreAt: url)
                } catch {
                    note = BrowsingError.of(error).description
                }
            }
            modelNote = note
            copy = isOfCoreData ? plan.map { ImportedCopy(of: url, $0) } : nil
            self.plan = plan
            versions = try plan.map { try BrowsedVersion.all(of: $0, atPath: path) } ?? []
        } catch {
            throw BrowsingError.of(error)
        }
    }

    private static func path(ofModelNamed name: String) -> String? {
        guard let found = ModelPackage.current?.models(named: name), found.count == 1 else { return nil }
        return found[0]
    }

    private static func plan(ofModelAtPath path: String, _ configuration: String?) throws -> ModelPlan {
        var diagnostics = Diagnostics()
        let options =
            if let configuration {
                GeneratorConfiguration.read(atPath: configuration, reportingTo: &diagnostics)
            } else {
                ConfigurationFinder.configuration(ofModelAtPath: path, reportingTo: &diagnostics)
            }
        let (plan, found) = ModelPlan.make(modelPath: path, configuration: options ?? GeneratorConfiguration())
        diagnostics.report(contentsOf: found)
        guard let plan, !diagnostics.hasErrors else {
            let errors = diagnostics.all.filter { $0.severity == .error }.map(\.description)
            throw BrowsingError(
                .invalid, "The model \(path) cannot be used.\n" + errors.joined(separator: "\n"))
        }
        return plan
    }

    /// Removes the copies that the browser made to read the store. Call it before the program ends.
    public func removeCopies() { copy?.remove() }

    // MARK: Reading

    /// Runs a closure with a read-only connection, in one transaction, which has ended when this returns.
    ///
    /// - Throws: ``BrowsingError``, also if the closure takes more steps than a request may.
    func read<Result>(doing action: String, _ body: (Connection) throws -> Result) throws(BrowsingError) -> Result {
        do {
            return try Self.reading(url, doing: action, body)
        } catch {
            throw BrowsingError.of(error)
        }
    }

    /// The file that objects are read from: for a store of Core Data, a copy.
    func objectsURL() throws(BrowsingError) -> URL { try copy?.url() ?? url }

    /// The same for objects: those of a store of Core Data's are read from a copy.
    func readObjects<Result>(
        doing action: String, _ body: (Connection) throws -> Result
    ) throws(BrowsingError) -> Result {
        let place = try objectsURL()
        do {
            return try Self.reading(place, doing: action, body)
        } catch {
            throw BrowsingError.of(error)
        }
    }

    private static func reading<Result>(
        _ url: URL, doing action: String, _ body: (Connection) throws -> Result
    ) throws -> Result {
        let file = try UnchangedFile(url, copyingInto: FileManager.default.temporaryDirectory)
        do {
            let result = try withExtendedLifetime(file) {
                let connection = try file.connect()
                // All reads of the closure see the same state of the store.
                try connection.execute("BEGIN")
                var result: Result?
                let isFinished = try StepLimit.run(stepLimit, connection) { result = try body(connection) }
                guard isFinished, let result else {
                    throw BrowsingError(
                        .tooSlow,
                        "Stopped \(action), because SQLite has to read too many rows. An index may help: the plan of the "
                            + "query names the tables that are read completely.")
                }
                return result
            }
            try file.requireUnchanged(doing: action)
            return result
        } catch let error as SQLiteError {
            try file.requireWhole()
            throw StoreError(error, url, doing: action)
        }
    }

    /// The version of the model that the store has; nil without a model, or if no version of it matches.
    func version(_ connection: Connection) throws -> BrowsedVersion? {
        guard !versions.isEmpty, let metadata = try StoreMetadata(connection) else { return nil }
        return versions.first { $0.versionHash == metadata.versionHash }
    }
}
