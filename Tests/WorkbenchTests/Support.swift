import AshlarSQLite
import Foundation
import GeneratorPipeline
import PlannedModel
import ToolProgram

@testable import Ashlar

/// A folder of a test's own, which goes with this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes a model bundle of versions, each with the elements within `model`, and returns its path. The last version
    /// is the current one.
    @discardableResult
    func writeModel(_ name: String, _ versions: [(name: String, elements: String)]) throws -> String {
        let bundle = file(name + ".xcdatamodeld")
        for version in versions {
            let folder = bundle.appendingPathComponent(version.name + ".xcdatamodel")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Self.contents(version.elements).write(
                to: folder.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        }
        let list = ["_XCCurrentVersionName": (versions.last?.name ?? "") + ".xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: bundle.appendingPathComponent(".xccurrentversion"))
        return bundle.path
    }

    /// A version's file.
    static func contents(_ elements: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        \(elements)
        </model>
        """
    }

    /// The bytes of all files in the folder, by their paths, with the times of their last changes.
    func snapshot() throws -> [String: [String]] {
        var result: [String: [String]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
            let file = url.appendingPathComponent(path)
            let values = try FileManager.default.attributesOfItem(atPath: file.path)
            guard values[.type] as? FileAttributeType == .typeRegular else { continue }
            result[path] = [
                try Data(contentsOf: file).base64EncodedString(), "\(values[.modificationDate] ?? "")",
            ]
        }
        return result
    }
}

/// Stores of a model that a test writes.
enum TestStore {
    /// A model without a plan.
    struct NoModel: Error {
        var findings: String
    }

    /// The description of the model at a path, as in a program without its classes.
    static func description(_ path: String) throws -> ModelDescription {
        let (plan, diagnostics) = ModelPlan.make(modelPath: path)
        guard let plan else { throw NoModel(findings: "\(diagnostics)") }
        return ModelDescription(plan)
    }

    /// Makes a store of a model's current version, and runs statements in it.
    static func make(_ url: URL, model: String, _ statements: [String] = []) throws {
        let opened = try StoreOpener(
            model: description(model), configuration: ModelConfiguration(url: url), monitor: MigrationMonitor()
        ).open()
        try opened.pool.write { connection in
            try connection.transaction { for statement in statements { try connection.execute(statement) } }
        }
    }

    /// Makes a file with plain SQLite.
    static func execute(_ url: URL, _ statements: [String]) throws {
        let connection = try Connection(opening: url.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        for statement in statements { try connection.execute(statement) }
    }
}
