/// The tables that expressions look at by way of relationships.
struct FollowedTables {
    /// Those that a path of foreign keys leads to.
    private(set) var referenced: Set<String> = []
    /// Those whose rows refer to the ones that are asked about, so that a new row can matter too.
    private(set) var referring: Set<String> = []
    /// The foreign keys of the very rows that are asked about, by their names, with the tables that they refer to.
    private(set) var ownReferences: [String: String] = [:]
    /// The tables that foreign keys of other rows refer to.
    private(set) var otherReferences: Set<String> = []
    /// The columns that are looked at, by their tables.
    private var columns: [String: Set<String>] = [:]
    /// The tables of which it is not known which columns are looked at.
    private var wholeTables: Set<String> = []

    var isEmpty: Bool { referenced.isEmpty && referring.isEmpty }

    mutating func add(_ expression: SQLExpression) {
        switch expression {
        case .value, .identifier, .now, .unsupported: break
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
        if let table = column.destinationTable {
            if column.path.level == 0, column.path.steps.isEmpty {
                ownReferences[column.name] = table
            } else {
                otherReferences.insert(table)
            }
        }
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
        let tables = otherReferences.union(ownReferences.values)
        return tables.isEmpty
            ? [] : Set(model.entities.lazy.filter { tables.contains($0.tableName) }.map(\.number.root))
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
