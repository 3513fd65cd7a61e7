/// Names that Core Data does not allow for properties, because every managed object has methods with these names.
enum ReservedNames {
    /// The names of methods without parameters, and of properties, of `NSObject` and `NSManagedObject`.
    static let properties: Set<String> = [
        "alloc", "allocWithZone", "autoContentAccessingProxy", "autorelease", "awakeFromFetch", "awakeFromInsert",
        "changedValues", "changedValuesForCurrentEvent", "class", "className", "classForCoder", "copy", "dealloc",
        "debugDescription", "description", "didSave", "didTurnIntoFault", "entity", "faultingState", "finalize",
        "hasChanges", "hasPersistentChangedValues", "hash", "init", "isDeleted", "isFault", "isInserted", "isProxy",
        "isUpdated", "managedObjectContext", "mutableCopy", "objectID", "objectSpecifier", "observationInfo",
        "prepareForDeletion", "release", "retain", "retainCount", "self", "superclass", "willSave",
        "willTurnIntoFault", "zone",
    ]
}
