/// The entities of a model in groups that a store has as a whole or not at all.
///
/// A hierarchy has one table, and a relationship is a foreign key, which SQLite supports within one file only. Fetched
/// properties do not connect entities.
package enum EntityGroups {
    /// The groups of one version, each with its names in order, by the first of them.
    package static func groups(of model: Model) -> [[String]] {
        groups([model], followsRenaming: false)
    }

    /// The groups of two versions together: entities that were, become or are related to each other.
    ///
    /// Each has the names of its entities in either version. Objects never leave their group in the migration.
    package static func groups(from old: Model, to new: Model) -> [(old: [String], new: [String])] {
        let oldNames = Set(old.entities.map(\.name))
        let newNames = Set(new.entities.map(\.name))
        return groups([old, new], followsRenaming: true).map {
            ($0.filter(oldNames.contains), $0.filter(newNames.contains))
        }
    }

    private static func groups(_ models: [Model], followsRenaming: Bool) -> [[String]] {
        var groups = NameGroups()
        var names: Set<String> = []
        for entity in models.flatMap(\.entities) {
            names.insert(entity.name)
            groups.connect(entity.name, entity.parentName)
            if followsRenaming { groups.connect(entity.name, entity.renamingIdentifier) }
            for relationship in entity.relationships where !relationship.isTransient {
                for name in relationship.entityNames { groups.connect(entity.name, name) }
            }
        }
        var result: [Int: [String]] = [:]
        for name in names.sorted() { result[groups.group(of: name), default: []].append(name) }
        return result.values.sorted { $0[0] < $1[0] }
    }
}

extension Model {
    /// The parts of the model that have some entities each. Configurations and fetch requests stay in all of them.
    package func parts(ofEntitiesNamed groups: [[String]]) -> [Model] {
        var numbers: [String: Int] = [:]
        for (number, names) in groups.enumerated() {
            for name in names { numbers[name] = number }
        }
        var part = self
        part.entities = []
        var parts = [Model](repeating: part, count: groups.count)
        for entity in entities {
            if let number = numbers[entity.name] { parts[number].entities.append(entity) }
        }
        return parts
    }
}
