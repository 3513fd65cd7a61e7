/// A save into another context.
extension PendingSave {
    /// Makes the changes of this save changes of the parent.
    ///
    /// - Throws: ``SaveError/conflict(_:)`` when the parent has no object any more that this context changed; nothing is
    ///   changed then.
    func push(to parent: ModelContext) throws {
        var pairs: [(object: ManagedObject, other: ManagedObject)] = []
        var missing: [MergeConflict] = []
        for update in updates {
            if let other = try context.parentObject(update.object.identifier, parent) {
                pairs.append((update.object, other))
            } else {
                missing.append(try conflict(over: update.object))
            }
        }
        if !missing.isEmpty { throw SaveError.conflict(missing) }
        for object in inserts {
            pairs.append((object, parent.insertCopy(of: object)))
        }
        for (object, other) in pairs { try push(object, to: other, parent) }
        try pushTransients(pairs, to: parent)
        try pushLinks(to: parent)
        for object in deletes {
            if let other = try context.parentObject(object.identifier, parent) { parent.deleteObject(other) }
        }
        try parent.throwDeferredError()
    }

    /// Gives the parent's object what this context changed of it.
    private func push(_ object: ManagedObject, to other: ManagedObject, _ parent: ModelContext) throws {
        let original = object.original.map { type(of: object).object(of: $0) }
        let changed = try context.columns(of: object, changedSince: object.original == nil ? nil : original)
        for (number, relationship) in object.entity.relationships.enumerated() {
            guard case .column(let column) = relationship.storage, changed.contains(column) else { continue }
            let target = try object.identifier(inColumn: column).flatMap { try context.parentObject($0, parent) }
            parent.setToOne(other, number, target)
        }
        var sources: [Int: ManagedObject] = [:]
        for column in other.entity.ownColumns {
            let isReference = other.entity.referenceColumns.contains(column)
            sources[column] = changed.contains(column) && !isReference ? object : other
        }
        let values = try context.composedCopy(like: other, sources).snapshot()
        let mask = other.changes(since: values, in: .max)
        if mask != 0 {
            other._ashlarWillChange(mask)
            other.restore(values)
        }
    }

    /// Relationships with a table of their own, and the order of ordered ones.
    private func pushLinks(to parent: ModelContext) throws {
        let container = context.container
        func parentObject(_ rowID: Int64, _ root: UInt16) throws -> ManagedObject? {
            let number = EntityNumber(root: root, entity: root)
            return try context.parentObject(
                PersistentIdentifier(rowID: rowID, store: container.storeNumber(of: root), entity: number), parent)
        }
        for (key, links) in context.pendingLinks {
            guard case .joinTable(_, let own, _, _) = links.relationship.storage,
                // Each pair is noted at both ends.
                own == "source$" || links.relationship.inverse == nil,
                let owner = try parentObject(key.rowID, key.root),
                let destination = context.container.model.entity(named: links.relationship.destination)
            else { continue }
            for member in links.removed.sorted() {
                guard let other = try parentObject(member, destination.number.root) else { continue }
                parent.remove(other, from: owner, key.relationship)
            }
            for member in links.added {
                guard let other = try parentObject(member, destination.number.root) else { continue }
                parent.add(other, to: owner, key.relationship)
            }
        }
        for (key, entry) in context.reordered {
            guard let owner = try parentObject(key.rowID, key.root) else { continue }
            // The parent may have lost members since, or got others, which come last.
            let present = parent.members(of: owner, key.relationship)
            let known = Set(present)
            let ordered = context.members(of: entry.owner, key.relationship).filter(known.contains)
            let placed = Set(ordered)
            parent.setOrder(ordered + present.filter { !placed.contains($0) }, of: owner, key.relationship)
        }
    }
}

extension ModelContext {
    /// Inserts a copy of a child's new object under the same identifier, without what it refers to.
    func insertCopy(of object: ManagedObject) -> ManagedObject {
        let copy = copy(of: object)
        for column in copy.entity.referenceColumns { copy.setIdentifier(nil, inColumn: column) }
        register(inserted: copy, keepsRowID: true)
        return copy
    }
}
