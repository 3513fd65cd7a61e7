import DataModel
import FileErrors
import Foundation
import GeneratorPipeline

/// A model in a package's folder `Models` that no target of the package builds.
struct UnbuiltModel {
    private let model: URL
    private let name: String
    private let package: URL
    private let manifest: PackageManifest

    /// A warning about the model at a path. Nil if a target builds the model, or if the manifest cannot be read.
    static func finding(ofModelAtPath path: String) -> Diagnostic? {
        guard let found = UnbuiltModel(path), !found.isNamedByConfiguration else { return nil }
        return found.finding(at: SourceLocation(file: path))
    }

    private init?(_ path: String) {
        model = URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL
        name = ModelPlan.name(ofModelAtPath: path)
        let folder = model.deletingLastPathComponent()
        package = folder.deletingLastPathComponent()
        guard folder.lastPathComponent == "Models",
            let text = try? RegularFile.bytes(atPath: package.appending(path: "Package.swift").path)
        else { return nil }
        manifest = PackageManifest(String(decoding: text, as: UTF8.self))
        // Targets that a program composes are not visible here.
        if manifest.targets.isEmpty { return nil }
    }

    /// Whether an `ashlar.json` of a target, or of a bundle that merges others, names the model.
    private var isNamedByConfiguration: Bool {
        let files = FileManager.default.enumerator(
            at: package, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        while let file = files?.nextObject() as? URL {
            guard file.lastPathComponent == "ashlar.json" else { continue }
            let text = (try? RegularFile.bytes(atPath: file.path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            if text.contains(model.lastPathComponent) { return true }
        }
        return false
    }

    private func finding(at location: SourceLocation) -> Diagnostic? {
        let targets = manifest.targets.filter { $0.name == name }
        if targets.contains(where: usesPlugin) { return nil }
        return targets.isEmpty
            ? Diagnostic(
                .unbuiltModel, at: location,
                "Package.swift has no target '\(name)', so that no target builds this model",
                notes: [
                    "Give the bundle the name of the target that it is for, or name it under \"models\" in the target's "
                        + "ashlar.json"
                ])
            : Diagnostic(
                .unbuiltModel, at: location,
                "The target '\(name)' does not use AshlarPlugin, so that no target builds this model",
                notes: [
                    "Add to the target in Package.swift: plugins: [.plugin(name: \"AshlarPlugin\", package: \"ashlar\")]"
                ])
    }

    private func usesPlugin(_ target: PackageManifest.Target) -> Bool {
        guard let plugins = target.call.argument("plugins")?.value else { return false }
        // A variable may hold any plugin.
        return !manifest.isList(plugins) || manifest.contains("AshlarPlugin", in: plugins)
    }
}
