import AshlarSQLite
import SystemFoundation

extension PredicateExpressions.Range: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .range(
            PredicateRange(lower: try translator.value(lower), upper: try translator.value(upper), isClosed: false))
    }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .range(PredicateRange(lower: try translator.value(lower), upper: try translator.value(upper), isClosed: true))
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(try translator.contains(translator.operand(range), element))
    }
}

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        .value(try translator.contains(translator.operand(sequence), element))
    }
}

extension PredicateTranslator {
    fileprivate func contains(
        _ sequence: PredicateOperand, _ element: some PredicateExpression
    ) throws -> SQLExpression {
        if case .fullText(let reference) = sequence { return try matches(reference, element) }
        let value = try value(element)
        switch sequence {
        case .list(let values): return .isIn(value, values)
        case .identifiers(let identifiers): return .contains(identifiers, value)
        case .filtered(let values):
            return .or(
                values.map { .and([.comparing(value, .equal, $0.value), $0.condition]) })
        case .range(let range): return range.contains(value)
        case .rows(let rows, let destination):
            let row = PredicateRow(path: rows.element, entity: destination)
            return .any(rows, .predicateComparison(row.identifier, .equal, value))
        case .value(let text): return .text(text, .contains, value, [])
        default: throw notASequence("contains", sequence)
        }
    }

    private func matches(
        _ reference: FullTextReference, _ element: some PredicateExpression
    ) throws -> SQLExpression {
        guard case .captured(let value) = try operand(element), let query = value as? FullTextQuery else {
            throw unsupported(
                "a search in the full-text index '\(reference.index.name)'", "its query is computed in the predicate",
                "make the query outside, and capture it in a constant")
        }
        return reference.checked(query, .matches(reference, query))
    }

    fileprivate func notASequence(_ name: String, _ operand: PredicateOperand) -> FetchError {
        unsupported(
            "'\(name)' of this collection", "the store keeps no collection as the value of a column",
            "ask it of a to-many relationship, or of an array that is captured")
    }

    /// Returns the condition of a closure for each value.
    fileprivate func conditions(
        _ values: [SQLExpression], _ variable: PredicateExpressions.VariableID, _ test: some PredicateExpression
    ) throws -> [(value: SQLExpression, condition: SQLExpression)] {
        // SQLite limits the depth of an expression, and the number of its parameters.
        guard values.count <= 500 else {
            throw unsupported(
                "a closure for \(values.count) captured values", "each is a condition of its own, and 500 are the most",
                "ask array.contains(value)")
        }
        return try values.map { value in
            (value, try binding(variable, to: .value(value)) { try self.value(test) })
        }
    }

    /// Returns the condition of a closure for a row of a relationship.
    fileprivate func condition(
        _ rows: RelatedRows, _ destination: EntityDescription, _ variable: PredicateExpressions.VariableID,
        _ test: some PredicateExpression
    ) throws -> SQLExpression {
        try RelatedLevel.deeper(rows) { path in
            try binding(variable, to: .row(PredicateRow(path: path, entity: destination))) { try value(test) }
        }
    }
}

extension PredicateOperand {
    /// The values of a captured collection; empty for other operands.
    fileprivate var elements: [SQLExpression] {
        switch self {
        case .list(let values): values.map { .value($0) }
        case .identifiers(let identifiers): identifiers.map(\.row)
        default: []
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let sequence = try translator.operand(self.sequence)
        switch sequence {
        case .rows(let rows, let destination):
            return .value(.any(rows, try translator.condition(rows, destination, variable.key, test)))
        case .list, .identifiers:
            return .value(.or(try translator.conditions(sequence.elements, variable.key, test).map(\.condition)))
        case .filtered(let values):
            let conditions = try translator.conditions(values.map(\.value), variable.key, test)
            return .value(.or(zip(values, conditions).map { .and([$0.condition, $1.condition]) }))
        default: throw translator.notASequence("contains(where:)", sequence)
        }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let sequence = try translator.operand(self.sequence)
        switch sequence {
        case .rows(let rows, let destination):
            return .value(rows.none(where: .not(try translator.condition(rows, destination, variable.key, test))))
        case .list, .identifiers:
            return .value(.and(try translator.conditions(sequence.elements, variable.key, test).map(\.condition)))
        case .filtered(let values):
            let conditions = try translator.conditions(values.map(\.value), variable.key, test)
            return .value(.and(zip(values, conditions).map { .or([.not($0.condition), $1.condition]) }))
        default: throw translator.notASequence("allSatisfy", sequence)
        }
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        let sequence = try translator.operand(self.sequence)
        switch sequence {
        case .rows(var rows, let destination):
            let added = try translator.condition(rows, destination, variable.key, filter)
            rows.filter = rows.filter.map { .and([$0, added]) } ?? added
            return .rows(rows, destination)
        case .list, .identifiers:
            return .filtered(try translator.conditions(sequence.elements, variable.key, filter))
        case .filtered(let values):
            let conditions = try translator.conditions(values.map(\.value), variable.key, filter)
            return .filtered(zip(values, conditions).map { ($0.value, .and([$0.condition, $1.condition])) })
        default: throw translator.notASequence("filter", sequence)
        }
    }
}

// MARK: Elements

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        if let value = translator.captured(self) { return value }
        guard case .rows(let rows, let destination) = try translator.operand(wrapped),
            case .value(.integer(let index)) = try translator.value(self.index)
        else {
            throw translator.unsupported(
                "collection[index]", "only an ordered relationship can be asked for the object at a captured index",
                "capture the element in a constant")
        }
        return try translator.element(of: rows, .at(Int(index)), destination)
    }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        if let value = translator.captured(self) { return value }
        throw translator.unsupported(
            "collection[range]", "the store has no part of a relationship or text as a value",
            "capture the part of an array in a constant, or ask text.starts(with:)")
    }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        if let value = translator.captured(self) { return value }
        return try translator.dictionary(wrapped, key: key, default: .value(.null))
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        if let value = translator.captured(self) { return value }
        return try translator.dictionary(wrapped, key: key, default: try translator.value(self.`default`))
    }
}

extension PredicateTranslator {
    /// Returns the value of a captured dictionary for a key from the object.
    fileprivate func dictionary(
        _ expression: some PredicateExpression, key: some PredicateExpression, default fallback: SQLExpression
    ) throws -> PredicateOperand {
        guard case .captured(let value) = try operand(expression), let entries = value as? [AnyHashable: Any],
            entries.count <= 100
        else {
            throw unsupported(
                "dictionary[key]", "only a captured dictionary of at most 100 entries can be looked up",
                "capture an array of the keys that are meant, and ask keys.contains(key)")
        }
        let key = try self.value(key)
        var result = fallback
        for (other, value) in entries {
            let test = SQLExpression.predicateComparison(
                key, .equal, try self.value(CapturedValue.operand(other.base), type(of: other.base)))
            result = .conditional(test, try self.value(CapturedValue.operand(value), type(of: value)), result)
        }
        return .value(result)
    }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        if let value = translator.captured(self) { return value }
        throw translator.unsupported(
            "min()", "objects have no order, and the store keeps no collection in a column",
            "ask in the closures of `where`: $0.items.min { $0.price }")
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand {
        if let value = translator.captured(self) { return value }
        throw translator.unsupported(
            "max()", "objects have no order, and the store keeps no collection in a column",
            "ask in the closures of `where`: $0.items.max { $0.price }")
    }
}
