/// Checks whether generated code can express a resolved predicate, without building the expression.
public struct PredicateTrial: PredicateTarget {
    /// The kind of an object: a row of the store, or an object of the code.
    public enum Row: Sendable { case stored, given }

    private init() {}

    /// Returns the reason why the predicate cannot be expressed; nil if it can.
    public static func error(in predicate: ResolvedPredicate) -> PredicateFormatError? {
        do {
            try PredicateLowering(PredicateTrial()).condition(predicate)
            return nil
        } catch let error as PredicateFormatError {
            return error
        } catch {
            return PredicateFormatError(.unsupported, at: predicate.range, "\(error)")
        }
    }

    // MARK: Objects

    public var evaluatedObject: Row { .stored }
    public func object(_ source: PredicateValueSource, entity: String) -> Row { .given }
    public func following(_ step: ResolvedPath.Step, from row: Row) -> Row { row }
    public func identifier(of row: Row) {}

    public func attribute(_ steps: ArraySlice<ResolvedPath.Step>, of row: Row) throws {
        if case .fullText = steps.last?.property { try requireStored(row, "a full-text index") }
    }

    public func casting(_ row: Row, to entity: String) throws -> Row {
        try requireStored(row, "CAST")
        return row
    }

    private func requireStored(_ row: Row, _ what: String) throws {
        if row == .stored { return }
        throw PredicateFormatError(
            .unsupported, at: 0..<0, "\(what) is not known of the object that a variable stands for",
            hint: "compute the value in Swift, and pass it as a variable of its own")
    }

    // MARK: Relationships to many

    public func related(_ step: ResolvedPath.Step, from row: Row) -> Row { row }

    public func filtering(_ related: Row, _ condition: (Row) throws -> Void) throws -> Row {
        try requireStored(related, "SUBQUERY")
        try condition(related)
        return related
    }

    public func any(_ related: Row, _ condition: (Row) throws -> Void) throws { try condition(related) }
    public func all(_ related: Row, _ condition: (Row) throws -> Void) throws { try condition(related) }

    public func aggregate(
        _ collectionOperator: CollectionOperator, _ related: Row, _ value: (Row) throws -> Void
    ) throws {
        try requireStored(related, "@\(collectionOperator.rawValue)")
        try value(related)
    }

    public func element(_ position: ElementPosition, of related: Row, _ value: (Row) throws -> Void) throws {
        try requireStored(related, "an element")
        try value(related)
    }

    // MARK: Values

    public func constant(_ constant: Constant, as type: ResolvedType) {}
    public func value(of source: PredicateValueSource, as type: ResolvedType) {}
    public func bounds(of source: PredicateValueSource, as type: ResolvedType) -> (Void, Void) { ((), ()) }
    public var now: Void { () }
    public func arithmetic(_ arithmetic: ArithmeticOperator, _ left: Void, _ right: Void) {}
    public func function(_ function: LoweredFunction, _ arguments: [Void]) {}
    public func folded(_ expression: Void, _ options: ComparisonOptions) {}
    public func conditional(_ test: Void, _ first: Void, _ second: Void) {}

    // MARK: Conditions

    public func comparison(_ left: Void, _ comparison: ComparisonOperator, _ right: Void) {}
    public func text(_ left: Void, _ comparison: ComparisonOperator, _ right: Void, _ options: ComparisonOptions) {}
    public func isIn(_ expression: Void, _ elements: [Void]) {}
    public func isIn(
        _ expression: Void, _ source: PredicateValueSource, of type: ResolvedType, _ options: ComparisonOptions
    ) {}
    public func and(_ expressions: [Void]) {}
    public func or(_ expressions: [Void]) {}
    public func not(_ expression: Void) {}
}
