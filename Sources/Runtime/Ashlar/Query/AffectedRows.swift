import AshlarSQLite
import Containers

/// The rows without changes of their own for which a condition may have another result than in the store, because it
/// follows relationships to objects with unsaved changes.
struct AffectedRows {
    private let context: ModelContext
    /// The objects with unsaved changes, by their tables.
    private var pending: [String: [ManagedObject]] = [:]
    /// The positions of foreign keys, by their names, in entities.
    private var positions: [String: [ObjectIdentifier: Int?]] = [:]

    init(_ context: ModelContext) {
        self.context = context
        var last: (entity: EntityDescription, objects: [ManagedObject])?
        func note(_ object: ManagedObject) {
            if last?.entity !== object.entity {
                keepLast()
                last = (object.entity, [])
            }
            last?.objects.append(object)
        }
        func keepLast() {
            if let last { pending[last.entity.tableName, default: []] += last.objects }
        }
        for object in context.pending.inserted where object.record.state == .inserted { note(object) }
        for object in context.pending.changed where object.record.state == .persisted && !object.keepsRow {
            note(object)
        }
        for object in context.pending.deleted { note(object) }
        keepLast()
    }

    /// Returns the rowids of the rows from which a path leads to objects with unsaved changes.
    mutating func rowIDs(_ path: FollowedPath, _ connection: Connection) throws -> Set<Int64> {
        var result: Set<Int64> = []
        for (link, next) in path.next {
            var changed = try rowIDs(next, connection)
            for object in pending[next.table] ?? [] where next.isFollowed || object.record.state == .deleted {
                changed.insert(object.record.rowID)
            }
            result.formUnion(try owners(of: changed, by: link, from: path.table, to: next.table, connection))
        }
        return result
    }

    /// Returns the rows of a table from which a link leads to rows of another table.
    private mutating func owners(
        of rows: Set<Int64>, by link: FollowedPath.Link, from table: String, to other: String, _ connection: Connection
    ) throws -> Set<Int64> {
        var owners: Set<Int64> = []
        let sql: String
        switch link {
        case .reference(let column):
            // An object whose reference differs from the store has changes of its own.
            sql = "SELECT \"id$\" FROM \(table.quotedIdentifier) WHERE \(column.quotedIdentifier)"
        case .inverse(let column):
            for object in pending[other] ?? [] where object.record.state != .deleted {
                if let owner = reference(column, of: object) { owners.insert(owner) }
            }
            sql = "SELECT \(column.quotedIdentifier) FROM \(other.quotedIdentifier) WHERE \"id$\""
        case .joinTable(let name, let own, let other):
            // An object whose members differ from the store has changes of its own, too.
            sql = "SELECT \(own.quotedIdentifier) FROM \(name.quotedIdentifier) WHERE \(other.quotedIdentifier)"
        }
        let stored = rows.filter { $0 > 0 }.sorted()
        if stored.isEmpty { return owners }
        let list = SQLiteValue.text(RowIDList.json(stored))
        let found = try connection.rows(sql + " IN (SELECT \"value\" FROM json_each(?1))", [list])
        for row in found {
            if case .integer(let owner) = row[0] { owners.insert(owner) }
        }
        return owners
    }

    /// Returns the rowid in a foreign key of an object.
    private mutating func reference(_ column: String, of object: ManagedObject) -> Int64? {
        let entity = object.entity
        let key = ObjectIdentifier(entity)
        let position: Int?
        if let known = positions[column]?[key] {
            position = known
        } else {
            position = entity.columns.firstIndex { $0.name == column }
            positions[column, default: [:]][key] = .some(position)
        }
        return position.flatMap { object.identifier(inColumn: $0) }?.rowID
    }
}

extension ModelContext {
    /// Adds the objects for which a condition may have another result than in the store, because it follows
    /// relationships to objects with unsaved changes. They are evaluated in memory, and all others in the store.
    func addAffectedObjects<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, _ expressions: [SQLExpression], to changes: inout OverlaidChanges,
        where isAskedFor: (ManagedObject) -> Bool
    ) throws {
        let entity = Model._ashlarEntity
        guard parent == nil, let path = FollowedPath(table: entity.tableName, expressions) else {
            changes.stored = .judged
            return
        }
        let terms = ownTerms(of: descriptor)
        var rowIDs: [Int64] = []
        if terms.contains(where: { entity.hasIndex(for: $0) }) {
            rowIDs = try self.rowIDs(of: descriptor, Condition(.and(terms)), limit: Self.fewRows + 1)
            if rowIDs.count <= Self.fewRows { changes.stored = .known }
        }
        if changes.stored == .asked {
            rowIDs = try affectedRows(of: entity, path, without: changes)
            if rowIDs.count > Self.fewRows, !terms.isEmpty {
                rowIDs = try self.rowIDs(of: descriptor, Condition(.and(terms)), among: rowIDs, limit: nil)
            }
            changes.excluded += rowIDs
        }
        if rowIDs.isEmpty { return }
        // Objects with changes are candidates already. An object that its hook changes while it is read is not one of
        // them.
        let known = changes.stored == .known ? Set(changes.excluded + changes.candidates.map(\.record.rowID)) : []
        errors.beginFetch()
        let objects = try readObjects(
            container.model.entity(entity.number.root), rowIDs.sorted(), comparesForeignChanges: true)
        try errors.throwInvalidValue()
        for object in objects.array(of: ManagedObject.self)
        where object.record.state == .persisted && !known.contains(object.record.rowID) && isAskedFor(object) {
            changes.candidates.append(object)
        }
    }

    /// Up to this number of rows, all are read without checking which of them are affected.
    private static let fewRows = 20

    /// Returns the rowids of the rows without changes from which a path leads to objects with changes.
    private func affectedRows(
        of entity: EntityDescription, _ path: FollowedPath, without changes: OverlaidChanges
    ) throws -> [Int64] {
        var affected = try read("fetching \(entity.name)") { connection in
            var rows = AffectedRows(self)
            return try rows.rowIDs(path, connection)
        }
        affected.subtract(changes.excluded)
        for object in changes.candidates { affected.remove(object.record.rowID) }
        return affected.filter { $0 > 0 }
    }

    /// Returns the rowids of the saved rows that match a condition, which replaces the descriptor's own.
    private func rowIDs<Model: PersistentModel>(
        of descriptor: FetchDescriptor<Model>, _ condition: Condition, among rows: [Int64]? = nil, limit: Int?
    ) throws -> [Int64] {
        var request = descriptor
        request.condition = condition
        request.sortOrders = []
        request.indexUse = .automatic
        if let rows { request = request.among(rows) }
        let entity = Model._ashlarEntity
        let sql = try statement(of: request, selecting: entity.selectedIdentifier, limit: limit, offset: nil)
        return try storedIdentifiers(sql, entity).map(\.rowID)
    }

    /// Returns the terms of a descriptor's conjunction that depend only on columns of the row itself.
    private func ownTerms<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>) -> [SQLExpression] {
        let mayReferToDeleted = !pending.deleted.isEmpty
        return (descriptor.condition?.expression.terms ?? []).filter {
            FollowedTables([$0]).isOfOwnColumns(referencesIncluded: !mayReferToDeleted)
        }
    }
}

extension EntityDescription {
    /// Returns whether an index finds the rows that match a term. Such a term compares a column with values.
    fileprivate func hasIndex(for term: SQLExpression) -> Bool {
        let column: String?
        switch term {
        case .comparison(let left, .equal, .value), .comparison(let left, .equal, .identifier): column = left.ownColumn
        case .isIn(let left, _), .isOneOf(let left, _, _): column = left.ownColumn
        default: return false
        }
        guard let column else { return false }
        return column == "id$"
            || indexes.contains { $0.kind == .binary && !$0.isPartial && $0.elements.first?.column == column }
    }
}

extension SQLExpression {
    /// The terms of a conjunction, which must all hold.
    fileprivate var terms: [SQLExpression] {
        if case .and(let terms) = self { terms.flatMap(\.terms) } else { [self] }
    }
}
