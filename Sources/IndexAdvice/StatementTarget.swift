import DataModel
import PredicateFormat
import RelationalSchema

/// Prints a predicate as the condition of a statement.
struct StatementTarget: PredicateTarget {
    /// A row that is asked about, or an object that is given.
    enum Row {
        case path(StatementPath, isCast: Bool = false)
        case given(Entity)
    }

    enum Related {
        case rows(RelatedRows)
        case given(Entity)
    }

    let schema: Schema
    let entity: Entity
    private let tableName: String
    private let scopes = StatementScopes()

    init(schema: Schema, entity: Entity, tableName: String) {
        self.schema = schema
        self.entity = entity
        self.tableName = tableName
    }

    /// The joins of the rows that the condition follows relationships to.
    var joins: String { scopes.joins }

    private static let unknown = PredicateFormatError(.unsupported, at: 0..<0, "this cannot be told without a program")

    private func entity(_ name: String) throws -> Entity {
        guard let entity = schema.graph.entity(named: name) else { throw Self.unknown }
        return entity
    }

    private func tableName(of entity: Entity) throws -> String {
        guard let storage = schema.storage(of: entity) else { throw Self.unknown }
        return storage.tableName
    }

    // MARK: Objects

    var evaluatedObject: Row { .path(StatementPath(entity: entity, level: 0, alias: tableName)) }

    func object(_ source: PredicateValueSource, entity: String) throws -> Row { .given(try self.entity(entity)) }

    func following(_ step: ResolvedPath.Step, from row: Row) throws -> Row {
        guard case .toOne(let name) = step.property else { throw Self.unknown }
        let destination = try entity(name)
        guard case .path(let path, _) = row else { return .given(destination) }
        let table = try tableName(of: destination)
        switch schema.storage(ofRelationshipNamed: step.name, in: path.entity) {
        case .column(let column):
            return .path(path.following(step.name, to: destination, table, .foreignKey(column)))
        case .inverseColumn(_, let column, _):
            return .path(path.following(step.name, to: destination, table, .inverse(column)))
        default: throw Self.unknown
        }
    }

    func casting(_ row: Row, to name: String) throws -> Row {
        let target = try entity(name)
        guard case .path(var path, _) = row else { return .given(target) }
        path.entity = target
        return .path(path, isCast: true)
    }

    func identifier(of row: Row) throws -> StatementExpression {
        guard case .path(let path, let isCast) = row else { return .parameter }
        if !isCast { return identifier(of: path) }
        let test = entityTest(path)
        let identifier = identifier(of: path)
        return conditional(test, identifier, StatementExpression(sql: "?", kind: .null))
    }

    private func identifier(of path: StatementPath) -> StatementExpression {
        // The last foreign key of the path answers without a join.
        let (place, name) = path.identifier
        scopes.join(place)
        return StatementExpression(
            sql: "\(SQLText.identifier(place.alias)).\(SQLText.identifier(name))", kind: .column)
    }

    /// The test that the row at the end of a path is of its entity.
    private func entityTest(_ path: StatementPath) -> StatementExpression {
        scopes.join(path)
        let alias = SQLText.identifier(path.alias)
        let storage = schema.storage(of: path.entity)
        let identifier = "\(alias).\(SQLText.identifier(ColumnName.identifier))"
        guard let storage, storage.hasDiscriminator, storage.rootName != path.entity.name else {
            return StatementExpression(sql: "\(identifier) IS NOT NULL", kind: .condition)
        }
        let names = schema.graph.hierarchy(of: path.entity).map { _ in "?" }
        let column = "\(alias).\(SQLText.identifier(ColumnName.entity))"
        return StatementExpression(sql: "\(column) IN (\(names.joined(separator: ", ")))", kind: .condition)
    }

    func attribute(_ steps: ArraySlice<ResolvedPath.Step>, of row: Row) throws -> StatementExpression {
        let keyPath = steps.map(\.name).joined(separator: ".")
        if case .fullText = steps.last?.property { return try fullText(keyPath, of: row) }
        switch row {
        case .path(let path, _):
            guard let column = column(keyPath, of: path.entity) else {
                // A composite that is always there can be compared with nil all the same.
                return .parameter
            }
            scopes.join(path)
            return StatementExpression(
                sql: "\(SQLText.identifier(path.alias)).\(SQLText.identifier(column.name))", kind: .column,
                isDecimal: column.column.collation == decimalCollation)
        case .given(let entity):
            let isDecimal = column(keyPath, of: entity)?.column.collation == decimalCollation
            return isDecimal ? Self.givenDecimal : .parameter
        }
    }

    private func fullText(_ name: String, of row: Row) throws -> StatementExpression {
        guard case .path(let path, _) = row else { throw Self.unknown }
        let owners = [path.entity] + schema.graph.ancestors(of: path.entity).reversed()
        let tables = owners.map { "fulltext$\($0.name)$\(name)" }
        guard let table = tables.first(where: { table in schema.fullTextTables.contains { $0.name == table } }) else {
            throw Self.unknown
        }
        var result = identifier(of: path)
        result.kind = .fullText(table)
        return result
    }

    private func column(_ keyPath: String, of entity: Entity) -> StoredColumn? {
        schema.storage(of: entity)?.ownColumns.first { column in
            guard case .attribute(let attribute) = column.content else { return false }
            return (column.leaf?.keyPath ?? attribute.name) == keyPath
        }
    }

    // MARK: Relationships to many

    func related(_ step: ResolvedPath.Step, from row: Row) throws -> Related {
        guard case .toMany(let name, _) = step.property else { throw Self.unknown }
        let destination = try entity(name)
        guard case .path(let path, _) = row else { return .given(destination) }
        guard let storage = schema.storage(ofRelationshipNamed: step.name, in: path.entity) else {
            throw Self.unknown
        }
        return .rows(
            RelatedRows(
                owner: path, destination: destination, tableName: try tableName(of: destination), storage: storage,
                level: scopes.level + 1))
    }

    func filtering(_ related: Related, _ condition: (Row) throws -> StatementExpression) throws -> Related {
        guard case .rows(var rows) = related else { return related }
        let (added, joins) = try scopes.within(rows.level) { try condition(.path(rows.element)) }
        rows.filters.append(added.sql)
        rows.joins.merge(joins)
        return .rows(rows)
    }

    func any(
        _ related: Related, _ condition: (Row) throws -> StatementExpression
    ) throws -> StatementExpression {
        switch related {
        case .given(let entity):
            let terms = try (0..<2).map { _ in try condition(.given(entity)) }
            return or(terms)
        case .rows(let rows):
            let (inner, joins) = try scopes.within(rows.level) { try condition(.path(rows.element)) }
            let from = source(rows, joins, and: inner.sql)
            return StatementExpression(sql: "EXISTS (SELECT 1 \(from))", kind: .truth)
        }
    }

    func aggregate(
        _ collectionOperator: CollectionOperator, _ related: Related,
        _ value: (Row) throws -> StatementExpression
    ) throws -> StatementExpression {
        guard case .rows(let rows) = related else { return .parameter }
        let (inner, joins) = try scopes.within(rows.level) { try value(.path(rows.element)) }
        let isDecimal = inner.isDecimal
        let name: String
        switch collectionOperator {
        case .sum: name = isDecimal ? "ashlar_sum_decimals" : "ashlar_sum"
        case .avg: name = isDecimal ? "ashlar_average_decimals" : "ashlar_average"
        case .min: name = "min"
        case .max: name = "max"
        default:
            return StatementExpression(sql: "(SELECT count(*) \(source(rows, RelatedJoins())))")
        }
        let isExtreme = collectionOperator == .min || collectionOperator == .max
        let collation = isDecimal && isExtreme ? Self.collation : ""
        return StatementExpression(
            sql: "(SELECT \(name)(\(inner.value)\(collation)) \(source(rows, joins)))", isDecimal: isDecimal)
    }

    func element(
        _ position: ElementPosition, of related: Related, _ value: (Row) throws -> StatementExpression
    ) throws -> StatementExpression {
        guard case .rows(let rows) = related else { return .parameter }
        let (inner, joins) = try scopes.within(rows.level) { try value(.path(rows.element)) }
        if case .at(let index) = position, index < 0 { return StatementExpression(sql: "NULL") }
        let order = rows.order.map { $0 + (position == .last ? " DESC" : "") }.joined(separator: ", ")
        var text = "(SELECT \(inner.value) \(source(rows, joins)) ORDER BY \(order) LIMIT 1"
        if case .at(let index) = position, index != 0 { text += " OFFSET ?" }
        return StatementExpression(sql: text + ")", isDecimal: inner.isDecimal)
    }

    private func source(_ rows: RelatedRows, _ joins: RelatedJoins, and condition: String? = nil) -> String {
        let (place, name) = rows.owner.identifier
        scopes.join(place)
        let owner = "\(SQLText.identifier(place.alias)).\(SQLText.identifier(name))"
        var all = joins
        all.merge(rows.joins)
        // What always holds is not written.
        let terms = (rows.filters + [condition].compactMap(\.self)).filter { $0 != "1" }
        return rows.source(owner: owner, joins: all.texts.joined(), terms)
    }

    static let collation = " COLLATE \(SQLText.identifier(decimalCollation))"
    static let givenDecimal = StatementExpression(sql: "ashlar_toDecimal(?)", isDecimal: true, isGivenDecimal: true)
}
