/// Stands for the objects of an entity for which the program has no class: a model may be described without any, for
/// who only wants to know what would be asked of a store.
package final class UnknownObject: ManagedObject, PersistentModel {
    package typealias Values = UnknownValues
}

/// Stands for the values of an entity for which the program has no class; nothing is read into them.
package struct UnknownValues: EntityValues {
    package typealias _AshlarModel = UnknownObject
}
