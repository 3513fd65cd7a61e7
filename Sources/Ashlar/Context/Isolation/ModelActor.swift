/// An actor with a context of its own. SwiftData's `ModelActor`, without the macro that writes these lines.
///
/// Its code runs on a queue of the actor's own, where it may wait for the store without keeping other tasks from running:
/// see ``DefaultSerialModelExecutor``.
///
///     actor Importer: ModelActor {
///         nonisolated let modelContainer: ModelContainer
///         nonisolated let modelExecutor: any ModelExecutor
///
///         init(modelContainer: ModelContainer) {
///             self.modelContainer = modelContainer
///             modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
///         }
///
///         func add(_ title: String) throws {
///             modelContext.insert(Post(timestamp: .now, title: title))
///             try modelContext.save()
///         }
///     }
public protocol ModelActor: Actor {
    /// The container whose store the actor works on.
    nonisolated var modelContainer: ModelContainer { get }
    /// What runs the actor's code and holds its context.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// What runs the actor's code: ``modelExecutor``.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { modelExecutor.asUnownedSerialExecutor() }

    /// The actor's context, for its own code only.
    public var modelContext: ModelContext {
        (modelExecutor as? DefaultSerialModelExecutor)?.context(for: self) ?? modelExecutor.modelContext
    }

    /// The object of an identifier; nil when the row does not exist, or is of another class.
    ///
    /// An error of the store is thrown by the context's next throwing call.
    public subscript<Model: PersistentModel>(id: PersistentIdentifier, as type: Model.Type) -> Model? {
        let context = modelContext
        do {
            return try context.existingObject(id) as? Model
        } catch {
            context.errors.note(error)
            return nil
        }
    }
}
