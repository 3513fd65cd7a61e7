/// Hashes that reveal changes of a released version: one of every entity, by its name, and one of every composite, by
/// its name behind `composite/`, as 16 hexadecimal digits.
///
/// They cover everything that the schema hash covers, and everything that decides how stores are migrated: renaming
/// identifiers, defaults for migrations, and the deletion of duplicates. They leave out the checks of a migration and
/// the removals that the model names.
package struct ReleaseHashes: Sendable, Hashable {
    /// The hashes by the names.
    package let hashes: [String: String]

    /// The hashes of versions. Most versions differ little from the one before.
    package static func all(_ versions: [Model]) -> [ReleaseHashes] {
        Concurrency.mapSlices(Array(versions.indices)) { indices in
            var result: [ReleaseHashes] = []
            var last: (hash: VersionHash, release: ReleaseHashes)?
            for index in indices {
                let difference = last.map { _ in ModelDifference(from: versions[index - 1], to: versions[index]) }
                let hash = VersionHash(
                    versions[index],
                    after: last.flatMap { last in difference.map { (hash: last.hash, difference: $0) } })
                var known: [String: String] = [:]
                if let last, let difference {
                    known = last.release.hashes.filter { name, _ in
                        !difference.changedNames.contains(name)
                            && last.hash.schemaHashes[name] == hash.schemaHashes[name]
                    }
                }
                let release = ReleaseHashes(versions[index], hash.schemaHashes, unchanged: known)
                result.append(release)
                last = (hash, release)
            }
            return result
        }.flatMap(\.self)
    }

    private init(_ model: Model, _ schemaHashes: [String: String], unchanged: [String: String]) {
        var hashes: [String: String] = [:]
        for entity in model.entities {
            hashes[entity.name] = unchanged[entity.name] ?? Self.hash(of: entity, schemaHashes[entity.name])
        }
        for composite in model.composites {
            var text = CanonicalText()
            text.add("format", "ashlar release composite 1")
            text.addSorted("attribute", composite.attributes.map(Self.text))
            hashes["composite/\(composite.name)"] = String(text.hash.prefix(16))
        }
        self.hashes = hashes
    }

    private static func hash(of entity: Entity, _ schemaHash: String?) -> String {
        var text = CanonicalText()
        text.add("format", "ashlar release entity 1")
        text.add("schema", schemaHash)
        text.add("identifier", entity.renamingIdentifier)
        text.add("duplicates", entity.userInfo[UserInfo.deletesDuplicatesKey])
        text.addSorted("attribute", entity.attributes.map(Self.text))
        text.addSorted(
            "relationship",
            entity.relationships.map { relationship in
                var text = CanonicalText()
                text.add("name", relationship.name)
                text.add("identifier", relationship.renamingIdentifier)
                return text
            })
        return String(text.hash.prefix(16))
    }

    private static func text(of attribute: Attribute) -> CanonicalText {
        var text = CanonicalText()
        text.add("name", attribute.name)
        text.add("identifier", attribute.renamingIdentifier)
        text.add("default", attribute.userInfo[UserInfo.migrationDefaultKey])
        return text
    }
}
