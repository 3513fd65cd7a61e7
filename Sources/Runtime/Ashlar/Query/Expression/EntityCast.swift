/// The cast of a row to a subentity, as with Swift's `as?`. It is a class, so that a path without a cast stays small.
final class EntityCast: Sendable {
    /// The name of the entity; empty if no row belongs to all the entities of successive casts.
    let entity: String
    /// The discriminators of the entity and its subentities.
    let discriminators: [String]
    /// The condition that follows the name of a row. It has no parameters, because it is also written in joins.
    let sql: String

    /// Creates a cast of an object of an entity, possibly after another cast.
    init(to target: EntityDescription, from entity: EntityDescription, after first: EntityCast?) {
        let wanted = target.isKind(of: entity.name) ? target.schema.discriminators.compactMap(\.self) : []
        if let first, wanted.contains(first.entity) {
            self.entity = first.entity
            discriminators = first.discriminators
        } else {
            let isPossible = !wanted.isEmpty && first?.discriminators.contains(target.name) != false
            self.entity = isPossible ? target.name : ""
            discriminators = isPossible ? wanted : []
        }
        sql = ".\"entity$\" IN (\(discriminators.map(\.quotedLiteral).joined(separator: ", ")))"
    }

    /// Returns the condition for the row with a name.
    func sql(ofRow name: String) -> String { discriminators.isEmpty ? "0" : name.quotedIdentifier + sql }

    func includes(_ object: ManagedObject) -> Bool {
        object.entity.discriminator.map { discriminators.contains($0) } ?? false
    }
}

extension EntityCast: Hashable {
    static func == (left: EntityCast, right: EntityCast) -> Bool {
        left === right || left.entity == right.entity && left.discriminators == right.discriminators
    }

    func hash(into hasher: inout Hasher) { hasher.combine(entity) }
}

extension SQLExpression {
    /// Whether the expression is a column after a cast.
    var isCast: Bool { if case .column(let reference) = self, reference.path.cast != nil { true } else { false } }

    /// Writes a value that is NULL if the row does not belong to the entity of the cast.
    static func writeCast(_ reference: ColumnReference, _ cast: EntityCast, to writer: inout some SQLWriter) {
        if cast.discriminators.isEmpty { return writer.write("NULL") }
        writer.write("CASE WHEN ")
        writer.write(row: reference.path.withoutCast)
        writer.write(cast.sql)
        writer.write(" THEN ")
        writer.write(reference)
        writer.write(" END")
    }

    /// The condition with casts replaced by their conditions and with plain columns, for which an index can find the
    /// rows. Nil if the condition can hold for NULL.
    var takingCastsApart: SQLExpression? {
        switch self {
        case .comparison(let left, let comparison, let right):
            if comparison == .notEqual { return nil }
            if comparison == .equal, !left.isNeverNull, !right.isNeverNull { return nil }
            return .and(
                left.castCondition + right.castCondition
                    + [.comparison(left.withoutCast, comparison, right.withoutCast)])
        case .text(let text, let comparison, let pattern, let options):
            return .and(
                text.castCondition + pattern.castCondition
                    + [.text(text.withoutCast, comparison, pattern.withoutCast, options)])
        case .isIn(let term, let values):
            if values.contains(where: \.isNull) { return nil }
            return .and(term.castCondition + [.isIn(term.withoutCast, values)])
        case .isOneOf(let term, let identifiers, let root):
            if identifiers.contains(where: { $0 == nil }) { return nil }
            return .and(term.castCondition + [.isOneOf(term.withoutCast, identifiers, root: root)])
        default: return nil
        }
    }

    private var castCondition: [SQLExpression] {
        guard case .column(let reference) = self, reference.path.cast != nil else { return [] }
        return [reference.path.exists]
    }

    private var withoutCast: SQLExpression {
        guard case .column(var reference) = self else { return self }
        reference.path = reference.path.withoutCast
        return .column(reference)
    }
}
