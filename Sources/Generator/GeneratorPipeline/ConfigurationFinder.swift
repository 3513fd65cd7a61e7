public import DataModel
import FileErrors
import Foundation

/// Finds the configurations of a model in the `ashlar.json` files of a package's targets, so that commands use the
/// settings of the builds.
///
/// The package is that of the nearest manifest, or Xcode project, above the model. A target configures the models that
/// the plugin builds for it: those that it names under `models`, those in its own folder, and those that it takes
/// because of its name.
public struct ConfigurationFinder {
    /// A target's configuration of a model, and its place.
    private struct Claim {
        var path: String
        var configuration: GeneratorConfiguration
    }

    private let model: URL
    private let name: String
    private let modelPath: String
    private var claims: [Claim] = []
    /// Whether a target builds the model without a configuration for it.
    private var hasSilentTarget = false

    /// Returns the configuration of the model at a path; nil if it cannot be determined, which is reported.
    ///
    /// All targets that build the model must agree on its versions, the current one and the oldest. An exception is a
    /// target that builds an earlier release, another version than the one chosen in Xcode, while another target builds
    /// the chosen one: only its stages count. Access and scalar types are set only if all targets agree on them. The
    /// result has the stages of all targets.
    public static func configuration(
        ofModelAtPath path: String, reportingTo diagnostics: inout Diagnostics
    ) -> GeneratorConfiguration? {
        var finder = ConfigurationFinder(path)
        guard let root = finder.root else { return GeneratorConfiguration() }
        guard finder.collectClaims(in: root, reportingTo: &diagnostics) else { return nil }
        return finder.result(reportingTo: &diagnostics)
    }

    private init(_ path: String) {
        modelPath = path
        model = Self.resolved(URL(fileURLWithPath: path))
        name = ModelPlan.name(ofModelAtPath: path)
    }

    private static func resolved(_ url: URL) -> URL { url.resolvingSymlinksInPath().standardizedFileURL }

    // MARK: Looking

    /// The folder of the package that contains the model; nil if there is none.
    private var root: URL? {
        var folder = model.deletingLastPathComponent()
        while true {
            if Self.isRoot(folder) { return folder }
            if folder.path == "/" || folder.pathComponents.count < 2 { return nil }
            folder = folder.deletingLastPathComponent()
        }
    }

    private static func isRoot(_ folder: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.contains { $0 == "Package.swift" || $0.hasSuffix(".xcodeproj") }
    }

    /// Reads the configurations in a folder that concern the model. Returns false if one of them cannot be read.
    private mutating func collectClaims(in root: URL, reportingTo diagnostics: inout Diagnostics) -> Bool {
        var folders = [(folder: root, package: root)]
        var isSound = true
        var isInClaimingFolder = false
        while let (folder, package) = folders.popLast() {
            let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
            let inner = names.contains("Package.swift") ? folder : package
            if names.contains("ashlar.json") {
                let isOwn = model.path.hasPrefix(folder.path + "/")
                isInClaimingFolder = isInClaimingFolder || isOwn
                isSound = read(folder, of: inner, isOwn, reportingTo: &diagnostics) && isSound
            } else if folder.lastPathComponent == name, isRecommended(in: inner) {
                let isInSources = ["Sources", "Tests"].contains(folder.deletingLastPathComponent().lastPathComponent)
                hasSilentTarget = hasSilentTarget || isInSources || names.contains { $0.hasSuffix(".swift") }
            }
            for name in names.reversed() where Self.isSearched(name) {
                let url = folder.appending(path: name)
                let kind = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
                if kind == .typeDirectory { folders.append((url, inner)) }
            }
        }
        if !isInClaimingFolder, !isRecommended(in: root) { hasSilentTarget = true }
        return isSound
    }

    /// Folders that cannot be those of targets are passed over.
    private static func isSearched(_ name: String) -> Bool {
        if name.hasPrefix(".") || ["node_modules", "DerivedData"].contains(name) { return false }
        guard let dot = name.lastIndex(of: ".") else { return true }
        return ![".swift", ".json", ".md", ".xcdatamodeld", ".xcdatamodel", ".xcassets", ".xcodeproj"]
            .contains(String(name[dot...]))
    }

    /// Returns whether the model is where the plugin looks for that of a target of its name.
    private func isRecommended(in package: URL) -> Bool {
        model.path == package.appending(path: "Models/\(name).xcdatamodeld").path
    }

    /// Reads a configuration if it concerns the model. Returns false if it may concern the model and cannot be read.
    private mutating func read(
        _ folder: URL, of package: URL, _ isOwn: Bool, reportingTo diagnostics: inout Diagnostics
    ) -> Bool {
        let path = folder.appending(path: "ashlar.json").path
        var found = Diagnostics()
        let configuration = GeneratorConfiguration.read(atPath: path, reportingTo: &found)
        guard let configuration, !found.hasErrors else {
            // Errors in another model's configuration do not concern this model.
            let text = (try? RegularFile.bytes(atPath: path)).map { String(decoding: $0, as: UTF8.self) } ?? name
            guard isOwn || text.contains(name) else { return true }
            diagnostics.report(contentsOf: found)
            return false
        }
        let isClaimed: Bool
        if let models = configuration.models {
            isClaimed = models.contains { Self.resolved(package.appending(path: $0)).path == model.path }
        } else {
            // A target may have another name than its folder.
            isClaimed =
                isOwn || isRecommended(in: package) && (folder.lastPathComponent == name || speaks(configuration))
        }
        if isClaimed { claims.append(Claim(path: path, configuration: configuration)) }
        return true
    }

    private func speaks(_ configuration: GeneratorConfiguration) -> Bool {
        configuration.versions?[name] != nil || configuration.currentVersion?[name] != nil
            || configuration.oldestVersion?[name] != nil || configuration.migrationStages?[name] != nil
    }

    // MARK: Judging

    private func result(reportingTo diagnostics: inout Diagnostics) -> GeneratorConfiguration? {
        var current = claims
        if hasSilentTarget || current.contains(where: { $0.configuration.currentVersion?[name] == nil }) {
            current.removeAll { $0.configuration.currentVersion?[name] != nil }
        }
        var result = GeneratorConfiguration()
        if let first = current.first {
            for other in current.dropFirst() where !agrees(first.configuration, other.configuration) {
                diagnostics.report(
                    .invalidConfiguration, at: SourceLocation(file: other.path),
                    "Its settings for the versions of \(name) differ from those in \(first.path)",
                    notes: [
                        "Write the settings for all targets in \(BundleConfiguration.path(ofModelAtPath: modelPath))",
                        "Or give the path of the one that counts with --ashlar-json",
                    ])
                return nil
            }
            result = first.configuration
            if current.contains(where: { $0.configuration.access != first.configuration.access }) {
                result.access = nil
            }
            let scalars = first.configuration.usesScalarValueTypes
            if current.contains(where: { $0.configuration.usesScalarValueTypes != scalars }) {
                result.usesScalarValueTypes = nil
            }
        }
        var stages: [String] = []
        for claim in claims {
            for stage in claim.configuration.migrationStages?[name] ?? [] where !stages.contains(stage) {
                stages.append(stage)
            }
        }
        if !stages.isEmpty { result.migrationStages = [name: stages] }
        return result
    }

    private func agrees(_ first: GeneratorConfiguration, _ second: GeneratorConfiguration) -> Bool {
        first.versions?[name] == second.versions?[name] && first.currentVersion?[name] == second.currentVersion?[name]
            && first.oldestVersion?[name] == second.oldestVersion?[name]
    }
}
