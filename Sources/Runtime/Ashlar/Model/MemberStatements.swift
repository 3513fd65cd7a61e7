import AshlarSQLite

/// The statements that read the members of a relationship's owners, which are written once: to write one took as long as reading
/// a dozen rows.
///
/// Each selects the columns of the members, and then the owner's rowid; the rows are in the order of the owners, and then of
/// the members.
final class MemberStatements: Sendable {
    /// Of the owner whose rowid is the first value.
    let ofOne: BoundStatement
    /// Of the owners from the rowid that is the first value through that of the second.
    let ofRange: BoundStatement
    /// Of the owners in the JSON array that is the first value.
    let ofMany: BoundStatement
    /// Reads those of ``ofRange`` otherwise; nil where they are in the order of a column, or in a table of their own.
    let scan: MemberScan?
    fileprivate let destination: EntityDescription

    fileprivate init?(_ relationship: RelationshipDescription, _ destination: EntityDescription) {
        self.destination = destination
        let table = destination.tableName.quotedIdentifier
        let (from, owner): (String, String)
        let order: String?
        switch relationship.storage {
        case .inverseColumn(let column, let orderColumn):
            owner = "\(table).\(destination.columns[column].name.quotedIdentifier)"
            order = orderColumn.map { "\(table).\($0.quotedIdentifier)" }
            from = table
        case .joinTable(let joinTable, let own, let other, let orderColumn):
            let join = joinTable.quotedIdentifier
            owner = "\(join).\(own.quotedIdentifier)"
            order = orderColumn.map { "\(join).\($0.quotedIdentifier)" }
            from = "\(join) JOIN \(table) ON \(table).\"id$\" = \(join).\(other.quotedIdentifier)"
        case .column:
            return nil
        }
        let start = "SELECT \(destination.selectedColumns), \(owner) FROM \(from) WHERE \(owner) "
        let end = " ORDER BY " + ([owner] + (order.map { [$0] } ?? []) + ["\(table).\"id$\""]).joined(separator: ", ")
        func statement(_ condition: String) -> BoundStatement {
            BoundStatement(text: start + condition + end, values: [], number: BoundStatement.newNumber())
        }
        ofOne = statement("= ?1")
        ofRange = statement("BETWEEN ?1 AND ?2")
        ofMany = statement("IN (SELECT \"value\" FROM json_each(?1))")
        if case .inverseColumn(_, nil) = relationship.storage {
            scan = MemberScan(destination, owner)
        } else {
            scan = nil
        }
    }
}

/// The statements that read the members of a range of owners by a full scan of their table. Where most rows are members of these owners,
/// that takes less time than looking for each row that an index names.
final class MemberScan: Sendable {
    /// As ``MemberStatements/ofRange``, but in the order of the members alone.
    let statement: BoundStatement
    /// How many members the owners have, up to one more than a limit; NULL where the numbers of the table's rows lie so far apart that
    /// twice the limit would be too few.
    private let count: BoundStatement

    fileprivate init(_ destination: EntityDescription, _ owner: String) {
        let table = destination.tableName.quotedIdentifier
        let condition = "WHERE \(owner) BETWEEN ?1 AND ?2"
        statement = BoundStatement(
            text:
                "SELECT \(destination.selectedColumns), \(owner) FROM \(table) NOT INDEXED \(condition) ORDER BY \(table).\"id$\"",
            values: [], number: BoundStatement.newNumber())
        // As many rows as there can be at most: what a count of all would cost is known to nobody.
        let span = "(SELECT max(\"id$\") FROM \(table)) - (SELECT min(\"id$\") FROM \(table))"
        count = BoundStatement(
            text: """
                SELECT "span", CASE WHEN "span" BETWEEN 0 AND ?3 * 2
                    THEN (SELECT count(*) FROM (SELECT 1 FROM \(table) \(condition) LIMIT ?3 + 1)) END
                FROM (SELECT \(span) AS "span")
                """, values: [], number: BoundStatement.newNumber())
    }

    /// How many members owners have whose rowids follow each other; nil where these are more than a limit, or less than half of the
    /// rows that there may be in their table, or where the owners are so few that the question would take as long as what it may
    /// save.
    func memberCount(of owners: ClosedRange<Int64>, atMost limit: Int, _ connection: Connection) throws -> Int? {
        if owners.count < 64 { return nil }
        // All of them are in memory until each has its place.
        let limit = Int64(min(limit, 1_000_000))
        let statement = try connection.statement(count)
        defer { statement.reset() }
        statement.bind(owners.lowerBound, 1)
        statement.bind(owners.upperBound, 2)
        statement.bind(limit, 3)
        guard try statement.step(), let count = statement.int64(1) else { return nil }
        return count * 2 > statement.integer(0) + 1 && count <= limit ? Int(count) : nil
    }
}

extension RelationshipDescription {
    /// The statements that read the members; nil of a relationship that is in a column of its own.
    func memberStatements(_ destination: EntityDescription) -> MemberStatements? {
        knownMemberStatements.withLock { known in
            // One description may be in two models, of which each has entities of its own.
            if let known, known.destination === destination { return known }
            known = MemberStatements(self, destination)
            return known
        }
    }
}
