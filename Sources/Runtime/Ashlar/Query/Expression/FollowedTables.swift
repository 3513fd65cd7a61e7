/// The tables that expressions look at by way of relationships.
struct FollowedTables {
    /// Those that a path of foreign keys leads to.
    private(set) var referenced: Set<String> = []
    /// Those whose rows refer to the ones that are asked about, so that a new row can matter too.
    private(set) var referring: Set<String> = []
    /// The tables that foreign keys refer to at which expressions look.
    private(set) var references: Set<String> = []
    /// The columns that are looked at, by their tables.
    private var columns: [String: Set<String>] = [:]
    /// The tables of which it is not known which columns are looked at.
    private var wholeTables: Set<String> = []
    /// Whether the time of the fetch is looked at.
    private var hasTime = false

    init(_ expressions: [SQLExpression]) {
        for expression in expressions { add(expression) }
    }

    var isEmpty: Bool { referenced.isEmpty && referring.isEmpty }

    /// Whether the answer for a row depends on its columns alone, and is the same at any time.
    ///
    /// - Parameter referencesIncluded: Whether foreign keys are such columns: no object that they refer to is deleted.
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

    /// Returns the table at the end.
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

    /// The numbers of the root entities whose objects foreign keys refer to. Where such an object is deleted, they count as nil.
    func references(in model: ModelDescription) -> Set<UInt16> {
        references.isEmpty
            ? [] : Set(model.entities.lazy.filter { references.contains($0.tableName) }.map(\.number.root))
    }

    /// The bits of the columns that are looked at, by the numbers of the root entities whose tables they are in.
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
