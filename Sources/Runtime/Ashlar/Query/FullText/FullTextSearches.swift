import AshlarSQLite

/// Full-text searches in objects in memory.
final class FullTextSearches {
    private let matcher = FullTextMatcher()
    private var ranks: [Search: [Int64: Double]] = [:]

    private struct Search: Hashable {
        var index: FullTextDescription
        var query: FullTextQuery
    }

    func matches(
        _ object: ManagedObject, _ index: FullTextDescription, _ query: FullTextQuery
    ) throws -> Bool {
        guard Self.covers(index, object) else { return false }
        return try matcher.matches(index, Self.texts(of: object, index), query)
    }

    func value(
        _ value: SQLExpression.FullTextValue, of object: ManagedObject, _ index: FullTextDescription,
        _ query: FullTextQuery
    ) throws -> SQLiteValue {
        if value == .rank { return try rank(of: object, index, query) }
        guard Self.covers(index, object) else { return .null }
        return try matcher.value(value, index, Self.texts(of: object, index), query)
    }

    /// Returns the rank of the saved texts, because it depends on all other saved texts.
    private func rank(
        of object: ManagedObject, _ index: FullTextDescription, _ query: FullTextQuery
    ) throws -> SQLiteValue {
        let search = Search(index: index, query: query)
        if ranks[search] == nil { ranks[search] = try object.record.context.map { try Self.ranks(search, $0) } ?? [:] }
        return ranks[search]?[object.identifier.rowID].map { .real($0) } ?? .null
    }

    private static func ranks(_ search: Search, _ context: ModelContext) throws -> [Int64: Double] {
        let name = search.index.tableName
        let table = name.quotedIdentifier
        var statement = SQLStatement(time: FetchTime(store: 0))
        statement.write("SELECT \"rowid\", ")
        SQLExpression.FullTextValue.rank.write(search.index, table: name, to: &statement)
        statement.write(" FROM \(table) WHERE \(table) MATCH ")
        statement.bind(.text(search.query.expression(for: search.index)))
        let (text, values) = (statement.text, statement.values)
        let rows = try context.read("searching \(search.index.name)") { try $0.rows(text, values) }
        var ranks: [Int64: Double] = [:]
        for row in rows {
            if case .integer(let rowID) = row[0], case .real(let rank) = row[1] { ranks[rowID] = rank }
        }
        return ranks
    }

    private static func covers(_ index: FullTextDescription, _ object: ManagedObject) -> Bool {
        index.entityNames.isEmpty || object.entity.discriminator.map { index.entityNames.contains($0) } ?? false
    }

    private static func texts(of object: ManagedObject, _ index: FullTextDescription) -> [SQLiteValue] {
        index.columns.map { object.sqliteValue($0) }
    }
}
