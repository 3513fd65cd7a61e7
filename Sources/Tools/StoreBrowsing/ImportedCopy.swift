import Ashlar
import AshlarImport
import AshlarSQLite
import CachedModels
import FileErrors
import Foundation
import GeneratorPipeline
import ModelFormat
import PlannedModel
import Synchronization

/// A store of Ashlar's with the objects of a store that Core Data or SwiftData wrote.
///
/// The copy is made when an object is first requested, and made again when the file has changed. Its objects have the
/// same numbers as in the file. It is in a temporary folder, which is removed with this object.
final class ImportedCopy: Sendable {
    /// The largest size of a file and its write-ahead log that are copied, in bytes.
    static let byteLimit: Int64 = 200 << 20

    private let source: URL
    private let model: ModelDescription
    private let folder: URL
    private let state = Mutex(State())

    private struct State {
        var stamp: [Stamp] = []
        var number = 0
        var result: Result<URL, BrowsingError>?
    }

    /// The attributes of a file that show that it did not change.
    private struct Stamp: Equatable {
        var size: UInt64?
        var date: Date?
        var number: UInt64?

        init(_ path: String) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            size = (attributes?[.size] as? NSNumber)?.uint64Value
            date = attributes?[.modificationDate] as? Date
            number = (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
        }
    }

    init(of source: URL, _ plan: ModelPlan) {
        self.source = source
        model = ModelDescription(plan)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-studio-\(UUID().uuidString)")
    }

    deinit { remove() }

    /// Removes the copy. The next request for an object makes it again.
    func remove() {
        state.withLock { state in
            state.result = nil
            try? FileManager.default.removeItem(at: folder)
        }
    }

    /// The location of a copy of the file's current state.
    func url() throws(BrowsingError) -> URL {
        try state.withLock { state throws(BrowsingError) in
            let stamp = [Stamp(source.path), Stamp(source.path + "-wal")]
            if let result = state.result, state.stamp == stamp { return try result.get() }
            if case .success(let old)? = state.result { Self.remove(old) }
            state.number += 1
            state.stamp = stamp
            let result = Result { () throws(BrowsingError) in try make(state.number) }
            state.result = result
            return try result.get()
        }
    }

    private static func remove(_ store: URL) {
        try? FileManager.default.removeItem(at: store.deletingLastPathComponent())
    }

    private func make(_ number: Int) throws(BrowsingError) -> URL {
        let size = ["", "-wal"].reduce(Int64(0)) { sum, suffix in
            sum + Int64(Stamp(source.path + suffix).size ?? 0)
        }
        if size > Self.byteLimit {
            throw BrowsingError(
                .unavailable,
                "Studio shows no objects of Core Data stores larger than \(Self.byteLimit >> 20) MB. Import the store "
                    + "with `ashlar import`, and open the result.")
        }
        do {
            let own = folder.appendingPathComponent("\(number)")
            try FileManager.default.createDirectory(
                at: own, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let copy = own.appendingPathComponent(source.lastPathComponent)
            var old = StoreImport(url: source)
            // Studio shows as much of the data as possible. `ashlar import` reports the problems.
            old.repairsData = true
            old.includesHistory = true
            _ = try ModelContainer.importStore(
                old, to: copy, for: model, migration: MigrationOptions(), progress: nil)
            return copy
        } catch {
            let reason = BrowsingError.of(error)
            throw BrowsingError(reason.kind, "The objects of this store cannot be shown. \(reason.description)")
        }
    }

    // MARK: The model

    /// The model that a store of Core Data's contains.
    ///
    /// - Throws: ``BrowsingError`` if the store contains no model, or one that cannot be used.
    static func keptPlan(ofStoreAt url: URL) throws -> ModelPlan {
        guard let bytes = try ModelContainer.cachedModel(ofStoreAt: url) else {
            throw BrowsingError(.invalid, "The store contains no model. Name one with --model to see its objects.")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-studio-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = try ModelBundleEditor.makeModel(
                named: "Kept", inFolder: folder.path, contents: CachedModel(bytes).document)
            let (plan, found) = ModelPlan.make(modelPath: path, configuration: GeneratorConfiguration())
            guard let plan, !found.hasErrors else {
                let errors = found.all.filter { $0.severity == .error }.map(\.message)
                throw BrowsingError(
                    .invalid,
                    "The model in the store cannot be used. Name one with --model to see its objects. "
                        + errors.prefix(3).joined(separator: " "))
            }
            return plan
        } catch let error as CachedModel.Failure {
            throw BrowsingError(.invalid, "\(error). Name the model with --model to see the store's objects.")
        }
    }
}
