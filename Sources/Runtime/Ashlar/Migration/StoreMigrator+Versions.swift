import AshlarSQLite

extension StoreMigrator {
    /// Returns the position of the store's version among the program's versions.
    ///
    /// - Throws: ``StoreError/newerVersion(_:version:current:differences:)`` or
    ///   ``StoreError/unknownVersion(_:version:differences:)``.
    func position(of metadata: StoreMetadata, in connection: Connection) throws(StoreError) -> Int {
        let versions = model.versions
        let exact = versions.lastIndex {
            $0.versionHash == metadata.versionHash && $0.schemaHash == metadata.schemaHash
        }
        if let position = exact ?? versions.lastIndex(where: { $0.versionHash == metadata.versionHash }) {
            return position
        }
        let differences = differences(metadata, connection)
        // For the program that wrote the store, this program's version is an older one.
        if let current = model.currentVersion, metadata.knownVersions.contains(current.shortHash) {
            throw .newerVersion(
                url, version: metadata.versionName, current: current.name, differences: differences)
        }
        throw .unknownVersion(url, version: metadata.versionName, differences: differences)
    }

    /// Returns the differences between the store and the version with the name of its version, or else the nearest
    /// version.
    private func differences(_ metadata: StoreMetadata, _ connection: Connection) -> [String] {
        let stored = ModelDescription.Version.hashes(metadata.entityHashes)
        let candidates = model.versions.indices.map { position in
            let hashes = ModelDescription.Version.hashes(model.versions[position].entityHashes)
            let names = Set(hashes.keys).union(stored.keys).sorted()
            return (position, hashes, names.filter { hashes[$0] != stored[$0] })
        }
        let edited = candidates.last { model.versions[$0.0].name == metadata.versionName }
        guard let (position, hashes, names) = edited ?? candidates.min(by: { $0.2.count < $1.2.count }) else {
            return []
        }
        let first =
            edited == nil
            ? "It is nearest to \"\(model.versions[position].name)\"."
            : StoreError.editedVersion
        let entities = names.map { name in
            switch (hashes[name], stored[name]) {
            case (nil, _): "\(name): only in the store"
            case (_, nil): "\(name): not in the store"
            default: "\(name): differs"
            }
        }
        return [first] + entities + ((try? propertyDifferences(position, connection)) ?? [])
    }

    /// Returns the differences between the columns of the store and those of a version, with the names of their
    /// properties.
    private func propertyDifferences(_ position: Int, _ connection: Connection) throws -> [String] {
        guard let empty = try model.emptyStore(ofVersionAt: position, fillsOwnTables: false) else { return [] }
        let comparison = SchemaComparison(
            found: try SchemaCatalogue(connection), expected: try SchemaCatalogue(empty))
        let names = propertyNames(position)
        return comparison.columnDifferences.map { difference in
            let column = "\(difference.table).\(difference.column)"
            return "\(names[column] ?? column): \(difference.text)"
        }
    }

    /// Returns the names of a version's properties by their columns, both as `Post.title`.
    private func propertyNames(_ position: Int) -> [String: String] {
        var names: [String: String] = [:]
        for entity in model.storedEntities()?[position] ?? [] {
            for attribute in entity.attributes {
                names["\(entity.table).\(attribute.column)"] = "\(entity.name).\(attribute.keyPath)"
            }
            for relationship in entity.relationships {
                guard case .column(let column) = relationship.storage else { continue }
                names["\(entity.table).\(column)"] = "\(entity.name).\(relationship.name)"
            }
        }
        return names
    }
}

extension StoreError {
    /// The first difference for a store whose version has the name of one of the program's, but other content.
    static let editedVersion =
        "The program has another version of that name: it was probably edited after the store was made. Make such changes "
        + "in a new version, with ashlar new-version. While you develop, MigrationOptions.rebuildsEditedVersions deletes "
        + "such stores."
}

extension ModelDescription.Version {
    /// A prefix of the version's hash, which distinguishes it from others.
    var shortHash: String { Self.shortHash(of: versionHash) }

    static func shortHash(of versionHash: String) -> String { String(versionHash.prefix(16)) }
}
