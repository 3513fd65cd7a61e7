/// The class of an entity for which the program has none. It makes it possible to describe a model without classes, for
/// example to inspect the queries of a store.
package final class UnknownObject: ManagedObject, PersistentModel {
    package typealias Values = UnknownValues
}

/// The values struct of an entity for which the program has no class. No values are read into it.
package struct UnknownValues: EntityValues {
    package typealias _AshlarModel = UnknownObject
}
