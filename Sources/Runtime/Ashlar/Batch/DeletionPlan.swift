/// The effects of deleting rows of an entity, by the deletion rules of its relationships and of those that they reach.
///
/// The schema's foreign keys carry out most rules: those of relationships whose references are stored at the other end.
/// If there are other rules, the rows to delete are collected first.
struct DeletionPlan {
    /// A relationship of an entity whose rows may be deleted.
    struct Edge: Hashable {
        /// The location of the references, by the names of tables and columns.
        enum Storage: Hashable {
            case own(column: String)
            case referring(column: String)
            case links(table: String, own: String, other: String)
        }

        var entity: String
        var relationship: String
        var rule: RelationshipDescription.DeletionRule
        /// The roots of the entity and of the destination.
        var owner: UInt16
        var destination: UInt16
        var storage: Storage
        /// The destination's relationship that leads back, if it must lead to one object.
        var requiredInverse: String?
    }

    let edges: [Edge]
    /// The root of the entity whose rows are deleted.
    let root: UInt16
    /// The roots of all entities whose rows may be deleted.
    let deletedRoots: Set<UInt16>
    /// The roots of all entities whose rows, or relationships, may change.
    let roots: Set<UInt16>

    init(_ entity: EntityDescription, _ model: ModelDescription) {
        var waiting = Self.hierarchy(of: entity, model)
        var visited: Set<String> = []
        var edges: [Edge] = []
        var known: Set<Edge> = []
        while let next = waiting.popLast() {
            guard visited.insert(next.name).inserted else { continue }
            for (number, relationship) in next.relationships.numbered {
                guard let destination = model.destination(of: next, number) else { continue }
                let edge = Edge(next, relationship, destination)
                // Each subclass repeats the relationships that it inherits.
                var identity = edge
                identity.entity = ""
                if known.insert(identity).inserted { edges.append(edge) }
                if relationship.deletionRule == .cascade { waiting += Self.hierarchy(of: destination, model) }
            }
        }
        self.edges = edges
        root = entity.number.root
        let deleted = edges.filter { $0.rule == .cascade }.reduce(into: Set([root])) { $0.insert($1.destination) }
        deletedRoots = deleted
        roots = deleted.union(edges.map(\.destination))
    }

    private static func hierarchy(of entity: EntityDescription, _ model: ModelDescription) -> [EntityDescription] {
        var result = [entity]
        var position = 0
        while position < result.count {
            let parent = result[position].name
            result += model.entities.filter { $0.parentName == parent }
            position += 1
        }
        return result
    }

    /// Whether foreign keys alone carry out all rules, and SQLite counts all deleted rows of the entity.
    ///
    /// It would not count a row that is deleted with another one of the same table.
    var isLeftToForeignKeys: Bool {
        edges.allSatisfy { edge in
            if edge.requiredInverse != nil { return false }
            return switch (edge.storage, edge.rule) {
            case (.referring, .cascade): edge.destination != root
            case (.referring, _), (_, .nullify), (_, .noAction): true
            case (.own, _), (.links, _): false
            }
        }
    }

    var cascades: [Edge] { edges.filter { $0.rule == .cascade } }

    /// Whether the deletion of a row may delete rows of its own table, directly or by way of others, so that a chain
    /// can have any length.
    var hasChains: Bool {
        var rest = cascades
        while true {
            // A destination without cascades of its own ends a chain.
            let owners = Set(rest.map(\.owner))
            let inner = rest.filter { owners.contains($0.destination) }
            if inner.count == rest.count { return !rest.isEmpty }
            rest = inner
        }
    }

    /// The relationships that prevent the deletion of a row while the other end exists.
    var denials: [Edge] { edges.filter { $0.rule == .deny || $0.requiredInverse != nil } }
}

extension DeletionPlan.Edge {
    fileprivate init(
        _ entity: EntityDescription, _ relationship: RelationshipDescription, _ destination: EntityDescription
    ) {
        self.entity = entity.name
        self.relationship = relationship.name
        rule = relationship.deletionRule
        owner = entity.number.root
        self.destination = destination.number.root
        if case .column = relationship.storage, let number = relationship.inverse {
            let inverse = destination.relationships[number]
            if !inverse.isToMany, !inverse.isOptional { requiredInverse = inverse.name }
        }
        switch relationship.storage {
        case .column(let column): storage = .own(column: entity.columns[column].name)
        case .inverseColumn(let column, _): storage = .referring(column: destination.columns[column].name)
        case .joinTable(let table, let own, let other, _): storage = .links(table: table, own: own, other: other)
        }
    }

    /// Returns a query for the pairs of an owner and a destination, with these two columns.
    func pairs(_ model: ModelDescription) -> String {
        let (owner, destination) = (model.entity(owner).tableName, model.entity(destination).tableName)
        switch storage {
        case .own(let column):
            return "SELECT \"id$\" AS \"owner\", \(column.quotedIdentifier) AS \"other\" "
                + "FROM \(owner.quotedIdentifier) WHERE \(column.quotedIdentifier) IS NOT NULL"
        case .referring(let column):
            return "SELECT \(column.quotedIdentifier) AS \"owner\", \"id$\" AS \"other\" "
                + "FROM \(destination.quotedIdentifier) WHERE \(column.quotedIdentifier) IS NOT NULL"
        case .links(let table, let own, let other):
            return "SELECT \(own.quotedIdentifier) AS \"owner\", \(other.quotedIdentifier) AS \"other\" "
                + "FROM \(table.quotedIdentifier)"
        }
    }
}
