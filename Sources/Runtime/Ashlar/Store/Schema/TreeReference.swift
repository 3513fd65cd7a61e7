import AshlarSQLite

/// The foreign key column of a to-one relationship by which objects of an entity form a tree, so that no object is its
/// own ancestor.
///
/// A relationship to its own entity forms a tree if it has the synchronization rule `tree`, or if it has no rule and
/// its inverse deletes by cascades.
package struct TreeReference: Sendable, Hashable {
    package var table: String
    package var column: String
    var entity: String
    var property: String

    /// Returns the cycles, at most 100 of them.
    func problems(_ connection: Connection, in schemaName: String) throws(SQLiteError) -> [String] {
        let (table, column) = ("\(schemaName).\(table.quotedIdentifier)", column.quotedIdentifier)
        // Rows that no root leads to are in a cycle, or below one.
        let rows = try connection.rows(
            """
            WITH RECURSIVE reached (row) AS (
                SELECT "id$" FROM \(table) WHERE \(column) IS NULL OR \(column) NOT IN (SELECT "id$" FROM \(table))
                UNION SELECT child."id$" FROM reached JOIN \(table) AS child ON child.\(column) = reached.row)
            SELECT "id$", \(column) FROM \(table)
            WHERE \(column) IS NOT NULL AND "id$" NOT IN (SELECT row FROM reached) ORDER BY "id$"
            """)
        let parents = Dictionary(rows.map { ($0[0].integer, $0[1].integer) }, uniquingKeysWith: { first, _ in first })
        var problems: [String] = []
        var seen: Set<Int64> = []
        for row in rows.map({ $0[0].integer }) where problems.count < 100 {
            var path: [Int64] = []
            var next: Int64? = row
            while let current = next, seen.insert(current).inserted {
                path.append(current)
                next = parents[current]
            }
            guard let next, let start = path.firstIndex(of: next) else { continue }
            let cycle = path[start...].map { "\($0)" }.joined(separator: ", ")
            problems.append("Rows \(cycle) of \(self.table) are within each other by \(entity).\(property), a tree.")
        }
        return problems
    }
}

extension ModelDescription {
    /// The references by which objects form trees.
    package var treeReferences: [TreeReference] { treeReferences(of: Set(entities.map(\.name))) }

    /// Returns the references by which objects of some entities form trees.
    func treeReferences(of names: Set<String>) -> [TreeReference] {
        var known: Set<String> = []
        var result: [TreeReference] = []
        for entity in entities where names.contains(entity.name) {
            for (number, relationship) in entity.relationships.numbered {
                guard case .column(let position) = relationship.storage,
                    let destination = destination(of: entity, number), destination.tableName == entity.tableName,
                    let inverse = relationship.inverse.map({ destination.relationships[$0] }), inverse.isToMany
                else { continue }
                let column = entity.columns[position]
                let rule = entities.first { $0.name == column.entity }?.syncRules[relationship.name]
                guard rule == "tree" || rule == nil && inverse.deletionRule == .cascade,
                    known.insert("\(entity.tableName).\(column.name)").inserted
                else { continue }
                result.append(
                    TreeReference(
                        table: entity.tableName, column: column.name, entity: column.entity, property: column.property))
            }
        }
        return result
    }
}
