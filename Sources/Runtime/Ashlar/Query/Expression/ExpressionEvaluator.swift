import AshlarSQLite

/// Evaluates conditions and values for objects in memory, with the meaning of the printed SQL.
struct ExpressionEvaluator {
    /// The objects of an expression by their levels: the fetched object, and those of relationships.
    private var objects: [ManagedObject?]
    /// The objects of the group whose aggregates are computed.
    private var group: [ManagedObject] = []
    private let time: FetchTime
    private lazy var searches = FullTextSearches()
    /// The error of a function that has no value. The result is invalid then.
    private(set) var error: (any Error)?

    init(time: FetchTime) {
        objects = [nil]
        self.time = time
    }

    /// Returns whether a condition holds for an object.
    mutating func holds(_ expression: SQLExpression, for object: ManagedObject) -> Bool {
        objects[0] = object
        return holds(expression)
    }

    /// Returns the value of an expression for an object.
    mutating func value(_ expression: SQLExpression, for object: ManagedObject) -> SQLiteValue {
        objects[0] = object
        return value(expression)
    }

    /// Returns whether a condition holds for a group of objects. The first object has the values that are common to the
    /// group.
    mutating func holds(_ expression: SQLExpression, forGroup group: [ManagedObject]) -> Bool {
        self.group = group
        objects[0] = group.first
        return holds(expression)
    }

    /// Returns the value of an expression for a group of objects. The first object has the values that are common to
    /// the group.
    mutating func value(_ expression: SQLExpression, forGroup group: [ManagedObject]) -> SQLiteValue {
        self.group = group
        objects[0] = group.first
        return value(expression)
    }

    // MARK: Conditions

    private mutating func holds(_ expression: SQLExpression) -> Bool {
        switch expression {
        case .comparison(let left, let comparison, let right): return holds(left, comparison, right)
        case .text(let text, let comparison, let pattern, let options):
            return holds(text, comparison, pattern, options)
        case .isIn(let term, let values):
            let value = value(term)
            let isDecimal = term.isDecimal
            return values.contains { !$0.isNotANumber && SQLiteValue.order(value, $0, isDecimal) == 0 }
        case .isOneOf(let term, let identifiers, let root):
            let value = value(term)
            return identifiers.contains { identifier in
                guard let identifier else { return value.isNull }
                return value == .integer(identifier.rowID(of: root, in: time.store))
            }
        case .and(let terms):
            for term in terms where !holds(term) { return false }
            return true
        case .or(let terms):
            for term in terms where holds(term) { return true }
            return false
        case .not(let term): return !holds(term)
        case .any(let rows, let condition):
            return !matching(rows, where: condition, atMost: 1).isEmpty
        case .isEntity(let path, let names):
            guard let object = object(at: path) else { return false }
            return names.isEmpty || names.contains(object.entity.discriminator)
        case .box(let index, let ranges):
            for (column, range) in zip(index.columns, ranges) {
                guard let number = value(of: column).number, range.contains(number) else { return false }
            }
            return true
        case .matches(let reference, let query):
            guard let object = object(at: reference.path) else { return false }
            do {
                return try searches.matches(object, reference.index, query)
            } catch {
                self.error = error
                return false
            }
        case .value, .identifier, .now, .column, .arithmetic, .function, .conditional, .coalesce, .aggregate,
            .groupAggregate, .element,
            .fullText, .fullTextValue, .unsupported:
            return value(expression).number.map { $0 != 0 } ?? false
        }
    }

    private mutating func holds(
        _ left: SQLExpression, _ comparison: SQLExpression.Comparison, _ right: SQLExpression
    ) -> Bool {
        if left.isNotANumber || right.isNotANumber { return comparison == .notEqual }
        let isDecimal = left.isDecimal || right.isDecimal
        let (left, right) = SQLExpression.alike(left, right)
        let first = value(left)
        let second = value(right)
        var order = SQLiteValue.order(first, second, isDecimal)
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        default: break
        }
        if first.isNull || second.isNull { return false }
        if left.isIdentifier { order = SQLiteValue.orderOfIdentifiers(first, second) }
        switch comparison {
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        default: return order >= 0
        }
    }

    private mutating func holds(
        _ text: SQLExpression, _ comparison: SQLExpression.TextComparison, _ pattern: SQLExpression,
        _ options: TextOptions
    ) -> Bool {
        guard case .text(let text) = value(text), case .text(let pattern) = value(pattern) else { return false }
        do {
            return try TextMatching.holds(comparison, text, pattern, options)
        } catch {
            self.error = FetchError(error)
            return false
        }
    }

    // MARK: Values

    private mutating func value(_ expression: SQLExpression) -> SQLiteValue {
        switch expression {
        case .value(let value): return value
        case .identifier(let identifier, let root): return .integer(identifier.rowID(of: root, in: time.store))
        case .now: return .real(time.seconds)
        case .column(let reference): return value(of: reference)
        case .arithmetic(let left, let operation, let right):
            let first = value(left)
            let second = value(right)
            if left.isDecimal || right.isDecimal {
                return DecimalNumber.compute(operation.decimalFunction, first, second)
            }
            return NumberFunction.arithmetic(operation, first, second)
        case .function(let function, let arguments):
            do {
                return try function.value(arguments.map { value($0) })
            } catch {
                self.error = FetchError(error)
                return .null
            }
        case .conditional(let test, let first, let second):
            let (first, second) = SQLExpression.alike(first, second)
            return holds(test) ? value(first) : value(second)
        case .coalesce(let first, let second):
            let (first, second) = SQLExpression.alike(first, second)
            let found = value(first)
            return found.isNull ? value(second) : found
        case .aggregate(let aggregate, let rows, let value): return self.value(aggregate, rows, value)
        case .groupAggregate(let aggregate, let value, let isDistinct):
            return self.value(aggregate, value, isDistinct)
        case .element(let rows, let position, let value): return self.value(rows, position, value)
        case .fullTextValue(let reference, let query, let value):
            guard let object = object(at: reference.path) else { return .null }
            do {
                return try searches.value(value, of: object, reference.index, query)
            } catch {
                self.error = error
                return .null
            }
        case .fullText(let reference):
            error = reference.unmatched
            return .null
        case .unsupported(let error):
            self.error = error
            return .null
        case .comparison, .text, .isIn, .isOneOf, .and, .or, .not, .any, .isEntity, .box, .matches:
            return .integer(holds(expression) ? 1 : 0)
        }
    }

    private func value(of reference: ColumnReference) -> SQLiteValue {
        guard let object = object(at: reference.path) else { return .null }
        if reference.column < 0 { return .integer(object.identifier.rowID) }
        return reference.destinationTable == nil
            ? object.sqliteValue(reference.column) : object.referenceValue(inColumn: reference.column)
    }

    private func object(at path: ColumnPath) -> ManagedObject? {
        guard path.level < objects.count, var current = objects[path.level] else { return nil }
        for step in path.steps {
            if let cast = step.cast, !cast.includes(current) { return nil }
            guard let context = current.record.context else { return nil }
            if step.column < 0 {
                guard current.hasRelationship(step.number, named: step.relationship),
                    let next = context.toOne(current, step.number)
                else { return nil }
                current = next
            } else {
                guard let identifier = current.identifier(inColumn: step.column),
                    let next = context.destination(identifier, of: current, column: step.column)
                else { return nil }
                current = next
            }
        }
        if let cast = path.cast, !cast.includes(current) { return nil }
        return current
    }

    // MARK: Relationships

    private mutating func value(
        _ aggregate: SQLExpression.Aggregate, _ rows: RelatedRows, _ value: SQLExpression
    ) -> SQLiteValue {
        if let cast = rows.owner.castCondition, !holds(cast) { return .null }
        let matching = matching(rows, where: .alwaysTrue, atMost: nil)
        if aggregate == .count { return .integer(Int64(matching.count)) }
        return Self.value(aggregate, matching.map { self.value(value, for: $0, rows.level) }, value.isDecimal)
    }

    private mutating func value(
        _ aggregate: SQLExpression.Aggregate, _ value: SQLExpression?, _ isDistinct: Bool
    ) -> SQLiteValue {
        guard let value else { return .integer(Int64(group.count)) }
        var values = group.map { self.value(value, for: $0, 0) }.filter { !$0.isNull }
        let isDecimal = value.isDecimal
        if isDistinct {
            values.sort { SQLiteValue.order($0, $1, isDecimal) < 0 }
            var known: SQLiteValue?
            values = values.filter { value in
                defer { known = value }
                return known.map { SQLiteValue.order($0, value, isDecimal) != 0 } ?? true
            }
        }
        return Self.value(aggregate, values, isDecimal)
    }

    private static func value(
        _ aggregate: SQLExpression.Aggregate, _ values: [SQLiteValue], _ isDecimal: Bool
    ) -> SQLiteValue {
        let values = values.filter { !$0.isNull }
        switch aggregate {
        case .count: return .integer(Int64(values.count))
        case .sum: return NumberFunction.sum(values, isDecimal: isDecimal)
        case .average: return NumberFunction.average(values, isDecimal: isDecimal)
        case .minimum: return values.min { SQLiteValue.order($0, $1, isDecimal) < 0 } ?? .null
        default: return values.max { SQLiteValue.order($0, $1, isDecimal) < 0 } ?? .null
        }
    }

    private mutating func value(
        _ rows: RelatedRows, _ position: SQLExpression.Position, _ value: SQLExpression
    ) -> SQLiteValue {
        let matching = matching(rows, where: .alwaysTrue, atMost: nil)
        let object: ManagedObject? =
            switch position {
            case .first: matching.first
            case .last: matching.last
            case .at(let index): matching.indices.contains(index) ? matching[index] : nil
            }
        return object.map { self.value(value, for: $0, rows.level) } ?? .null
    }

    private mutating func value(_ expression: SQLExpression, for object: ManagedObject, _ level: Int) -> SQLiteValue {
        with(object, level) { $0.value(expression) }
    }

    /// Returns the objects of a relationship that count and match a condition.
    private mutating func matching(
        _ rows: RelatedRows, where condition: SQLExpression, atMost count: Int?
    ) -> [ManagedObject] {
        guard let owner = object(at: rows.owner), owner.hasRelationship(rows.number, named: rows.relationship)
        else { return [] }
        var result: [ManagedObject] = []
        for member in owner.memberObjects(rows.number) {
            let holds = with(member, rows.level) { evaluator in
                (rows.filter.map { evaluator.holds($0) } ?? true) && evaluator.holds(condition)
            }
            if holds { result.append(member) }
            if result.count == count { break }
        }
        return result
    }

    private mutating func with<Result>(
        _ object: ManagedObject, _ level: Int, _ body: (inout ExpressionEvaluator) -> Result
    ) -> Result {
        while objects.count <= level { objects.append(nil) }
        let outer = objects[level]
        objects[level] = object
        defer { objects[level] = outer }
        return body(&self)
    }
}

extension ManagedObject {
    /// Returns whether the relationship with a number has a name. An object of another branch of a hierarchy has other
    /// relationships.
    fileprivate final func hasRelationship(_ number: RelationshipNumber, named name: String) -> Bool {
        entity.relationships.contains(number) && entity.relationships[number].name == name
    }
}

extension SQLExpression {
    /// Returns whether the condition holds for an object.
    func holds(for object: ManagedObject) -> Bool {
        var evaluator = ExpressionEvaluator(time: FetchTime(store: object.record.storeNumber))
        return evaluator.holds(self, for: object)
    }

    /// Returns the value of the expression for an object.
    func value(for object: ManagedObject) -> SQLiteValue {
        var evaluator = ExpressionEvaluator(time: FetchTime(store: object.record.storeNumber))
        return evaluator.value(self, for: object)
    }
}
