/// Tables of a schema with their indexes, virtual tables and triggers, in the schema's order.
package struct SchemaTables: Sendable {
    package fileprivate(set) var tables: [Table] = []
    package fileprivate(set) var letterTables: [LetterTable] = []
    package fileprivate(set) var indexes: [TableIndex] = []
    package fileprivate(set) var rtrees: [RTree] = []
    package fileprivate(set) var fullTextTables: [FullTextTable] = []
    package fileprivate(set) var derivedColumns: [DerivedColumn] = []
    /// The triggers that maintain derived columns, of this table or another.
    package fileprivate(set) var derivationTriggers: [Trigger] = []

    /// The statements that create the tables, in an executable order.
    package var statements: [String] {
        tables.map(\.definition) + letterTables.flatMap { [$0.definition, $0.filling] } + indexes.map(\.definition)
            + rtrees.flatMap { [$0.definition] + $0.triggers.map(\.definition) }
            + fullTextTables.flatMap { [$0.definition] + $0.triggers.map(\.definition) }
            + derivationTriggers.map(\.definition)
    }

    /// The tables with some names. A virtual table and its indexed table come together.
    package func selection(ofTablesNamed names: Set<String>) -> SchemaTables {
        var selection = SchemaTables()
        selection.rtrees = rtrees.filter { names.contains($0.tableName) || names.contains($0.name) }
        selection.fullTextTables = fullTextTables.filter { names.contains($0.tableName) || names.contains($0.name) }
        let indexed = Set(selection.rtrees.map(\.tableName) + selection.fullTextTables.map(\.tableName))
        selection.tables = tables.filter { names.contains($0.name) || indexed.contains($0.name) }
        selection.letterTables = letterTables.filter { names.contains($0.name) }
        selection.indexes = indexes.filter { names.contains($0.tableName) }
        selection.derivedColumns = derivedColumns.filter { names.contains($0.tableName) }
        selection.derivationTriggers = derivationTriggers.filter { names.contains($0.tableName) }
        return selection
    }
}

extension Schema {
    /// All tables.
    package var allTables: SchemaTables { tables(inParts: 1) { _ in 0 }[0] }

    /// The tables in parts. The cost grows with the number of tables, not of parts.
    ///
    /// - Parameter part: The number of a table's part, by name; nil for a table without one.
    package func tables(inParts count: Int, part: (String) -> Int?) -> [SchemaTables] {
        var parts = [SchemaTables](repeating: SchemaTables(), count: count)
        func distribute<Element>(
            _ elements: [Element], to list: WritableKeyPath<SchemaTables, [Element]>, by tableName: (Element) -> String
        ) {
            for element in elements {
                if let number = part(tableName(element)) { parts[number][keyPath: list].append(element) }
            }
        }
        distribute(tables, to: \.tables, by: \.name)
        distribute(letterTables, to: \.letterTables, by: \.name)
        distribute(indexes, to: \.indexes, by: \.tableName)
        distribute(rtrees, to: \.rtrees, by: \.tableName)
        distribute(fullTextTables, to: \.fullTextTables, by: \.tableName)
        distribute(derivedColumns, to: \.derivedColumns, by: \.tableName)
        distribute(derivedColumns.flatMap(\.triggers), to: \.derivationTriggers, by: \.tableName)
        return parts
    }
}
