import AshlarSQLite

/// A store in the middle of a migration, as code of a stage reads and writes it.
///
/// Everything is in the migration's transaction, and nothing of it can be used after the closure that it is given to.
/// Validation rules and deletion rules of the model do not hold; what the schema itself demands does, and references that
/// lead nowhere undo the migration at its end. Triggers keep derived attributes and indexes right.
public struct MigratingStore<Version: VersionedSchema> {
    let store: StageStore

    /// Calls a closure for each row of an entity and of those below it, in the order of their numbers.
    ///
    /// - Throws: ``StoreError``, `CancellationError`, and what the closure throws.
    public func forEach<Values: VersionedValues>(
        _ type: Values.Type, _ body: (Values) throws -> Void
    ) throws where Values.Version == Version {
        try store.forEach(type) { try body($0) }
    }

    /// Has a closure change the rows of an entity and of those below it; gives the number of those that it did change.
    ///
    /// - Throws: ``StoreError``, `CancellationError`, and what the closure throws.
    @discardableResult
    public func update<Values: VersionedValues>(
        _ type: Values.Type, _ body: (inout Values) throws -> Void
    ) throws -> Int where Values.Version == Version {
        try store.update(type) { try body(&$0) }
    }

    /// Adds a row to an entity; gives its number, which is ``VersionedValues/rowID`` unless that is 0.
    ///
    /// - Throws: ``StoreError``.
    @discardableResult
    public func insert<Values: VersionedValues>(_ values: Values) throws -> Int64 where Values.Version == Version {
        try store.insert(values)
    }

    /// Deletes the rows of an entity and of those below it for which a closure says so; gives their number.
    ///
    /// - Throws: ``StoreError``, `CancellationError`, and what the closure throws.
    @discardableResult
    public func delete<Values: VersionedValues>(
        _ type: Values.Type, where isDeleted: (Values) throws -> Bool
    ) throws -> Int where Values.Version == Version {
        try store.delete(type) { try isDeleted($0) }
    }

    /// Runs a statement with values for its parameters; gives the number of rows that it changed.
    ///
    /// - Throws: ``StoreError``, or `CancellationError`.
    @discardableResult
    public func execute(_ sql: String, _ values: [SQLiteValue] = []) throws -> Int {
        try store.execute(sql, values)
    }

    /// The rows of a query with values for its parameters.
    ///
    /// - Throws: ``StoreError``, or `CancellationError`.
    public func rows(_ sql: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        try store.rows(sql, values)
    }
}
