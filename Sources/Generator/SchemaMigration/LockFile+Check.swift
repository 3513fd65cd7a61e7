public import DataModel

extension LockFile {
    /// Compares the released versions with the model's.
    ///
    /// - Parameter bundle: the model with all its versions, the oldest first.
    public func check(_ bundle: ModelBundle) -> Diagnostics {
        var diagnostics = Diagnostics()
        var hashes: [String: String] = [:]
        var last = -1
        let found = ReleaseHashes.all(bundle.versions)
        for line in lines {
            for (name, hash) in line.changes { hashes[name] = hash }
            guard let position = bundle.versions.firstIndex(where: { $0.name == line.versionName }) else {
                diagnostics.report(
                    .releasedVersionChanged, at: SourceLocation(file: path, line: line.number, column: 1),
                    "Version '\(line.versionName)' was released and is missing",
                    notes: ["Stores of this version exist, and cannot be migrated without it: bring its folder back"])
                continue
            }
            let version = bundle.versions[position]
            for other in bundle.versions[(last + 1)..<max(position, last + 1)] where !isReleased(other) {
                diagnostics.report(
                    .releasedVersionChanged, at: other.location,
                    "Version '\(other.name)' comes before '\(version.name)', which was released without it",
                    notes: ["Give it a name that comes after all released ones, or set their order in ashlar.json"])
            }
            if position < last {
                diagnostics.report(
                    .releasedVersionChanged, at: SourceLocation(file: path, line: line.number, column: 1),
                    "Version '\(version.name)' was released after '\(bundle.versions[last].name)', and comes before it",
                    notes: ["Set the order of the versions in ashlar.json"])
            }
            last = max(last, position)
            compare(version, found[position].hashes, hashes, bundle, &diagnostics)
        }
        return diagnostics
    }

    private func isReleased(_ version: Model) -> Bool { lines.contains { $0.versionName == version.name } }

    private func compare(
        _ version: Model, _ found: [String: String], _ released: [String: String], _ bundle: ModelBundle,
        _ diagnostics: inout Diagnostics
    ) {
        if found == released { return }
        let names = Set(found.keys).union(released.keys).filter { found[$0] != released[$0] }
        let parents = Dictionary(version.entities.map { ($0.name, $0.parentName) }) { first, _ in first }
        for name in names.sorted() {
            // A change of the entity above changes all below it.
            if found[name] != nil, released[name] != nil, let parent = parents[name] ?? nil, names.contains(parent) {
                continue
            }
            let word = found[name] == nil ? "removed from" : released[name] == nil ? "added to" : "changed in"
            diagnostics.report(
                .releasedVersionChanged, at: location(of: name, in: version),
                "\(title(of: name)) was \(word) version '\(version.name)', which was released",
                notes: [
                    "Stores of the version as it was exist. A program with another one may not open them",
                    "Make the change in a new version: swift package ashlar new-version \(bundle.location.file)",
                    "Then take it back in this one, as with: git checkout -- '\(version.location.file)'",
                ])
        }
    }

    private func title(of name: String) -> String {
        let prefix = "composite/"
        return name.hasPrefix(prefix) ? "Composite '\(name.dropFirst(prefix.count))'" : "Entity '\(name)'"
    }

    private func location(of name: String, in version: Model) -> SourceLocation {
        version.entities.first { $0.name == name }?.location
            ?? version.composites.first { "composite/\($0.name)" == name }?.location ?? version.location
    }
}
