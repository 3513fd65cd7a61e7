import StoreDescription

/// The version of a model that a store of Core Data's has, as its tables show.
///
/// The hashes in a store's metadata can only be computed by Core Data, and the names of files can be wrong. So the
/// tables decide.
package struct CoreDataVersion: Sendable {
    /// The version's position among those that were given.
    package var position: Int
    /// The store's entities and tables, by the names that the version gives the entities.
    package var schema: CoreDataSchema
    package var layout: CoreDataLayout
    package var joinTables: [CoreDataLayout.JoinTable]

    /// The differences between a store and a version that does not match it.
    package struct Difference: Sendable, Hashable {
        /// The version's position among those that were given.
        package var position: Int
        package var differences: [CoreDataDifference]
    }

    /// The versions that match a store, the newest first. If there are none, its differences from the nearest versions.
    ///
    /// - Parameters:
    ///   - metadata: The store's metadata. It has the version's names of entities, even if the table of entities has
    ///     older ones.
    ///   - formerNames: The former names of renamed entities, by the model that the store keeps. It is read if the
    ///     names differ.
    package static func versions(
        of schema: CoreDataSchema, _ metadata: CoreDataMetadata, among versions: [[StoredEntity]],
        formerNames: @autoclosure () -> [String: String]
    ) -> (matches: [CoreDataVersion], nearest: [Difference]) {
        let found = schema
        var matches: [CoreDataVersion] = []
        var others: [Difference] = []
        for (position, entities) in versions.enumerated().reversed() {
            let schema = found.renamed(
                to: entities, metadata, earlier: versions[..<position], formerNames: formerNames)
            let numbers = schema.entities.mapValues(\.number)
            // Without a number of each entity no column's name is known.
            guard entities.allSatisfy({ numbers[$0.name] != nil }) else {
                others.append(
                    Difference(
                        position: position, differences: CoreDataLayout.entityDifferences(entities, schema)))
                continue
            }
            let layout = CoreDataLayout(entities, numbers: numbers)
            let (joinTables, differences) = layout.compare(schema)
            if differences.isEmpty {
                matches.append(
                    CoreDataVersion(position: position, schema: schema, layout: layout, joinTables: joinTables))
            } else {
                others.append(Difference(position: position, differences: differences))
            }
        }
        // A whole entity weighs more than a column; of equals the newest is said first.
        func weight(_ difference: Difference) -> Int {
            difference.differences.reduce(0) { sum, difference in
                switch difference {
                case .missingEntity, .unknownEntity: sum + 100
                case .missingTable, .unknownTable, .unusableTable, .otherParent: sum + 10
                case .missingColumn, .unknownColumn, .missingJoinTable: sum + 1
                }
            }
        }
        let nearest = others.enumerated().sorted {
            (weight($0.element), $0.offset) < (weight($1.element), $1.offset)
        }.prefix(3).map(\.element)
        return (matches, nearest)
    }
}
