import AshlarSQLite
import IndexAdvice
import SQLQuoting

/// The statement that finds a list of objects.
@_spi(Studio) public struct ExplainedQuery: Sendable {
    /// The statement of the first page.
    public var sql: String
    /// The steps by which SQLite finds the rows, in its words.
    public var plan: [String]
    /// The advice of `ashlar advise`.
    public var advice: String
}

extension StoreBrowser {
    /// Explains how SQLite finds the rows of a list, and which indexes would help. The statement is not run.
    ///
    /// - Throws: ``BrowsingError``.
    public func explanation(of request: RowRequest) throws(BrowsingError) -> ExplainedQuery {
        try readObjects(doing: "explaining the list of \(request.subject.name)") { connection in
            guard let version = try version(connection), case .entity(let name) = request.subject else {
                throw BrowsingError(.missing, "There is no model to explain a query by.")
            }
            let source = try RowSource(name, version, request)
            let order = try source.order(by: request.sort, isDescending: request.isDescending)
            let statement = Self.statement(source, order, nil, request.limit)
            let plan = try Self.plan(statement, source.values, connection)
            // The advisor reads statements in the runtime's form, with the table's own name.
            let template = try RowSource.template(name, version, request.filter)
            let table = version.table(of: name)
            let terms = order.terms.map { term in
                Self.qualified(term.column, table) + (term.isAscending ? "" : " DESC")
            }
            let text = try template.rows(selecting: "\(SQLQuotation.identifier(table)).\"id$\"").text
            let sql = text + " ORDER BY \(terms.joined(separator: ", ")) LIMIT \(request.limit)"
            let advice = IndexAdvisor(version.schema).advice(on: [AdvisedQuery(origin: .recorded, sql: sql)])
            return ExplainedQuery(sql: sql, plan: plan.lines, advice: AdviceReport(advice).text)
        }
    }

    /// A column of a list as one of the table.
    private static func qualified(_ column: String, _ table: String) -> String {
        let prefix = SQLQuotation.identifier("row") + "."
        return SQLQuotation.identifier(table) + "." + String(Substring(column.utf8.dropFirst(prefix.utf8.count)))
    }

    static func plan(_ sql: String, _ values: [SQLiteValue], _ connection: Connection) throws -> QueryPlan {
        QueryPlan(
            steps: try connection.rows("EXPLAIN QUERY PLAN " + sql, values).compactMap { row in
                guard case .integer(let identifier) = row[0], case .integer(let parent) = row[1],
                    case .text(let detail) = row[3]
                else { return nil }
                return QueryPlan.Step(identifier: Int(identifier), parent: Int(parent), detail: detail)
            })
    }
}

extension StoreBrowser {
    /// The names of the attributes and relationships to one object that can be set, without those of subentities.
    ///
    /// - Throws: ``BrowsingError``.
    public func editableProperties(of entity: String) throws(BrowsingError) -> [String] {
        guard let version = try readObjects(doing: "reading its version", version) else { return [] }
        _ = try version.entity(entity)
        return version.attributes(of: entity).filter(EditedValue.canEdit).map(\.keyPath)
            + version.relationships(of: entity).filter { !$0.isToMany }.map(\.name)
    }

    /// The key paths of an entity that begin with a text, to complete a filter; at most a hundred.
    ///
    /// - Throws: ``BrowsingError``.
    public func keyPaths(of entity: String, beginningWith text: String) throws(BrowsingError) -> [String] {
        guard let version = try readObjects(doing: "reading its version", version) ?? versions.last else {
            return []
        }
        _ = try version.entity(entity)
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        if parts.count > 8 { return [] }
        var (current, steps) = (entity, 0)
        for part in parts.dropLast() {
            guard let next = version.relationships(of: current).first(where: { $0.name == part }) else { break }
            current = next.destination
            steps += 1
        }
        let prefix = parts.prefix(steps).joined(separator: ".")
        let rest = parts.dropFirst(steps).joined(separator: ".")
        var names = version.attributes(of: current).filter { $0.type != nil }.map(\.keyPath)
        names += version.relationships(of: current).map(\.name)
        return names.filter { $0.lowercased().hasPrefix(rest.lowercased()) }.sorted().prefix(100).map {
            prefix.isEmpty ? $0 : prefix + "." + $0
        }
    }
}
