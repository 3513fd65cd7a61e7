import AshlarSQLite

/// A column that a batch update sets, as the model describes it.
struct UpdatedColumn {
    let description: ColumnDescription
    /// The new value.
    let value: SQLExpression
    /// Whether the value is the same for all rows.
    let isConstant: Bool
    /// The to-one relationship that the column stores; nil for an attribute.
    let relationship: RelationshipDescription?
    /// Whether no row can have the value NULL.
    private let isNeverNull: Bool

    /// Finds the column. Throws if it cannot be assigned, or if a constant breaks a rule.
    init(
        _ assignment: ColumnAssignment, _ entity: EntityDescription, _ container: ModelContainer
    ) throws(BatchError) {
        guard case .column(let reference) = assignment.target, reference.path.isOwnRow, reference.path.level == 0,
            let column = entity.columns.firstIndex(where: { $0.name == reference.name })
        else {
            let name = assignment.target.name ?? "a value"
            throw .unassignable(
                entity: entity.name, property: name, reason: "the value is in another object's row; update those")
        }
        description = entity.columns[column]
        let relationship = entity.relationships.first { $0.storage == .column(column) }
        self.relationship = relationship
        if description.isDerived {
            throw .unassignable(
                entity: entity.name, property: description.property, reason: "the store derives it from other values")
        }
        switch assignment.value {
        case .expression(let expression):
            value = expression
            if case .value = expression { isConstant = true } else { isConstant = false }
        case .reference(let identifier):
            value = .value(identifier.map { .integer($0.rowID) } ?? .null)
            isConstant = true
            let root = relationship.flatMap { container.model.entity(named: $0.destination) }?.number.root
            let store = container.storeNumber(of: entity.number.root)
            if let identifier, identifier.isTemporary || root.map({ identifier.isRow(of: $0, in: store) }) != true {
                throw .invalidReference(
                    entity: entity.name, property: description.property, identifier)
            }
        }
        isNeverNull = Self.isNeverNull(value, entity, container.model.entity(entity.number.root).name)
        // A part of a composite is nil if the composite is.
        if case .value(let constant) = value, !(constant.isNull && description.isRequiredInComposite),
            let rule = brokenRule(constant)
        {
            throw .invalidValue(
                BatchValueFailure(
                    entity: entity.name, property: description.property, value: constant, rule: rule))
        }
    }

    /// Whether NULL is invalid. A part of an optional composite is described as optional.
    private var isRequired: Bool { relationship.map { !$0.isOptional } ?? !description.isOptional }

    /// Returns the rule that a value breaks.
    func brokenRule(_ value: SQLiteValue) -> ValidationFailure.Rule? {
        if value.isNotANumber { return .notANumber }
        if value.isNull { return isRequired || description.isRequiredInComposite ? .missingRequiredValue : nil }
        for rule in rules {
            if let broken = rule.broken(by: value, isDecimal: description.isDecimal) { return broken }
        }
        return nil
    }

    /// The rules of the model, and the bounds of the type if the store can hold values outside of them.
    private var rules: [ValidationRule] {
        switch description.type {
        case .integer16:
            description.rules + [.minimum(.integer(Int64(Int16.min))), .maximum(.integer(Int64(Int16.max)))]
        case .integer32:
            description.rules + [.minimum(.integer(Int64(Int32.min))), .maximum(.integer(Int64(Int32.max)))]
        default: description.rules
        }
    }

    /// Returns whether a value is computed from integers that no row lacks, by operations that never return NULL for
    /// integers. The table enforces the presence of the root entity's columns only.
    private static func isNeverNull(_ value: SQLExpression, _ entity: EntityDescription, _ root: String) -> Bool {
        switch value {
        case .value(.integer): true
        case .column(let reference):
            reference.path.isOwnRow && reference.path.level == 0
                && entity.columns.contains {
                    $0.name == reference.name && $0.entity == root && $0.isInteger && !$0.isOptional && !$0.isDerived
                        && !$0.isRequiredInComposite
                }
        case .arithmetic(let left, let operation, let right):
            operation != .divide && isNeverNull(left, entity, root) && isNeverNull(right, entity, root)
        default: false
        }
    }

    /// The condition for a row whose computed value violates a rule; nil if none can be violated.
    var violation: SQLExpression? {
        if isConstant { return nil }
        var terms = rules.map { $0.violation(value) }
        if isRequired, !isNeverNull { terms.append(.comparison(value, .equal, .value(.null))) }
        if description.isRequiredInComposite, case .conditional(let isPresent, let leaf, _) = value {
            terms.append(.and([isPresent, .comparison(leaf, .equal, .value(.null))]))
        }
        return terms.isEmpty ? nil : .or(terms)
    }
}

extension ColumnDescription {
    fileprivate var isInteger: Bool {
        switch type {
        case .integer16, .integer32, .integer64: true
        default: false
        }
    }
}

extension ValidationRule {
    /// Returns the condition for a value that violates the rule.
    fileprivate func violation(_ value: SQLExpression) -> SQLExpression {
        let length = SQLExpression.function(.length, [value])
        return switch self {
        case .minimum(let bound): .comparison(value, .less, .value(bound))
        case .maximum(let bound): .comparison(value, .greater, .value(bound))
        case .minimumLength(let count): .comparison(length, .less, .value(.integer(Int64(count))))
        case .maximumLength(let count): .comparison(length, .greater, .value(.integer(Int64(count))))
        case .pattern(let pattern):
            .and([
                .comparison(value, .notEqual, .value(.null)),
                .not(.text(value, .matches, .value(.text(pattern)), [])),
            ])
        }
    }
}
