/// An actor with a context of its own.
///
/// Use it to give a part of the program its own context and isolation. Its code runs on the actor's own queue, where it
/// may wait for the store without blocking other tasks; see ``DefaultSerialModelExecutor``.
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
///
/// SwiftData has a protocol of the same name, whose macro writes these lines.
public protocol ModelActor: Actor {
    /// The container whose store the actor works on.
    nonisolated var modelContainer: ModelContainer { get }
    /// The executor that runs the actor's code and holds its context.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// The executor that runs the actor's code: ``modelExecutor``.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { modelExecutor.asUnownedSerialExecutor() }

    /// The actor's context, for the actor's own code only.
    public var modelContext: ModelContext {
        (modelExecutor as? DefaultSerialModelExecutor)?.context(for: self) ?? modelExecutor.modelContext
    }

    /// Returns the object of an identifier, or nil if the row does not exist or belongs to another class.
    ///
    /// If the store cannot be read, the context's next throwing call throws the error. SwiftData has the same
    /// subscript.
    ///
    /// - Parameters:
    ///   - id: The object's identifier.
    ///   - type: The class of the object.
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
