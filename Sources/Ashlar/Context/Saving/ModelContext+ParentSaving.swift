/// A save into another context.
extension ModelContext {
    /// Makes the changes of a save of this context changes of the parent.
    ///
    /// - Throws: ``SaveError/conflict(_:)`` when the parent has no object any more that this context changed; nothing is
    ///   changed then.
    func push(_ save: PendingSave, to parent: ModelContext) throws {
        var pairs: [(object: ManagedObject, other: ManagedObject)] = []
        var missing: [MergeConflict] = []
        for update in save.updates {
            if let other = try parentObject(update.object.identifier, parent) {
                pairs.append((update.object, other))
            } else {
                missing.append(try save.conflict(over: update.object))
            }
        }
        if !missing.isEmpty { throw SaveError.conflict(missing) }
        for object in save.inserts {
            pairs.append((object, parent.insertCopy(of: object)))
        }
        for (object, other) in pairs {
            try push(object, to: other, parent)
            if pending.isTouched(object) { parent.touchObject(other) }
        }
        try pushTransients(save, pairs, to: parent)
        try pushLinks(to: parent)
        for object in save.deletes {
            if let other = try parentObject(object.identifier, parent) { parent.deleteObject(other) }
        }
        try parent.throwDeferredError()
    }

    /// Gives the parent's object what this context changed of it.
    private func push(_ object: ManagedObject, to other: ManagedObject, _ parent: ModelContext) throws {
        let original = object.original.map { type(of: object).object(of: $0) }
        let changed = try columns(of: object, changedSince: object.original == nil ? nil : original)
        for (number, relationship) in object.entity.relationships.numbered {
            guard case .column(let column) = relationship.storage, changed.contains(column) else { continue }
            let target = try object.identifier(inColumn: column).flatMap { try parentObject($0, parent) }
            parent.setToOne(other, number, target)
        }
        var sources: [Int: ManagedObject] = [:]
        for column in other.entity.ownColumns {
            let isReference = other.entity.referenceColumns.contains(column)
            sources[column] = changed.contains(column) && !isReference ? object : other
        }
        let values = try composedCopy(like: other, sources).snapshot()
        let mask = other.changes(since: values, in: .max)
        if mask != 0 {
            other._ashlarWillChange(mask)
            other.restore(values)
        }
    }

    /// Gives the parent's objects the transient values that changed here.
    private func pushTransients(
        _ save: PendingSave, _ pairs: [(object: ManagedObject, other: ManagedObject)], to parent: ModelContext
    ) throws {
        for (object, other) in pairs where object.record.state == .inserted || transients.include(object) {
            TransientValues(object)?.assign(to: other)
        }
        for object in save.touched where transients.include(object) {
            guard let other = try parentObject(object.identifier, parent) else { continue }
            TransientValues(object)?.assign(to: other)
        }
    }

    /// Relationships with a table of their own, and the order of ordered ones.
    private func pushLinks(to parent: ModelContext) throws {
        func parentObject(_ rowID: Int64, _ root: UInt16) throws -> ManagedObject? {
            let number = EntityNumber(root: root, entity: root)
            return try self.parentObject(
                PersistentIdentifier(rowID: rowID, store: container.storeNumber(of: root), entity: number), parent)
        }
        for (key, links) in pending.links {
            guard case .joinTable(_, let own, _, _) = links.relationship.storage,
                // Each pair is noted at both ends.
                own == "source$" || links.relationship.inverse == nil,
                let owner = try parentObject(key.rowID, key.root),
                let destination = container.model.entity(named: links.relationship.destination)
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
        for (key, entry) in pending.reordered {
            guard let owner = try parentObject(key.rowID, key.root) else { continue }
            // The parent may have lost members since, or got others, which come last.
            let present = parent.members(of: owner, key.relationship)
            let known = Set(present)
            let ordered = members(of: entry.owner, key.relationship).filter(known.contains)
            let placed = Set(ordered)
            parent.setOrder(ordered + present.filter { !placed.contains($0) }, of: owner, key.relationship)
        }
    }

    /// Inserts a copy of a child's new object under the same identifier, without what it refers to.
    func insertCopy(of object: ManagedObject) -> ManagedObject {
        let copy = copy(of: object)
        for column in copy.entity.referenceColumns { copy.setIdentifier(nil, inColumn: column) }
        register(inserted: copy, keepsRowID: true)
        return copy
    }
}
