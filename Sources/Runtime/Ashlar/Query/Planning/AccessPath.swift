/// The way in which a statement finds the rows of its table. Searches are stored by reference, because most paths have
/// none and all are copied.
enum AccessPath: Hashable {
    /// The choice of SQLite's planner.
    case automatic
    /// The choice of SQLite's planner, using only columns.
    case withoutRTree
    /// A scan in the order of identifiers.
    case scan
    /// An index by its name in the store, in its order or within bounds of its first columns.
    indirect case index(String)
    /// An index by its name in the store, in its order. Rows that an R-tree does not find are skipped without reading
    /// them.
    indirect case indexAmong(String, BoxSearch)
    /// The identifiers that an R-tree finds, in their order.
    indirect case identifiers(BoxSearch)
    /// The R-tree's candidates, in the tree's order. It is the fastest path for a few thousand candidates.
    indirect case candidates(BoxSearch)
    /// The R-tree's candidates, where only those on the edge of the box are read from the table. It can count.
    indirect case edges(BoxSearch)

    /// Whether preparing a statement requires an index or an R-tree.
    var usesIndex: Bool {
        switch self {
        case .automatic, .withoutRTree, .scan: false
        case .index, .indexAmong, .identifiers, .candidates, .edges: true
        }
    }

    /// Whether SQLite's planner chooses. Comparing paths would cost more.
    var isAutomatic: Bool {
        if case .automatic = self { true } else { false }
    }

    /// Writes the source after `FROM`, before the joins.
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
            // SQLite chooses the order of the tables of a JOIN.
            writer.write(" CROSS JOIN ")
            writer.write(name: table)
            writer.write(" NOT INDEXED ON ")
            writer.write(name: table)
            writer.write(".\"id$\" = ")
            search.writeIdentifier(to: &writer)
        case .edges(let search): search.writeSource(to: &writer)
        }
    }

    /// Writes the terms that find the rows. Returns whether there are any.
    func writeConditions(_ table: String, after beginning: String, to writer: inout some SQLWriter) -> Bool {
        switch self {
        case .automatic, .withoutRTree, .scan, .index: return false
        case .indexAmong(_, let search):
            writer.write(beginning)
            // With the plus, the identifier is compared, and not used to find the row.
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

    /// Writes the condition on the table's rows, derived from the condition on the columns.
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
