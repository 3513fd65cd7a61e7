/// The rows of a to-many relationship of a row, which is at the end of a path.
@_spi(Generated) public struct RelatedRows: Sendable, Hashable {
    /// The path to the row that has the relationship.
    var owner: ColumnPath
    /// The relationship, and the place of its rows.
    let source: Source
    /// The level of a row of the relationship in expressions.
    var level: Int
    /// The condition for a row to count; nil if all rows count.
    package var filter: SQLExpression?
    /// The search that finds the matching rows of all owners at once; nil if the rows of each owner are read.
    var search: Search?

    /// It is stored by reference, because rows are copied much more often than searched.
    indirect enum Search: Sendable, Hashable {
        case rtree(BoxSearch)
    }

    /// A row of the relationship in expressions.
    var element: ColumnPath { ColumnPath(table: table, level: level) }

    /// Returns the condition that none of the rows matches a condition. As with their count, it is nil after a cast
    /// that fails.
    package func none(where condition: SQLExpression) -> SQLExpression {
        let none = SQLExpression.not(.any(self, condition))
        return owner.castCondition.map { .and([$0, none]) } ?? none
    }
}

extension RelatedRows {
    /// The place of the references.
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
        /// The layout identifies the description of the destination.
        private let layout: ValuesLayout

        init(_ relationship: RelationshipDescription, _ number: RelationshipNumber, to destination: EntityDescription) {
            self.relationship = relationship.name
            self.number = number
            table = destination.tableName
            rtrees = destination.schema.rtrees
            layout = destination.layout
            switch relationship.storage {
            case .column(let column):
                // No to-many relationship is stored this way.
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

        /// Returns whether it was created for the relationship with this number to this entity.
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
    /// Returns the rows of a to-many relationship.
    func rows(_ number: RelationshipNumber, to destination: EntityDescription) -> RelatedRows.Source {
        if let known = relatedRows.withLock({ $0 }), known.isOf(number, to: destination) { return known }
        let made = RelatedRows.Source(self, number, to: destination)
        relatedRows.withLock { $0 = made }
        return made
    }
}
