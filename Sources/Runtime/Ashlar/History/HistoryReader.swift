import AshlarSQLite
import SystemFoundation

/// Reads transactions and their changes on a connection with an open read transaction.
struct HistoryReader {
    /// SQL conditions on transactions, with the columns of `ashlar$transaction` called `t`.
    struct Conditions {
        var sql: [String] = []
        var values: [SQLiteValue] = []

        mutating func add(_ sql: String, _ value: SQLiteValue? = nil) {
            self.sql.append(sql)
            if let value { values.append(value) }
        }
    }

    let connection: Connection
    let model: ModelDescription
    let store: PersistentStore
    /// The other stores of the container. A token may belong to one of them.
    private let otherStoreIdentifiers: [String]
    let storeNumber: UInt32
    let entities: HistoryEntities
    /// The number of the newest change that was deleted.
    private let purged: Int64
    private let newest: Int64
    private let claimed: Int64

    /// Throws ``HistoryError/notTracked(_:)`` if the history is off.
    ///
    /// - Parameters:
    ///   - number: The number of the store in this process.
    ///   - others: The identifiers of the container's other stores.
    init(
        _ connection: Connection, _ store: PersistentStore, of model: ModelDescription, number: UInt32, others: [String]
    ) throws {
        let schema = store.schemaName
        guard try HistoryTracker.isTracked(connection, schema) else { throw HistoryError.notTracked(store.url) }
        self.connection = connection
        self.store = store
        otherStoreIdentifiers = others
        self.model = model
        storeNumber = number
        entities = HistoryEntities(try HistoryCatalogue(connection, schema), of: model)
        purged = try connection.integer("SELECT \"purged\" FROM \(schema).\"ashlar$historyState\"") ?? 0
        newest = try connection.integer("SELECT max(\"number\") FROM \(schema).\"ashlar$change\"") ?? 0
        claimed = try connection.integer("SELECT max(\"last\") FROM \(schema).\"ashlar$transaction\"") ?? 0
        // The code increments these numbers.
        for number in [purged, newest, claimed] where number < 0 || number == .max {
            throw HistoryError.damaged(store.url, change: number, reason: "no change has this number")
        }
    }

    var storeIdentifier: String { store.storeIdentifier }

    /// Returns the name of a history table of the store in SQL.
    private func table(_ name: String) -> String { "\(store.schemaName).\(name.quotedIdentifier)" }

    /// Whether changes of other programs do not belong to a transaction yet.
    var hasUnclaimedChanges: Bool { newest > claimed }

    /// The place after all transactions.
    var currentToken: PersistentHistoryToken { PersistentHistoryToken(storeIdentifier, newestNumber) }

    /// The number of the newest transaction.
    var newestNumber: Int64 { max(newest, claimed) }

    /// Returns the number of a token. Throws if later changes are missing.
    func number(of token: PersistentHistoryToken) throws(HistoryError) -> Int64 {
        guard let number = token.tokenValue[storeIdentifier] else {
            // The store was added to the container after the token was created, so that its entire history follows.
            if otherStoreIdentifiers.contains(where: { token.tokenValue[$0] != nil }) { return purged }
            throw .tokenOfOtherStore(store.url, token: token)
        }
        if number < purged || number > newestNumber { throw .tokenExpired(store.url, token: token) }
        return number
    }

    // MARK: Transactions

    func transactions(_ request: PersistentHistoryChangeRequest) throws -> [PersistentHistoryTransaction] {
        var conditions = Conditions()
        switch request.start {
        case .beginning: break
        case .token(let token): conditions.add("t.\"last\" > ?", .integer(try number(of: token)))
        case .date(let date): conditions.add("t.\"timestamp\" > ?", .real(date.timeIntervalSinceReferenceDate))
        }
        conditions.add("t.\"author\"", in: request.authors)
        conditions.add("t.\"author\"", notIn: request.excludedAuthors)
        conditions.add("t.\"context\"", in: request.contextNames)
        return try transactions(conditions, request)
    }

    /// Returns the transactions that satisfy conditions, with the changes that a request selects.
    func transactions(
        _ conditions: Conditions, _ request: PersistentHistoryChangeRequest,
        where isWanted: (PersistentHistoryTransaction) throws -> Bool = { _ in true }
    ) throws -> [PersistentHistoryTransaction] {
        let changes = try changesStatement(request)
        let rows = HistoryRows(self)
        var result: [PersistentHistoryTransaction] = []
        let columns = ["last", "first", "timestamp", "author", "context", "bundle", "process"]
        let names = columns.map { "t.\($0.quotedIdentifier)" }.joined(separator: ", ")
        var sources: [(sql: String, values: [SQLiteValue])] = [(table("ashlar$transaction"), [])]
        if hasUnclaimedChanges {
            // Unclaimed changes are read as the transaction that will claim them.
            sources.append(
                (
                    """
                    (SELECT ? AS "last", ? AS "first", ? AS "timestamp", NULL AS "author", NULL AS "context",
                        NULL AS "bundle", NULL AS "process")
                    """,
                    [.integer(newest), .integer(claimed + 1), .real(Date().timeIntervalSinceReferenceDate)]
                ))
        }
        for source in sources {
            // SQLite uses only one of two lower bounds. The sign makes it use that of the token, if there is one.
            let terms = ["+t.\"last\" > ?"] + conditions.sql
            let statement = try connection.statement(
                "SELECT \(names) FROM \(source.sql) AS t WHERE \(terms.joined(separator: " AND ")) ORDER BY t.\"last\"")
            defer { statement.reset() }
            statement.bind(source.values + [.integer(purged)] + conditions.values)
            let row = Row(statement: statement.handle, store: storeNumber)
            while try statement.step() {
                var transaction = transaction(row)
                if let changes {
                    transaction.changes = try self.changes(
                        from: row.optionalInt64(1) ?? 0, to: transaction.transactionNumber, changes, request, rows)
                    if transaction.changes.isEmpty { continue }
                }
                guard try isWanted(transaction) else { continue }
                if request.resultType == .transactionsOnly { transaction.changes = [] }
                result.append(transaction)
                if request.fetchLimit > 0, result.count == request.fetchLimit { return result }
            }
        }
        return result
    }

    private func transaction(_ row: Row) -> PersistentHistoryTransaction {
        let number = row.optionalInt64(0) ?? 0
        return PersistentHistoryTransaction(
            transactionNumber: number, storeID: storeIdentifier,
            timestamp: Date(timeIntervalSinceReferenceDate: row.optionalDouble(2) ?? 0),
            author: row.optionalString(3), contextName: row.optionalString(4), bundleID: row.optionalString(5),
            processID: row.optionalString(6), token: PersistentHistoryToken(storeIdentifier, number))
    }

    /// Returns the statement that reads the changes of a transaction; nil if no changes are needed.
    func changesStatement(_ request: PersistentHistoryChangeRequest) throws -> Statement? {
        let condition = try entities.condition(request.changeFilters, of: model)
        if request.resultType == .transactionsOnly && condition == nil { return nil }
        return try connection.statement(
            """
            SELECT c."number", c."entity", c."row", c."kind", c."detail" FROM \(table("ashlar$change")) AS c
            WHERE c."number" BETWEEN ?1 AND ?2\(condition.map { " AND \($0)" } ?? "") ORDER BY c."number"
            """)
    }

    /// Returns the number of a transaction's first change that was not purged.
    func firstChange(of transaction: Int64) throws(SQLiteError) -> Int64 {
        let first = try connection.integer(
            "SELECT \"first\" FROM \(table("ashlar$transaction")) WHERE \"last\" = ?1", [.integer(transaction)])
        return max(first ?? claimed + 1, purged + 1)
    }

    // MARK: Changes

    private func changes(
        from first: Int64, to last: Int64, _ statement: Statement, _ request: PersistentHistoryChangeRequest,
        _ rows: HistoryRows
    ) throws -> [PersistentHistoryChange] {
        statement.bind(max(first, purged + 1), 1)
        statement.bind(last, 2)
        defer { statement.reset() }
        var list = HistoryChangeList(transactionNumber: last, storeNumber: storeNumber)
        let row = Row(statement: statement.handle, store: storeNumber)
        while try statement.step() {
            let number = row.optionalInt64(1) ?? 0
            guard let meaning = entities.meanings[number],
                let kind = RecordedKind(rawValue: row.optionalInt64(3) ?? -1)
            else { continue }
            let change = row.optionalInt64(0) ?? 0
            let identifier = try rows.row(row.optionalInt64(2), change)
            let detail = row.optionalInt64(4)
            switch (meaning, kind) {
            case (.objects(let entity, _), .insertion):
                list.insert(change, entity, try rows.range(identifier, detail, change))
            case (.objects(let entity, let group), .update):
                list.update(change, entity, identifier, list.names(group.properties, detail ?? 0, of: number))
            case (.objects(let entity, _), .deletion):
                list.delete(change, entity, identifier, try tombstone(change, entities.preserved[number] ?? [:]))
            case (.pairs(let pairs), _):
                try update(pairs.source, change, identifier, isOrdering: kind == .update, request, rows, &list)
                let other = try rows.row(detail, change)
                try update(pairs.target, change, other, isOrdering: kind == .update, request, rows, &list)
            }
        }
        return list.changes
    }

    /// Adds a change of a pair to the object at an end, if that has the relationship.
    private func update(
        _ end: PairedRelationship.End, _ change: Int64, _ rowID: Int64, isOrdering: Bool,
        _ request: PersistentHistoryChangeRequest, _ rows: HistoryRows, _ list: inout HistoryChangeList
    ) throws {
        guard let relationship = end.relationship, !isOrdering || end.order != nil else { return }
        let filters = request.changeFilters
        if !filters.isEmpty, !filters.contains(where: { $0.mayMatch(end, of: model) }) { return }
        // If the object and the record of its deletion are gone, only the relationship's entity is known, which may
        // match.
        let entity = try entity(of: rowID, below: end.entity) ?? rows.entity(ofDeleted: rowID, below: end.entity)
        if let entity, !filters.isEmpty,
            !filters.contains(where: { $0.matches(entity, property: relationship, of: model) })
        {
            return
        }
        list.update(change, entity ?? end.entity, rowID, [relationship])
    }

    /// Returns the entity of a row, which the pair does not contain if the table has several; nil if the row was
    /// deleted.
    private func entity(of rowID: Int64, below entity: EntitySchema) throws -> EntitySchema? {
        guard entity.hasDiscriminator else { return entity }
        let rows = try connection.rows(
            "SELECT \"entity$\" FROM \(entity.tableName.quotedIdentifier) WHERE \"id$\" = ?1", [.integer(rowID)])
        guard let row = rows.first else { return nil }
        return row[0].isNull
            ? model.entitySchema(entity.number.root) : model.entitySchema(named: row[0].storedText) ?? entity
    }

    private func tombstone(
        _ change: Int64, _ columns: [Int: ColumnDescription]
    ) throws -> PersistentHistoryTombstone {
        var tombstone = PersistentHistoryTombstone()
        if columns.isEmpty { return tombstone }
        let statement = try connection.statement(
            "SELECT \"position\", \"value\" FROM \(table("ashlar$tombstone")) WHERE \"change\" = ?1")
        defer { statement.reset() }
        statement.bind(change, 1)
        let row = Row(statement: statement.handle, store: storeNumber)
        while try statement.step() {
            if let column = columns[Int(clamping: row.optionalInt64(0) ?? -1)] {
                tombstone.set(row.value(1), of: column)
            }
        }
        return tombstone
    }
}

extension HistoryReader.Conditions {
    fileprivate mutating func add(_ column: String, in values: Set<String?>?) {
        guard let values else { return }
        let named = values.compactMap { $0 }.sorted()
        var terms = named.isEmpty ? [] : ["\(column) IN (\(named.map { _ in "?" }.joined(separator: ", ")))"]
        if values.contains(nil) { terms.append("\(column) IS NULL") }
        sql.append(terms.isEmpty ? "0" : "(\(terms.joined(separator: " OR ")))")
        self.values += named.map { .text($0) }
    }

    fileprivate mutating func add(_ column: String, notIn values: Set<String?>) {
        let named = values.compactMap { $0 }.sorted()
        if !named.isEmpty {
            let list = named.map { _ in "?" }.joined(separator: ", ")
            sql.append("(\(column) NOT IN (\(list)) OR \(column) IS NULL)")
            self.values += named.map { .text($0) }
        }
        if values.contains(nil) { sql.append("\(column) IS NOT NULL") }
    }
}
