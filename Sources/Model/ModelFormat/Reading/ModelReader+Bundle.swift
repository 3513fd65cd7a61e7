import DataModel
import Foundation

extension ModelReader {
    /// Reads all versions of a bundle.
    func readBundle(atPath path: String, within outer: [String] = []) -> (model: ModelBundle?, diagnostics: Diagnostics)
    {
        var diagnostics = Diagnostics()
        let location = SourceLocation(file: path)
        let name = ModelFiles.name(ofPath: path)
        let found = ModelFiles.versionNames(inBundle: path)
        guard !found.isEmpty else {
            diagnostics.report(
                .emptyBundle, at: location, "The bundle holds no version of a model",
                notes: ["A version is a folder named *.xcdatamodel with a file 'contents' in it"])
            return (nil, diagnostics)
        }
        let names = order(found, inBundle: path, reportingTo: &diagnostics)
        let current = currentVersion(among: names, inBundle: path, reportingTo: &diagnostics)
        var versions: [Model] = []
        for (models, found) in Concurrency.mapSlices(names, { readVersions($0, inBundle: path, current: current) }) {
            versions += models
            diagnostics.report(contentsOf: found)
        }
        guard !versions.isEmpty else { return (nil, diagnostics) }
        var bundle = ModelBundle(
            name: name, versions: versions, versionNames: names, currentVersionName: current, location: location)
        merge(into: &bundle, atPath: path, within: outer, reportingTo: &diagnostics)
        return (bundle, diagnostics)
    }

    /// Reads versions one after the other.
    private func readVersions(
        _ names: ArraySlice<String>, inBundle path: String, current: String
    ) -> (models: [Model], diagnostics: Diagnostics) {
        var diagnostics = Diagnostics()
        var entities = ReadEntities()
        var versions: [Model] = []
        for name in names {
            let folder = "\(path)/\(name).xcdatamodel"
            if name != current && ModelFiles.isBinaryVersion(atPath: folder) {
                report(skippedVersion: name, at: SourceLocation(file: folder), to: &diagnostics)
            } else if let model = readVersion(
                atPath: folder, named: name, after: &entities, reportingTo: &diagnostics)
            {
                versions.append(model)
            }
        }
        return (versions, diagnostics)
    }

    // Old apps still have such versions, which must not prevent a build of the current one.
    private func report(skippedVersion name: String, at location: SourceLocation, to diagnostics: inout Diagnostics) {
        var diagnostic = Diagnostic(
            .binaryModel, at: location,
            "Version '\(name)' is in the binary format from before Xcode 4 and is left out",
            notes: ["Stores of this version cannot be migrated"])
        diagnostic.severity = .warning
        diagnostics.report(diagnostic)
    }

    private func order(
        _ names: [String], inBundle path: String, reportingTo diagnostics: inout Diagnostics
    ) -> [String] {
        guard let versionOrder else { return Self.ordered(names, bundleName: ModelFiles.name(ofPath: path)) }
        let location = SourceLocation(file: path)
        let existing = Set(names)
        var ordered: [String] = []
        var seen: Set<String> = []
        for wanted in versionOrder.map(ModelFiles.withoutExtension) {
            if !existing.contains(wanted) {
                let similar = Spelling.closest(to: wanted, among: names).map { ["Did you mean '\($0)'?"] } ?? []
                diagnostics.report(
                    .invalidConfiguration, at: location,
                    "The order of versions names '\(wanted)', which the bundle does not hold", notes: similar)
            } else if seen.insert(wanted).inserted {
                ordered.append(wanted)
            } else {
                diagnostics.report(
                    .invalidConfiguration, at: location, "The order of versions names '\(wanted)' twice")
            }
        }
        let missing = Self.ordered(names.filter { !seen.contains($0) }, bundleName: ModelFiles.name(ofPath: path))
        for name in missing {
            diagnostics.report(
                .invalidConfiguration, at: location, "The order of versions does not name '\(name)'",
                notes: ["Name all versions, the oldest first"])
        }
        return ordered + missing
    }
}
