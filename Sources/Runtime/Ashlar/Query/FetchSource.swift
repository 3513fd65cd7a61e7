import AshlarSQLite
import Containers

/// The source of a fetch's results. Objects, identifiers, values, counts and existence all come from the same source.
enum FetchSource {
    /// The store, because no change of the context matters.
    case store
    /// The context's parent, because no change of the context matters.
    case parent(ModelContext)
    /// The store or the parent, with changes of the context added.
    case overlay(OverlaidChanges)
}

/// The unsaved changes of a context that matter to a fetch.
struct OverlaidChanges {
    /// Objects of the entity to evaluate in memory: inserted and changed ones, and those from which the condition
    /// follows relationships to changed ones.
    var candidates: [ManagedObject] = []
    /// Rows to exclude from the result of the store or the parent, because the context has other values for them.
    var excluded: [Int64] = []
    /// Whether a condition follows a relationship to objects with changes of their own.
    var areFollowed = false
    /// The part of the rows that the store or the parent returns.
    var stored = StoredPart.asked

    enum StoredPart {
        /// The rows for which the condition holds.
        case asked
        /// All rows. Each is evaluated in memory, because the condition follows a relationship to objects with changes.
        case judged
        /// None, because the condition can only hold for objects that are evaluated in memory.
        case known
    }
}

extension ModelContext {
    /// Returns the source of the objects of a descriptor.
    func source<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>) throws -> FetchSource {
        if descriptor.includePendingChanges, hasChanges,
            let changes = try pendingChanges(descriptor, descriptor.expressions)
        {
            return .overlay(changes)
        }
        return parent.map(FetchSource.parent) ?? .store
    }

    /// Returns the source of the rows from which values are computed.
    func source<Model: PersistentModel>(of shape: ProjectionShape<Model>) throws -> FetchSource {
        if shape.descriptor.includePendingChanges, hasChanges,
            let changes = try pendingChanges(shape.descriptor, shape.expressions)
        {
            return .overlay(changes)
        }
        return parent.map(FetchSource.parent) ?? .store
    }

    /// Returns the changes that matter to a descriptor and to expressions on its objects; nil if none do.
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

    /// Returns the changed, inserted and deleted objects of an entity.
    private func changes(of filter: PendingFilter) -> OverlaidChanges {
        let root = filter.entity.number.root
        var changes = OverlaidChanges()
        for object in pending.inserted where object.record.state == .inserted {
            if filter.asks(for: object) { changes.candidates.append(object) }
        }
        for object in pending.changed where object.record.state == .persisted && object.rootNumber == root {
            // If members were added or removed, the members themselves have changes.
            if object.keepsRow { continue }
            changes.excluded.append(object.record.rowID)
            if filter.asks(for: object) { changes.candidates.append(object) }
        }
        for object in pending.deleted where object.rootNumber == root {
            changes.excluded.append(object.record.rowID)
        }
        return changes
    }

    /// Returns whether objects have changes that expressions read from other rows.
    private func haveChanges(_ tables: FollowedTables) -> Bool {
        // References to deleted objects count as nil, which the store does not reflect if others saved references
        // since, or if the relationship has no inverse.
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

/// Decides whether objects belong to a descriptor's entity. It is created once for all changes of a context.
private struct PendingFilter {
    let entity: EntityDescription
    let includesSubentities: Bool
    let isModel: (ManagedObject) -> Bool

    /// Returns whether the descriptor fetches objects of an object's entity.
    func asks(for object: ManagedObject) -> Bool {
        object.entity === entity || includesSubentities && isModel(object)
    }
}

extension FetchDescriptor {
    fileprivate var pendingFilter: PendingFilter {
        PendingFilter(entity: Model._ashlarEntity, includesSubentities: includesSubentities) { $0 is Model }
    }
}
