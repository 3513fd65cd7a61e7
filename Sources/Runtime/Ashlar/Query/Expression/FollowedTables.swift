/// The tables that expressions read by relationships.
struct FollowedTables {
    /// The tables that paths of foreign keys lead to.
    private(set) var referenced: Set<String> = []
    /// The tables whose rows refer to fetched rows, so that new rows of theirs matter too.
    private(set) var referring: Set<String> = []
    /// The tables that the read foreign keys refer to.
    private(set) var references: Set<String> = []
    /// The columns that expressions read, by their tables.
    private var columns: [String: Set<String>] = [:]
    /// The tables whose read columns are unknown, so that all count.
    private var wholeTables: Set<String> = []
    /// Whether expressions read the time of the fetch.
    private var hasTime = false

    init(_ expressions: [SQLExpression]) {
        for expression in expressions { add(expression) }
    }

    var isEmpty: Bool { referenced.isEmpty && referring.isEmpty }

    /// Returns whether the result for a row depends only on its columns, and not on the time.
    ///
    /// - Parameter referencesIncluded: Whether foreign keys count as such columns. They do if no object that they refer
    ///   to is deleted.
    func isOfOwnColumns(referencesIncluded: Bool) -> Bool {
        isEmpty && (referencesIncluded || references.isEmpty) && !hasTime
    }

    private mutating func add(_ expression: SQLExpression) {
        switch expression {
        case .value, .identifier, .unsupported: break
        case .now: hasTime = true
        case .column(let reference): add(reference)
        case .isEntity(let path, _): add(path)
        case .isIn(let term, _), .isOneOf(let term, _, _), .not(let term): add(term)
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
            if case .foreignKey(let name) = rows.link { columns[rows.table, default: []].insert(name) }
            if case .element = expression { wholeTables.insert(rows.table) }
            if let filter = rows.filter { add(filter) }
            add(term)
        case .fullText(let reference), .matches(let reference, _), .fullTextValue(let reference, _, _):
            wholeTables.insert(add(reference.path))
        case .box(let index, _):
            for column in index.columns { add(column) }
        }
    }

    private mutating func add(_ column: ColumnReference) {
        if let table = column.destinationTable { references.insert(table) }
        columns[add(column.path), default: []].insert(column.name)
    }

    /// Adds a path, and returns the table at its end.
    @discardableResult
    private mutating func add(_ path: ColumnPath) -> String {
        var table = path.table
        for step in path.steps {
            if step.column < 0 {
                referring.insert(step.destinationTable)
            } else {
                referenced.insert(step.destinationTable)
            }
            columns[step.column < 0 ? step.destinationTable : table, default: []].insert(step.columnName)
            table = step.destinationTable
        }
        return table
    }

    /// Returns the numbers of the root entities whose objects foreign keys refer to. If such an object is deleted, the
    /// reference counts as nil.
    func references(in model: ModelDescription) -> Set<UInt16> {
        references.isEmpty
            ? [] : Set(model.entities.lazy.filter { references.contains($0.tableName) }.map(\.number.root))
    }

    /// Returns the bit masks of the columns that are read, by the numbers of the root entities of their tables.
    func columns(in model: ModelDescription) -> [UInt16: UInt64] {
        let tables = referenced.union(referring)
        var bits: [UInt16: UInt64] = [:]
        for entity in model.entities where tables.contains(entity.tableName) {
            let names = columns[entity.tableName] ?? []
            var mask: UInt64 = wholeTables.contains(entity.tableName) ? .max : 0
            for (column, description) in entity.columns.enumerated() where names.contains(description.name) {
                mask |= ManagedObject.bit(of: column)
            }
            bits[entity.number.root, default: 0] |= mask
        }
        return bits
    }
}
