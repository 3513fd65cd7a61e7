import AshlarSQLite
import Containers

/// Values that the store derives, in the objects that a context has.
extension ModelContext {
    /// Reads what the store derived in a save that is committed into the objects that the context has.
    ///
    /// An error cannot undo the save any more; the next throwing call on the context throws it.
    ///
    /// - Parameter rows: The rows in which it did, by the numbers of their root entities.
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

    /// Reads what the store derived into objects that the context has, by their rowids.
    ///
    /// - Parameter isMerged: Whether others wrote the rows, who must not be waited for.
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

    /// Gives this context's object of the parent's what the store derived for that one.
    func takeDerivedValues(of other: ManagedObject) {
        guard other.entity.hasDerivedColumns,
            let object = registry.map(for: other.rootNumber)[other.record.rowID], object.entity === other.entity
        else { return }
        let values = other.snapshot()
        renewDerivedValues(of: object) { object.restoreDerived(values) }
        for child in children { child.context?.takeDerivedValues(of: object) }
    }

    /// Lets a closure give an object other derived values, and notifies observers.
    private func renewDerivedValues<Failure: Error>(
        of object: ManagedObject, _ renew: () throws(Failure) -> Void
    ) throws(Failure) {
        let isFollowed = object.record.isObserved || !listeners.liveResults.isEmpty
        let before = isFollowed ? derivedValues(of: object) : []
        // What is derived is no change of the object's: taking its changes back must not take this back.
        if let original = object.original {
            let current = object.snapshot()
            object.restore(original)
            defer { object.restore(current) }
            try renew()
            object.original = object.snapshot()
        }
        try renew()
        // A fetch that changes nothing must tell nobody, else who fetches because of it would go on for ever.
        if isFollowed, derivedValues(of: object) != before {
            noteMutationOfDerived(object)
            noteDerivedChange(of: object)
        }
    }

    private func derivedValues(of object: ManagedObject) -> [SQLiteValue] {
        let columns = object.entity.columns
        return columns.indices.filter { columns[$0].isDerived }.map { object.sqliteValue($0) }
    }

    /// Calls a closure with the object of the row that a statement stands on, with what the store derived since it was read.
    ///
    /// A derived value changes without the row's version, so that no save conflicts with a change that nobody made.
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
