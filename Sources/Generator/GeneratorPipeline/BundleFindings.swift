import DataModel
import ModelFormat

/// The findings about a bundle that concern no single version: other files in and beside it.
enum BundleFindings {
    /// A warning about versions after the current one, from which nothing is built.
    static func laterVersions(of bundle: ModelBundle) -> Diagnostics {
        var diagnostics = Diagnostics()
        guard let current = bundle.currentVersion,
            let position = bundle.versionNames.firstIndex(of: bundle.currentVersionName)
        else { return diagnostics }
        let later = bundle.versionNames[(position + 1)...].map { "'\($0)'" }
        if later.isEmpty { return diagnostics }
        diagnostics.report(
            .laterVersion, at: current.location,
            "\(later.joined(separator: ", ")) \(later.count == 1 ? "comes" : "come") after the current version "
                + "'\(current.name)', and \(later.count == 1 ? "is" : "are") left out",
            notes: [
                "Stores of such a version are not opened",
                "If it is older, name the versions from the oldest on under 'versions' in ashlar.json; "
                    + "if it is newer, choose it as the current version",
            ])
        return diagnostics
    }

    /// A warning for each mapping model that would lead to one of the versions in Core Data.
    static func ignoredMappingModels(of bundle: ModelBundle, leadingTo versionNames: Set<String>) -> Diagnostics {
        var diagnostics = Diagnostics()
        guard let current = bundle.currentVersion, !versionNames.isEmpty else { return diagnostics }
        for mapping in MappingModel.all(of: bundle) {
            let name: String
            if let destination = mapping.destinationName {
                guard versionNames.contains(destination) else { continue }
                name = destination
            } else {
                name = "VERSION"
            }
            let way =
                mapping.destinationName.map { destination in
                    (mapping.sourceName.map { " from '\($0)'" } ?? "") + " to '\(destination)'"
                } ?? ""
            diagnostics.report(
                .ignoredMappingModel, at: current.location,
                "The mapping model '\(mapping.name)'\(way) is ignored: the values that it moves are deleted",
                notes: [
                    "It is \(mapping.path)",
                    "Write its steps as \(bundle.location.file)/\(name).sql or as a custom stage; "
                        + "'ashlar sql --migration' shows the migration without it",
                    "Where no store of an older version is opened or imported any more, remove it, or set 'oldestVersion' in "
                        + "ashlar.json",
                ])
        }
        return diagnostics
    }
}
