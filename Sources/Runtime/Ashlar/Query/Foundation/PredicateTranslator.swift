import SystemFoundation

/// A part of a predicate that can be translated to an expression of the store.
///
/// The types of Foundation's `PredicateExpressions` adopt it, so that a predicate is traversed without reflection.
protocol TranslatableExpression {
    func operand(_ translator: PredicateTranslator) throws -> PredicateOperand
}

/// Translates a predicate of Foundation to an expression.
final class PredicateTranslator {
    /// The fetched entity.
    let entity: EntityDescription
    /// The meanings of the closures' parameters, from the outermost to the current closure.
    private var variables: [PredicateExpressions.VariableID: PredicateOperand] = [:]

    init(_ entity: EntityDescription) { self.entity = entity }

    /// The fetched row.
    var root: PredicateRow { PredicateRow(path: ColumnPath(table: entity.tableName), entity: entity) }

    /// Returns the condition of a predicate. If it cannot be translated, returns an expression that makes the fetch
    /// throw.
    static func condition<Model: PersistentModel>(_ predicate: Predicate<Model>) -> SQLExpression {
        let translator = PredicateTranslator(Model._ashlarEntity)
        do {
            return try translator.binding(predicate.variable.key, to: .row(translator.root)) {
                try translator.value(predicate.expression)
            }
        } catch let error as FetchError {
            return .unsupported(error)
        } catch {
            return .unsupported(translator.unsupported("a predicate", "\(error)"))
        }
    }

    // MARK: Parts

    func operand(_ expression: some PredicateExpression) throws -> PredicateOperand {
        guard let translatable = expression as? any TranslatableExpression else {
            let name = String(describing: type(of: expression)).prefix { $0 != "<" }
            throw unsupported(String(name), "it has no counterpart in SQL", "ask in the closures of `where`")
        }
        return try translatable.operand(self)
    }

    /// Returns the single value of a part. For an object, it is the identity.
    func value(_ expression: some PredicateExpression) throws -> SQLExpression {
        try value(operand(expression), type(of: expression).Output)
    }

    func value(_ operand: PredicateOperand, _ type: Any.Type) throws -> SQLExpression {
        switch operand {
        case .value(let value): return value
        case .row(let row): return row.identifier
        case .element(let rows, let position, let row): return .element(rows, position, row.identifier)
        case .opaque(_, let name):
            throw unsupported(
                "the attribute '\(name)'", "the store keeps its values as data that it cannot compare",
                "compare it with nil only, or keep the value to compare in another attribute")
        case .rows(_, let destination):
            throw unsupported(
                "a to-many relationship as one value", "it leads to many objects of \(destination.name)",
                "ask its count, isEmpty, contains(where:) or allSatisfy")
        case .composite(_, let name):
            throw unsupported(
                "the composite '\(name)' as one value", "each of its attributes has a column of its own",
                "compare its attributes one by one, or the whole with nil")
        case .fullText(let reference): throw reference.unmatched
        case .list, .identifiers, .filtered:
            throw unsupported("a collection as one value", "a column holds one value", "ask whether it contains one")
        case .range:
            throw unsupported("a range as one value", "a column holds one value", "ask whether it contains one")
        case .pattern:
            throw unsupported("a regular expression as a value", "no column holds one", "ask text.contains(regex)")
        case .captured:
            throw unsupported(
                "a captured value of \(type)", "no attribute has values of this type",
                "capture the property of it that is needed, in a constant of its own")
        }
    }

    /// Returns the result of a closure during which its parameter has a meaning.
    func binding<Result>(
        _ variable: PredicateExpressions.VariableID, to operand: PredicateOperand, _ body: () throws -> Result
    ) rethrows -> Result {
        let outer = variables.updateValue(operand, forKey: variable)
        defer { variables[variable] = outer }
        return try body()
    }

    func operand(of variable: PredicateExpressions.VariableID) throws -> PredicateOperand {
        if let operand = variables[variable] { return operand }
        throw unsupported(
            "a parameter of another predicate", "it has no meaning here", "write both conditions in one predicate")
    }

    /// Returns the value of a part that does not refer to the fetched object, computed by Foundation.
    func captured(_ expression: some PredicateExpression) -> PredicateOperand? {
        // Without bindings, evaluation fails when it reaches the object.
        guard let value = try? expression.evaluate(PredicateBindings()) else { return nil }
        return CapturedValue.operand(value)
    }

    func unsupported(_ construct: String, _ reason: String, _ hint: String? = nil) -> FetchError {
        FetchError.unsupportedPredicate(entity: entity.name, construct: construct, reason: reason, hint: hint)
    }
}
