import Synchronization

/// An actor with a context of its own. SwiftData's `ModelActor`, without the macro that writes these lines.
///
///     actor Importer: ModelActor {
///         nonisolated let modelContainer: ModelContainer
///         nonisolated let modelExecutor: DefaultSerialModelExecutor
///
///         init(modelContainer: ModelContainer) {
///             self.modelContainer = modelContainer
///             modelExecutor = DefaultSerialModelExecutor(modelContainer: modelContainer)
///         }
///
///         func add(_ title: String) throws {
///             modelContext.insert(Post(title: title))
///             try modelContext.save()
///         }
///     }
public protocol ModelActor: Actor {
    /// The container whose store the actor works on.
    nonisolated var modelContainer: ModelContainer { get }
    /// What holds the actor's context.
    nonisolated var modelExecutor: DefaultSerialModelExecutor { get }
}

extension ModelActor {
    /// The actor's context, for its own code only.
    public var modelContext: ModelContext { modelExecutor.context(for: self) }

    /// The object of an identifier; nil when the row does not exist, or is of another class.
    ///
    /// An error of the store is thrown by the context's next throwing call.
    public subscript<Model: PersistentModel>(id: PersistentIdentifier, as type: Model.Type) -> Model? {
        let context = modelContext
        do {
            return try context.existingObject(id) as? Model
        } catch {
            context.recordError(error)
            return nil
        }
    }
}

/// Holds the context of one ``ModelActor``.
///
/// `@unchecked Sendable`: the context is made here and given out to the code of one actor only, the first that asks.
public final class DefaultSerialModelExecutor: @unchecked Sendable {
    private let modelContext: ModelContext
    private let owner = Atomic<UInt>(0)

    /// Makes a context for an actor.
    public init(modelContainer: ModelContainer) {
        modelContext = ModelContext(modelContainer)
    }

    func context(for actor: some ModelActor) -> ModelContext {
        let identity = UInt(bitPattern: ObjectIdentifier(actor))
        let (isFirst, known) = owner.compareExchange(expected: 0, desired: identity, ordering: .relaxed)
        precondition(
            isFirst || known == identity, "A DefaultSerialModelExecutor belongs to one actor; make one for each.")
        return modelContext
    }
}
