import AshlarSQLite
import Containers

/// Where a fetch is answered from. Whatever is asked of a descriptor, objects, identifiers, values, counts or existence,
/// the answer comes from the same place.
enum FetchSource {
    /// The store: no change of the context matters.
    case store
    /// The context's parent: no change of the context matters.
    case parent(ModelContext)
    /// The store, or the parent, with changes of the context laid over it.
    case overlay(OverlaidChanges)
}

/// The unsaved changes of a context that matter to a fetch.
struct OverlaidChanges {
    /// Objects of the entity that are inserted or changed, which are judged in memory.
    var candidates: [ManagedObject] = []
    /// Rows that the answer of the store, or the parent, must not hold: what is there is not what the context has.
    var excluded: [Int64] = []
    /// Whether neither can answer, as a condition follows a relationship to what has changes of its own.
    var isJudgedInMemory = false
}

extension ModelContext {
    /// Where the objects of a descriptor are read from.
    func source<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>) -> FetchSource {
        if descriptor.includePendingChanges, hasChanges,
            let changes = pendingChanges(descriptor.pendingFilter, following: descriptor.followedTables)
        {
            return .overlay(changes)
        }
        return parent.map(FetchSource.parent) ?? .store
    }

    /// Where the rows that values are made of are read from.
    func source<Model: PersistentModel>(of shape: ProjectionShape<Model>) -> FetchSource {
        if shape.descriptor.includePendingChanges, hasChanges,
            let changes = pendingChanges(shape.descriptor.pendingFilter, following: shape.tables)
        {
            return .overlay(changes)
        }
        return parent.map(FetchSource.parent) ?? .store
    }

    /// The changes that matter to a descriptor; nil when none does.
    private func pendingChanges(_ filter: PendingFilter, following tables: FollowedTables) -> OverlaidChanges? {
        let root = filter.entity.number.root
        var changes = OverlaidChanges()
        for object in pending.inserted where object.record.state == .inserted {
            if filter.asks(for: object) { changes.candidates.append(object) }
        }
        for object in pending.changed where object.record.state == .persisted && object.rootNumber == root {
            // Members that came or left are changed themselves.
            if object.keepsRow { continue }
            changes.excluded.append(object.record.rowID)
            if filter.asks(for: object) { changes.candidates.append(object) }
        }
        for object in pending.deleted where object.rootNumber == root {
            changes.excluded.append(object.record.rowID)
        }
        changes.isJudgedInMemory = haveChanges(tables)
        if !changes.isJudgedInMemory { addRowsReferringToDeleted(filter, tables.ownReferences, to: &changes) }
        let matter = !changes.candidates.isEmpty || !changes.excluded.isEmpty || changes.isJudgedInMemory
        return matter ? changes : nil
    }

    /// Has rows judged in memory whose foreign keys refer to objects that are deleted here: others saved them since, or the
    /// relationship has no inverse. Their properties are nil, which the store does not see.
    private func addRowsReferringToDeleted(
        _ filter: PendingFilter, _ references: [String: String], to changes: inout OverlaidChanges
    ) {
        if references.isEmpty || pending.deleted.isEmpty { return }
        let entity = filter.entity
        for (column, table) in references.sorted(by: { $0.key < $1.key }) {
            let deleted = pending.deleted.filter { $0.entity.tableName == table }.map(\.record.rowID)
            if deleted.isEmpty { continue }
            if parent != nil {
                changes.isJudgedInMemory = true
                return
            }
            do {
                let known = Set(changes.excluded)
                let rowIDs = try rows(of: entity, inWhich: column, isOneOf: deleted).filter { !known.contains($0) }
                if rowIDs.isEmpty { continue }
                loadObjects(container.model.entity(entity.number.root), rowIDs)
                changes.excluded += rowIDs
                let map = registry.map(for: entity.number.root)
                for object in rowIDs.lazy.compactMap({ map[$0] }) where filter.asks(for: object) {
                    changes.candidates.append(object)
                }
            } catch {
                errors.note(error)
            }
        }
    }

    private func rows(of entity: EntityDescription, inWhich column: String, isOneOf rowIDs: [Int64]) throws -> [Int64] {
        let sql =
            "SELECT \"id$\" FROM \(entity.tableName.quotedIdentifier) WHERE \(column.quotedIdentifier) IN "
            + "(SELECT \"value\" FROM json_each(?1))"
        return try read("fetching \(entity.name)") { try $0.rows(sql, [.text(RowIDList.json(rowIDs))]) }.compactMap {
            if case .integer(let rowID) = $0[0] { rowID } else { nil }
        }
    }

    private func haveChanges(_ tables: FollowedTables) -> Bool {
        if pending.deleted.contains(where: { tables.otherReferences.contains($0.entity.tableName) }) { return true }
        if tables.isEmpty { return false }
        let all = tables.referenced.union(tables.referring)
        return pending.changed.contains { all.contains($0.entity.tableName) && !$0.keepsRow }
            || pending.deleted.contains { all.contains($0.entity.tableName) }
            || pending.inserted.contains { tables.referring.contains($0.entity.tableName) }
    }
}

/// Of which objects a descriptor is, looked up once for all changes of a context.
private struct PendingFilter {
    let entity: EntityDescription
    let includesSubentities: Bool
    let isModel: (ManagedObject) -> Bool

    /// Whether objects of an object's entity are asked for.
    func asks(for object: ManagedObject) -> Bool {
        object.entity === entity || includesSubentities && isModel(object)
    }
}

extension FetchDescriptor {
    fileprivate var pendingFilter: PendingFilter {
        PendingFilter(entity: Model._ashlarEntity, includesSubentities: includesSubentities) { $0 is Model }
    }
}
