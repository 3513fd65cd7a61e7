import DataModel

extension Schema {
    /// The tables of entities that a store has either all or none of.
    package struct Part: Sendable, Hashable {
        /// The names of the entities.
        package var entityNames: [String]
        /// The positions of the statements that create the tables, their indexes and their triggers.
        package var statements: Range<Int>
    }

    /// The statements that create an empty store. They are divided into parts for a model with configurations; without
    /// configurations, a store has all entities.
    package var storeStatements: (statements: [String], parts: [Part]) {
        graph.model.configurations.isEmpty ? (statements, []) : dividedStatements
    }

    /// The statements that create an empty store, part by part. Statements without a part are for every store: its
    /// metadata, and the tables of letters.
    package var dividedStatements: (statements: [String], parts: [Part]) {
        var statements = tables.filter { $0.content == .metadata }.map(\.definition)
        statements += letterTables.flatMap { [$0.definition, $0.filling] }
        var parts: [Part] = []
        let groups = EntityGroups.groups(of: graph.model)
        let numbers = groupNumbers(ofTables: groups)
        for (names, tables) in zip(groups, tables(inParts: groups.count) { numbers[$0] }) {
            let start = statements.count
            statements += tables.statements
            parts.append(Part(entityNames: names, statements: start..<statements.count))
        }
        return (statements, parts)
    }

    /// The group of entities of each table, by the table's name. A table of pairs belongs to the group of its objects.
    private func groupNumbers(ofTables groups: [[String]]) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for (number, names) in groups.enumerated() {
            for name in names.compactMap({ storage(ofEntityNamed: $0)?.tableName }) { numbers[name] = number }
        }
        for table in tables where table.content == .links {
            numbers[table.name] = table.columns.lazy.compactMap { $0.reference?.tableName }.first.flatMap {
                numbers[$0]
            }
        }
        return numbers
    }
}
