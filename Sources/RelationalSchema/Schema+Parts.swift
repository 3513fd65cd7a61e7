import DataModel

extension Schema {
    /// The tables of entities that a store has as a whole or not at all.
    package struct Part: Sendable, Hashable {
        /// The names of the entities.
        package var entityNames: [String]
        /// The positions of the statements that create the tables, and what belongs to them.
        package var statements: Range<Int>
    }

    /// The statements that create an empty store, part by part for a model with configurations, and without parts for
    /// another, whose stores have all entities.
    package var storeStatements: (statements: [String], parts: [Part]) {
        graph.model.configurations.isEmpty ? (statements, []) : dividedStatements
    }

    /// The statements that create an empty store, part by part. Those of no part are for every store: what it says about
    /// itself, and the tables of letters.
    package var dividedStatements: (statements: [String], parts: [Part]) {
        var statements = tables.filter { $0.content == .metadata }.map(\.definition)
        statements += letterTables.flatMap { [$0.definition, $0.filling] }
        var parts: [Part] = []
        for names in EntityGroups.groups(of: graph.model) {
            let start = statements.count
            statements += self.statements(ofTables: tableNames(ofEntitiesNamed: names))
            parts.append(Part(entityNames: names, statements: start..<statements.count))
        }
        return (statements, parts)
    }

    /// The tables that hold the objects of some entities and the pairs of these.
    private func tableNames(ofEntitiesNamed names: [String]) -> Set<String> {
        let own = Set(names.compactMap { storage(ofEntityNamed: $0)?.tableName })
        let links = tables.filter { table in
            table.content == .links
                && table.columns.contains { $0.reference.map { own.contains($0.tableName) } ?? false }
        }
        return own.union(links.map(\.name))
    }
}
