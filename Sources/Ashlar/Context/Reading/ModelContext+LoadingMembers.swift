import AshlarSQLite
import Containers

/// Loads the members of relationships to many.
extension ModelContext {
    /// The most owners whose members one load fetches.
    private static let maximumOwners = 1000

    /// Loads the members of a relationship, with those of siblings of its owner where these are gone over.
    func loadMembers(of owner: ManagedObject, _ number: RelationshipNumber) {
        if let parent { return loadMembers(of: owner, number, from: parent) }
        let relationship = owner.entity.relationships[number]
        guard let destination = destination(of: owner, number) else { return }
        var owners = [owner]
        guard loadsSiblings(of: owner, .members(number)) else {
            return loadMembers(of: owners, number, destination)
        }
        registry.map(for: owner.rootNumber).forEachSibling(of: owner.record.rowID) { sibling in
            guard sibling.record.state == .persisted, sibling !== owner else { return true }
            // An entity of another branch may have another relationship at the same number.
            if sibling.links(number)?.members == nil, sibling.entity.relationships.contains(number),
                sibling.entity === owner.entity || sibling.entity.relationships[number] == relationship
            {
                owners.append(sibling)
            }
            return owners.count < Self.maximumOwners
        }
        loadMembers(of: owners, number, destination, rowLimit: Self.maximumSiblingRows)
        // It may be behind the rows at which the load ended.
        if owner.links(number)?.isLoaded != true { loadMembers(of: [owner], number, destination) }
    }

    /// Loads the members of a relationship of several owners, where they are not loaded yet.
    func loadMembers(ofAll objects: [ManagedObject], _ number: RelationshipNumber) {
        var owners: [ManagedObject] = []
        for object in objects where object.links(number)?.members == nil {
            guard object.record.state == .persisted, object.entity.relationships.contains(number) else { continue }
            if parent != nil {
                loadMembers(of: object, number)
            } else if let first = owners.first, first.entity !== object.entity,
                first.entity.relationships[number] != object.entity.relationships[number]
            {
                continue
            } else {
                owners.append(object)
            }
        }
        guard let first = owners.first, let destination = destination(of: first, number) else { return }
        loadMembers(of: owners, number, destination)
    }

    private func loadMembers(
        of owners: [ManagedObject], _ number: RelationshipNumber, _ destination: EntityDescription,
        rowLimit: Int = .max
    ) {
        guard let relationship = owners.first?.entity.relationships[number] else { return }
        let owners = RowKey.sort(owners) { RowKey($0) }
        do {
            let stored = try storedMembers(owners, relationship, destination, rowLimit)
            var next = 0
            var position = 0
            while position < owners.count {
                let object = owners[position]
                position &+= 1
                if object.record.rowID > stored.last { return }
                // Both are in the order of the rowids.
                while next < stored.owners.count, stored.owners[next].owner < object.record.rowID { next += 1 }
                let isNext = next < stored.owners.count && stored.owners[next].owner == object.record.rowID
                let pending = pending.links.isEmpty ? nil : pending.links[LinkKey(object, number)]
                object.makeLinks(number).load(isNext ? stored.owners[next].members : [], pending)
            }
        } catch {
            errors.note(error)
        }
    }

    /// The members that the store holds for each of several owners, with their objects registered; the owners that have
    /// any are in the order of their rowids. After some rows no owner is begun any more: the last that was read to its end is
    /// returned then.
    private func storedMembers(
        _ owners: [ManagedObject], _ relationship: RelationshipDescription, _ destination: EntityDescription,
        _ rowLimit: Int
    ) throws -> (owners: [(owner: Int64, members: [Int64])], last: Int64) {
        let table = destination.tableName.quotedIdentifier
        let from: String
        let owner: String
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
            return ([], .max)
        }
        let condition =
            owners.count == 1 ? "\(owner) = ?1" : "\(owner) IN (SELECT \"value\" FROM json_each(?1))"
        let terms = [owner] + (order.map { [$0] } ?? []) + ["\(table).\"id$\""]
        let sql =
            "SELECT \(destination.selectedColumns), \(owner) FROM \(from) WHERE \(condition) "
            + "ORDER BY \(terms.joined(separator: ", "))"
        var result: [(owner: Int64, members: [Int64])] = []
        var last = Int64.max
        let map = registry.map(for: destination.number.root)
        try readObjects("fetching \(relationship.name)") { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            if owners.count == 1 {
                statement.bind(owners[0].record.rowID, 1)
            } else {
                statement.bind(.text(RowIDList.json(owners.map { $0.record.rowID })), 1)
            }
            map.beginBatch()
            let row = Row(statement: statement.handle, store: container.storeNumber(of: destination.number.root))
            let ownerColumn = statement.columnCount - 1
            let hasDerivedColumns = destination.hasDerivedColumns
            var maker = ObjectMaker(destination)
            var rows = 0
            while try statement.step() {
                let owner = statement.integer(ownerColumn)
                if rows >= rowLimit, let reached = result.last?.owner, reached != owner {
                    last = reached
                    return
                }
                rows &+= 1
                let object =
                    hasDerivedColumns
                    ? try objectWithDerivedValues(at: row, &maker, map, destination)
                    : try object(at: row, &maker, map, destination)
                guard let object else { continue }
                if object.record.state == .deleted { continue }
                if result.last?.owner != owner { result.append((owner, [])) }
                result[result.count - 1].members.append(object.record.rowID)
            }
        }
        return (result, last)
    }
}
