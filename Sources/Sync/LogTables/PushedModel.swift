import Ashlar
@_spi(Hub) public import AshlarSync
import DataModel
public import Foundation
import GeneratorPipeline
import ModelFormat
import PlannedModel
import RelationalSchema

import class RelationalSchema.Schema

/// The model of a log at a hub: the files of its bundle, and the plan that a build makes of them.
///
/// From the plan follow the tables of each version, by the code that generates a program's.
@_spi(Hub) public struct PushedModel: Sendable {
    /// An error of a model that cannot be used.
    public struct Invalid: Error, CustomStringConvertible {
        /// The findings of the build, or the reason.
        public var description: String
    }

    private struct Content: Codable {
        /// The name of the bundle's folder.
        var name: String
        /// The files, by their paths within the bundle.
        var files: [String: Data]
        var configuration: GeneratorConfiguration
    }

    /// The greatest number of bytes that the files of a model may have.
    private static let greatestSize = 16 << 20

    /// The bytes that ``init(_:)`` reads.
    public let data: Data
    private let plan: ModelPlan

    /// Reads the model at a path, as the targets of its package build it.
    ///
    /// - Parameter configurationPath: The path of the `ashlar.json` that counts, in place of those in the package.
    /// - Throws: ``Invalid`` if the model has errors, or the error of the file system.
    public init(readingFrom path: String, configuration configurationPath: String? = nil) throws {
        var diagnostics = Diagnostics()
        let configuration =
            if let configurationPath {
                GeneratorConfiguration.read(atPath: configurationPath, reportingTo: &diagnostics)
            } else {
                ConfigurationFinder.configuration(ofModelAtPath: path, reportingTo: &diagnostics)
            }
        guard let configuration, !diagnostics.hasErrors else { throw Self.invalid(diagnostics) }
        if !MergedBundles.paths(ofBundle: ModelFiles.normalized(path)).isEmpty {
            throw Invalid(description: "The model merges other bundles, which a hub does not have.")
        }
        let folder = URL(fileURLWithPath: path).standardizedFileURL
        var content = Content(name: folder.lastPathComponent, files: [:], configuration: configuration)
        var size = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() {
            let file = folder.appendingPathComponent(name)
            let type = try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
            guard type == .typeRegular else { continue }
            let bytes = try Data(contentsOf: file)
            size += bytes.count
            guard size <= Self.greatestSize else {
                throw Invalid(description: "The model's files have more than \(Self.greatestSize) bytes.")
            }
            content.files[name] = bytes
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try self.init(content, encoder.encode(content))
    }

    /// Reads the model from its ``data``.
    ///
    /// - Throws: ``Invalid`` if the model has errors, or the error of the file system.
    public init(_ data: Data) throws { try self.init(JSONDecoder().decode(Content.self, from: data), data) }

    private init(_ content: Content, _ data: Data) throws {
        self.data = data
        if content.name.isEmpty || content.name.contains("/") || [".", ".."].contains(content.name) {
            throw Invalid(description: "The model has no name of a file.")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent(content.name)
        for (name, bytes) in content.files {
            let file = bundle.appendingPathComponent(name).standardizedFileURL
            guard file.path.hasPrefix(bundle.standardizedFileURL.path + "/") else {
                throw Invalid(description: "The file \(name) is outside of the model.")
            }
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: file)
        }
        let (plan, found) = ModelPlan.make(modelPath: bundle.path, configuration: content.configuration)
        guard let plan, !found.hasErrors else { throw Self.invalid(found) }
        self.plan = plan
    }

    private static func invalid(_ diagnostics: Diagnostics) -> Invalid {
        Invalid(
            description: diagnostics.sorted.filter { $0.severity == .error }.map(\.description).joined(separator: "\n"))
    }

    // MARK: Versions

    /// The name of the model.
    public var name: String { plan.name }

    /// The names and hashes of the versions, from the oldest to the current one.
    public var versions: [(name: String, hash: String)] {
        plan.versions.map { ($0.name, $0.hash.versionHash) }
    }

    /// Makes an empty store of a version, and describes its tables.
    ///
    /// - Parameter hash: The hash of the version.
    /// - Returns: Nil if the model has no such version.
    /// - Throws: ``Invalid``, or the error of SQLite.
    public func rows(ofVersion hash: String) throws -> (rows: LogRows, tables: [LogTable])? {
        guard let index = versions.firstIndex(where: { $0.hash == hash }) else { return nil }
        let model = ModelDescription.ofAllVersions(plan, describesEntities: true)[index]
        guard let stored = model.storedEntities()?.last else {
            throw Invalid(description: "The stored properties of the model's versions cannot be read.")
        }
        let schema = plan.schemas[index]
        let rows = try LogRows(model, narrowColumns: NarrowColumn.all(of: schema))
        let types = ColumnTypes(stored, schema)
        return (rows, rows.schema.map { LogTable($0, types) })
    }
}
