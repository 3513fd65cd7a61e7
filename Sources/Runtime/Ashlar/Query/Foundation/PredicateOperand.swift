import AshlarSQLite

/// The meaning of a part of a predicate.
enum PredicateOperand {
    /// One value, which may be NULL.
    case value(SQLExpression)
    /// One value that the store cannot interpret, such as that of a transformable attribute.
    case opaque(SQLExpression, String)
    /// An object, which may be nil.
    case row(PredicateRow)
    /// One object of an ordered relationship. The last part is its row.
    case element(RelatedRows, SQLExpression.Position, PredicateRow)
    /// The objects of a to-many relationship.
    case rows(RelatedRows, EntityDescription)
    /// A composite of an object, by its name.
    case composite(PredicateRow, String)
    /// The texts of a full-text index.
    case fullText(FullTextReference)
    /// Captured values.
    case list([SQLiteValue])
    /// Captured objects or identifiers, which may be nil.
    case identifiers([PersistentIdentifier?])
    /// Captured values, each with the condition for which it counts.
    case filtered([(value: SQLExpression, condition: SQLExpression)])
    case range(PredicateRange)
    /// A regular expression.
    case pattern(String)
    /// A captured value whose type is not that of an attribute.
    case captured(Any)
}

/// A row in a predicate.
struct PredicateRow {
    var path: ColumnPath
    var entity: EntityDescription

    /// The object's identity; NULL if there is no object.
    var identifier: SQLExpression { .column(path.identifier(of: entity)) }

    /// The condition that there is an object.
    var exists: SQLExpression {
        path.cast != nil ? path.exists : .comparison(.column(path.identifier), .notEqual, .value(.null))
    }

    /// Returns the row as one of a subclass or superclass.
    func casting(to type: any PersistentModel.Type) -> PredicateRow {
        let target = type._ashlarEntity
        let isAbove = entity.isKind(of: target.name)
        return PredicateRow(path: path.casting(from: entity, to: target), entity: isAbove ? entity : target)
    }
}

/// A range of values; nil stands for no bound.
struct PredicateRange {
    var lower: SQLExpression?
    var upper: SQLExpression?
    var isClosed: Bool

    func contains(_ value: SQLExpression) -> SQLExpression {
        var terms: [SQLExpression] = []
        if let lower { terms.append(.predicateComparison(value, .greaterOrEqual, lower)) }
        if let upper { terms.append(.predicateComparison(value, isClosed ? .lessOrEqual : .less, upper)) }
        return terms.count == 1 ? terms[0] : .and(terms)
    }
}

extension PredicateOperand {
    /// The condition that there is a value or object; nil if there always is.
    var exists: SQLExpression? {
        switch self {
        case .value(.value(let value)): value.isNull ? .alwaysFalse : nil
        case .value(let value), .opaque(let value, _): .comparison(value, .notEqual, .value(.null))
        case .row(let row): row.exists
        case .element(let rows, let position, let row):
            .comparison(.element(rows, position, row.identifier), .notEqual, .value(.null))
        case .composite(let row, let name):
            row.entity.attributeColumn(named: name).map {
                .comparison(row.column($0), .notEqual, .value(.null))
            }
        default: nil
        }
    }
}

extension PredicateRow {
    /// Returns the column at a position among those of the entity.
    func column(_ position: Int) -> SQLExpression {
        let description = entity.columns[position]
        return .column(
            ColumnReference(
                path: path, column: position, name: description.name, isDecimal: description.isDecimal))
    }
}

extension SQLExpression {
    /// Returns a comparison in which a captured decimal number has its stored form.
    static func predicateComparison(
        _ left: SQLExpression, _ comparison: Comparison, _ right: SQLExpression
    ) -> SQLExpression {
        if comparison == .equal {
            if case .value(.integer(1)) = right, let condition = left.conditionWhereNotNil { return condition }
            if case .value(.integer(1)) = left, let condition = right.conditionWhereNotNil { return condition }
        }
        return .comparing(left.plain(beside: right), comparison, right.plain(beside: left))
    }

    /// Returns a captured decimal number without the conversion if the other side is already a decimal number.
    private func plain(beside other: SQLExpression) -> SQLExpression {
        guard case .function(.toDecimal, let arguments) = self, case .value = arguments.first, other.isDecimal,
            let value = arguments.first
        else { return self }
        if case .function(.toDecimal, _) = other { return self }
        return value
    }

    /// The condition without NULL: it holds if the value it depends on is not nil and the original condition holds.
    var conditionWhereNotNil: SQLExpression? {
        guard case .conditional(let exists, let condition, .value(.null)) = self, condition.isCondition else {
            return isCondition ? self : nil
        }
        return .and([exists, condition])
    }

    /// Returns the first value unless it is NULL; otherwise the second.
    static func predicateCoalesce(_ first: SQLExpression, _ second: SQLExpression) -> SQLExpression {
        if case .value(let value) = first { return value.isNull ? second : first }
        if case .conditional(let exists, let condition, .value(.null)) = first, condition.isCondition {
            if case .value(.integer(0)) = second { return .and([exists, condition]) }
            if case .value(.integer(1)) = second { return .or([.not(exists), condition]) }
        }
        return .coalesce(first, second)
    }

    /// Returns whether the expression is NULL whenever another one is.
    func isNull(wherever other: SQLExpression) -> Bool {
        if self == other { return true }
        return switch self {
        case .column(let reference): other.leads(to: reference.path)
        case .arithmetic(let left, _, let right):
            left.isNull(wherever: other) || right.isNull(wherever: other)
        case .function(_, let arguments): arguments.contains { $0.isNull(wherever: other) }
        case .conditional(_, let value, .value(.null)): value.isNull(wherever: other)
        default: false
        }
    }

    /// Returns whether this is the identity of a row on a path.
    private func leads(to path: ColumnPath) -> Bool {
        guard case .column(let reference) = self else { return false }
        return (0...path.steps.count).contains { count in
            let row = path.prefix(count)
            return row.identifier == reference || row.withoutCast.identifier == reference
        }
    }
}
