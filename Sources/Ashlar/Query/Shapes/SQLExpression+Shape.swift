import AshlarSQLite
import Foundation

/// What two expressions have in common that differ in their values only: the text of their SQL.
extension SQLExpression {
    /// Appends the values that the expression's SQL binds, in their order, where its text is that of another expression.
    ///
    /// False where the text differs or may differ; what was appended means nothing then. It is false for an expression
    /// and itself too, where the text depends on the values.
    borrowing func appendValues(
        to values: inout [SQLiteValue], ifPrintedAs known: borrowing SQLExpression, _ time: FetchTime
    ) -> Bool {
        // Borrowed, and looked at one after the other, as one switch over both would copy them.
        switch self {
        case .value(let value):
            switch known {
            case .value(let other):
                values.append(copy value)
                // Comparisons are written in other words where a value is NULL, or not a number.
                return value.isNull == other.isNull && !value.isNotANumber && !other.isNotANumber
            default: return false
            }
        case .column(let column):
            switch known {
            case .column(let other): return column == other
            default: return false
            }
        case .comparison(let left, let comparison, let right):
            switch known {
            case .comparison(let first, let other, let second):
                if comparison != other { return false }
                if left.isDecimal || right.isDecimal {
                    let (left, right) = Self.alike(left, right)
                    let (first, second) = Self.alike(first, second)
                    return Self.appendValues(of: [left, right], to: &values, ifPrintedAs: [first, second], time)
                }
                guard left.appendValues(to: &values, ifPrintedAs: first, time) else { return false }
                if comparison == .equal || comparison == .notEqual, right.isNull { return second.isNull }
                return right.appendValues(to: &values, ifPrintedAs: second, time)
            default: return false
            }
        case .and(let terms):
            switch known {
            case .and(let others):
                return Self.appendValues(of: terms, to: &values, ifPrintedAs: others, time)
            default: return false
            }
        case .or(let terms):
            switch known {
            case .or(let others):
                return Self.appendValues(of: terms, to: &values, ifPrintedAs: others, time)
            default: return false
            }
        case .not(let term):
            switch known {
            case .not(let other): return term.appendValues(to: &values, ifPrintedAs: other, time)
            default: return false
            }
        case .isIn(let term, let list):
            switch known {
            case .isIn(let other, let others):
                guard list.count == others.count,
                    list.count < ValueList.minimumCount, term.appendValues(to: &values, ifPrintedAs: other, time)
                else { return false }
                return Self.appendValues(list, to: &values, ifPrintedAs: others)
            default: return false
            }
        case .any(let rows, let condition):
            switch known {
            case .any(let others, let other):
                return rows.appendValues(to: &values, ifPrintedAs: others, time)
                    && condition.appendValues(to: &values, ifPrintedAs: other, time)
                    && rows.appendSearchValues(to: &values, ifPrintedAs: others)
            default: return false
            }
        case .aggregate(let aggregate, let rows, let value):
            switch known {
            case .aggregate(let same, let others, let other):
                // A count has no value.
                return aggregate == same
                    && (aggregate == .count || value.appendValues(to: &values, ifPrintedAs: other, time))
                    && rows.appendValues(to: &values, ifPrintedAs: others, time)
            default: return false
            }
        default: return appendComputedValues(to: &values, ifPrintedAs: known, time)
        }
    }

    /// Appends the values of a list that are not NULL, where another list of the same length has as many.
    private static func appendValues(
        _ list: [SQLiteValue], to values: inout [SQLiteValue], ifPrintedAs known: [SQLiteValue]
    ) -> Bool {
        let count = values.count
        for value in list where !value.isNull {
            if value.isNotANumber { return false }
            values.append(value)
        }
        return values.count - count == known.count { !$0.isNull && !$0.isNotANumber }
    }

    private func appendComputedValues(
        to values: inout [SQLiteValue], ifPrintedAs known: SQLExpression, _ time: FetchTime
    ) -> Bool {
        switch (self, known) {
        case (.now, .now):
            values.append(.real(time.seconds))
            return true
        case (.text(let text, let comparison, let pattern, let options), .text(let other, let sort, let known, let set)):
            guard comparison == sort, options == set, text.appendValues(to: &values, ifPrintedAs: other, time) else {
                return false
            }
            return pattern.appendValues(to: &values, of: comparison, options, ifPrintedAs: known, time)
        case (.arithmetic(let left, let operation, let right), .arithmetic(let first, let other, let second)):
            return operation == other && left.appendValues(to: &values, ifPrintedAs: first, time)
                && right.appendValues(to: &values, ifPrintedAs: second, time)
        case (.function(let function, let arguments), .function(let other, let others)):
            return function == other && Self.appendValues(of: arguments, to: &values, ifPrintedAs: others, time)
        case (.conditional(let test, let first, let second), .conditional(let other, let third, let fourth)):
            let (first, second) = Self.alike(first, second)
            let (third, fourth) = Self.alike(third, fourth)
            return Self.appendValues(
                of: [test, first, second], to: &values, ifPrintedAs: [other, third, fourth], time)
        case (.coalesce(let first, let second), .coalesce(let third, let fourth)):
            let (first, second) = Self.alike(first, second)
            let (third, fourth) = Self.alike(third, fourth)
            return Self.appendValues(of: [first, second], to: &values, ifPrintedAs: [third, fourth], time)
        default:
            return appendValuesOfRows(to: &values, ifPrintedAs: known, time)
        }
    }

    /// The same of a statement with a path, in which searches in R-trees are comparisons of columns.
    borrowing func appendValuesComparingCoordinates(
        to values: inout [SQLiteValue], ifPrintedAs known: borrowing SQLExpression, _ time: FetchTime
    ) -> Bool {
        switch self {
        case .and(let terms):
            switch known {
            case .and(let others):
                if terms.count != others.count { return false }
                for index in terms.indices
                where !terms[index].appendValuesComparingCoordinates(to: &values, ifPrintedAs: others[index], time) {
                    return false
                }
                return true
            default: return false
            }
        case .box(let index, let ranges):
            switch known {
            case .box(let other, _):
                for range in ranges {
                    values.append(.real(range.lowerBound))
                    values.append(.real(range.upperBound))
                }
                return index == other
            default: return false
            }
        case .any(let rows, let condition):
            switch known {
            case .any(let others, let other):
                return rows.appendValues(to: &values, ifPrintedAs: others, time, comparesCoordinates: true)
                    && condition.appendValuesComparingCoordinates(to: &values, ifPrintedAs: other, time)
                    && rows.appendSearchValues(to: &values, ifPrintedAs: others)
            default: return false
            }
        default: return appendValues(to: &values, ifPrintedAs: known, time)
        }
    }

    static func appendValues(
        of terms: [SQLExpression], to values: inout [SQLiteValue], ifPrintedAs known: [SQLExpression], _ time: FetchTime
    ) -> Bool {
        guard terms.count == known.count else { return false }
        for index in terms.indices
        where !terms[index].appendValues(to: &values, ifPrintedAs: known[index], time) {
            return false
        }
        return true
    }

    /// The values of what a text is compared with.
    private func appendValues(
        to values: inout [SQLiteValue], of comparison: TextComparison, _ options: TextOptions,
        ifPrintedAs known: SQLExpression, _ time: FetchTime
    ) -> Bool {
        guard options.isEmpty else {
            guard appendValues(to: &values, ifPrintedAs: known, time) else { return false }
            values.append(.integer(Int64(options.rawValue)))
            return true
        }
        switch (comparison, self, known) {
        case (.hasPrefix, .value(.text(let prefix)), .value(.text)):
            // The few prefixes without an end have a text of their own.
            guard let end = PrefixRange.end(of: prefix) else { return false }
            values.append(.text(prefix))
            values.append(.text(end))
            return true
        case (.hasSuffix, .value(.text(let suffix)), .value(.text(let other))):
            // The text says how long the suffix is.
            guard !suffix.isEmpty, suffix.utf8.count == other.utf8.count else { return false }
            values.append(.blob(Data(suffix.utf8)))
            return true
        case (.hasPrefix, .value(.text), _), (.hasPrefix, _, .value(.text)), (.hasSuffix, .value(.text), _),
            (.hasSuffix, _, .value(.text)):
            return false
        case (.contains, _, _):
            return appendValues(to: &values, ifPrintedAs: known, time)
        default:
            guard appendValues(to: &values, ifPrintedAs: known, time) else { return false }
            values.append(.integer(0))
            return true
        }
    }

    /// The values of expressions about rows beside the one that is asked for, and of groups.
    private func appendValuesOfRows(
        to values: inout [SQLiteValue], ifPrintedAs known: SQLExpression, _ time: FetchTime
    ) -> Bool {
        switch (self, known) {
        case (
            .groupAggregate(let aggregate, let value, let isDistinct), .groupAggregate(let same, let other, let isOther)
        ):
            guard aggregate == same, isDistinct == isOther else { return false }
            guard let value, let other else { return value == nil && other == nil }
            return value.appendValues(to: &values, ifPrintedAs: other, time)
        case (.element(let rows, let position, let value), .element(let others, let same, let other)):
            guard position == same, value.appendValues(to: &values, ifPrintedAs: other, time),
                rows.appendValues(to: &values, ifPrintedAs: others, time)
            else { return false }
            if case .at(let index) = position, index != 0 { values.append(.integer(Int64(index))) }
            return true
        case (.isEntity(let path, let names), .isEntity(let other, let others)):
            guard path == other, names.count == others.count, names.contains(nil) == others.contains(nil) else {
                return false
            }
            for name in names { if let name { values.append(.text(name)) } }
            return true
        case (.matches(let reference, let query), .matches(let other, _)):
            values.append(.text(query.expression))
            return reference == other
        default:
            return false
        }
    }

    private var isNull: Bool {
        if case .value(let value) = self { value.isNull } else { false }
    }
}

extension RelatedRows {
    /// Appends the values of the rows' filter, where the rows are those of the same relationship.
    fileprivate func appendValues(
        to values: inout [SQLiteValue], ifPrintedAs known: RelatedRows, _ time: FetchTime,
        comparesCoordinates: Bool = false
    ) -> Bool {
        guard level == known.level, source == known.source, owner == known.owner,
            (search == nil) == (known.search == nil)
        else { return false }
        guard let filter, let other = known.filter else { return filter == nil && known.filter == nil }
        return comparesCoordinates
            ? filter.appendValuesComparingCoordinates(to: &values, ifPrintedAs: other, time)
            : filter.appendValues(to: &values, ifPrintedAs: other, time)
    }

    /// Appends the values of the search that finds the rows.
    fileprivate func appendSearchValues(to values: inout [SQLiteValue], ifPrintedAs known: RelatedRows) -> Bool {
        guard case .rtree(let search)? = search, case .rtree(let other)? = known.search else {
            return search == nil && known.search == nil
        }
        return search.appendCandidateValues(to: &values, ifPrintedAs: other)
    }
}
