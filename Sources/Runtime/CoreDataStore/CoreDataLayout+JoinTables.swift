import StoreDescription

extension CoreDataLayout {
    /// A table of pairs, as a store has it.
    package struct JoinTable: Sendable, Hashable {
        package var name: String
        /// The side by which the version of ours keeps the pairs: the owner of the relationship, and its destination.
        package var property: Property
        /// The column with the objects that own the relationship.
        package var ownColumn: String
        /// The column with those that it leads to.
        package var otherColumn: String
        /// The column of the positions of the relationship's destinations.
        package var orderColumn: String?
        /// The column of the positions of the owners in the inverse.
        package var inverseOrderColumn: String?

        var columns: Set<String> {
            Set([ownColumn, otherColumn] + [orderColumn, inverseOrderColumn].compactMap(\.self))
        }
    }

    /// A pair of to-many relationships that are each other's inverse, once for both.
    package struct ManyToMany: Sendable {
        package var owner: StoredEntity
        package var relationship: StoredEntity.Relationship
        package var inverseOwner: StoredEntity
        package var inverse: StoredEntity.Relationship

        /// Whether the relationship is its own inverse.
        package var isReflexive: Bool { owner.name == inverseOwner.name && relationship.name == inverse.name }
    }

    /// The pairs of relationships that a store has tables for, by the names of those sides that own our tables.
    package var manyToMany: [ManyToMany] {
        var result: [ManyToMany] = []
        for owner in entities.values.sorted(by: { $0.name < $1.name }) {
            for relationship in owner.relationships.sorted(by: { $0.name < $1.name }) where relationship.isToMany {
                guard case .joinTable(_, let own, _, _) = relationship.storage,
                    let (inverseOwner, inverse) = inverse(of: relationship), inverse.isToMany
                else { continue }
                let pair = ManyToMany(
                    owner: owner, relationship: relationship, inverseOwner: inverseOwner, inverse: inverse)
                // One table of ours has both sides; its first column belongs to the side that owns it.
                if pair.isReflexive || own == "source$" { result.append(pair) }
            }
        }
        return result
    }

    /// The table that a store has for a pair of relationships; nil if none of its tables can be it.
    ///
    /// It has the name of either side, and a column for each. The column is named by the number of the entity of its
    /// objects and by the relationship that leads to them, possibly with a number to make it unique.
    func joinTable(of pair: ManyToMany, in schema: CoreDataSchema) -> JoinTable? {
        guard let ownNumber = numbers[pair.owner.name], let inverseNumber = numbers[pair.inverseOwner.name],
            let destinationNumber = numbers[pair.relationship.destination],
            let backNumber = numbers[pair.inverse.destination]
        else { return nil }
        let (name, inverseName) = (Self.upper(pair.relationship.name), Self.upper(pair.inverse.name))
        for table in ["Z_\(ownNumber)\(name)", "Z_\(inverseNumber)\(inverseName)"] {
            guard let columns = schema.tables[table] else { continue }
            let links = columns.filter { !$0.hasPrefix("Z_FOK_") }
            guard links.count == 2 else { continue }
            let isOther = { (column: String) in Self.isNamed(column, "Z_\(destinationNumber)\(name)") }
            let isOwn = { (column: String) in
                Self.isNamed(column, "Z_\(backNumber)\(inverseName)") || pair.isReflexive && column == "REFLEXIVE"
            }
            for (own, other) in [(links[0], links[1]), (links[1], links[0])] where isOwn(own) && isOther(other) {
                let orders = Set(columns).subtracting(links)
                let (order, inverseOrder) = ("Z_FOK_" + other.dropFirst(2), "Z_FOK_" + own.dropFirst(2))
                let found = JoinTable(
                    name: table, property: Property(pair.owner.name, pair.relationship.name), ownColumn: own,
                    otherColumn: other, orderColumn: orders.contains(order) ? order : nil,
                    inverseOrderColumn: orders.contains(inverseOrder) ? inverseOrder : nil)
                let isOrdered = (found.orderColumn != nil) == pair.relationship.isOrdered
                let isInverseOrdered = pair.isReflexive || (found.inverseOrderColumn != nil) == pair.inverse.isOrdered
                if found.columns == Set(columns), isOrdered, isInverseOrdered { return found }
            }
        }
        return nil
    }

    /// Returns whether a column is called by a name, or by it with a number after it.
    private static func isNamed(_ column: String, _ name: String) -> Bool {
        column.utf8.starts(with: name.utf8)
            && column.utf8.dropFirst(name.utf8.count).allSatisfy { (0x30...0x39).contains($0) }
    }
}
