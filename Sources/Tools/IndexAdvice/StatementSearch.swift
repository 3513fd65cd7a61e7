import RelationalSchema

/// A statement that reads rows of one table, and whose terms must all hold, in the form in which the runtime uses an
/// R-tree.
///
/// The runtime searches the tree for the rows before it reads them. SQLite's plan of a program's statement does not
/// show that.
struct StatementSearch {
    private let tableName: String
    /// The statement up to its condition, and the rest.
    private let start: String
    private let rest: String
    private let terms: [TableScan.Term]

    /// Nil for a statement of another form, such as one that names the table twice, or in which only one of several
    /// terms must hold.
    init?(_ sql: String, _ scans: [TableScan]) {
        let tokens = StatementText.tokens(sql)
        let words = tokens.map { $0.uppercased() }
        guard words.first == "SELECT", !words.contains("OR"), !words.contains("UNION"), !words.contains("INDEXED"),
            let from = Self.position(of: "FROM", tokens), let position = Self.position(of: "WHERE", tokens),
            from < position, tokens.indices.contains(from + 1), let name = StatementText.identifier(tokens[from + 1]),
            // The table's name is followed neither by another name for it nor by a list.
            ["WHERE", "LEFT"].contains(words[from + 2])
        else { return nil }
        let mentions = zip(words, tokens.dropFirst()).count { word, token in
            ["FROM", "JOIN"].contains(word) && StatementText.identifier(token) == name
        }
        guard mentions == 1 else { return nil }
        tableName = name
        let end = tokens[position].endIndex
        start = String(sql[..<end])
        rest = String(sql[end...])
        terms = scans.filter { $0.tableName == name }.max { $0.terms.count < $1.terms.count }?.terms ?? []
    }

    /// The place of a word that is not in parentheses.
    private static func position(of word: String, _ tokens: [Substring]) -> Int? {
        var depth = 0
        for (position, token) in tokens.enumerated() {
            switch token {
            case "(": depth += 1
            case ")": depth -= 1
            default: if depth == 0, token.uppercased() == word { return position }
            }
        }
        return nil
    }

    /// The statement with an R-tree; nil if the R-tree cannot find the rows.
    func statement(using rtree: RTree, _ schema: Schema) -> String? {
        guard rtree.tableName == tableName, let table = schema.tables.first(where: { $0.name == tableName }) else {
            return nil
        }
        var bounds: [String] = []
        for name in rtree.columnNames {
            let comparisons = Set(terms.filter { table.columns[$0.column].name == name }.map(\.comparison))
            let isBounded = !comparisons.isDisjoint(with: [.equal, .lower, .upper])
            // A row with a coordinate that is NULL is not in the tree.
            if !isBounded, table.column(named: name)?.isRequired != true { return nil }
            if !comparisons.isDisjoint(with: [.equal, .lower]) {
                bounds.append("\(SQLText.identifier(RTree.maximumColumnName(of: name))) >= ?")
            }
            if !comparisons.isDisjoint(with: [.equal, .upper]) {
                bounds.append("\(SQLText.identifier(RTree.minimumColumnName(of: name))) <= ?")
            }
        }
        if bounds.isEmpty { return nil }
        let identifier = SQLText.identifier(ColumnName.identifier)
        return start + " \(SQLText.identifier(tableName)).\(identifier) IN (SELECT \(identifier)"
            + " FROM \(SQLText.identifier(rtree.name)) WHERE \(bounds.joined(separator: " AND "))) AND" + rest
    }
}
