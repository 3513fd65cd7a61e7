import AshlarSQLite

/// The statements that read the members of a relationship's owners. Their texts are created once, because creating one
/// takes as long as reading a dozen rows.
///
/// Each statement selects the columns of the members and then the owner's rowid. The rows are ordered by owner, and
/// then in the order of the members.
final class MemberStatements: Sendable {
    /// Reads the members of one owner, whose rowid is the first value.
    let ofOne: BoundStatement
    /// Reads the members of a range of owners, whose lowest and highest rowids are the two values.
    let ofRange: BoundStatement
    /// Reads the members of the owners whose rowids are in a JSON array, the first value.
    let ofMany: BoundStatement
    /// An alternative to ``ofRange``; nil if the members are in the order of a column, or in a join table.
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

/// The statements that read the members of a range of owners by a full scan of their table. If most rows are members of
/// these owners, that takes less time than reading each row by an index.
final class MemberScan: Sendable {
    /// Reads the same rows as ``MemberStatements/ofRange``, but ordered only by the members' rowids.
    let statement: BoundStatement
    /// Counts the members of the owners, up to one more than a limit. The count is NULL if the rowids of the table span
    /// more than twice the limit.
    private let count: BoundStatement

    fileprivate init(_ destination: EntityDescription, _ owner: String) {
        let table = destination.tableName.quotedIdentifier
        let condition = "WHERE \(owner) BETWEEN ?1 AND ?2"
        statement = BoundStatement(
            text:
                "SELECT \(destination.selectedColumns), \(owner) FROM \(table) NOT INDEXED \(condition) ORDER BY \(table).\"id$\"",
            values: [], number: BoundStatement.newNumber())
        // The span bounds the number of rows. Counting all rows could take arbitrarily long.
        let span = "(SELECT max(\"id$\") FROM \(table)) - (SELECT min(\"id$\") FROM \(table))"
        count = BoundStatement(
            text: """
                SELECT "span", CASE WHEN "span" BETWEEN 0 AND ?3 * 2
                    THEN (SELECT count(*) FROM (SELECT 1 FROM \(table) \(condition) LIMIT ?3 + 1)) END
                FROM (SELECT \(span) AS "span")
                """, values: [], number: BoundStatement.newNumber())
    }

    /// Returns the number of members of owners with successive rowids. Returns nil if it is greater than a limit, or
    /// less than half of the possible rows of the table. Also returns nil for few owners, for which the query would
    /// take as long as it may save.
    func memberCount(of owners: ClosedRange<Int64>, atMost limit: Int, _ connection: Connection) throws -> Int? {
        if owners.count < 64 { return nil }
        // All members are in memory until each has its position.
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
    /// Returns the statements that read the members; nil for a relationship that is a column of the owner's row.
    func memberStatements(_ destination: EntityDescription) -> MemberStatements? {
        knownMemberStatements.withLock { known in
            // Two models may share one description, and have different entities.
            if let known, known.destination === destination { return known }
            known = MemberStatements(self, destination)
            return known
        }
    }
}
