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
    /// Objects of the entity that are judged in memory: those that are inserted or changed, and those from which the condition
    /// comes to what is.
    var candidates: [ManagedObject] = []
    /// Rows that the answer of the store, or the parent, must not hold: what is there is not what the context has.
    var excluded: [Int64] = []
    /// Whether a condition follows a relationship to what has changes of its own.
    var areFollowed = false
    /// What the store, or the parent, is asked for.
    var stored = StoredPart.asked

    enum StoredPart {
        /// The rows for which the condition holds.
        case asked
        /// All rows: each is judged in memory, as the condition follows a relationship to what has changes of its own.
        case judged
        /// Nothing, as the condition can hold for no other objects than those that are judged in memory.
        case known
    }
}

extension ModelContext {
    /// Where the objects of a descriptor are read from.
    func source<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>) throws -> FetchSource {
        if descriptor.includePendingChanges, hasChanges,
            let changes = try pendingChanges(descriptor, descriptor.expressions)
        {
            return .overlay(changes)
        }
        return parent.map(FetchSource.parent) ?? .store
    }

    /// Where the rows that values are made of are read from.
    func source<Model: PersistentModel>(of shape: ProjectionShape<Model>) throws -> FetchSource {
        if shape.descriptor.includePendingChanges, hasChanges,
            let changes = try pendingChanges(shape.descriptor, shape.expressions)
        {
            return .overlay(changes)
        }
        return parent.map(FetchSource.parent) ?? .store
    }

    /// The changes that matter to a descriptor and what is made of its objects; nil when none does.
    private func pendingChanges<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ expressions: [SQLExpression]
    ) throws -> OverlaidChanges? {
        let filter = descriptor.pendingFilter
        var changes = changes(of: filter)
        let tables = FollowedTables(expressions)
        if haveChanges(tables) {
            changes.areFollowed = true
            try addAffectedObjects(of: descriptor, expressions, to: &changes) { filter.asks(for: $0) }
        }
        let matter = !changes.candidates.isEmpty || !changes.excluded.isEmpty || changes.stored != .asked
        return matter ? changes : nil
    }

    /// The changed, inserted and deleted objects among those of an entity.
    private func changes(of filter: PendingFilter) -> OverlaidChanges {
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
        return changes
    }

    /// Whether objects have changes that expressions look at from another row.
    private func haveChanges(_ tables: FollowedTables) -> Bool {
        // References to deleted objects count as nil, which the store does not see: others saved them since, or the
        // relationship has no inverse.
        if !pending.deleted.isEmpty, !tables.references.isEmpty {
            if pending.deleted.contains(where: { tables.references.contains($0.entity.tableName) }) { return true }
        }
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

    /// Returns whether objects of an object's entity are asked for.
    func asks(for object: ManagedObject) -> Bool {
        object.entity === entity || includesSubentities && isModel(object)
    }
}

extension FetchDescriptor {
    fileprivate var pendingFilter: PendingFilter {
        PendingFilter(entity: Model._ashlarEntity, includesSubentities: includesSubentities) { $0 is Model }
    }
}
