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

    /// What stands between `FROM` and the joins.
    func source(_ table: String) -> String {
        let table = table.quotedIdentifier
        switch self {
        case .automatic, .withoutRTree: return table
        case .scan, .identifiers: return "\(table) NOT INDEXED"
        case .index(let name), .indexAmong(let name, _): return "\(table) INDEXED BY \(name.quotedIdentifier)"
        case .candidates(let search):
            // Not JOIN, of which SQLite chooses the order.
            return "\(search.source) CROSS JOIN \(table) NOT INDEXED ON \(table).\"id$\" = \(search.identifier)"
        case .edges(let search): return search.source
        }
    }

    /// The terms that find the rows.
    func conditions(_ table: String, _ statement: inout SQLStatement) -> [String] {
        switch self {
        case .automatic, .withoutRTree, .scan, .index: return []
        // The plus is for an identifier that is looked at, and does not find the row.
        case .indexAmong(_, let search): return ["+" + search.membership(of: table, &statement)]
        case .identifiers(let search): return [search.membership(of: table, &statement)]
        case .candidates(let search), .edges(let search): return [search.candidates(&statement)]
        }
    }

    /// The condition on the rows of the table, given that on the columns.
    func checking(_ condition: String, _ table: String, _ statement: inout SQLStatement) -> String {
        guard case .edges(let search) = self else { return condition }
        let table = table.quotedIdentifier
        let row =
            "EXISTS (SELECT 1 FROM \(table) WHERE \(table).\"id$\" = \(search.identifier) AND \(condition))"
        return search.certainty(&statement).map { "(\($0) OR \(row))" } ?? row
    }
}

extension BoxSearch {
    fileprivate var source: String { "\(index.storeName.quotedIdentifier) AS \(Self.alias.quotedIdentifier)" }
    fileprivate var identifier: String { "\(Self.alias.quotedIdentifier).\"id$\"" }

    /// The condition that a row of a table is a candidate.
    func membership(of table: String, _ statement: inout SQLStatement) -> String {
        let candidates = candidates(&statement)
        return "\(table.quotedIdentifier).\"id$\" IN (SELECT \(identifier) FROM \(source) WHERE \(candidates))"
    }
}
