import AshlarSQLite
import Containers
import SystemFoundation

/// Loads on first use. A load serves all objects that the same fetch returned, so that a loop over them costs one.
extension ModelContext {
    /// The most owners whose to-many members one load fetches.
    private static let maximumOwners = 1000

    /// The object of an identifier, from the store when the context does not have it.
    ///
    /// - Throws: ``StoreError/missingObject(_:)`` when the row does not exist, or is deleted in this context;
    ///   ``StoreError/invalidValue(entity:property:rowID:expected:)`` when it holds a value that its type does not allow.
    public func model<Model: PersistentModel>(for identifier: PersistentIdentifier) throws -> Model {
        guard let model = try objectOfIdentifier(identifier) as? Model else {
            try throwDeferredError()
            throw StoreError.missingObject(identifier)
        }
        return model
    }

    /// The object of an identifier, of whatever class, to be cast: SwiftData's method.
    ///
    ///     let found = try context.model(for: identifier) as? Post
    ///
    /// - Throws: As ``model(for:)->Model``.
    @_disfavoredOverload
    public func model(for identifier: PersistentIdentifier) throws -> any PersistentModel {
        guard let model = try objectOfIdentifier(identifier) as? any PersistentModel else {
            try throwDeferredError()
            throw StoreError.missingObject(identifier)
        }
        return model
    }

    private func objectOfIdentifier(_ identifier: PersistentIdentifier) throws -> ManagedObject? {
        try throwDeferredError()
        let object: ManagedObject?
        // What is registered was told of when it was read.
        if let registered = registry.object(identifier) {
            object = registered.record.state == .deleted ? nil : registered
        } else {
            errors.beginFetch()
            object = try unregisteredObject(identifier)
            try errors.throwInvalidValue()
        }
        return object
    }

    func existingObject(_ identifier: PersistentIdentifier) throws -> ManagedObject? {
        if let object = registry.object(identifier) {
            return object.record.state == .deleted ? nil : object
        }
        return try unregisteredObject(identifier)
    }

    private func unregisteredObject(_ identifier: PersistentIdentifier) throws -> ManagedObject? {
        if let parent {
            let object = try parentObject(identifier, parent).flatMap { self.object(of: $0) }
            awakeFetchedObjects()
            return object?.record.state == .deleted ? nil : object
        }
        let root = identifier.number.root
        let store = container.storeNumber(of: root)
        guard !identifier.isTemporary, store != 0, identifier.store == store else { return nil }
        let entity = container.model.entity(root)
        return try fetchObject(entity, identifier.rowID)
    }

    /// The destination of a to-one relationship; when it is not here it is loaded with those of all siblings of the object
    /// that asks.
    @inline(__always)
    func destination(
        _ identifier: PersistentIdentifier, of object: ManagedObject, column: @autoclosure () -> Int
    ) -> ManagedObject? {
        let known = registry[identifier.rowID, identifier.number.root]
        guard let found = known ?? loadDestination(identifier, of: object, column()) else { return nil }
        return found.record.state == .deleted ? nil : found
    }

    @inline(never)
    private func loadDestination(
        _ identifier: PersistentIdentifier, of object: ManagedObject, _ column: Int
    ) -> ManagedObject? {
        let entity = object.entity
        let map = registry.map(for: identifier.number.root)
        let reference = entity.layout.references[column]
        let type = type(of: object)
        var missing = RowIDSet()
        missing.insert(identifier.rowID)
        self.registry.map(for: entity.number.root).forEachSibling(of: object.record.rowID) { sibling in
            let other =
                Swift.type(of: sibling) == type
                ? sibling.identifier(at: reference)
                : sibling.entity.columns.count > column ? sibling.identifier(inColumn: column) : nil
            if let other, other.number.root == identifier.number.root, !other.isTemporary, !map.contains(other.rowID) {
                missing.insert(other.rowID)
            }
            return true
        }
        loadObjects(container.model.entity(identifier.number.root), missing.sorted())
        return map[identifier.rowID]
    }

    /// Registers the objects of rows; an error is kept for the next throwing call.
    func loadObjects(_ entity: EntityDescription, _ rowIDs: [Int64]) {
        do {
            try fetchObjects(entity, rowIDs)
        } catch {
            errors.note(error)
        }
    }

    private func fetchObjects(_ entity: EntityDescription, _ rowIDs: [Int64]) throws {
        if let parent {
            try fetchObjects(entity, rowIDs, from: parent)
        } else if rowIDs.count == 1 {
            _ = try fetchObject(entity, rowIDs[0])
        } else {
            let table = entity.tableName.quotedIdentifier
            // CROSS JOIN keeps the order of the list: the table is visited once, from its start to its end.
            let sql =
                "SELECT \(entity.selectedColumns) FROM json_each(?1) AS \"wanted$\" CROSS JOIN \(table) "
                + "ON \(table).\"id$\" = \"wanted$\".\"value\""
            registry.map(for: entity.number.root).reserve(rowIDs.count)
            try readObjects(entity, sql, .text(RowIDList.json(RowIDList.sorted(rowIDs))))
        }
    }

    private func fetchObject(_ entity: EntityDescription, _ rowID: Int64) throws -> ManagedObject? {
        var object: ManagedObject?
        try readObjects("fetching \(entity.name)") { connection in
            let statement = try connection.statementForOne(entity)
            defer { statement.reset() }
            statement.bind(rowID, 1)
            guard try statement.step() else { return }
            let map = registry.map(for: entity.number.root)
            map.beginBatch()
            let row = Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root))
            var maker = ObjectMaker(entity)
            object =
                entity.hasDerivedColumns
                ? try objectWithDerivedValues(at: row, &maker, map, entity)
                : try self.object(at: row, &maker, map, entity)
            map.sweepIfGrown()
        }
        return object
    }

    private func readObjects(_ entity: EntityDescription, _ sql: String, _ value: SQLiteValue) throws {
        var buffer = ObjectBuffer()
        try readObjects("fetching \(entity.name)") { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            statement.bind(value, 1)
            try read(statement, entity, into: &buffer)
        }
    }

    // MARK: To-many

    /// Loads the members of a relationship, with those of all siblings of its owner.
    func loadMembers(of owner: ManagedObject, _ number: RelationshipNumber) {
        if let parent { return loadMembers(of: owner, number, from: parent) }
        let relationship = owner.entity.relationships[number]
        guard let destination = destination(of: owner, number) else { return }
        var owners = [owner]
        registry.map(for: owner.entity.number.root).forEachSibling(of: owner.record.rowID) { sibling in
            guard sibling.record.state == .persisted, sibling !== owner else { return true }
            // An entity of another branch may have another relationship at the same number.
            if sibling.links(number)?.members == nil, sibling.entity.relationships.contains(number),
                sibling.entity === owner.entity || sibling.entity.relationships[number] == relationship
            {
                owners.append(sibling)
            }
            return owners.count < Self.maximumOwners
        }
        loadMembers(of: owners, number, destination)
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

    private func loadMembers(of owners: [ManagedObject], _ number: RelationshipNumber, _ destination: EntityDescription)
    {
        guard let relationship = owners.first?.entity.relationships[number] else { return }
        let owners = RowKey.sort(owners) { RowKey($0) }
        do {
            let stored = try storedMembers(owners, relationship, destination)
            var next = 0
            var position = 0
            while position < owners.count {
                let object = owners[position]
                position &+= 1
                // Both are in the order of the rowids.
                while next < stored.count, stored[next].owner < object.record.rowID { next += 1 }
                let isNext = next < stored.count && stored[next].owner == object.record.rowID
                let pending = pending.links.isEmpty ? nil : pending.links[LinkKey(object, number)]
                object.makeLinks(number).load(isNext ? stored[next].members : [], pending)
            }
        } catch {
            errors.note(error)
        }
    }

    /// The members that the store holds for each of several owners, with their objects registered; the owners that have
    /// any are in the order of their rowids.
    private func storedMembers(
        _ owners: [ManagedObject], _ relationship: RelationshipDescription, _ destination: EntityDescription
    ) throws -> [(owner: Int64, members: [Int64])] {
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
            return []
        }
        let condition =
            owners.count == 1 ? "\(owner) = ?1" : "\(owner) IN (SELECT \"value\" FROM json_each(?1))"
        let terms = [owner] + (order.map { [$0] } ?? []) + ["\(table).\"id$\""]
        let sql =
            "SELECT \(destination.selectedColumns), \(owner) FROM \(from) WHERE \(condition) "
            + "ORDER BY \(terms.joined(separator: ", "))"
        var result: [(owner: Int64, members: [Int64])] = []
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
            while try statement.step() {
                let object =
                    hasDerivedColumns
                    ? try objectWithDerivedValues(at: row, &maker, map, destination)
                    : try object(at: row, &maker, map, destination)
                guard let object else { continue }
                let owner = statement.integer(ownerColumn)
                if object.record.state == .deleted { continue }
                if result.last?.owner != owner { result.append((owner, [])) }
                result[result.count - 1].members.append(object.record.rowID)
            }
        }
        return result
    }
}
