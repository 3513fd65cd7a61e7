import AshlarSQLite

/// The values that distinguish groups of rows, and the aggregates of each group.
///
/// It is not generic over the class of the objects, because looking up a generic type for each object takes longer than
/// adding it.
struct GroupParts: Sendable {
    let keys: [SQLExpression]
    /// The columns of the keys, in objects.
    private let keyColumns: [Int]
    /// The aggregates in values, without duplicates.
    let aggregates: [GroupAggregate]

    /// The source of a value of a group.
    enum Source {
        case key(Int)
        case aggregate(Int)
        /// It is computed from those.
        case expression(SQLExpression)
    }

    /// Creates the parts; nil if the keys are not columns, or if a part of the values cannot be added up.
    init?(keys: [SQLExpression], values: [SQLExpression], _ entity: EntityDescription) {
        self.keys = keys
        keyColumns = keys.compactMap(entity.keptColumn)
        guard keyColumns.count == keys.count else { return nil }
        var aggregates: [GroupAggregate] = []
        for value in values {
            for part in value.groupAggregates where !aggregates.contains(where: { $0.expression == part }) {
                guard let aggregate = GroupAggregate(part, entity) else { return nil }
                aggregates.append(aggregate)
            }
        }
        self.aggregates = aggregates
    }

    /// Adds objects to the groups with their keys.
    func add(_ objects: [ManagedObject], to groups: inout ValueGroups) {
        for object in objects {
            let keys = ValueGroups.Keys(values: keyColumns.map(object.keptValue))
            let position = groups.position(of: keys) { aggregates.map(\.nothing) }
            // By index, because copying an aggregate would count the references of its expressions.
            for index in aggregates.indices {
                let total = aggregates[index].total(of: aggregates[index].column.map(object.keptValue))
                groups.add(total, to: index, at: position)
            }
        }
    }

    /// Returns the groups from the rows of a statement, which have the keys and then the stored parts of the
    /// aggregates; nil if nothing can be added to one of them.
    func groups(_ statement: Statement) throws -> ValueGroups? {
        let row = Row(statement: statement.handle, store: 0)
        var groups = ValueGroups()
        while try statement.step() {
            var position: Int32 = 0
            func next() -> SQLiteValue {
                defer { position += 1 }
                return row.value(position)
            }
            let keys = keys.map { _ in next() }
            var totals: [GroupAggregate.Total] = []
            for aggregate in aggregates {
                let parts = aggregate.storedParts.map { _ in next() }
                guard let total = aggregate.total(ofParts: parts) else { return nil }
                totals.append(total)
            }
            groups.add(ValueGroups.Keys(values: keys), totals)
        }
        return groups
    }

    /// Returns the source of a value.
    func source(of value: SQLExpression) -> Source {
        if let key = keys.firstIndex(of: value) { return .key(key) }
        if let aggregate = aggregates.firstIndex(where: { $0.expression == value }) { return .aggregate(aggregate) }
        return .expression(value)
    }

    /// Returns an expression in which keys and aggregates are replaced by their values in a group.
    func known(_ expression: SQLExpression, _ group: ValueGroups.Group) -> SQLExpression {
        expression.replacing { part in
            switch source(of: part) {
            case .key(let key): group.keys.values[key]
            case .aggregate(let aggregate): group.totals[aggregate].value
            case .expression: nil
            }
        }
    }
}

extension ManagedObject {
    /// Returns the value in a column, or the rowid for a negative column.
    fileprivate final func keptValue(_ column: Int) -> SQLiteValue {
        if column < 0 { return .integer(identifier.rowID) }
        return entity.columns[column].destination == nil ? sqliteValue(column) : referenceValue(inColumn: column)
    }
}
