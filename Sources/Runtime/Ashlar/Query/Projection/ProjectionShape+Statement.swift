import AshlarSQLite

extension ProjectionShape {
    /// Returns the statement whose rows are those of the result.
    ///
    /// - Throws: ``FetchError`` if a predicate or sort descriptor of Foundation cannot be translated.
    func statement(
        time: FetchTime, path: AccessPath = .automatic
    ) throws(FetchError) -> SQLStatement {
        var shape = shape
        shape.path = path
        return try shape.statement(time)
    }

    /// All parts that determine the text of the statement, if SQLite chooses the access path.
    var shape: QueryShape {
        var shape = QueryShape(
            Model._ashlarEntity, columns: "", condition: descriptor.condition?.expression,
            orders: descriptor.sortOrders, limit: descriptor.fetchLimit, offset: descriptor.fetchOffset,
            includesSubentities: descriptor.includesSubentities)
        shape.projected = QueryShape.Projected(
            columns: columns, groups: groups, having: having?.expression, isDistinct: isDistinct,
            isAggregated: isAggregated)
        return shape
    }

    /// Whether rows of the result represent groups of rows. Without keys, all rows are one group.
    var isAggregated: Bool {
        groups != nil || having?.expression.hasGroupAggregate == true || columns.contains { $0.hasGroupAggregate }
            || descriptor.sortOrders.contains { $0.expression.hasGroupAggregate }
    }

    /// The values to compute for each row of the result.
    var values: [SQLExpression] {
        columns + descriptor.sortOrders.map(\.expression) + (having.map { [$0.expression] } ?? [])
    }

    /// All expressions that the result depends on.
    var expressions: [SQLExpression] {
        descriptor.expressions + columns + (groups ?? []) + (having.map { [$0.expression] } ?? [])
    }

    /// Throws if a value differs within a group, for which SQLite would return the value of an arbitrary row.
    func check() throws(FetchError) {
        let entity = Model._ashlarEntity.name
        if isDistinct, !isAggregated || groups != nil {
            let isSelected = descriptor.sortOrders.allSatisfy { $0.expression.isDetermined(by: columns) }
            if !isSelected { throw .orderNotSelected(entity: entity) }
        }
        guard isAggregated else { return }
        let keys = groups ?? []
        for value in values where !value.isDetermined(by: keys) {
            throw .notGrouped(entity: entity, value: value.name ?? "A value")
        }
    }
}

extension SQLExpression {
    /// The name of the attribute or relationship, if the expression is one.
    var name: String? {
        guard case .column(let reference) = self else { return nil }
        let name = reference.column < 0 ? "persistentModelID" : reference.name
        return (reference.path.steps.map(\.relationship) + [name]).joined(separator: ".")
    }

    /// The parts of the expression that are about the same rows; nil if it uses other rows too.
    private var parts: [SQLExpression]? {
        switch self {
        case .value, .identifier, .now, .column, .isEntity, .box, .groupAggregate, .unsupported, .fullText, .matches,
            .fullTextValue:
            []
        case .isIn(let term, _), .isOneOf(let term, _, _), .not(let term): [term]
        case .comparison(let left, _, let right), .text(let left, _, let right, _), .arithmetic(let left, _, let right),
            .coalesce(let left, let right):
            [left, right]
        case .and(let terms), .or(let terms), .function(_, let terms): terms
        case .conditional(let test, let first, let second): [test, first, second]
        case .any, .aggregate, .element: nil
        }
    }

    /// Whether the value contains an aggregate of a group.
    var hasGroupAggregate: Bool {
        if case .groupAggregate = self { return true }
        return parts?.contains { $0.hasGroupAggregate } ?? false
    }

    /// The aggregates of a group in the value.
    var groupAggregates: [SQLExpression] {
        if case .groupAggregate = self { return [self] }
        return parts?.flatMap(\.groupAggregates) ?? []
    }

    /// Returns the expression in which known parts are replaced by their values.
    func replacing(_ known: (SQLExpression) -> SQLiteValue?) -> SQLExpression {
        if let value = known(self) { return .value(value) }
        return switch self {
        case .isIn(let term, let values): .isIn(term.replacing(known), values)
        case .isOneOf(let term, let identifiers, let root): .isOneOf(term.replacing(known), identifiers, root: root)
        case .not(let term): .not(term.replacing(known))
        case .comparison(let left, let comparison, let right):
            .comparison(left.replacing(known), comparison, right.replacing(known))
        case .text(let left, let comparison, let right, let options):
            .text(left.replacing(known), comparison, right.replacing(known), options)
        case .arithmetic(let left, let operation, let right):
            .arithmetic(left.replacing(known), operation, right.replacing(known))
        case .coalesce(let left, let right): .coalesce(left.replacing(known), right.replacing(known))
        case .and(let terms): .and(terms.map { $0.replacing(known) })
        case .or(let terms): .or(terms.map { $0.replacing(known) })
        case .function(let function, let terms): .function(function, terms.map { $0.replacing(known) })
        case .conditional(let test, let first, let second):
            .conditional(test.replacing(known), first.replacing(known), second.replacing(known))
        case .value, .identifier, .now, .column, .isEntity, .box, .groupAggregate, .unsupported, .fullText, .matches,
            .fullTextValue, .any, .aggregate, .element:
            self
        }
    }

    /// Returns whether the value is the same in all rows with the same keys.
    func isDetermined(by keys: [SQLExpression]) -> Bool {
        if keys.contains(self) { return true }
        switch self {
        case .value, .identifier, .now, .groupAggregate: return true
        case .column, .isEntity, .box, .fullText, .matches, .fullTextValue: return false
        default: return parts?.allSatisfy { $0.isDetermined(by: keys) } ?? false
        }
    }
}
