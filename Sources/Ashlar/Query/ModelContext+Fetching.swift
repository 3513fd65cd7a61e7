import AshlarSQLite
import SystemFoundation

extension ModelContext {
    /// The objects that a descriptor asks for, with the context's unsaved changes.
    ///
    /// An object that the context has already is returned as it is, with its changes; where its row was saved by
    /// another context since, and it has no changes, it gets the new values.
    ///
    /// What is returned is all that was asked for: a row with a value that its type does not allow is an error, of which
    /// ``invalidValues`` says more.
    ///
    /// - Throws: ``FetchError`` when the descriptor's predicate or sort descriptors cannot be a query,
    ///   ``StoreError`` when the store cannot be read, or a row holds a value that its type does not allow.
    public func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        try throwDeferredError()
        let objects = try fetchObjects(descriptor)
        if !descriptor.prefetchedRelationships.isEmpty {
            try prefetch(descriptor.prefetchedRelationships, of: objects)
            try errors.throwInvalidValue()
        }
        return objects
    }

    func fetchObjects<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        switch source(of: descriptor) {
        case .overlay(let changes): return try PendingOverlay(self, descriptor, changes).fetch()
        case .parent(let parent): return try fetch(descriptor, from: parent, excluding: [])
        case .store:
            let entity = Model._ashlarEntity
            let statement = try statement(
                of: descriptor, selecting: entity.selectedColumns, limit: descriptor.fetchLimit,
                offset: descriptor.fetchOffset)
            return try objects(entity, statement).array(of: Model.self)
        }
    }

    func objects(_ entity: EntityDescription, _ sql: BoundStatement) throws -> ObjectBuffer {
        var buffer = ObjectBuffer()
        let mayKnowRows = (registry.knownMap(for: entity.number.root)?.count ?? 0) > 0
        errors.beginFetch()
        try readObjects("fetching \(entity.name)") { connection in
            try connection.read(sql) { statement in
                buffer = ObjectBuffer()
                try read(statement, entity, into: &buffer)
                if mayKnowRows, container.foreignCommitsExist(connection, entity.number.root) {
                    try compareRegistered(statement, entity)
                }
            }
        }
        try errors.throwInvalidValue()
        return buffer
    }

    /// The identifiers of the objects that a descriptor asks for, with the context's unsaved changes.
    ///
    /// - Throws: ``FetchError`` when the descriptor's predicate or sort descriptors cannot be a query,
    ///   ``StoreError`` when the store cannot be read.
    public func fetchIdentifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) throws -> [PersistentIdentifier] {
        try throwDeferredError()
        switch source(of: descriptor) {
        case .overlay(let changes): return try PendingOverlay(self, descriptor, changes).identifiers()
        case .parent(let parent):
            if !descriptor.includePendingChanges { return try fetch(descriptor).map(\.identifier) }
            return try parent.fetchIdentifiers(descriptor)
        case .store:
            let entity = Model._ashlarEntity
            let sql = try statement(
                of: descriptor, selecting: entity.selectedIdentifier, limit: descriptor.fetchLimit,
                offset: descriptor.fetchOffset)
            return try storedIdentifiers(sql, entity)
        }
    }

    /// The identifiers of the rows that a statement finds.
    func storedIdentifiers(_ sql: BoundStatement, _ entity: EntityDescription) throws -> [PersistentIdentifier] {
        try read("fetching identifiers of \(entity.name)") { connection in
            try connection.read(sql) { statement in
                let store = container.storeNumber(of: entity.number.root)
                var result: [PersistentIdentifier] = []
                while try statement.step() {
                    let rowID = statement.integer(0)
                    if rowID <= 0 { throw Self.invalidRowID(rowID, entity) }
                    result.append(PersistentIdentifier(rowID: rowID, store: store, entity: entity.number))
                }
                return result
            }
        }
    }

    /// How SQLite would carry out a fetch: the steps of its query plan, in its own words.
    ///
    /// A step that begins with `SCAN` reads a whole table or index; one that begins with `SEARCH` finds its rows. The
    /// plan is that of the saved rows; unsaved changes are added in memory.
    ///
    /// - Throws: ``FetchError`` when the descriptor's predicate or sort descriptors cannot be a query,
    ///   ``StoreError`` when the store cannot be read.
    public func queryPlan<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>) throws -> [String] {
        let entity = Model._ashlarEntity
        let sql = try statement(
            of: descriptor, selecting: entity.selectedColumns, limit: descriptor.fetchLimit,
            offset: descriptor.fetchOffset)
        return try read("explaining a fetch of \(entity.name)") { connection in
            try connection.queryPlan(of: sql)
        }
    }

    /// The rows that a descriptor asks for as plain values, without making objects: the fastest way to read.
    ///
    /// The values are those that are saved; unsaved changes of the context are not among them, and neither is an object that
    /// was changed here and whose row another context deleted.
    ///
    /// Of a large table, without an order and a limit, several threads read, each some ranges of it, where there are several cores,
    /// the store is the container's only one and a file, nobody writes at the moment when they begin, and the context is neither
    /// in a transaction nor at a pinned generation. What is returned is the same: all of one state of the store, in the same order.
    ///
    /// - Throws: ``FetchError`` when the descriptor's predicate or sort descriptors cannot be a query,
    ///   ``StoreError`` when the store cannot be read, or a row holds a value that its type does not allow.
    public func fetchValues<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model.Values] {
        try _ashlarFetchValues(descriptor, as: Model.Values.self)
    }

    /// Fetches the values of a class of a hierarchy, which has a type of its own; generated code calls it.
    @_spi(Generated) public func _ashlarFetchValues<Model: PersistentModel, Values: EntityValues>(
        _ descriptor: FetchDescriptor<Model>, as type: Values.Type
    ) throws -> [Values] {
        try throwDeferredError()
        let entity = Model._ashlarEntity
        let sql = try statement(
            of: descriptor, selecting: entity.selectedColumns, limit: descriptor.fetchLimit,
            offset: descriptor.fetchOffset)
        let probe = parallelProbe(descriptor)
        var result = ValuesBuffer(of: Values.self)
        var parallel: RangedReading?
        try read("fetching values of \(entity.name)") { connection in
            try connection.read(sql) { statement in
                result.removeAll()
                let row = Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root))
                if try !Self.readValues(entity, statement, row, into: &result, atMost: probe) { return }
                parallel = try RangedReading(container.pool, entity, sql, at: row.rowID)
                if parallel != nil { return }
                _ = try Self.readValues(entity, statement, row, into: &result, atMost: 0)
            }
        }
        guard let parallel else { return result.array(of: Values.self) }
        // What was read so far is of another state.
        result.removeAll()
        return try values(of: descriptor, as: type, by: parallel)
    }

    /// Reads the values of rows: so many, and all where that is 0. False where there are no more.
    static func readValues(
        _ entity: EntityDescription, _ statement: Statement, _ row: Row, into buffer: inout ValuesBuffer,
        atMost limit: Int
    ) throws -> Bool {
        try statement.checkBindings()
        let handle = statement.handle
        var remaining = limit
        var code = SQLITE_ROW
        do throws(RowError) {
            while true {
                code = Statement.advance(handle)
                if code != SQLITE_ROW { break }
                try buffer.append(row)
                remaining &-= 1
                if remaining == 0 { return true }
            }
        } catch {
            throw storeError(error, entity, rowID: statement.integer(0))
        }
        if code == SQLITE_DONE { return false }
        throw statement.failure(code)
    }
}
