import AshlarSQLite
import Containers

/// Reading derived values into the objects of a context.
extension ModelContext {
    /// Reads the derived values of a committed save into the context's objects.
    ///
    /// An error cannot undo the save; the context's next throwing call throws it.
    ///
    /// - Parameter rows: The rows whose derived values changed, by the numbers of their root entities.
    func readDerivedValues(_ rows: [UInt16: Set<Int64>]) {
        for (root, rowIDs) in rows.sorted(by: { $0.key < $1.key }) {
            let map = registry.map(for: root)
            let known = rowIDs.filter { map[$0] != nil }.sorted()
            if known.isEmpty { continue }
            do {
                try readDerivedValues(container.model.entity(root), known, map)
            } catch {
                errors.note(error)
            }
        }
    }

    /// Reads derived values into the context's objects, by their rowids.
    ///
    /// - Parameter isMerged: Whether others wrote the rows. Then the read must not wait for the write lock.
    func readDerivedValues(
        _ entity: EntityDescription, _ rowIDs: [Int64], _ map: IdentityMap, isMerged: Bool = false
    ) throws {
        func read(_ connection: Connection) throws {
            let statement = try connection.statementForMany(entity)
            defer { statement.reset() }
            statement.bind(SQLiteValue.text(RowIDList.json(rowIDs)), 1)
            let row = Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root))
            while try statement.step() {
                guard let rowID = row.optionalInt64(0), let object = map[rowID] else { continue }
                try readDerivedValues(of: object, row, entity)
            }
        }
        if isMerged { return try self.read("reading derived values of \(entity.name)", read) }
        try write { connection in try observing(connection) { try read(connection) } }
    }

    private func readDerivedValues(of object: ManagedObject, _ row: Row, _ entity: EntityDescription) throws {
        do {
            try renewDerivedValues(of: object) { () throws(RowError) in try object.reloadDerived(row) }
        } catch {
            throw Self.storeError(error, entity, rowID: object.record.rowID)
        }
        for child in children { child.context?.takeDerivedValues(of: object) }
    }

    /// Copies derived values from the parent's object to this context's object, and to those of child contexts.
    func takeDerivedValues(of other: ManagedObject) {
        guard other.entity.hasDerivedColumns,
            let object = registry.map(for: other.rootNumber)[other.record.rowID], object.entity === other.entity
        else { return }
        let values = other.snapshot()
        renewDerivedValues(of: object) { object.restoreDerived(values) }
        for child in children { child.context?.takeDerivedValues(of: object) }
    }

    /// Runs a closure that updates an object's derived values, and notifies observers.
    private func renewDerivedValues<Failure: Error>(
        of object: ManagedObject, _ renew: () throws(Failure) -> Void
    ) throws(Failure) {
        let isFollowed = object.record.isObserved || !listeners.liveResults.isEmpty
        let before = isFollowed ? derivedValues(of: object) : []
        // The update is not a change of the object, so a rollback must not revert it.
        if let original = object.original {
            let current = object.snapshot()
            object.restore(original)
            defer { object.restore(current) }
            try renew()
            object.original = object.snapshot()
        }
        try renew()
        // Only real changes are reported. Otherwise an observer that fetches after each report would loop forever.
        if isFollowed, derivedValues(of: object) != before {
            noteMutationOfDerived(object)
            noteDerivedChange(of: object)
        }
    }

    private func derivedValues(of object: ManagedObject) -> [SQLiteValue] {
        let columns = object.entity.columns
        return columns.indices.filter { columns[$0].isDerived }.map { object.sqliteValue($0) }
    }

    /// Calls a closure with the object of a statement's present row, with its present derived values.
    ///
    /// Derived values change without the row's version, so that they do not cause conflicts with saves.
    func visitObjectWithDerivedValues(
        at row: Row, _ maker: inout ObjectMaker, _ map: IdentityMap, _ entity: EntityDescription,
        _ visit: (ManagedObject) -> Void
    ) throws {
        let known = row.optionalInt64(0).flatMap { map[$0] }
        var found: ManagedObject?
        try visitObject(at: row, &maker, map, entity) { found = $0 }
        guard let found else { return }
        if known != nil { try readDerivedValues(of: found, row, entity) }
        visit(found)
    }
}
