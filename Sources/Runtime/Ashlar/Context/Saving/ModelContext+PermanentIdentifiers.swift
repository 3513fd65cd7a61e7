import AshlarSQLite
import Containers

/// Permanent identifiers for objects that were not saved yet.
extension ModelContext {
    /// Gives inserted objects their permanent identifiers before they are saved.
    ///
    /// Use it if another program needs the identifiers before the save. A short write reserves them in the store, so no
    /// other context or process gets them. All references follow. Reserved identifiers of objects that are never saved
    /// are not used again.
    ///
    ///     let post = Post(timestamp: .now, title: "Great Wall")
    ///     context.insert(post)
    ///     try context.obtainPermanentIdentifiers(for: [post])
    ///
    /// Objects with permanent identifiers stay as they are. A merge policy may still give an object another identity at
    /// the save, if a row has its unique values. Core Data's counterpart is `obtainPermanentIDs(for:)`.
    ///
    /// - Parameter models: Objects of this context or of one of its parents.
    /// - Throws: ``ContextError/objectOfAnotherContext(entity:)`` if an object is in no such context; nothing is
    ///   changed then. ``SaveError`` if the store cannot be written.
    public func obtainPermanentIdentifiers(for models: [any PersistentModel]) throws {
        try checked {
            try throwDeferredError()
            for model in models where !model.isIn(self) || model.record.state == .gone {
                throw ContextError.objectOfAnotherContext(entity: model.entity.name)
            }
            try reservePermanentIdentifiers(for: models.filter { $0.record.rowID < 0 })
        }
    }

    /// Reserves identifiers for objects of this context, or of a context above it that has not saved them yet.
    private func reservePermanentIdentifiers(for objects: [ManagedObject]) throws {
        let own = objects.filter { $0.record.state == .inserted }
        if own.count < objects.count, let parent {
            let others = objects.filter { $0.record.state != .inserted }.compactMap {
                parent.registry.object($0.identifier)
            }
            try parent.reservePermanentIdentifiers(for: others)
        }
        if own.isEmpty { return }
        if container.isReadOnly { throw SaveError.readOnly }
        var permanent = PermanentRowIDs(for: own)
        let groups = Dictionary(grouping: own) { $0.entity.tableName }
        do {
            let stores = try writableStores(of: own)
            func reserve(_ connection: Connection) throws {
                for table in groups.keys.sorted() {
                    let group = groups[table] ?? []
                    let first = try connection.reserveRowIDs(group.count, of: group[0].entity, in: container)
                    for (index, object) in group.enumerated() {
                        permanent[object.record.rowID] = first + Int64(index)
                    }
                }
            }
            try write { connection in
                if let transaction = currentTransaction {
                    return try transaction.part(writing: stores, [], connection) { try reserve(connection) }
                }
                try connection.begin(writing: stores)
                try connection.finishTransaction { try reserve(connection) }
            }
        } catch let error as SQLiteError {
            throw SaveError.sqlite(error)
        }
        renumber(RowIDChanges(permanent))
    }

    /// Returns the stores of objects.
    private func writableStores(of objects: [ManagedObject]) throws -> [PersistentStore] {
        if container.stores.count == 1 { return container.stores }
        var positions: Set<Int> = []
        for object in objects {
            guard let position = container.placement.store(of: object.rootNumber) else { continue }
            if container.stores[position].isReadOnly {
                throw SaveError.readOnlyStore(container.stores[position].url, entity: object.entity.name)
            }
            positions.insert(position)
        }
        return positions.sorted().map { container.stores[$0] }
    }

    /// Replaces an obtained identifier by a temporary one, because the object is no longer to be inserted.
    func giveUpPermanentIdentifier(of object: ManagedObject) {
        guard object.record.state == .inserted, object.record.rowID > 0 else { return }
        let row = RowKey(root: object.rootNumber, rowID: object.record.rowID)
        renumber(RowIDChanges(row, to: TemporaryRowID.next()))
    }
}

extension Connection {
    /// Returns the next unused rowid of a table, and reserves as many rowids as given from there on.
    fileprivate func reserveRowIDs(
        _ count: Int, of entity: EntityDescription, in container: ModelContainer
    ) throws -> Int64 {
        let last = try lastRowID(of: entity.schema, in: container)
        let end = try NextRowIDs.number(after: last, Int64(count))
        try requireIdentifiers(through: end, of: entity.schema, in: container)
        try setLastRowID(end, of: entity.tableName, in: container.schemaName(of: entity.number.root))
        return try NextRowIDs.number(after: last)
    }
}
