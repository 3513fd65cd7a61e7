import SystemFoundation

/// The statements of a chain of migrations for a store that has only some of a model's entities.
package struct PartialMigrationChain {
    /// The versions after the store's, each with the statements that concern the store, and the hashes of its entities.
    private(set) var versions: [ModelDescription.Version] = []
    /// The names of the entities that the store holds at the end.
    private(set) var held: Set<String>

    /// Follows the entities that a store has, and those that it is to have, through the versions after a position.
    ///
    /// A part runs if the store has the entities that it migrates. A part that creates entities runs if the store is to
    /// have them or their later forms.
    ///
    /// - Throws: ``StoreError/dividedMigration(_:from:to:entities:missing:)`` if a version connects entities of the
    ///   store with others that it does not have.
    init(
        _ model: ModelDescription, from position: Int, held: Set<String>, wanted: Set<String>, _ url: URL
    ) throws(StoreError) {
        self.held = held
        let wanted = Self.trace(wanted, back: model.versions[(position + 1)...])
        for (index, var version) in zip((position + 1)..., model.versions[(position + 1)...]) {
            var others: Set<Int> = []
            for part in version.parts {
                let present = self.held.intersection(part.source)
                let isWanted =
                    part.source.isEmpty
                    ? !wanted[index - position].isDisjoint(with: part.destination) : !present.isEmpty
                guard isWanted else {
                    others.formUnion(part.statements)
                    continue
                }
                if present.count < part.source.count {
                    throw .dividedMigration(
                        url, from: model.versions[index - 1].name, to: version.name, entities: present.sorted(),
                        missing: Set(part.source).subtracting(present).sorted())
                }
                self.held.subtract(part.source)
                self.held.formUnion(part.destination)
            }
            version.migration = version.migration.indices.filter { !others.contains($0) }.map { version.migration[$0] }
            version.entityHashes = version.entityHashes(of: self.held)
            versions.append(version)
        }
    }

    /// Returns the earlier entities from which the newest version's entities come, version by version from the oldest;
    /// the newest are the last.
    package static func trace(
        _ names: Set<String>, back versions: ArraySlice<ModelDescription.Version>
    ) -> [Set<String>] {
        var result = [names]
        for version in versions.reversed() {
            var names = result[result.count - 1]
            for part in version.parts where !names.isDisjoint(with: part.destination) {
                names.subtract(part.destination)
                names.formUnion(part.source)
            }
            result.append(names)
        }
        return result.reversed()
    }
}
