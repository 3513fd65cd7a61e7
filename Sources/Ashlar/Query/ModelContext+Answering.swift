import AshlarSQLite

extension ModelContext {
    /// The first of the objects that a descriptor asks for; nil when there are none.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchFirst<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Model? {
        try fetch(descriptor.limit(min(1, descriptor.limit ?? 1))).first
    }

    /// Whether there are objects that a descriptor asks for, with the context's unsaved changes. The store stops at the
    /// first.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func exists<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Bool {
        try throwDeferredError()
        var unordered = descriptor
        unordered.sortOrders = []
        if unordered.includePendingChanges, hasChanges, let overlay = PendingOverlay(self, unordered) {
            return try !overlay.fetch().isEmpty
        }
        if let parent { return try parent.exists(unordered) }
        let sql = try statement(
            of: unordered, selecting: "1", limit: descriptor.fetchLimit, offset: descriptor.fetchOffset, for: .existence
        ).mapText { "SELECT EXISTS (\($0))" }
        return try read("looking for objects of \(Model._ashlarEntity.name)") { connection in
            try connection.read(sql) { try $0.step() && sqlite3_column_int64($0.handle, 0) == 1 }
        }
    }
}

extension FetchDescriptor {
    /// How SQLite would carry out the fetch: ``ModelContext/queryPlan(of:)``.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func explain(in context: ModelContext) throws -> [String] { try context.queryPlan(of: self) }
}

extension Projection {
    /// How SQLite would carry out the fetch, as ``FetchDescriptor/explain(in:)`` says it.
    ///
    /// - Throws: ``FetchError`` when the values cannot be asked for; ``StoreError`` when the store cannot be read.
    public func explain(in context: ModelContext) throws -> [String] {
        try shape.check()
        let sql = try context.statement(of: shape)
        return try context.read("explaining a fetch of \(Model._ashlarEntity.name)") { connection in
            try connection.queryPlan(of: sql)
        }
    }
}
