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
