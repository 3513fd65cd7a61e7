/// How a statement finds the rows of its table. Searches are behind references, as most paths have none and all are copied.
enum AccessPath: Hashable {
    /// As SQLite's planner chooses.
    case automatic
    /// As SQLite's planner chooses, by the columns alone.
    case withoutRTree
    /// One row after the other, in the order of identifiers.
    case scan
    /// With an index, by its name in the store; in its order, or within bounds of its first columns.
    indirect case index(String)
    /// With an index, by its name in the store and in its order; the rows that an R-tree does not find are passed over
    /// without a look at them.
    indirect case indexAmong(String, BoxSearch)
    /// By the identifiers that an R-tree finds, in their order.
    indirect case identifiers(BoxSearch)
    /// The R-tree's candidates one after the other, in the tree's order. It is the fastest for some thousand.
    indirect case candidates(BoxSearch)
    /// The R-tree's candidates, of which only those on the edge of the box are looked at in the table. It can count.
    indirect case edges(BoxSearch)

    /// Whether a statement cannot be prepared without an index or an R-tree.
    var usesIndex: Bool {
        switch self {
        case .automatic, .withoutRTree, .scan: false
        case .index, .indexAmong, .identifiers, .candidates, .edges: true
        }
    }

    /// Whether SQLite's planner chooses. Comparing paths costs more.
    var isAutomatic: Bool {
        if case .automatic = self { true } else { false }
    }

    /// Writes what stands between `FROM` and the joins.
    func writeSource(_ table: String, to writer: inout some SQLWriter) {
        switch self {
        case .automatic, .withoutRTree: writer.write(name: table)
        case .scan, .identifiers:
            writer.write(name: table)
            writer.write(" NOT INDEXED")
        case .index(let name), .indexAmong(let name, _):
            writer.write(name: table)
            writer.write(" INDEXED BY ")
            writer.write(name: name)
        case .candidates(let search):
            search.writeSource(to: &writer)
            // Not JOIN, of which SQLite chooses the order.
            writer.write(" CROSS JOIN ")
            writer.write(name: table)
            writer.write(" NOT INDEXED ON ")
            writer.write(name: table)
            writer.write(".\"id$\" = ")
            search.writeIdentifier(to: &writer)
        case .edges(let search): search.writeSource(to: &writer)
        }
    }

    /// Writes the terms that find the rows, and returns whether there are any.
    func writeConditions(_ table: String, after beginning: String, to writer: inout some SQLWriter) -> Bool {
        switch self {
        case .automatic, .withoutRTree, .scan, .index: return false
        case .indexAmong(_, let search):
            writer.write(beginning)
            // The plus is for an identifier that is looked at, and does not find the row.
            writer.write("+")
            search.writeMembership(of: ColumnPath(table: table), to: &writer)
        case .identifiers(let search):
            writer.write(beginning)
            search.writeMembership(of: ColumnPath(table: table), to: &writer)
        case .candidates(let search), .edges(let search):
            writer.write(beginning)
            search.writeCandidates(to: &writer)
        }
        return true
    }

    /// Writes the condition on the rows of the table, given that on the columns.
    func write(checking condition: SQLExpression, _ table: String, to writer: inout some SQLWriter) {
        switch self {
        case .automatic: condition.write(to: &writer)
        case .edges(let search):
            if search.isCertain {
                writer.write("(")
                search.writeCertainty(to: &writer)
                writer.write(" OR ")
            }
            writer.write("EXISTS (SELECT 1 FROM ")
            writer.write(name: table)
            writer.write(" WHERE ")
            writer.write(name: table)
            writer.write(".\"id$\" = ")
            search.writeIdentifier(to: &writer)
            writer.write(" AND ")
            condition.writeComparingCoordinates(to: &writer)
            writer.write(search.isCertain ? "))" : ")")
        case .withoutRTree, .scan, .index, .indexAmong, .identifiers, .candidates:
            condition.writeComparingCoordinates(to: &writer)
        }
    }
}
