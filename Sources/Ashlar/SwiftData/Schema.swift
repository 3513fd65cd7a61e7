public import SystemFoundation

/// Classes of a model, as SwiftData's containers are made of them.
///
///     let schema = Schema([Author.self, Post.self])
///     let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema)])
///
/// A container always has the whole model that the classes belong to: any one of them stands for all. SwiftData's `Schema`;
/// what is in the model is in ``ModelDescription``.
public struct Schema: Sendable {
    /// The classes.
    public let models: [any PersistentModel.Type]

    /// Makes a schema of classes of one model.
    public init(_ models: [any PersistentModel.Type]) { self.models = models }

    /// Makes a schema of classes of one model.
    public init(_ models: any PersistentModel.Type...) { self.models = models }

    /// The model of the classes.
    ///
    /// - Throws: ``StoreError/notOneModel(_:)`` where there is none, or more than one.
    func model() throws(StoreError) -> any ManagedObjectModel.Type {
        let found = models.map { $0._ashlarEntity.model }
        guard let model = found.first ?? nil,
            found.allSatisfy({ $0.map { ObjectIdentifier($0) } == ObjectIdentifier(model) })
        else { throw .notOneModel(models.map { "\($0)" }) }
        return model
    }
}

extension ModelContainer {
    /// Opens the store of the model that some classes belong to: SwiftData's initialiser.
    ///
    ///     let container = try ModelContainer(for: Author.self, Post.self)
    ///
    /// The store is that of ``init(for:)-(ManagedObjectModel.Type)``, and it has the whole model, whichever of its classes are
    /// named.
    ///
    /// - Throws: ``StoreError/notOneModel(_:)`` for classes of several models; as ``init(for:configurations:)-(_,[ModelConfiguration])``.
    public convenience init(
        for models: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(models), migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the stores of the model that the classes of a schema belong to: SwiftData's initialiser.
    ///
    /// - Throws: ``StoreError/notOneModel(_:)`` for classes of several models; as ``init(for:configurations:)-(_,[ModelConfiguration])``.
    public convenience init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [ModelConfiguration] = []
    ) throws {
        let model = try schema.model()
        guard let migrationPlan else {
            try self.init(for: model, configurations: configurations)
            return
        }
        guard configurations.count < 2 else { throw StoreError.severalStores(doing: "migrating with a plan") }
        try self.init(for: model, migrationPlan: migrationPlan, configurations: configurations.first)
    }
}

extension ModelConfiguration {
    /// A store as SwiftData's templates describe it: of the entities of a schema, which here are all of their model.
    ///
    /// - Parameters:
    ///   - name: The file's name without its extension; `default` when nil.
    ///   - schema: Classes of the model.
    ///   - isStoredInMemoryOnly: Whether the store is in memory, and goes when its container goes.
    ///   - allowsSave: Whether anything may be written.
    public init(
        _ name: String? = nil, schema: Schema, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true
    ) {
        self.init(name, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave)
    }

    /// A store in a file, as SwiftData describes it: of the entities of a schema, which here are all of their model.
    public init(_ name: String? = nil, schema: Schema, url: URL, allowsSave: Bool = true) {
        self.init(name, url: url, allowsSave: allowsSave)
    }
}
