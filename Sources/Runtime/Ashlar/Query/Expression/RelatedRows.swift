/// The rows that a to-many relationship leads to, from a row at the end of a path.
@_spi(Generated) public struct RelatedRows: Sendable, Hashable {
    /// The path to the row that has the relationship.
    var owner: ColumnPath
    /// The relationship, and where its rows are.
    let source: Source
    /// The number by which expressions call a row of the relationship.
    var level: Int
    /// The condition for a row to count; nil counts all.
    package var filter: SQLExpression?
    /// The search that finds the matching rows of all owners at once; nil if the rows of each owner are read.
    var search: Search?

    /// It is behind a reference, as rows are copied much more often than they are searched for.
    indirect enum Search: Sendable, Hashable {
        case rtree(BoxSearch)
    }

    /// A row of the relationship, as expressions about it call it.
    var element: ColumnPath { ColumnPath(table: table, level: level) }

    /// Holds where a condition holds for none of the rows. Like their number, it is nil behind a cast that fails.
    package func none(where condition: SQLExpression) -> SQLExpression {
        let none = SQLExpression.not(.any(self, condition))
        return owner.castCondition.map { .and([$0, none]) } ?? none
    }
}

extension RelatedRows {
    /// Where the references are stored.
    enum Link: Sendable, Hashable {
        case foreignKey(String)
        case joinTable(String, own: String, other: String)
    }

    /// The common data of all conditions about a relationship. It is one reference, created once, because rows are
    /// copied often.
    final class Source: Sendable {
        /// The relationship's name.
        let relationship: String
        /// The relationship's number among those of its entity.
        let number: RelationshipNumber
        /// The table of the destination.
        let table: String
        let link: Link
        /// The column that keeps the order of an ordered relationship.
        let order: String?
        /// The R-trees that can find the rows.
        let rtrees: [RTreeDescription]
        /// By what the description of the destination is known again.
        private let layout: ValuesLayout

        init(_ relationship: RelationshipDescription, _ number: RelationshipNumber, to destination: EntityDescription) {
            self.relationship = relationship.name
            self.number = number
            table = destination.tableName
            rtrees = destination.schema.rtrees
            layout = destination.layout
            switch relationship.storage {
            case .column(let column):
                // No to-many relationship is stored so; the row would be its own column's.
                link = .foreignKey(destination.columns[column].name)
                order = nil
            case .inverseColumn(let column, let order):
                link = .foreignKey(destination.columns[column].name)
                self.order = order
            case .joinTable(let table, let own, let other, let order):
                link = .joinTable(table, own: own, other: other)
                self.order = order
            }
        }

        /// Returns whether it was made for a relationship of this number to this entity.
        func isOf(_ number: RelationshipNumber, to destination: EntityDescription) -> Bool {
            self.number == number && layout === destination.layout
        }
    }

    var relationship: String { source.relationship }
    var number: RelationshipNumber { source.number }
    var table: String { source.table }
    var link: Link { source.link }
    var order: String? { source.order }
    var rtrees: [RTreeDescription] { source.rtrees }
}

extension RelatedRows.Source: Hashable {
    static func == (left: RelatedRows.Source, right: RelatedRows.Source) -> Bool {
        left === right
            || left.relationship == right.relationship && left.number == right.number && left.table == right.table
                && left.link == right.link && left.order == right.order && left.rtrees == right.rtrees
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(relationship)
        hasher.combine(table)
    }
}

extension RelationshipDescription {
    /// The rows that a to-many relationship leads to.
    func rows(_ number: RelationshipNumber, to destination: EntityDescription) -> RelatedRows.Source {
        if let known = relatedRows.withLock({ $0 }), known.isOf(number, to: destination) { return known }
        let made = RelatedRows.Source(self, number, to: destination)
        relatedRows.withLock { $0 = made }
        return made
    }
}
