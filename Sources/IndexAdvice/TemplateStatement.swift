import DataModel
import PredicateFormat
import RelationalSchema

/// The statement that a program runs for a fetch request template, with `?` for its values.
///
/// The runtime prints statements from the tree of a condition; this prints the same text from the model, where there is
/// no program yet. What a variable stands for is taken for one value that is not nil, and a list for two values.
struct TemplateStatement {
    let schema: Schema

    /// The statement of a template; nil for one whose predicate cannot be told.
    func sql(of request: FetchRequest) -> String? {
        let resolution = schema.graph.predicate(of: request)
        if request.predicate != nil, resolution?.root == nil { return nil }
        return sql(of: request, resolution?.root)
    }

    /// The statement of a fetched property; nil for one whose predicate cannot be told.
    func sql(of property: FetchedProperty, in entity: Entity) -> String? {
        let resolution = schema.graph.predicate(of: property, in: entity)
        if property.request.predicate != nil, resolution?.root == nil { return nil }
        return sql(of: property.request, resolution?.root)
    }

    private func sql(of request: FetchRequest, _ predicate: ResolvedPredicate?) -> String? {
        guard let entity = schema.graph.entity(named: request.entityName), let storage = schema.storage(of: entity)
        else { return nil }
        let table = SQLText.identifier(storage.tableName)
        let target = StatementTarget(schema: schema, entity: entity, tableName: storage.tableName)
        var conditions: [String] = []
        if let predicate {
            guard let condition = try? PredicateLowering(target).condition(predicate) else { return nil }
            conditions.append(condition.sql)
        }
        if let own = discriminatorCondition(entity, storage, request) { conditions.append(own) }
        let columns = selectedColumns(storage).map { "\(table).\(SQLText.identifier($0))" }
        var text = "SELECT \(columns.joined(separator: ", ")) FROM \(table)\(target.joins)"
        if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
        if request.fetchLimit > 0 { text += " LIMIT ?" }
        return text
    }

    /// Order columns are no part of an object.
    private func selectedColumns(_ storage: EntityStorage) -> [String] {
        let own = storage.columns.filter { column in
            if case .order = column.content { false } else { true }
        }
        let added = [ColumnName.identifier, ColumnName.version] + (storage.hasDiscriminator ? [ColumnName.entity] : [])
        return added + own.map(\.name)
    }

    /// The condition that keeps rows of other entities out; nil where every row belongs.
    private func discriminatorCondition(
        _ entity: Entity, _ storage: EntityStorage, _ request: FetchRequest
    ) -> String? {
        guard storage.hasDiscriminator else { return nil }
        let table = SQLText.identifier(storage.tableName)
        let column = "\(table).\(SQLText.identifier(ColumnName.entity))"
        let isRoot = storage.rootName == entity.name
        if !request.includesSubentities {
            return isRoot
                ? "(\(column) IS NULL AND \(table).\(SQLText.identifier(ColumnName.identifier)) IS NOT NULL)"
                : "\(column) IN (?)"
        }
        if isRoot { return nil }
        return "\(column) IN (\(SQLText.literals(schema.graph.hierarchy(of: entity).map(\.name))))"
    }
}

/// A condition or value as SQL, with what decides how it is written next to others.
struct StatementExpression {
    /// What it is, as far as that changes the text around it.
    enum Kind: Equatable {
        /// A value that is bound.
        case parameter
        /// A text that is known, whose length may matter.
        case text(String)
        case null
        case column
        /// The identifier of the row that a full-text index, by the name of its table, may find.
        case fullText(String)
        /// What is 1, 0 or NULL.
        case condition
        /// What is 1 or 0: `NOT` and `EXISTS`.
        case truth
        case conditional
        case other
    }

    var sql: String
    var kind: Kind = .other
    /// Whether it is a decimal number, which is kept as text.
    var isDecimal = false
    /// A decimal number that was given, which a function makes one: as an element of a list it stands by itself.
    var isGivenDecimal = false
    /// Whether a part of it names a collation that SQLite would take for that of what is around.
    var isCollated = false

    static let parameter = StatementExpression(sql: "?", kind: .parameter)

    /// The expression with a value that a condition has too: 1 or 0, never NULL.
    var value: String {
        switch kind {
        case .condition: "((\(sql)) IS TRUE)"
        case .conditional: "(\(sql))"
        default: sql
        }
    }

    /// Whether it is a value that is bound, be it NULL.
    var isValue: Bool { isNeverNull || kind == .null }

    /// Whether it is a value that is bound and not NULL.
    var isNeverNull: Bool {
        switch kind {
        case .parameter, .text: true
        default: false
        }
    }

    var asDecimal: StatementExpression {
        if isDecimal || isValue { return self }
        return StatementExpression(sql: "ashlar_toDecimal(\(value))", isDecimal: true).settled(self)
    }

    /// The value with a collation of its own where one of its parts has any.
    func settled(_ parts: StatementExpression...) -> StatementExpression {
        guard parts.contains(where: \.isCollated) else { return self }
        var result = self
        result.sql += isDecimal ? StatementTarget.collation : " COLLATE \"BINARY\""
        result.isCollated = true
        return result
    }

    /// The condition, made of parts that may name collations.
    func collated(_ parts: StatementExpression...) -> StatementExpression {
        var result = self
        result.isCollated = result.isCollated || parts.contains(where: \.isCollated)
        return result
    }

    static func alike(
        _ left: StatementExpression, _ right: StatementExpression
    ) -> (StatementExpression, StatementExpression) {
        left.isDecimal == right.isDecimal ? (left, right) : (left.asDecimal, right.asDecimal)
    }
}
