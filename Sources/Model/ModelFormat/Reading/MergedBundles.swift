import DataModel
import FileErrors
import Foundation

/// The bundles that another bundle's `ashlar.json` names, whose models are merged into its own.
///
///     { "merges": { "Accounts.xcdatamodeld": { "Shop": "Accounts", "Shop 3": "Accounts 2" } } }
///
/// Paths are relative to the folder that the bundle is in. A version that is not named merges the same as the one
/// before it.
package struct MergedBundles {
    struct Entry {
        var path: String
        /// The versions to merge, by those of the bundle into which they are merged.
        var versionNames: [String: String]

        /// The version that is merged into one of several, which are in order.
        func versionName(for name: String, among names: [String]) -> String? {
            (names.prefix { $0 != name } + [name]).reversed().lazy.compactMap { versionNames[$0] }.first
        }
    }

    var entries: [Entry] = []

    /// The paths of the bundles that are merged into one.
    package static func paths(ofBundle path: String) -> [String] { MergedBundles(ofBundle: path).entries.map(\.path) }

    /// Reads a bundle's entries.
    ///
    /// A file that is not valid JSON, or whose `merges` has another form, is ignored here. Reading the whole
    /// configuration, which builders of the model do first, reports it as an error.
    init(ofBundle path: String) {
        guard let data = try? RegularFile.bytes(atPath: path + "/ashlar.json"),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let merges = object["merges"] as? [String: [String: String]]
        else { return }
        let folder = ModelFiles.folder(ofPath: path)
        entries = merges.sorted { $0.key < $1.key }.map { name, versions in
            let isAbsolute = name.hasPrefix("/") || folder.isEmpty
            return Entry(
                path: ModelFiles.normalized(isAbsolute ? name : "\(folder)/\(name)"),
                versionNames: Dictionary(
                    versions.map { (ModelFiles.withoutExtension($0.key), ModelFiles.withoutExtension($0.value)) },
                    uniquingKeysWith: { $1 }))
        }
    }
}

extension ModelReader {
    /// Merges into the versions of a bundle those of the bundles that it names. Core Data's
    /// `NSManagedObjectModel(byMerging:)`.
    ///
    /// - Parameter outer: The bundles into which this one is being merged.
    func merge(
        into bundle: inout ModelBundle, atPath path: String, within outer: [String],
        reportingTo diagnostics: inout Diagnostics
    ) {
        let location = SourceLocation(file: path + "/ashlar.json")
        for entry in MergedBundles(ofBundle: path).entries {
            let chain = outer + [path]
            if chain.contains(where: { ModelFiles.standardized($0) == ModelFiles.standardized(entry.path) }) {
                diagnostics.report(
                    .invalidConfiguration, at: location, "The bundle \(entry.path) is merged into itself",
                    notes: ["Take it out of 'merges'"])
                continue
            }
            var reader = ModelReader()
            reader.texts = texts
            let (found, problems) = reader.read(atPath: entry.path, within: chain)
            diagnostics.report(contentsOf: problems)
            guard let found else { continue }
            merge(found, entry, into: &bundle, at: location, reportingTo: &diagnostics)
            report(scriptsOf: found, at: location, to: &diagnostics)
        }
    }

    private func merge(
        _ other: ModelBundle, _ entry: MergedBundles.Entry, into bundle: inout ModelBundle,
        at location: SourceLocation, reportingTo diagnostics: inout Diagnostics
    ) {
        for name in entry.versionNames.keys.sorted() where !bundle.versionNames.contains(name) {
            diagnostics.report(
                .invalidConfiguration, at: location,
                "'\(name)', which 'merges' names, is not a version of \(bundle.name)",
                notes: ["They are " + bundle.versionNames.joined(separator: ", ")])
        }
        for name in bundle.versionNames {
            guard let mergedName = entry.versionName(for: name, among: bundle.versionNames),
                let position = bundle.versions.firstIndex(where: { $0.name == name })
            else { continue }
            guard let version = other.versions.first(where: { $0.name == mergedName }) else {
                diagnostics.report(
                    .invalidConfiguration, at: location,
                    "'\(mergedName)', which 'merges' names for '\(name)', is not a version of \(other.name)",
                    notes: ["They are " + other.versionNames.joined(separator: ", ")])
                return
            }
            bundle.versions[position].merge(version, of: other.name, reportingTo: &diagnostics)
        }
        guard let last = bundle.versionNames.last,
            let mergedName = entry.versionName(for: last, among: bundle.versionNames),
            let merged = other.versionNames.firstIndex(of: mergedName),
            let current = other.versionNames.firstIndex(of: other.currentVersionName), merged < current
        else { return }
        diagnostics.report(
            .laterVersion, at: location,
            "\(other.name) has '\(other.currentVersionName)' for its current version, and '\(mergedName)' is merged into "
                + bundle.name,
            notes: ["Add a version to \(bundle.name), and name '\(other.currentVersionName)' for it under 'merges'"])
    }

    /// Reports scripts of other models: migrations of the merged model belong to it alone.
    private func report(scriptsOf other: ModelBundle, at location: SourceLocation, to diagnostics: inout Diagnostics) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: other.location.file)) ?? []
        for name in names.sorted() where name.hasSuffix(".sql") {
            diagnostics.report(
                .noEffect, at: SourceLocation(file: "\(other.location.file)/\(name)"),
                "The script is not run where \(other.name) is merged into another model",
                notes: ["Write it for the version of that model too, in whose bundle \(location.file) is"])
        }
    }
}

extension Model {
    /// Adds the declarations of another model. A declaration that both have must be the same in both.
    package mutating func merge(_ other: Model, of bundleName: String, reportingTo diagnostics: inout Diagnostics) {
        func report(_ code: Diagnostic.Code, _ title: String, _ location: SourceLocation, _ first: SourceLocation) {
            diagnostics.report(
                code, at: location,
                "\(title) of \(bundleName) is declared otherwise in the model that it is merged into",
                notes: ["Rename one of them, or make them the same; the other is at \(first)"])
        }
        for entity in other.entities {
            guard let known = entities.first(where: { $0.name == entity.name }) else {
                entities.append(entity)
                continue
            }
            if !known.isSame(as: entity) {
                report(.duplicateEntity, "Entity '\(entity.name)'", entity.location, known.location)
            }
        }
        for composite in other.composites {
            guard let known = composites.first(where: { $0.name == composite.name }) else {
                composites.append(composite)
                continue
            }
            let isSame =
                known.attributes.count == composite.attributes.count
                && zip(known.attributes, composite.attributes).allSatisfy { $0.isSame(as: $1) }
            if !isSame {
                report(.duplicateComposite, "Composite '\(composite.name)'", composite.location, known.location)
            }
        }
        for configuration in other.configurations {
            guard let position = configurations.firstIndex(where: { $0.name == configuration.name }) else {
                configurations.append(configuration)
                continue
            }
            let names = Set(configurations[position].entityNames)
            configurations[position].members += configuration.members.filter { !names.contains($0.entityName) }
        }
        for request in other.fetchRequests {
            guard let known = fetchRequests.first(where: { $0.name == request.name }) else {
                fetchRequests.append(request)
                continue
            }
            if known.entityName != request.entityName || known.predicate != request.predicate {
                report(.invalidFetchRequest, "Fetch request '\(request.name)'", request.location, known.location)
            }
        }
        userInfo.entries += other.userInfo.entries
    }
}
