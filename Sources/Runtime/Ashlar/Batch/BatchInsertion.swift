import AshlarSQLite

/// Inserts rows of one entity within a transaction, several with one statement.
///
/// The caller's module specialises the loop over the values and their binding; this class contains the rest.
@usableFromInline
final class BatchInsertion {
    let entity: EntityDescription
    let container: ModelContainer
    let options: BatchOptions
    let policy: BatchConflictPolicy
    /// The number of rows in each statement except the last ones.
    @usableFromInline let rowsPerStatement: Int
    /// The names of the properties that an insertion sets if it updates an existing row.
    let updatedProperties: Set<String>
    private let files: RetiredFiles
    /// The columns whose values are checked before they are inserted.
    private let checkedColumns: [Int]
    private let suffix: String
    /// The number of the entity's store in this process.
    private let store: UInt32
    /// The end of the statements: the conflict clause, and a clause that returns the written rows.
    private let ending: String
    /// Whether the statements return the rows that they wrote.
    private let tellsRows: Bool

    private var connection: Connection?
    private var nextRowID: Int64 = 0
    private var firstRowID: Int64 = 0
    /// The number of rows taken from the sequence, and their number at the beginning of the transaction.
    private var rowCount = 0
    private var firstRow = 0
    private var nextReport = reportDistance
    private var reportedCount: Int?
    /// The number of all rows, if it is known.
    private let totalRowCount: Int?
    /// The number of inserted or changed rows.
    private(set) var changedCount = 0
    private(set) var identifiers: [PersistentIdentifier]?
    private var upserted = UpsertedRows()
    /// The rows that the current transaction wrote. A row that is written twice occurs twice.
    private(set) var written = BatchResult(count: 0, identifiers: nil)
    private var several: Statement?
    private var one: Statement?
    /// The error of a statement that inserted some of its rows before it failed.
    private var refusal: SQLiteError?

    /// The number of rows between two reports of progress.
    private static let reportDistance = 10_000

    init(
        _ entity: EntityDescription, _ container: ModelContainer, _ policy: BatchConflictPolicy,
        _ options: BatchOptions, totalRowCount: Int? = nil
    ) throws {
        guard container.model.contains(entity) else { throw BatchError.entityOfAnotherModel(entity.name) }
        if entity.isAbstract { throw BatchError.abstractEntity(entity.name) }
        if let size = options.chunkSize, size < 1 { throw BatchError.invalidChunkSize(size) }
        self.entity = entity
        self.container = container
        self.policy = policy
        self.options = options
        self.totalRowCount = totalRowCount
        suffix = try entity.conflictClause(policy)
        updatedProperties = Set(try entity.updatedColumns(policy).map { entity.columns[$0].property })
        store = container.storeNumber(of: entity.number.root)
        rowsPerStatement = entity.rowsPerInsertion
        // Without a conflict clause the rowids are known.
        tellsRows = entity.isUpdated(by: policy) || options.resultType == .identifiers && !suffix.isEmpty
        let identifier = " RETURNING \"id$\"" + (entity.hasDiscriminator ? ", \"entity$\"" : "")
        ending = suffix + (tellsRows ? identifier : "")
        files = RetiredFiles(container, entity.isUpdated(by: policy) ? [entity.number.root] : [])
        checkedColumns =
            entity.ruledColumns
            + entity.requiredToOneRelationships.compactMap { number in
                if case .column(let column) = entity.relationships[number].storage { column } else { nil }
            }
        if options.resultType == .identifiers { identifiers = [] }
    }

    /// The result so far.
    var result: BatchResult { BatchResult(count: changedCount, identifiers: identifiers) }

    /// Runs a closure that inserts rows in a transaction. After an error, the counts and identifiers are as they were
    /// before.
    func run(_ connection: Connection, _ body: () throws -> Void) throws {
        self.connection = connection
        let before = (rowCount, changedCount, identifiers?.count ?? 0)
        firstRow = rowCount
        defer {
            for statement in [one, several] { statement?.store = 0 }
            (one, several, self.connection) = (nil, nil, nil)
        }
        do {
            let last = try connection.lastRowID(of: entity.schema, in: container)
            // The reserve exceeds the number of rows that a batch can insert, so that each of them gets a number.
            _ = try NextRowIDs.number(after: last, NextRowIDs.reserve)
            firstRowID = try NextRowIDs.number(after: last)
            nextRowID = firstRowID
            upserted.begin(at: firstRowID)
            written = BatchResult(count: 0, identifiers: identifiers.map { _ in [] })
            try files.collect(connection, body)
            try connection.requireIdentifiers(through: nextRowID - 1, of: entity.schema, in: container)
            try giveOrderKeys(connection)
            try checkSharedReferences(connection)
        } catch {
            (rowCount, changedCount) = (before.0, before.1)
            identifiers?.removeSubrange(before.2...)
            throw error
        }
    }

    /// The number of rows that the next statement can insert; 0 if the transaction's chunk is full.
    @usableFromInline var room: Int {
        options.chunkSize.map { min(rowsPerStatement, $0 - (rowCount - firstRow)) } ?? rowsPerStatement
    }

    // MARK: Rows

    /// Returns the statement that inserts a number of rows, to bind them to.
    func statement(rows: Int) throws -> Statement {
        if let known = rows == 1 ? one : several { return known }
        guard let connection else { throw CancellationError() }
        // A conflict clause makes a statement do several things for one row. It must do all of them or none.
        let text =
            rows > 1 && suffix.isEmpty
            ? try entity.insertStatement(rows: rows, on: connection, in: container)
            : entity.insertStatement(rows: rows)
        let statement = try connection.statement(text + ending)
        statement.store = store
        container.setExternalData(of: statement, entity, connection)
        if rows == 1 { one = statement } else { several = statement }
        return statement
    }

    /// Binds the columns that precede the values of a row.
    func beginRow(_ index: Int, _ statement: Statement) {
        statement.base = Int32(index * entity.insertedColumnCount)
        statement.bind(nextRowID + Int64(index), 1)
        if entity.hasDiscriminator {
            statement.bind(entity.discriminator, 2)
            statement.base += 2
        } else {
            statement.base += 1
        }
    }

    /// Whether there are columns whose values must be checked.
    var checksValues: Bool { !checkedColumns.isEmpty }

    /// Throws if a value of a row breaks a rule. The index counts from the next row to insert.
    func check(_ index: Int, _ value: (Int) -> SQLiteValue) throws {
        for position in checkedColumns {
            let column = entity.columns[position]
            let value = value(position)
            if value.isNull, column.type == nil { throw failure(column, nil, .missingRequiredValue, index) }
            for rule in column.rules {
                guard let broken = rule.broken(by: value, isDecimal: column.isDecimal) else { continue }
                throw failure(column, value, broken, index)
            }
        }
    }

    /// Throws if the row that a statement is about to insert has a value that is not a number (NaN).
    func refuseNaN(_ values: UnsafeRawPointer, _ statement: Statement) throws {
        guard let column = entity.layout.notANumberColumns(of: values).first else { return }
        statement.reset()
        statement.externalData?.discardUnconfirmed()
        throw failure(entity.columns[column], nil, .notANumber, 0)
    }

    private func failure(
        _ column: ColumnDescription, _ value: SQLiteValue?, _ rule: ValidationFailure.Rule, _ index: Int
    ) -> BatchError {
        .invalidValue(
            BatchValueFailure(
                entity: entity.name, property: column.property, value: value, rule: rule, row: rowCount + index))
    }

    /// Throws the error of a statement that inserted some of its rows before it failed. If one of the others is refused by
    /// itself, its error is thrown before.
    func checkRefusal() throws {
        if let refusal { throw refusal }
    }

    /// Runs the statement for a number of rows, and returns how many of them it inserted. If it is not all, one row was
    /// refused, and the caller must try the others one by one.
    func insert(_ rows: Int, _ statement: Statement) throws -> Int {
        statement.base = 0
        if let error = statement.bindingError {
            statement.reset()
            statement.externalData?.discardUnconfirmed()
            if rows > 1 { return 0 }
            if let error = error as? ExternalDataError {
                throw BatchError.externalData(file: error.url, reason: error.reason)
            }
            if let failure = error as? BindingFailure { throw refusal(failure, limit: statement.lengthLimit) }
            throw BatchError.conversion(entity: entity.name, row: rowCount, error)
        }
        do {
            try runStatement(rows, statement)
            statement.externalData?.confirm()
        } catch let error as SQLiteError {
            statement.externalData?.discardUnconfirmed()
            guard error.code == SQLITE_CONSTRAINT, rows > 1 else {
                throw entity.batchError(error, row: rowCount) ?? error
            }
            let inserted = suffix.isEmpty ? connection?.changes ?? 0 : 0
            refusal = inserted > 0 ? error : nil
            rowCount += inserted
            nextRowID += Int64(inserted)
            return inserted
        }
        rowCount += rows
        nextRowID += Int64(rows)
        if rowCount >= nextReport { try report() }
        return rows
    }

    /// Returns the error for a value that SQLite rejected when a single row was inserted.
    private func refusal(_ failure: BindingFailure, limit: Int) -> any Error {
        let index = Int(failure.position) - (entity.hasDiscriminator ? 3 : 2)
        guard failure.isTooLarge, entity.ownColumns.indices.contains(index) else { return failure.error }
        return BatchError.valueTooLarge(
            entity: entity.name, property: entity.columns[entity.ownColumns[index]].property, row: rowCount,
            limit: limit)
    }

    private func runStatement(_ rows: Int, _ statement: Statement) throws {
        if tellsRows {
            defer { statement.reset() }
            let rowsWritten = try container.identifiers(of: statement, entity)
            let first = upserted.note(rowsWritten.map(\.rowID), newFrom: nextRowID)
            identifiers? += first.map { rowsWritten[$0] }
            written.identifiers? += rowsWritten
            written.count += rowsWritten.count
            changedCount += first.count
            try settle(rows, rowsWritten.count)
        } else {
            try statement.run()
            let changed = connection?.changes ?? rows
            changedCount += changed
            written.count += changed
            try settle(rows, changed)
            guard identifiers != nil else { return }
            for index in 0..<rows {
                let identifier = PersistentIdentifier(
                    rowID: nextRowID + Int64(index), store: store, entity: entity.number)
                identifiers?.append(identifier)
                written.identifiers?.append(identifier)
            }
        }
    }

    /// Throws if a row was neither inserted nor changed another one: it has a conflict that the policy does not cover.
    private func settle(_ rows: Int, _ changed: Int) throws {
        guard changed < rows, case .update(let unique, _) = policy.kind else { return }
        throw BatchError.notUnique(
            entity: entity.name, properties: unique ?? entity.uniqueProperties, row: rows == 1 ? rowCount : nil)
    }

    /// Reports the number of rows, unless it was reported before.
    func report() throws {
        nextReport = rowCount + Self.reportDistance
        if rowCount == reportedCount { return }
        reportedCount = rowCount
        try options.progress?(BatchProgress(completedRowCount: rowCount, totalRowCount: totalRowCount))
    }

    /// Runs a closure that inserts rows. The history records them as one change if all of them are new.
    func recordingHistory(_ connection: Connection, _ body: () throws -> Void) throws {
        if !suffix.isEmpty { return try body() }
        try connection.recordingInsertions(of: entity.schema, in: container.schemaName(of: entity.number.root)) {
            let before = rowCount
            try body()
            return rowCount - before
        }
    }

    // MARK: Relationships

    /// Appends new members of an ordered relationship to the existing ones, in the order of their insertion.
    private func giveOrderKeys(_ connection: Connection) throws {
        for (reference, key) in entity.orderedReferences(container.model) {
            let (table, reference, key) = (
                entity.tableName.quotedIdentifier, reference.quotedIdentifier, key.quotedIdentifier
            )
            let statement = try connection.statement(
                """
                UPDATE \(table) SET \(key) = coalesce("last$"."key$", 0) + "new$"."number$" * \(OrderKeys.distance)
                FROM (SELECT "id$" AS "row$", \(reference) AS "owner$",
                        row_number() OVER (PARTITION BY \(reference) ORDER BY "id$") AS "number$"
                    FROM \(table) WHERE "id$" >= ?1 AND \(reference) IS NOT NULL AND \(key) IS NULL) AS "new$"
                JOIN (SELECT \(reference) AS "owner$", max(\(key)) AS "key$" FROM \(table)
                    WHERE \(reference) IN (SELECT \(reference) FROM \(table) WHERE "id$" >= ?1)
                    GROUP BY \(reference)) AS "last$" ON "last$"."owner$" = "new$"."owner$"
                WHERE \(table)."id$" = "new$"."row$"
                """)
            statement.bind(firstRowID, 1)
            try statement.run()
        }
    }

    private func checkSharedReferences(_ connection: Connection) throws {
        for relationship in entity.relationships {
            guard case .column(let column) = relationship.storage, let number = relationship.inverse,
                container.model.entity(named: relationship.destination)?.relationships[number].isToMany == false
            else { continue }
            try container.checkNotShared(relationship, entity.columns[column].name, entity, connection)
        }
    }
}
