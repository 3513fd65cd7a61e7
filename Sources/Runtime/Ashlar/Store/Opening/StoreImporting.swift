/// An import that an opening calls for a store that does not exist yet.
///
/// The product `AshlarImport` has the one type that adopts it.
package protocol StoreImporting: Sendable, Hashable {
    /// Makes the store of a configuration, if there is none yet and there is something to import.
    ///
    /// - Returns: The report; nil if nothing was imported.
    func makeStore(
        of configuration: ModelConfiguration, _ content: StoreContent, _ monitor: MigrationMonitor
    ) throws -> (any Sendable)?
}

/// An import of any type, which is compared by its value.
package struct AnyStoreImport: Sendable, Hashable {
    package let base: any StoreImporting

    package init(_ base: some StoreImporting) { self.base = base }

    package static func == (left: AnyStoreImport, right: AnyStoreImport) -> Bool {
        AnyHashable(left.base) == AnyHashable(right.base)
    }

    package func hash(into hasher: inout Hasher) { base.hash(into: &hasher) }
}
