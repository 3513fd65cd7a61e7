import AshlarSQLite
import SystemFoundation

/// The parts of a predicate on transactions that can be translated to SQL. The predicate itself evaluates the rest. So
/// a translated part may match more transactions than the predicate, but never fewer.
private protocol TransactionCondition {
    func add(to conditions: inout HistoryReader.Conditions, _ reader: HistoryReader) throws
}

extension HistoryReader {
    /// Returns the conditions in SQL that hold for all transactions that match a predicate.
    func conditions(of predicate: Predicate<DefaultHistoryTransaction>?) throws -> Conditions {
        var conditions = Conditions()
        try (predicate?.expression as? any TransactionCondition)?.add(to: &conditions, self)
        return conditions
    }

    /// Returns the column and the value of a comparison.
    fileprivate func operands<Left, Right>(
        _ left: Left, _ right: Right
    ) throws -> (column: String, value: SQLiteValue, isSwapped: Bool)?
    where Left: PredicateExpression, Right: PredicateExpression {
        if let column = column(of: left), let value = try value(of: right) { return (column, value, false) }
        if let column = column(of: right), let value = try value(of: left) { return (column, value, true) }
        return nil
    }

    private func column(of expression: some PredicateExpression) -> String? {
        switch (expression as? any TransactionKeyPath)?.transactionKeyPath {
        case \DefaultHistoryTransaction.token, \DefaultHistoryTransaction.transactionIdentifier,
            \DefaultHistoryTransaction.id:
            "t.\"last\""
        case \DefaultHistoryTransaction.timestamp: "t.\"timestamp\""
        case \DefaultHistoryTransaction.author: "t.\"author\""
        case \DefaultHistoryTransaction.bundleIdentifier: "coalesce(t.\"bundle\", '')"
        case \DefaultHistoryTransaction.processIdentifier: "coalesce(t.\"process\", '')"
        default: nil
        }
    }

    private func value(of expression: some PredicateExpression) throws -> SQLiteValue? {
        // Without bindings, evaluation fails when it reaches the transaction.
        guard let value = try? expression.evaluate(PredicateBindings()) else { return nil }
        switch value as Any {
        case let token as PersistentHistoryToken: return .integer(try number(of: token))
        case let date as Date: return .real(date.timeIntervalSinceReferenceDate)
        case let number as Int64: return .integer(number)
        case let text as String: return .text(text)
        case let text as String?: return text.map { .text($0) } ?? .null
        default: return nil
        }
    }
}

private protocol TransactionKeyPath {
    var transactionKeyPath: AnyKeyPath? { get }
}

extension PredicateExpressions.KeyPath: TransactionKeyPath {
    fileprivate var transactionKeyPath: AnyKeyPath? {
        root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? keyPath : nil
    }
}

extension PredicateExpressions.Conjunction: TransactionCondition {
    fileprivate func add(to conditions: inout HistoryReader.Conditions, _ reader: HistoryReader) throws {
        try (lhs as? any TransactionCondition)?.add(to: &conditions, reader)
        try (rhs as? any TransactionCondition)?.add(to: &conditions, reader)
    }
}

extension PredicateExpressions.Equal: TransactionCondition {
    fileprivate func add(to conditions: inout HistoryReader.Conditions, _ reader: HistoryReader) throws {
        guard let (column, value, _) = try reader.operands(lhs, rhs) else { return }
        conditions.add("\(column) IS ?", value)
    }
}

extension PredicateExpressions.NotEqual: TransactionCondition {
    fileprivate func add(to conditions: inout HistoryReader.Conditions, _ reader: HistoryReader) throws {
        guard let (column, value, _) = try reader.operands(lhs, rhs) else { return }
        conditions.add("\(column) IS NOT ?", value)
    }
}

extension PredicateExpressions.Comparison: TransactionCondition {
    fileprivate func add(to conditions: inout HistoryReader.Conditions, _ reader: HistoryReader) throws {
        guard let (column, value, isSwapped) = try reader.operands(lhs, rhs) else { return }
        // Swift compares texts in another way than SQLite.
        if case .text = value { return }
        let sign =
            switch (op, isSwapped) {
            case (.lessThan, false), (.greaterThan, true): "<"
            case (.lessThanOrEqual, false), (.greaterThanOrEqual, true): "<="
            case (.greaterThan, false), (.lessThan, true): ">"
            case (.greaterThanOrEqual, false), (.lessThanOrEqual, true): ">="
            @unknown default: nil as String?
            }
        if let sign { conditions.add("\(column) \(sign) ?", value) }
    }
}
