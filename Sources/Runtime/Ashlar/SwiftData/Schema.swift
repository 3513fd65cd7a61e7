public import SystemFoundation

/// The classes of a model, as SwiftData's containers take them.
///
///     let schema = Schema([Author.self, Post.self])
///     let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema)])
///
/// A container always has the whole model of its classes, so any of them is enough. ``ModelDescription`` describes the
/// model. SwiftData's counterpart is `Schema`.
public struct Schema: Sendable {
    /// The classes.
    public let models: [any PersistentModel.Type]

    /// Creates a schema from an array of classes of one model.
    ///
    ///     let schema = Schema([Author.self, Post.self])
    ///
    /// - Parameter models: Classes of one model.
    public init(_ models: [any PersistentModel.Type]) { self.models = models }

    /// Creates a schema from classes of one model.
    ///
    ///     let schema = Schema(Author.self, Post.self)
    ///
    /// - Parameter models: Classes of one model.
    public init(_ models: any PersistentModel.Type...) { self.models = models }

    /// Returns the model of the classes.
    ///
    /// - Throws: ``StoreError/noCommonModel(_:)`` if there is none, or more than one.
    func model() throws(StoreError) -> any ManagedObjectModel.Type {
        let found = models.map { $0._ashlarEntity.model }
        guard let model = found.first ?? nil,
            found.allSatisfy({ $0.map { ObjectIdentifier($0) } == ObjectIdentifier(model) })
        else { throw .noCommonModel(models.map { "\($0)" }) }
        return model
    }
}

extension ModelContainer {
    /// Opens the store of the model that some classes belong to, as in SwiftData.
    ///
    ///     let container = try ModelContainer(for: Author.self, Post.self)
    ///
    /// The store is that of ``init(for:)-(ManagedObjectModel.Type)``. It holds the whole model, whichever classes are
    /// given.
    ///
    /// - Parameters:
    ///   - models: Classes of one model.
    ///   - migrationPlan: The program's own migration stages.
    ///   - configurations: One configuration for each store.
    /// - Throws: ``StoreError/noCommonModel(_:)`` if the classes belong to several models, or the errors of
    ///   ``init(for:configurations:)-(_,[ModelConfiguration])``.
    public convenience init(
        for models: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(models), migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the stores of the model that the classes of a schema belong to, as in SwiftData.
    ///
    ///     let container = try ModelContainer(for: Schema(Author.self), configurations: [configuration])
    ///
    /// - Parameters:
    ///   - schema: Classes of one model.
    ///   - migrationPlan: The program's own migration stages.
    ///   - configurations: One configuration for each store.
    /// - Throws: ``StoreError/noCommonModel(_:)`` if the classes belong to several models, or the errors of
    ///   ``init(for:configurations:)-(_,[ModelConfiguration])``.
    public convenience init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [ModelConfiguration] = []
    ) throws {
        let model = try schema.model()
        guard let migrationPlan else {
            try self.init(for: model, configurations: configurations)
            return
        }
        guard configurations.count < 2 else { throw StoreError.singleStoreRequired(doing: "migrating with a plan") }
        try self.init(for: model, migrationPlan: migrationPlan, configurations: configurations.first)
    }
}

extension ModelConfiguration {
    /// Creates the configuration of a store with the entities of a schema, as SwiftData's templates do.
    ///
    /// The store has all entities of the schema's model.
    ///
    ///     let configuration = ModelConfiguration(schema: Schema(Post.self), isStoredInMemoryOnly: true)
    ///
    /// - Parameters:
    ///   - name: The file's name without its extension. It defaults to `default`.
    ///   - schema: Classes of one model.
    ///   - isStoredInMemoryOnly: Whether the store is in memory, and disappears with its container.
    ///   - allowsSave: Whether the store may be created, migrated and written.
    public init(
        _ name: String? = nil, schema: Schema, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true
    ) {
        self.init(name, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave)
    }

    /// Creates the configuration of a store in a file with the entities of a schema, as in SwiftData.
    ///
    /// The store has all entities of the schema's model.
    ///
    ///     let configuration = ModelConfiguration(schema: Schema(Post.self), url: url)
    ///
    /// - Parameters:
    ///   - name: The configuration's name.
    ///   - schema: Classes of one model.
    ///   - url: The file.
    ///   - allowsSave: Whether the store may be created, migrated and written.
    public init(_ name: String? = nil, schema: Schema, url: URL, allowsSave: Bool = true) {
        self.init(name, url: url, allowsSave: allowsSave)
    }
}
