public import Ashlar

// Core Data's names of declarations with other names here. They do nothing but let the compiler suggest the name to
// use, or the replacement.

// With Core Data, its own types have these names.
#if !canImport(CoreData)
    @available(*, unavailable, renamed: "ModelContext")
    public typealias NSManagedObjectContext = ModelContext

    @available(*, unavailable, renamed: "ManagedObject")
    public typealias NSManagedObject = ManagedObject

    @available(*, unavailable, renamed: "PersistentIdentifier")
    public typealias NSManagedObjectID = PersistentIdentifier

    @available(*, unavailable, renamed: "ModelDescription")
    public typealias NSManagedObjectModel = ModelDescription

    @available(*, unavailable, renamed: "ModelContainer")
    public typealias NSPersistentContainer = ModelContainer

    @available(*, unavailable, renamed: "ModelContainer")
    public typealias NSPersistentStoreCoordinator = ModelContainer

    @available(*, unavailable, renamed: "PersistentStore")
    public typealias NSPersistentStore = PersistentStore

    @available(*, unavailable, renamed: "ModelConfiguration")
    public typealias NSPersistentStoreDescription = ModelConfiguration

    @available(*, unavailable, renamed: "EntityDescription")
    public typealias NSEntityDescription = EntityDescription

    @available(*, unavailable, renamed: "ColumnDescription")
    public typealias NSAttributeDescription = ColumnDescription

    @available(*, unavailable, renamed: "RelationshipDescription")
    public typealias NSRelationshipDescription = RelationshipDescription

    @available(*, unavailable, renamed: "MergePolicy")
    public typealias NSMergePolicy = MergePolicy

    @available(*, unavailable, renamed: "MergeConflict")
    public typealias NSMergeConflict = MergeConflict

    @available(*, unavailable, renamed: "QueryGenerationToken")
    public typealias NSQueryGenerationToken = QueryGenerationToken

    @available(*, unavailable, renamed: "PersistentHistoryChangeRequest")
    public typealias NSPersistentHistoryChangeRequest = PersistentHistoryChangeRequest

    @available(*, unavailable, renamed: "PersistentHistoryTransaction")
    public typealias NSPersistentHistoryTransaction = PersistentHistoryTransaction

    @available(*, unavailable, renamed: "PersistentHistoryToken")
    public typealias NSPersistentHistoryToken = PersistentHistoryToken

    @available(*, unavailable, renamed: "FetchDescriptor")
    public typealias NSFetchRequest<Model: PersistentModel> = FetchDescriptor<Model>

    @available(*, unavailable, renamed: "BatchUpdateRequest")
    public typealias NSBatchUpdateRequest<Model: PersistentModel> = BatchUpdateRequest<Model>

    @available(*, unavailable, renamed: "BatchDeleteRequest")
    public typealias NSBatchDeleteRequest<Model: PersistentModel> = BatchDeleteRequest<Model>

    @available(*, unavailable, renamed: "FetchedResultsController")
    public typealias NSFetchedResultsController<Model: PersistentModel> = FetchedResultsController<Model, Never>

    @available(
        *, unavailable, message: "Use batchInsert(contentsOf:onConflict:options:) of the context or its container."
    )
    public enum NSBatchInsertRequest {}
#endif
