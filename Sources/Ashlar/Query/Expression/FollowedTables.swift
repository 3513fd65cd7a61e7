/// The tables that expressions look at by way of relationships.
struct FollowedTables {
    /// Those that a path of foreign keys leads to.
    private(set) var referenced: Set<String> = []
    /// Those whose rows refer to the ones that are asked about, so that a new row can matter too.
    private(set) var referring: Set<String> = []

    var isEmpty: Bool { referenced.isEmpty && referring.isEmpty }

    mutating func add(_ expression: SQLExpression) {
        switch expression {
        case .value, .now, .unsupported: break
        case .column(let reference): add(reference.path)
        case .isEntity(let path, _): add(path)
        case .isIn(let term, _), .not(let term): add(term)
        case .comparison(let left, _, let right), .text(let left, _, let right, _), .arithmetic(let left, _, let right),
            .coalesce(let left, let right):
            add(left)
            add(right)
        case .and(let terms), .or(let terms), .function(_, let terms):
            for term in terms { add(term) }
        case .conditional(let test, let first, let second):
            for term in [test, first, second] { add(term) }
        case .groupAggregate(_, let term, _):
            if let term { add(term) }
        case .any(let rows, let term), .aggregate(_, let rows, let term), .element(let rows, _, let term):
            add(rows.owner)
            referring.insert(rows.table)
            if let filter = rows.filter { add(filter) }
            add(term)
        case .fullText(let reference), .matches(let reference, _), .fullTextValue(let reference, _, _):
            add(reference.path)
        case .box(let index, _):
            for column in index.columns { add(column.path) }
        }
    }

    private mutating func add(_ path: ColumnPath) {
        for step in path.steps {
            if step.column < 0 {
                referring.insert(step.destinationTable)
            } else {
                referenced.insert(step.destinationTable)
            }
        }
    }
}
