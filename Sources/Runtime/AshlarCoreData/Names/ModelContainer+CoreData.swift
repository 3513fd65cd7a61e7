public import Ashlar
public import SystemFoundation

// Core Data's names of declarations with other names here. They do nothing but let the compiler suggest the name to
// use, or the replacement.

extension ModelContainer {
    @available(*, unavailable, renamed: "mainContext")
    public var viewContext: ModelContext { preconditionFailure() }

    @available(*, unavailable, renamed: "model")
    public var managedObjectModel: ModelDescription { preconditionFailure() }

    @available(*, unavailable, renamed: "configurations")
    public var persistentStoreDescriptions: [ModelConfiguration] { preconditionFailure() }

    @available(*, unavailable, message: "The container replaces Core Data's coordinator; use the container itself.")
    public var persistentStoreCoordinator: ModelContainer { preconditionFailure() }

    @available(*, unavailable, message: "The initialiser opens the stores, and throws where it cannot.")
    public func loadPersistentStores(completionHandler block: (ModelConfiguration, (any Error)?) -> Void) {
        preconditionFailure()
    }

    @available(*, unavailable, renamed: "ModelConfiguration.defaultDirectory")
    public static func defaultDirectoryURL() -> URL { preconditionFailure() }
}
