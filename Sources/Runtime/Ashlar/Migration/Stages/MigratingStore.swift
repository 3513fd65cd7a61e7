import AshlarSQLite

/// A store during a migration, for the code of a custom stage.
///
/// All work belongs to the migration's transaction, and the value is valid only within the closure that receives it.
/// Validation and deletion rules of the model do not apply. Constraints of the schema do, and invalid references roll
/// back the migration at its end. Triggers keep derived attributes and indexes correct.
///
///     let stage = MigrationStage.custom(
///         fromVersion: PhotoFeedModel.Version2.self, toVersion: PhotoFeedModel.Version3.self,
///         didMigrate: { store in _ = try store.execute("UPDATE Post SET title = trim(title)") })
public struct MigratingStore<Version: VersionedSchema> {
    let store: StageStore

    /// Calls a closure for each row of an entity and its subentities, in the order of the row numbers.
    ///
    /// - Parameters:
    ///   - type: The struct of the entity in this version.
    ///   - body: The closure to call with each row.
    /// - Throws: ``StoreError``, `CancellationError`, or the closure's error.
    /// - Complexity: O(*n*) in the number of rows.
    public func forEach<Values: VersionedValues>(
        _ type: Values.Type, _ body: (Values) throws -> Void
    ) throws where Values.Version == Version {
        try store.forEach(type) { try body($0) }
    }

    /// Changes rows of an entity and its subentities with a closure. Rows that the closure leaves unchanged are not
    /// written.
    ///
    /// - Parameters:
    ///   - type: The struct of the entity in this version.
    ///   - body: The closure that changes a row.
    /// - Returns: The number of changed rows.
    /// - Throws: ``StoreError``, `CancellationError`, or the closure's error.
    /// - Complexity: O(*n*) in the number of rows.
    @discardableResult
    public func update<Values: VersionedValues>(
        _ type: Values.Type, _ body: (inout Values) throws -> Void
    ) throws -> Int where Values.Version == Version {
        try store.update(type) { try body(&$0) }
    }

    /// Inserts a row.
    ///
    /// - Parameter values: The values of the row, with 0 as the ``VersionedValues/rowID`` for a new number.
    /// - Returns: The number of the row.
    /// - Throws: ``StoreError`` if the row cannot be inserted.
    @discardableResult
    public func insert<Values: VersionedValues>(_ values: Values) throws -> Int64 where Values.Version == Version {
        try store.insert(values)
    }

    /// Deletes the rows of an entity and its subentities for which a closure returns true.
    ///
    /// - Parameters:
    ///   - type: The struct of the entity in this version.
    ///   - isDeleted: Returns whether to delete a row.
    /// - Returns: The number of deleted rows.
    /// - Throws: ``StoreError``, `CancellationError`, or the closure's error.
    /// - Complexity: O(*n*) in the number of rows.
    @discardableResult
    public func delete<Values: VersionedValues>(
        _ type: Values.Type, where isDeleted: (Values) throws -> Bool
    ) throws -> Int where Values.Version == Version {
        try store.delete(type) { try isDeleted($0) }
    }

    /// Executes an SQL statement with values for its parameters.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - values: The values of its parameters.
    /// - Returns: The number of changed rows.
    /// - Throws: ``StoreError`` if the statement fails, or `CancellationError`.
    @discardableResult
    public func execute(_ sql: String, _ values: [SQLiteValue] = []) throws -> Int {
        try store.execute(sql, values)
    }

    /// Returns the rows of an SQL query with values for its parameters.
    ///
    /// - Parameters:
    ///   - sql: The query.
    ///   - values: The values of its parameters.
    /// - Throws: ``StoreError`` if the query fails, or `CancellationError`.
    public func rows(_ sql: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        try store.rows(sql, values)
    }
}
