import AshlarSQLite

/// A check and repair of a store's history, without opening the store.
package struct HistoryCheck {
    private let tracker: HistoryTracker

    /// - Parameter model: The entities of the store's version.
    package init(_ model: ModelDescription, _ connection: Connection) {
        tracker = HistoryTracker(model: model, connection: connection)
    }

    /// Returns whether the history is on, and its triggers or its catalogue do not match the model.
    package func isOutdated() throws(SQLiteError) -> Bool {
        if try !HistoryTracker.isTracked(tracker.connection) { return false }
        return try !tracker.isCurrent()
    }

    /// Updates the triggers and the catalogue to the model. It requires a transaction.
    package func mend() throws(SQLiteError) { try tracker.update() }
}
