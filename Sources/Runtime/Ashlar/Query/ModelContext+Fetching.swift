import AshlarSQLite
import SystemFoundation

extension ModelContext {
    /// Fetches the objects that match a descriptor, including the context's unsaved changes.
    ///
    ///     let newest = Post.where { $0.likes > 10 }.order { $0.timestamp.descending }.limit(20)
    ///     for post in try context.fetch(newest) { print(post.title) }
    ///
    /// An object that the context already has is returned as it is, with its changes. If it has no changes and another
    /// context saved its row since, it gets the new values. A row with an invalid value makes the fetch fail;
    /// ``invalidValues`` describes it.
    ///
    /// - Parameter descriptor: The objects to fetch.
    /// - Throws: ``FetchError`` if the descriptor is invalid. ``StoreError`` if the store cannot be read or a row holds
    ///   an invalid value.
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
        switch try source(of: descriptor) {
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

    /// Fetches the identifiers of the objects that match a descriptor, including the context's unsaved changes.
    ///
    /// Use it to send objects to another task. SwiftData has a method of the same name; Core Data's counterpart is
    /// `managedObjectIDResultType`.
    ///
    ///     let identifiers = try context.fetchIdentifiers(Post.where { $0.isDraft })
    ///
    /// - Parameter descriptor: The objects to fetch.
    /// - Throws: ``FetchError`` if the descriptor is invalid, or ``StoreError`` if the store cannot be read.
    public func fetchIdentifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) throws -> [PersistentIdentifier] {
        try throwDeferredError()
        switch try source(of: descriptor) {
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

    /// Returns the identifiers of the rows that a statement finds.
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

    /// Returns the steps of SQLite's query plan for a fetch, in SQLite's words.
    ///
    /// A step that begins with `SCAN` reads a whole table or index. One that begins with `SEARCH` finds its rows
    /// directly. The plan is that of the saved rows; unsaved changes are added in memory.
    ///
    ///     for step in try context.queryPlan(of: Post.where { $0.likes > 10 }) { print(step) }
    ///
    /// - Parameter descriptor: The fetch to explain.
    /// - Throws: ``FetchError`` if the descriptor is invalid, or ``StoreError`` if the store cannot be read.
    public func queryPlan<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>) throws -> [String] {
        let entity = Model._ashlarEntity
        let sql = try statement(
            of: descriptor, selecting: entity.selectedColumns, limit: descriptor.fetchLimit,
            offset: descriptor.fetchOffset)
        return try read("explaining a fetch of \(entity.name)") { connection in
            try connection.queryPlan(of: sql)
        }
    }

    /// Fetches the rows that match a descriptor as plain values, without creating objects. It is the fastest way to
    /// read.
    ///
    /// The values are the saved ones, without unsaved changes of the context. An object that was changed here and whose
    /// row another context deleted is left out too.
    ///
    ///     let values = try context.fetchValues(Post.order { $0.timestamp.descending })
    ///     let titles = values.map(\.title)
    ///
    /// Several threads read ranges of a large table if the machine has several cores and the descriptor has no order or
    /// limit. This requires that the container has one store, in a file, and that no one writes at the start. The
    /// context must be neither in a transaction nor pinned. The result is the same: one state of the store in the same
    /// order.
    ///
    /// - Parameter descriptor: The rows to fetch.
    /// - Throws: ``FetchError`` if the descriptor is invalid. ``StoreError`` if the store cannot be read or a row holds
    ///   an invalid value.
    public func fetchValues<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model.Values] {
        try _ashlarFetchValues(descriptor, as: Model.Values.self)
    }

    /// Fetches the values of a subclass, which has a type of its own, for generated code.
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
        // The rows read so far are from another state.
        result.removeAll()
        return try values(of: descriptor, as: type, by: parallel)
    }

    /// Reads the values of a number of rows, or of all rows if it is 0. Returns false if there are no more.
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
