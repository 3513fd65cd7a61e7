import AshlarSQLite

extension ModelContext {
    /// Fetches the first object that matches a descriptor, or returns nil if there is none.
    ///
    ///     let newest = try context.fetchFirst(Post.order { $0.timestamp.descending })
    ///
    /// - Parameter descriptor: The objects and their order.
    /// - Throws: The errors of ``ModelContext/fetch(_:)->[Model]``.
    public func fetchFirst<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Model? {
        try fetch(descriptor.limit(min(1, descriptor.limit ?? 1))).first
    }
}

extension FetchDescriptor {
    /// Returns the steps of SQLite's query plan for the fetch.
    ///
    /// It is the same as ``ModelContext/queryPlan(of:)``.
    ///
    ///     for step in try Post.where({ $0.likes > 10 }).explain(in: context) { print(step) }
    ///
    /// - Parameter context: The context that would fetch.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func explain(in context: ModelContext) throws -> [String] { try context.queryPlan(of: self) }
}

extension Projection {
    /// Returns the steps of SQLite's query plan for the fetch of these values.
    ///
    ///     for step in try Post.all.select({ ($0.title, $0.likes) }).explain(in: context) { print(step) }
    ///
    /// - Parameter context: The context that would fetch.
    /// - Throws: ``FetchError`` if the values cannot be fetched, or ``StoreError`` if the store cannot be read.
    public func explain(in context: ModelContext) throws -> [String] {
        try shape.check()
        let sql = try context.statement(of: shape)
        return try context.read("explaining a fetch of \(Model._ashlarEntity.name)") { connection in
            try connection.queryPlan(of: sql)
        }
    }
}
