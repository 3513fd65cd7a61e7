import AshlarSQLite

/// Updates the rows of a descriptor, or some of them, within a transaction.
struct BatchUpdate<Model: PersistentModel> {
    let descriptor: FetchDescriptor<Model>
    let container: ModelContainer
    let resultType: BatchResultType
    let columns: [UpdatedColumn]
    private let files: RetiredFiles
    private let time: FetchTime

    private var entity: EntityDescription { Model._ashlarEntity }
    private var table: String { entity.tableName.quotedIdentifier }

    init(_ request: BatchUpdateRequest<Model>, _ container: ModelContainer) throws {
        let entity = Model._ashlarEntity
        descriptor = request.descriptor
        resultType = request.options.resultType
        self.container = container
        time = FetchTime(entity, in: container)
        columns = try request.assignments.list.map { try UpdatedColumn($0, entity, container) }
        let changesFiles = columns.contains { $0.description.isExternal }
        files = RetiredFiles(container, changesFiles ? [entity.number.root] : [])
        for column in columns { try check(column) }
    }

    /// The names of the properties that are set.
    var properties: Set<String> { Set(columns.map(\.description.property)) }

    /// The bits of the columns that are set; nil if the store derives other columns from them.
    var updatedColumns: UInt64? {
        if entity.hasDerivedColumns { return nil }
        let names = Set(columns.map(\.description.name))
        let positions = entity.columns.indices.filter { names.contains(entity.columns[$0].name) }
        return positions.reduce(0) { $0 | ManagedObject.bit(of: $1) }
    }

    /// Whether each row can be updated independently of the others.
    var isOfSingleRows: Bool { descriptor.isOfSingleRows && tables.isEmpty }

    /// The tables that the values are computed from, other than the updated row itself.
    private var tables: FollowedTables { FollowedTables(columns.map(\.value)) }

    func run(_ connection: Connection, _ range: BatchRange) throws -> BatchResult {
        try checkRules(connection, range)
        let orders = try orderKeys(connection)
        let result = try files.collect(connection) {
            do {
                return try container.runBatch(try statement(range, orders), entity, resultType, connection)
            } catch let error as SQLiteError {
                throw entity.batchError(error, row: nil) ?? error
            }
        }
        try checkSharedReferences(connection)
        return result
    }

    // MARK: Statement

    private func statement(_ range: BatchRange, _ orders: [(column: String, value: SQLExpression)]) throws
        -> SQLStatement
    {
        var sql = SQLStatement(time: time)
        var values: [(column: String, value: String)] = []
        for column in columns { values.append((column.description.name, column.value.valueSQL(&sql))) }
        for order in orders { values.append((order.column, order.value.valueSQL(&sql))) }
        let joins = sql.takeJoins()
        let condition = try descriptor.batchCondition(&sql, range)
        let filter = condition.isEmpty ? "" : " WHERE " + condition
        var sets = ["\"version$\" = \(table).\"version$\" + 1"]
        if joins.isEmpty, tables.isEmpty {
            sets += values.map { "\($0.column.quotedIdentifier) = \($0.value)" }
            sql.text = "UPDATE \(table) SET \(sets.joined(separator: ", "))\(filter)"
        } else {
            // All values are computed before the first row changes, because they may depend on other rows of the table.
            let selected = values.indices.map { ", \(values[$0].value) AS \"value$\($0)\"" }.joined()
            sets += values.indices.map { "\(values[$0].column.quotedIdentifier) = \"new$\".\"value$\($0)\"" }
            sql.text =
                "UPDATE \(table) SET \(sets.joined(separator: ", ")) FROM "
                + "(SELECT \(table).\"id$\" AS \"row$\"\(selected) FROM \(table)\(joins)\(filter)) AS \"new$\" "
                + "WHERE \(table).\"id$\" = \"new$\".\"row$\""
        }
        return sql
    }

    // MARK: Rules

    /// Throws for the first row whose computed value breaks a rule.
    private func checkRules(_ connection: Connection, _ range: BatchRange) throws {
        let checked = columns.filter { $0.violation != nil }
        if checked.isEmpty { return }
        var sql = SQLStatement(time: time)
        let values = checked.map { $0.value.valueSQL(&sql) }.joined(separator: ", ")
        let violations = checked.compactMap { $0.violation?.sql(&sql) }.map { "(\($0))" }
        let joins = sql.takeJoins()
        let condition = try descriptor.batchCondition(&sql, range)
        let filter = condition.isEmpty ? "" : " AND \(condition)"
        sql.text =
            "SELECT \(table).\"id$\", \(values) FROM \(table)\(joins) "
            + "WHERE (\(violations.joined(separator: " OR ")))\(filter) LIMIT 1"
        guard let row = try connection.rows(sql.text, sql.values).first, case .integer(let rowID) = row[0] else {
            return
        }
        for (column, value) in zip(checked, row.dropFirst()) {
            guard let rule = column.brokenRule(value) else { continue }
            throw BatchError.invalidValue(
                BatchValueFailure(
                    entity: entity.name, property: column.description.property, value: value, rule: rule,
                    object: PersistentIdentifier(
                        rowID: rowID, store: container.storeNumber(of: entity.number.root), entity: entity.number)))
        }
    }

    // MARK: Relationships

    private func inverse(of column: UpdatedColumn) -> RelationshipDescription? {
        guard let relationship = column.relationship, let number = relationship.inverse else { return nil }
        return container.model.entity(named: relationship.destination)?.relationships[number]
    }

    private func check(_ column: UpdatedColumn) throws(BatchError) {
        guard let inverse = inverse(of: column), inverse.isOrdered, !column.isConstant else { return }
        throw .unassignable(
            entity: entity.name, property: column.description.property,
            reason: "its inverse \(inverse.name) is ordered, so that all rows have to lead to one object")
    }

    /// Returns the assignments that append rows to the existing members of an ordered relationship.
    private func orderKeys(_ connection: Connection) throws -> [(column: String, value: SQLExpression)] {
        try columns.compactMap { column in
            guard let inverse = inverse(of: column), case .inverseColumn(_, let name?) = inverse.storage,
                case .value(.integer(let owner)) = column.value
            else { return nil }
            let reference = column.description.name
            let last =
                try connection.integer(
                    "SELECT max(\(name.quotedIdentifier)) FROM \(table) WHERE \(reference.quotedIdentifier) = ?1",
                    [.integer(owner)]) ?? 0
            let path = ColumnPath(table: entity.tableName)
            func own(_ name: String) -> SQLExpression { .column(ColumnReference(path: path, column: -1, name: name)) }
            return (
                name,
                .conditional(
                    .comparison(own(reference), .equal, column.value), own(name),
                    .value(.integer(last + OrderKeys.distance)))
            )
        }
    }

    /// Throws if two objects lead to the same one by a relationship that is to-one at both ends.
    private func checkSharedReferences(_ connection: Connection) throws {
        for column in columns where inverse(of: column)?.isToMany == false && column.value != .value(.null) {
            guard let relationship = column.relationship else { continue }
            try container.checkNotShared(relationship, column.description.name, entity, connection)
        }
    }
}

extension ModelContainer {
    /// Throws if two rows refer to the same one in a column.
    func checkNotShared(
        _ relationship: RelationshipDescription, _ column: String, _ entity: EntityDescription, _ connection: Connection
    ) throws {
        let name = column.quotedIdentifier
        let shared = try connection.integer(
            "SELECT \(name) FROM \(entity.tableName.quotedIdentifier) WHERE \(name) IS NOT NULL "
                + "GROUP BY \(name) HAVING count(*) > 1 LIMIT 1")
        guard let shared, let destination = model.entity(named: relationship.destination) else { return }
        throw BatchError.sharedReference(
            entity: entity.name, relationship: relationship.name,
            destination: PersistentIdentifier(
                rowID: shared, store: storeNumber(of: destination.number.root), entity: destination.number))
    }
}

extension EntityDescription {
    /// Returns the error of the model for a row that SQLite rejected; nil for other errors.
    func batchError(_ error: SQLiteError, row: Int?) -> BatchError? {
        guard error.code == SQLITE_CONSTRAINT else { return nil }
        // "UNIQUE constraint failed: Post.name, Post.day"
        let columns = error.message.split(separator: ":").last?.split(separator: ",") ?? []
        let names = columns.compactMap { $0.split(separator: ".").last.map(String.init) }
        let properties = names.map { name in self.columns.first { $0.name == name }?.property ?? name }
        switch error.extendedCode {
        case SQLITE_CONSTRAINT | (8 << 8), SQLITE_CONSTRAINT | (6 << 8), SQLITE_CONSTRAINT | (10 << 8):
            return .notUnique(entity: name, properties: properties, row: row)
        case SQLITE_CONSTRAINT | (5 << 8):
            return .invalidValue(
                BatchValueFailure(
                    entity: name, property: properties.first ?? "", value: .null, rule: .missingRequiredValue, row: row)
            )
        case SQLITE_CONSTRAINT | (12 << 8):
            // "cannot store REAL value in INTEGER column Post.likes"
            if model?.modelDescription.overflowingAttributes(error) != nil { return nil }
            return .invalidValue(
                BatchValueFailure(
                    entity: name, property: properties.first ?? "", rule: .custom("would be no value of its type"),
                    row: row))
        default: return nil
        }
    }
}
