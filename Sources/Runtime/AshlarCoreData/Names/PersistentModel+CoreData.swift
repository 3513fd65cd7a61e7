public import Ashlar

// Core Data's names of declarations with other names here. They do nothing but let the compiler suggest the name to
// use, or the replacement.

extension PersistentModel {
    @available(
        *, unavailable, message: "Make the object with its generated initialiser, and add it: context.insert(object)."
    )
    public init(context: ModelContext) { preconditionFailure() }

    @available(*, unavailable, renamed: "persistentModelID")
    public var objectID: PersistentIdentifier { preconditionFailure() }

    @available(*, unavailable, renamed: "modelContext")
    public var managedObjectContext: ModelContext? { preconditionFailure() }

    @available(*, unavailable, renamed: "hasChanges")
    public var isUpdated: Bool { preconditionFailure() }

    @available(*, unavailable, message: "There are no faults: an object has its values as soon as it is there.")
    public var isFault: Bool { preconditionFailure() }

    @available(*, unavailable, renamed: "value(forKeyPath:)")
    public func value(forKey name: String) -> Any? { preconditionFailure() }

    @available(*, unavailable, renamed: "setValue(_:forKeyPath:)")
    public func setValue(_ value: Any?, forKey name: String) { preconditionFailure() }

    @available(
        *, unavailable,
        message: "Values are stored properties, which observe nothing within a hook; read the property itself."
    )
    public func primitiveValue(forKey name: String) -> Any? { preconditionFailure() }

    @available(*, unavailable, message: "Generated setters report changes themselves.")
    public func willChangeValue(forKey name: String) { preconditionFailure() }

    @available(*, unavailable, message: "Generated setters report changes themselves.")
    public func didChangeValue(forKey name: String) { preconditionFailure() }

    @available(*, unavailable, message: "Adopt ValidatedModel, and throw in validate(for:).")
    public func validateForInsert() throws { preconditionFailure() }

    @available(*, unavailable, message: "Adopt ValidatedModel, and throw in validate(for:).")
    public func validateForUpdate() throws { preconditionFailure() }

    @available(
        *, unavailable,
        message: "Use all, where(_:) or order(_:), or FetchDescriptor(): Trip.where { $0.title == \"Alps\" }."
    )
    public static func fetchRequest() -> FetchDescriptor<Self> { preconditionFailure() }
}
