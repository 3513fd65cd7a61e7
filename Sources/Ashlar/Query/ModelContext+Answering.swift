import AshlarSQLite

extension ModelContext {
    /// The first of the objects that a descriptor asks for; nil when there are none.
    ///
    /// - Throws: As ``ModelContext/fetch(_:)->[Model]``.
    public func fetchFirst<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Model? {
        try fetch(descriptor.limit(min(1, descriptor.limit ?? 1))).first
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
