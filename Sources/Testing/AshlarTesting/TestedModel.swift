import Ashlar
import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import PlannedModel
import RelationalSchema
import SchemaMigration
import Synchronization

import class RelationalSchema.Schema

/// All versions of a model from its files, checked to be those of the program.
final class TestedModel: Sendable {
    let name: String
    /// The versions that the program migrates from, and the current one as the last.
    let versionNames: [String]
    /// The tables of each version.
    let schemas: [Schema]
    /// The model of a program with the versions up to each; the last one has the classes.
    let descriptions: [ModelDescription]
    /// The match of each version with the next.
    private let matches: [VersionMatch]
    /// The versions to which SQL or Swift of the author's own leads.
    private let customVersions: Set<Int>

    /// - Parameter current: The current version as the program has it; nil for one without its classes.
    init(_ plan: ModelPlan, current: ModelDescription? = nil) {
        let descriptions = ModelDescription.ofAllVersions(plan)
        self.descriptions = descriptions.dropLast() + [current ?? descriptions[descriptions.count - 1]]
        name = plan.name
        versionNames = plan.versions.map(\.name)
        let schemas = plan.schemas
        self.schemas = schemas
        matches = Concurrency.map(Array(schemas.indices.dropFirst())) {
            VersionMatch(from: schemas[$0 - 1], to: schemas[$0])
        }
        customVersions = Set(
            plan.versions.indices.filter { index in
                plan.versions[index].needsStage
                    || plan.versions[index].migration.contains { if case .custom = $0.purpose { true } else { false } }
            })
    }

    var current: Int { versionNames.count - 1 }

    /// Returns the match of a version with the one before.
    func match(to version: Int) -> VersionMatch { matches[version - 1] }

    func isCustom(_ version: Int) -> Bool { customVersions.contains(version) }

    /// An attribute of an older version.
    struct Origin {
        var declaringEntityName: String
        var keyPath: String
        var type: DataModel.AttributeType
    }

    /// Returns the attribute of an older version that becomes an attribute of the current one; nil if no values are
    /// taken over.
    func origin(of keyPath: String, in entityName: String, version: Int) -> Origin? {
        var (keyPath, entityName) = (keyPath, entityName)
        for later in stride(from: current, to: version, by: -1) {
            guard let (_, attribute) = Self.column(keyPath, entityName, schemas[later]),
                let origin = matches[later - 1].origin(of: attribute, keyPath: keyPath, in: entityName),
                let older = matches[later - 1].oldEntityName(of: entityName)
            else { return nil }
            (keyPath, entityName) = (origin.keyPath, older)
        }
        guard let (column, attribute) = Self.column(keyPath, entityName, schemas[version]) else { return nil }
        return Origin(declaringEntityName: column.entityName, keyPath: keyPath, type: attribute.type)
    }

    /// An attribute's column of an entity, which may inherit it.
    static func column(
        _ keyPath: String, _ entityName: String, _ schema: Schema
    ) -> (column: StoredColumn, attribute: Attribute)? {
        let columns = schema.graph.entity(named: entityName).flatMap { schema.storage(of: $0) }?.attributeColumns ?? []
        guard let column = columns.first(where: { $0.keyPath == keyPath }), case .attribute(let stored) = column.content
        else { return nil }
        return (column, column.leaf?.path.last ?? stored)
    }

    /// The position of a version. Throws ``MigrationTestError/unknownVersion(_:model:known:)``.
    func position(of versionName: String) throws(MigrationTestError) -> Int {
        if let position = versionNames.firstIndex(of: versionName) { return position }
        throw .unknownVersion(versionName, model: name, known: versionNames)
    }

    // MARK: Reading

    private struct Key: Hashable {
        var path: String
        var type: ObjectIdentifier
    }

    /// The models read so far, because a suite over all pairs of versions uses them repeatedly.
    private static let known = Mutex<[Key: TestedModel]>([:])

    /// Reads and plans the versions of a model, once in a process.
    ///
    /// - Parameters:
    ///   - path: The path of the model, relative to the package that contains a file of the test.
    ///   - sourceFile: The file of the test.
    static func read(
        _ type: any ManagedObjectModel.Type, at path: String, from sourceFile: String
    ) throws(MigrationTestError) -> TestedModel {
        let path = PackageFolder(of: sourceFile).resolve(path)
        let key = Key(path: path, type: ObjectIdentifier(type))
        let result: Result<TestedModel, MigrationTestError> = known.withLock { known in
            if let model = known[key] { return .success(model) }
            do throws(MigrationTestError) {
                let model = TestedModel(try plan(type.modelDescription, path), current: type.modelDescription)
                known[key] = model
                return .success(model)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Plans the program's versions. Their order, the oldest of them, the current one and the stages are those that the
    /// program was built with, so that nothing must be specified twice.
    private static func plan(_ description: ModelDescription, _ path: String) throws(MigrationTestError) -> ModelPlan {
        var (bundle, diagnostics) = ModelReader().read(atPath: path)
        guard let found = bundle else { throw .unreadableModel(path: path, findings: errors(diagnostics)) }
        let versions = description.versions.compactMap { version in found.versions.first { $0.name == version.name } }
        guard versions.count == description.versions.count, let last = versions.last else {
            let missing = description.versions.map(\.name).filter { name in !versions.contains { $0.name == name } }
            throw .otherModel(
                path: path, model: description.name, reason: "it has no version \(missing.joined(separator: ", "))")
        }
        let chosen = ModelBundle(
            name: description.name, versions: versions, currentVersionName: last.name, location: found.location)
        var findings = Diagnostics()
        let scripts = MigrationScripts.read(for: chosen, reportingTo: &findings)
        let stageNames = description.versions.filter(\.needsStage).map(\.name)
        let (plan, planned) = ModelPlan.make(chosen, scripts: scripts, stageNames: stageNames, after: findings)
        diagnostics = planned
        guard let plan else { throw .unreadableModel(path: path, findings: errors(diagnostics)) }
        for (built, read) in zip(description.versions, plan.versions) where built.versionHash != read.hash.versionHash {
            throw .otherModel(path: path, model: description.name, reason: "version '\(built.name)' differs")
        }
        return plan
    }

    private static func errors(_ diagnostics: Diagnostics) -> [String] {
        diagnostics.all.filter { $0.severity == .error }.map {
            "\($0.location.file):\($0.location.line): \($0.message)"
        }
    }
}

/// The package of a test, by whose folder paths are written shorter.
struct PackageFolder {
    let url: URL?

    /// The folder with a manifest that a source file is in, or in a folder of.
    init(of sourceFile: String) {
        var folder = URL(fileURLWithPath: sourceFile).deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
                url = folder
                return
            }
            folder = folder.deletingLastPathComponent()
        }
        url = nil
    }

    /// A path relative to the package, or to the working directory if there is no package; an absolute one as it is.
    func resolve(_ path: String) -> String {
        guard !path.hasPrefix("/"), let url else { return path }
        return url.appendingPathComponent(path).path
    }
}
