import Ashlar

/// The objects that a deletion deletes or changes.
@_spi(Studio) public struct DeletionConsequences: Sendable {
    /// The number of objects that a page lists of each group.
    public static let listed = 20

    /// Objects of one entity.
    public struct Group: Sendable {
        public var entity: String
        public var count: Int
        /// The first of them.
        public var first: [BrowsedReference]
    }

    /// The first of the objects to delete.
    public var objects: [BrowsedReference]
    /// The objects that deletion rules delete too.
    public var deleted: [Group]
    /// The objects that lose a reference.
    public var detached: [Group]
}

extension EditingSession {
    /// The consequences of deleting objects, tried in a context that is never saved.
    func consequences(_ entity: String, _ numbers: [Int64]) throws -> DeletionConsequences {
        let trial = ModelContext(container)
        defer { trial.rollback() }
        var chosen: Set<PersistentIdentifier> = []
        for number in numbers {
            let identifier = try identifier(entity, number).1
            chosen.insert(identifier)
            let object: any PersistentModel = try trial.model(for: identifier)
            trial.delete(object)
        }
        let deleted = trial.deletedModelsArray.map(\.persistentModelID).filter { !chosen.contains($0) }
        let changed = trial.changedModelsArray.map(\.persistentModelID)
        return try browser.read(doing: "reading the names of objects") { connection in
            var labels = LabelReader(version, connection)
            return DeletionConsequences(
                objects: try chosen.sorted { $0.rowID < $1.rowID }.prefix(DeletionConsequences.listed)
                    .map { try labels.reference(to: $0.entityName, $0.rowID) },
                deleted: try Self.groups(deleted, &labels), detached: try Self.groups(changed, &labels))
        }
    }

    private static func groups(
        _ identifiers: [PersistentIdentifier], _ labels: inout LabelReader
    ) throws -> [DeletionConsequences.Group] {
        let entities = Dictionary(grouping: identifiers, by: \.entityName).sorted { $0.key < $1.key }
        return try entities.map { entity, identifiers in
            DeletionConsequences.Group(
                entity: entity, count: identifiers.count,
                first: try identifiers.sorted { $0.rowID < $1.rowID }.prefix(DeletionConsequences.listed)
                    .map { try labels.reference(to: entity, $0.rowID) })
        }
    }
}
