extension StoreMigrator {
    /// The position of the store's version among those that the program knows.
    ///
    /// Throws ``StoreError/newerVersion(_:version:current:differences:)`` or
    /// ``StoreError/unknownVersion(_:version:differences:)``.
    func position(of metadata: StoreMetadata) throws(StoreError) -> Int {
        let versions = model.versions
        let exact = versions.lastIndex {
            $0.versionHash == metadata.versionHash && $0.schemaHash == metadata.schemaHash
        }
        if let position = exact ?? versions.lastIndex(where: { $0.versionHash == metadata.versionHash }) {
            return position
        }
        let differences = differences(metadata)
        // Who wrote the store knew the program's version as an older one.
        if let current = model.currentVersion, metadata.knownVersions.contains(current.shortHash) {
            throw .newerVersion(
                url, version: metadata.versionName, current: current.name, differences: differences)
        }
        throw .unknownVersion(url, version: metadata.versionName, differences: differences)
    }

    /// What tells the store from the version that is nearest to it.
    private func differences(_ metadata: StoreMetadata) -> [String] {
        let stored = ModelDescription.Version.hashes(metadata.entityHashes)
        let candidates = model.versions.map { version in
            let hashes = ModelDescription.Version.hashes(version.entityHashes)
            let names = Set(hashes.keys).union(stored.keys).sorted()
            return (version.name, hashes, names.filter { hashes[$0] != stored[$0] })
        }
        guard let (nearest, hashes, names) = candidates.min(by: { $0.2.count < $1.2.count }) else { return [] }
        return ["It is nearest to \"\(nearest)\"."]
            + names.map { name in
                switch (hashes[name], stored[name]) {
                case (nil, _): "\(name): only in the store"
                case (_, nil): "\(name): not in the store"
                default: "\(name): differs"
                }
            }
    }
}

extension ModelDescription.Version {
    /// Enough of the version's hash to tell it from others.
    var shortHash: String { String(versionHash.prefix(16)) }
}
