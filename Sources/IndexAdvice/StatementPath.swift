import DataModel
import RelationalSchema

/// A row of a statement, by the relationships that lead to it.
struct StatementPath {
    /// Where the reference is that a relationship follows.
    enum Reference {
        /// In a column of the row that it leads away from.
        case foreignKey(String)
        /// In a column of the row that it leads to.
        case inverse(String)
    }

    struct Step {
        var alias: String
        var tableName: String
        var reference: Reference
    }

    /// The entity of the row.
    var entity: Entity
    /// Which row the path begins at: 0 is the one that is asked for, 1 that of a relationship that is looked through.
    let level: Int
    let rootAlias: String
    private(set) var steps: [Step] = []

    init(entity: Entity, level: Int, alias: String) {
        self.entity = entity
        self.level = level
        rootAlias = alias
    }

    /// The name of the row.
    var alias: String { steps.last?.alias ?? rootAlias }

    func following(
        _ relationship: String, to destination: Entity, _ tableName: String, _ reference: Reference
    ) -> StatementPath {
        var path = self
        path.entity = destination
        path.steps.append(Step(alias: "\(alias).\(relationship)", tableName: tableName, reference: reference))
        return path
    }

    /// The row and the column that have the identifier of the row.
    var identifier: (place: StatementPath, column: String) {
        if case .foreignKey(let column) = steps.last?.reference {
            var shorter = self
            shorter.steps.removeLast()
            return (shorter, column)
        }
        return (self, ColumnName.identifier)
    }

    /// The joins that lead to the row, by the names that they give.
    var joins: [(alias: String, text: String)] {
        var source = rootAlias
        return steps.map { step in
            let alias = SQLText.identifier(step.alias)
            let identifier = SQLText.identifier(ColumnName.identifier)
            let condition =
                switch step.reference {
                case .foreignKey(let column):
                    "\(alias).\(identifier) = \(SQLText.identifier(source)).\(SQLText.identifier(column))"
                case .inverse(let column):
                    "\(alias).\(SQLText.identifier(column)) = \(SQLText.identifier(source)).\(identifier)"
                }
            source = step.alias
            return (step.alias, " LEFT JOIN \(SQLText.identifier(step.tableName)) AS \(alias) ON \(condition)")
        }
    }
}

/// The joins of one `FROM` clause, each once, in the order of their first use.
struct RelatedJoins {
    private(set) var texts: [String] = []
    private var aliases: Set<String> = []

    mutating func join(_ path: StatementPath) {
        for join in path.joins where aliases.insert(join.alias).inserted { texts.append(join.text) }
    }

    mutating func merge(_ other: RelatedJoins) {
        for text in other.texts where !texts.contains(text) { texts.append(text) }
        aliases.formUnion(other.aliases)
    }
}

/// The `FROM` clauses around the place that is being written.
final class StatementScopes {
    private var scopes = [(level: 0, joins: RelatedJoins())]

    /// The level of the innermost.
    var level: Int { scopes.last?.level ?? 0 }

    /// The joins of the statement itself.
    var joins: String { scopes[0].joins.texts.joined() }

    /// Joins the rows that a path leads through; where it begins in an outer query, they are joined there.
    func join(_ path: StatementPath) {
        guard let index = scopes.lastIndex(where: { $0.level == path.level }) else { return }
        scopes[index].joins.join(path)
    }

    /// Writes something about the rows of a level, and gives it with the joins that it needs.
    func within<Result>(_ level: Int, _ body: () throws -> Result) rethrows -> (Result, RelatedJoins) {
        scopes.append((level, RelatedJoins()))
        do {
            let result = try body()
            return (result, scopes.removeLast().joins)
        } catch {
            scopes.removeLast()
            throw error
        }
    }
}

/// The rows that a to-many relationship leads to.
struct RelatedRows {
    var owner: StatementPath
    var destination: Entity
    var tableName: String
    var storage: RelationshipStorage
    /// The number by which expressions call a row of the relationship.
    var level: Int
    /// What must hold of a row to count.
    var filters: [String] = []
    /// The joins that the filters need.
    var joins = RelatedJoins()

    private var alias: String { "\(tableName)$\(level)" }

    private var linkAlias: String {
        if case .joinTable(let name, _, _, _) = storage { "\(name)$\(level)" } else { alias }
    }

    /// A row of the relationship, as expressions about it call it.
    var element: StatementPath { StatementPath(entity: destination, level: level, alias: alias) }

    /// The terms that put the rows into the relationship's order.
    var order: [String] {
        let column: String? =
            switch storage {
            case .column: nil
            case .inverseColumn(_, _, let order), .joinTable(_, _, _, let order): order
            }
        let own = column.map { "\(SQLText.identifier(linkAlias)).\(SQLText.identifier($0))" }
        return [own, "\(SQLText.identifier(alias)).\(SQLText.identifier(ColumnName.identifier))"].compactMap(\.self)
    }

    /// The `FROM` and `WHERE` of a query about the rows.
    func source(owner: String, joins: String, _ conditions: [String]) -> String {
        let row = SQLText.identifier(alias)
        let source: String
        let link: String
        switch storage {
        case .column(let column), .inverseColumn(_, let column, _):
            source = "\(SQLText.identifier(tableName)) AS \(row)"
            link = "\(row).\(SQLText.identifier(column)) = \(owner)"
        case .joinTable(let name, let own, let other, _):
            let join = SQLText.identifier(linkAlias)
            source =
                "\(SQLText.identifier(name)) AS \(join) JOIN \(SQLText.identifier(tableName)) AS \(row)"
                + " ON \(row).\(SQLText.identifier(ColumnName.identifier)) = \(join).\(SQLText.identifier(other))"
            link = "\(join).\(SQLText.identifier(own)) = \(owner)"
        }
        return "FROM \(source)\(joins) WHERE \(([link] + conditions).joined(separator: " AND "))"
    }
}
