import AshlarSQLite
import SystemFoundation

/// Repairs one-to-one relationships in stores of earlier releases of Ashlar, in which several rows may refer to one
/// row.
///
/// Each store is searched once. Its metadata then records that no rows share a destination, and saves maintain that.
struct SharedReferences {
    let content: StoreContent
    let url: URL
    let connection: Connection
    let options: MigrationOptions

    /// A reference that became nil.
    private struct Removal {
        var reference: OneToOneReference
        var row: Int64
        var destination: Int64

        var text: String { "\(reference.entity).\(reference.property) of row \(row), which led to row \(destination)" }
    }

    /// Sets all but one of the references to the same object to nil, and reports each.
    ///
    /// If another connection is writing, the next opening does it.
    ///
    /// - Returns: The store's metadata afterwards.
    func settle(_ metadata: StoreMetadata, isWritable: Bool) throws -> StoreMetadata {
        if metadata.hasSingleReferences || !isWritable { return metadata }
        let references = content.model.oneToOneReferences(of: content.entityNames)
        if references.isEmpty { return metadata }
        do {
            let (settled, removals) = try connection.transaction { try settle(references) }
            if !removals.isEmpty { warn(removals) }
            return settled
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            return metadata
        }
    }

    private func settle(_ references: [OneToOneReference]) throws -> (StoreMetadata, [Removal]) {
        // Another process may have repaired the store while this one waited.
        guard var metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
        if metadata.hasSingleReferences { return (metadata, []) }
        var removals: [Removal] = []
        for reference in references where reference.isOptional { removals += try remove(reference) }
        try metadata.noteSingleReferences(connection)
        if !removals.isEmpty {
            try MigrationLedger(connection: connection, program: options.program).add(
                .referenceRepair, to: metadata, detail: removals.map(\.text).joined(separator: "; "))
        }
        return (metadata, removals)
    }

    private func remove(_ reference: OneToOneReference) throws -> [Removal] {
        let rows = try connection.rows(
            OneToOneReference.surplusRows(
                ofTable: reference.table, column: reference.column, isOwnInverse: reference.isOwnInverse))
        if rows.isEmpty { return [] }
        // Triggers may call the functions.
        try connection.registerFunctions()
        let update = try connection.statement(
            "UPDATE \(reference.table.quotedIdentifier) SET \(reference.column.quotedIdentifier) = NULL, "
                + "\"version$\" = \"version$\" + 1 WHERE \"id$\" = ?1"
        )
        return try rows.map { row in
            update.bind(row[0].integer, 1)
            try update.run()
            return Removal(reference: reference, row: row[0].integer, destination: row[1].integer)
        }
    }

    private func warn(_ removals: [Removal]) {
        let listed = removals.prefix(10).map(\.text).joined(separator: "; ")
        let others = removals.count > 10 ? "; and \(removals.count - 10) more" : ""
        RuntimeWarning.report(
            """
            Several rows of the store at \(url.path) led to one object by a one-to-one relationship, which earlier releases \
            of Ashlar allowed. The newest reference to each object stays. These are nil now: \(listed)\(others). \
            ModelContainer.migrationHistory() lists them all.
            """)
    }
}
