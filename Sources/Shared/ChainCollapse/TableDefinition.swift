/// A table as described by a `CREATE TABLE` statement.
struct TableDefinition: Hashable {
    struct Column: Hashable {
        var name: String
        /// The tokens after the name.
        var rest: [SQLToken]

        var type: String { rest.first { $0.kind == .word }?.text.uppercased() ?? "" }
        var isGenerated: Bool { rest.contains { $0.isWord("GENERATED") || $0.isWord("AS") } }
        var isAutoincrement: Bool { rest.contains { $0.isWord("AUTOINCREMENT") } }

        /// The collation; nil for SQLite's default.
        var collation: String? {
            rest.firstIndex { $0.isWord("COLLATE") }.flatMap { $0 + 1 < rest.count ? rest[$0 + 1].content : nil }
        }

        /// The value of a row that was there when the column was added.
        var defaultValue: [SQLToken] {
            guard let start = rest.firstIndex(where: { $0.isWord("DEFAULT") }) else { return SQLToken.words("NULL") }
            let value = rest[(start + 1)...]
            return Array(value[..<(value.firstIndex(ofWord: "NOT", "COLLATE", "REFERENCES") ?? value.endIndex)])
        }
    }

    var name: String
    var columns: [Column]
    /// The constraints of the table, each as it is written.
    var constraints: [[SQLToken]]
    /// The tokens after the last parenthesis.
    var ending: [SQLToken]

    /// Reads a statement; nil if it does not have Ashlar's form.
    init?(_ tokens: [SQLToken]) {
        guard tokens.count > 4, tokens[0].isWord("CREATE"), tokens[1].isWord("TABLE"), tokens[2].kind == .name,
            tokens[3].isSign("("), let end = tokens.lastIndex(where: { $0.isSign(")") })
        else { return nil }
        name = tokens[2].content
        columns = []
        constraints = []
        ending = Array(tokens[(end + 1)...])
        for item in tokens[4..<end].separatedByCommas {
            guard let column = Self.column(item) else {
                guard item.first?.isWord("PRIMARY") == true else { return nil }
                constraints.append(item)
                continue
            }
            if !constraints.isEmpty { return nil }
            columns.append(column)
        }
    }

    /// A column as `CREATE TABLE` and `ADD COLUMN` write it.
    static func column(_ tokens: [SQLToken]) -> Column? {
        guard let first = tokens.first, first.kind == .name else { return nil }
        return Column(name: first.content, rest: Array(tokens.dropFirst()))
    }

    func index(ofColumn name: String) -> Int? {
        let name = SQLName(name)
        return columns.firstIndex { SQLName($0.name) == name }
    }

    mutating func renameColumn(_ name: String, to newName: String) {
        guard let index = index(ofColumn: name) else { return }
        columns[index].name = newName
        for index in constraints.indices { constraints[index].rename(name, to: newName) }
    }

    /// Has references lead to a table under its new name.
    mutating func renameReferences(to table: String, as newName: String) {
        for index in columns.indices {
            guard let position = columns[index].rest.firstIndex(where: { $0.isWord("REFERENCES") }),
                position + 1 < columns[index].rest.count, columns[index].rest[position + 1].isName(table)
            else { continue }
            columns[index].rest[position + 1] = .name(newName)
        }
    }

    /// The statement that creates the table under some name, one column a line.
    func statement(named name: String) -> String {
        let lines = columns.map { ([.name($0.name)] + $0.rest).sql } + constraints.map(\.sql)
        return """
            CREATE TABLE \(SQLToken.name(name).text) (
                \(lines.joined(separator: ",\n    "))
            ) \(ending.sql)
            """
    }
}

extension [SQLToken] {
    /// Gives all names that are one another text.
    mutating func rename(_ name: String, to newName: String) {
        for index in indices where self[index].isName(name) {
            self[index] = .name(newName, space: self[index].space)
        }
    }
}
