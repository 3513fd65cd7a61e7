import DataModel
import PredicateFormat

extension SchemaBuilder {
    /// The condition of a partial index; nil without one, and for one that SQL cannot express.
    func condition(of index: FetchIndex, _ entity: Entity) -> String? {
        guard let text = index.partialIndexPredicate,
            let predicate = graph.indexPredicate(text, of: entity).root
        else { return nil }
        do throws(PredicateFormatError) {
            return try rowExpression(entity).sql(predicate)
        } catch {
            report(error, index.predicateLocation, index.location, index, entity)
            return nil
        }
    }

    /// The expression of an index's element; nil if SQL cannot express it.
    func expression(of element: FetchIndex.Element, in index: FetchIndex, _ entity: Entity) -> String? {
        guard let text = element.expression, let expression = graph.indexExpression(text, of: entity).root else {
            return nil
        }
        do throws(PredicateFormatError) {
            let sql = try rowExpression(entity).sql(expression)
            // SQLite takes a plain name for a column, and requires parentheses around any other expression.
            return sql.hasPrefix("(") ? sql : "(\(sql))"
        } catch {
            report(error, element.expressionLocation, element.location, index, entity)
            return nil
        }
    }

    private func rowExpression(_ entity: Entity) -> RowExpression {
        RowExpression { name in self.columnName(of: name, entity) }
    }

    private func report(
        _ error: PredicateFormatError, _ string: StringLocation?, _ fallback: SourceLocation, _ index: FetchIndex,
        _ entity: Entity
    ) {
        diagnostics.report(
            .invalidPredicate, at: string?.location(at: error.range.lowerBound) ?? fallback,
            "Index '\(index.name)' of '\(entity.name)': \(error.message)", notes: error.note.map { [$0] } ?? [])
    }
}
