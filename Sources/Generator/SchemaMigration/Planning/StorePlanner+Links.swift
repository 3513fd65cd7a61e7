import DataModel
import RelationalSchema

extension StorePlanner {
    /// The source of a to-one relationship's column, and the position in the other side's order.
    struct Link {
        var value: ColumnValue
        var position: ColumnValue?

        static let none = Link(value: .null)
    }

    /// The position of an object in an ordered relationship: the old one, else the order of the identifiers.
    func position(in toMany: PropertyName, _ pair: EntityPair, _ oldTable: String) -> ColumnValue {
        guard let toOne = new.inverse(of: toMany) else { return .null }
        let link = link(toOne, pair, oldTable)
        if let position = link.position { return position }
        if link.value == .null { return .null }
        let identifier = SQLText.identifier(ColumnName.identifier)
        let source = link.value.sql
        let own = ownPosition(in: toMany, of: "\(current(oldTable)).\(identifier)", among: source)
        return .expression(
            "CASE WHEN \(source) IS NOT NULL THEN \(own.map { "coalesce(\($0), \(identifier))" } ?? identifier) END",
            base: nil, readsOtherTables: link.value.readsOtherTables || own != nil)
    }

    /// The former position of a target in an ordered relationship whose links now come from its inverse, which had
    /// links of its own; nil if there is none. The target and the source are expressions of the surrounding row.
    func ownPosition(in toMany: PropertyName, of target: String, among source: String) -> String? {
        let positions = linkSources(of: toMany).compactMap(\.positions)
        if positions.isEmpty { return nil }
        return """
            (SELECT "other"."position$" FROM (\(positions.joined(separator: "\nUNION ALL "))) AS "other" \
            WHERE "other"."source$" = \(source) AND "other"."target$" = \(target))
            """
    }

    /// The link of an object by a new to-one relationship, from its previous storage.
    func link(_ key: PropertyName, _ pair: EntityPair, _ oldTable: String) -> Link {
        guard let newTable = new.destinationTable(of: key) else { return .none }
        if let source = match.oldProperty(key.name, of: pair.new) {
            guard let relationship = source.relationship else { return .none }
            return relationship.isToMany
                ? link(ownSet: source.key, oldTable, newTable) : link(ownSide: source.key, oldTable, newTable)
        }
        guard let inverse = new.inverse(of: key), inverse != key else { return .none }
        for source in match.sources(of: inverse) where source.old.relationship != nil {
            if let link = link(otherSide: source.old.key, pair, oldTable, newTable) { return link }
        }
        return .none
    }

    /// The link of an old to-one relationship of the object itself.
    private func link(ownSide key: PropertyName, _ oldTable: String, _ newTable: String) -> Link {
        guard let destination = old.destinationTable(of: key) else { return .none }
        switch old.storage(of: key) {
        case .column(let name):
            let value = reference(.column(name), to: destination, newTable)
            return Link(value: value, position: value == .null ? nil : oldPosition(of: key))
        case .inverseColumn(let table, let column, _):
            return Link(value: reference(search(table, column, in: oldTable), to: destination, newTable))
        case .joinTable, nil: return .none
        }
    }

    /// The link of an old to-many relationship of the object itself, which a check has found to be one at most.
    private func link(ownSet key: PropertyName, _ oldTable: String, _ newTable: String) -> Link {
        guard let destination = old.destinationTable(of: key) else { return .none }
        switch old.storage(of: key) {
        case .inverseColumn(let table, let column, _):
            return Link(value: reference(search(table, column, in: oldTable), to: destination, newTable))
        case .joinTable(let table, let own, let other, _):
            let target = search(table, own, selecting: other, orderedBy: other, in: oldTable)
            var position: ColumnValue?
            if let inverse = old.inverse(of: key), case .joinTable(_, _, _, let name?) = old.storage(of: inverse) {
                position = search(table, own, selecting: name, orderedBy: other, in: oldTable)
            }
            return Link(value: reference(target, to: destination, newTable), position: position)
        case .column, nil: return .none
        }
    }

    /// The link that an old relationship of the other side made; nil when it cannot have led to the object.
    private func link(
        otherSide key: PropertyName, _ pair: EntityPair, _ oldTable: String, _ newTable: String
    ) -> Link? {
        guard let relationship = old.property(key)?.relationship, let owner = old.nodes[key.entityName],
            old.isEntity(pair.old, kindOf: relationship.destinationName)
        else { return nil }
        let origin = owner.storage.tableName
        switch old.storage(of: key) {
        case .column(let name):
            return Link(value: reference(search(origin, name, in: oldTable), to: origin, newTable))
        case .inverseColumn(_, let column, let orderColumn):
            let value = reference(.column(column), to: origin, newTable)
            return Link(value: value, position: value == .null ? nil : orderColumn.map { .column($0) })
        case .joinTable(let table, let own, let other, let order):
            func search(_ column: String) -> ColumnValue {
                self.search(table, other, selecting: column, orderedBy: own, in: oldTable)
            }
            return Link(value: reference(search(own), to: origin, newTable), position: order.map { search($0) })
        case nil: return nil
        }
    }

    /// The column with an object's position among those that the other side leads to.
    private func oldPosition(of key: PropertyName) -> ColumnValue? {
        guard let inverse = old.inverse(of: key), case .inverseColumn(_, _, let name?) = old.storage(of: inverse) else {
            return nil
        }
        return .column(name)
    }

    /// The object of another table that refers to the row; the first, should there be several.
    private func search(
        _ table: String, _ column: String, selecting selected: String = ColumnName.identifier,
        orderedBy order: String = ColumnName.identifier, in oldTable: String
    ) -> ColumnValue {
        let row = "\(current(oldTable)).\(SQLText.identifier(ColumnName.identifier))"
        let text = """
            (SELECT "other".\(SQLText.identifier(selected)) FROM \(current(table)) AS "other" \
            WHERE "other".\(SQLText.identifier(column)) = \(row) \
            ORDER BY "other".\(SQLText.identifier(order)) LIMIT 1)
            """
        return .expression(text, base: nil, readsOtherTables: true)
    }

    /// A reference to objects of an old table as one to the objects of a new table.
    private func reference(_ value: ColumnValue, to oldTable: String, _ newTable: String) -> ColumnValue {
        guard let flow = flow(from: oldTable, to: newTable) else { return .null }
        return flow.isRenumbered ? renumbered(value, flow) : value
    }
}
