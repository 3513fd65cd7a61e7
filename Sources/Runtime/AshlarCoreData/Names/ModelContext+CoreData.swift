public import Ashlar

// Core Data's names of declarations with other names here. They do nothing but let the compiler suggest the name to
// use, or the replacement.

extension ModelContext {
    @available(*, unavailable, renamed: "model(for:)")
    public func existingObject(with identifier: PersistentIdentifier) throws -> any PersistentModel {
        preconditionFailure()
    }

    @available(
        *, unavailable,
        message:
            "Use model(for:), which throws where there is no such object: an object without a row does not exist here."
    )
    public func object(with identifier: PersistentIdentifier) -> any PersistentModel { preconditionFailure() }

    @available(*, unavailable, renamed: "registeredModel(for:)")
    public func registeredObject(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
        preconditionFailure()
    }

    @available(*, unavailable, renamed: "fetchCount(_:)")
    public func count<Model: PersistentModel>(for descriptor: FetchDescriptor<Model>) throws -> Int {
        preconditionFailure()
    }

    @available(*, unavailable, renamed: "insertedModelsArray")
    public var insertedObjects: [any PersistentModel] { preconditionFailure() }

    @available(*, unavailable, renamed: "changedModelsArray")
    public var updatedObjects: [any PersistentModel] { preconditionFailure() }

    @available(*, unavailable, renamed: "deletedModelsArray")
    public var deletedObjects: [any PersistentModel] { preconditionFailure() }

    @available(*, unavailable, renamed: "author")
    public var transactionAuthor: String? {
        get { preconditionFailure() }
        set {}
    }

    @available(*, unavailable, renamed: "container")
    public var persistentStoreCoordinator: ModelContainer? { preconditionFailure() }

    @available(*, unavailable, renamed: "setQueryGeneration(from:)")
    public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws { preconditionFailure() }

    @available(*, unavailable, renamed: "obtainPermanentIdentifiers(for:)")
    public func obtainPermanentIDs(for models: [any PersistentModel]) throws { preconditionFailure() }

    @available(*, unavailable, renamed: "mergeChanges(from:)")
    public func mergeChanges(fromContextDidSave notification: ContextNotification) throws { preconditionFailure() }

    @available(
        *, unavailable,
        message:
            "A fetch reads the store each time. Use refresh(_:mergeChanges:) for objects that a context has already."
    )
    public var stalenessInterval: Double {
        get { preconditionFailure() }
        set {}
    }

    @available(
        *, unavailable,
        message:
            "There are no faults: an object has its values, and one whose row is gone leaves the context at its next refresh or merge."
    )
    public var shouldDeleteInaccessibleFaults: Bool {
        get { preconditionFailure() }
        set {}
    }
}
