/// The rows that expressions read from a fetched row, as a tree of relationships.
///
/// It determines for which rows a condition may have another result than in the store, if some rows have unsaved
/// changes. These are the rows from which relationships lead to changed rows, by the references in the store or those
/// in memory.
final class FollowedPath {
    /// A link from a row to others.
    enum Link: Hashable {
        /// By a foreign key of the row.
        case reference(String)
        /// By a foreign key of the other rows.
        case inverse(String)
        case joinTable(String, own: String, other: String)
    }

    let table: String
    /// Whether the values of the rows are read. Otherwise only their existence matters.
    private(set) var isFollowed = false
    private(set) var next: [(link: Link, path: FollowedPath)] = []

    private init(table: String) { self.table = table }

    /// Creates the paths from a row of a table; nil if they cannot all be determined.
    convenience init?(table: String, _ expressions: [SQLExpression]) {
        self.init(table: table)
        isFollowed = true
        var builder = Builder(levels: [0: self])
        for expression in expressions { builder.add(expression) }
        if !builder.isComplete { return nil }
    }

    /// Returns the path extended by a link.
    private func following(_ link: Link, to table: String, isFollowed: Bool = true) -> FollowedPath {
        let known = next.first { $0.link == link && $0.path.table == table }?.path
        let path = known ?? FollowedPath(table: table)
        if known == nil { next.append((link, path)) }
        if isFollowed { path.isFollowed = true }
        return path
    }

    private struct Builder {
        /// The rows of an expression by their levels.
        var levels: [Int: FollowedPath]
        var isComplete = true

        mutating func add(_ expression: SQLExpression) {
            switch expression {
            case .value, .identifier, .now, .unsupported: break
            case .column(let reference): add(reference)
            case .isEntity(let path, _): end(of: path)
            case .isIn(let term, _), .isOneOf(let term, _, _), .not(let term): add(term)
            case .comparison(let left, _, let right), .text(let left, _, let right, _),
                .arithmetic(let left, _, let right), .coalesce(let left, let right):
                add(left)
                add(right)
            case .and(let terms), .or(let terms), .function(_, let terms):
                for term in terms { add(term) }
            case .conditional(let test, let first, let second):
                for term in [test, first, second] { add(term) }
            case .groupAggregate(_, let term, _):
                if let term { add(term) }
            case .any(let rows, let term), .aggregate(_, let rows, let term), .element(let rows, _, let term):
                add(rows, term)
            case .fullText(let reference), .matches(let reference, _), .fullTextValue(let reference, _, _):
                end(of: reference.path)
            case .box(let index, _):
                for column in index.columns { add(column) }
            }
        }

        private mutating func add(_ column: ColumnReference) {
            let row = end(of: column.path)
            // The reference counts as nil if its object is deleted.
            if let table = column.destinationTable {
                _ = row?.following(.reference(column.name), to: table, isFollowed: false)
            }
        }

        private mutating func add(_ rows: RelatedRows, _ term: SQLExpression) {
            let link: Link =
                switch rows.link {
                case .foreignKey(let column): .inverse(column)
                case .joinTable(let name, let own, let other): .joinTable(name, own: own, other: other)
                }
            guard let member = end(of: rows.owner)?.following(link, to: rows.table) else { return }
            let outer = levels.updateValue(member, forKey: rows.level)
            if let filter = rows.filter { add(filter) }
            add(term)
            levels[rows.level] = outer
        }

        @discardableResult
        private mutating func end(of path: ColumnPath) -> FollowedPath? {
            guard var row = levels[path.level] else {
                isComplete = false
                return nil
            }
            for step in path.steps {
                row = row.following(
                    step.column < 0 ? .inverse(step.columnName) : .reference(step.columnName), to: step.destinationTable
                )
            }
            return row
        }
    }
}
