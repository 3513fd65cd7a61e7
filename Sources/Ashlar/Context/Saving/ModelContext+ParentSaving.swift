/// A save into another context.
extension ModelContext {
    /// An object of this context and the parent's of the same row.
    private struct Twins {
        let object: ManagedObject
        let other: ManagedObject
        /// The bits of the columns that changed here; all of a new object.
        let columns: UInt64
    }

    /// Makes the changes of a save of this context changes of the parent.
    ///
    /// - Throws: ``SaveError/conflict(_:)`` when the parent has no object any more that this context changed; nothing is
    ///   changed then.
    func push(_ save: PendingSave, to parent: ModelContext) throws {
        // Held until all are paired, so that a sweep does not let them go.
        let loaded = try loadParentObjects(save, parent)
        var pairs: [Twins] = []
        pairs.reserveCapacity(save.updates.count + save.inserts.count)
        var missing: [MergeConflict] = []
        // By their positions, as a copy of each would count references.
        for position in save.updates.indices {
            let row = save.updates[position].row
            var other = parent.registry[row.rowID, row.root]
            if other == nil { other = try parentObject(save.updates[position].object.identifier, parent) }
            if let other, other.record.state != .deleted {
                pairs.append(
                    Twins(object: save.updates[position].object, other: other, columns: save.updates[position].mask))
            } else {
                missing.append(try save.conflict(over: save.updates[position].object))
            }
        }
        withExtendedLifetime(loaded) {}
        if !missing.isEmpty { throw SaveError.conflict(missing) }
        for object in save.inserts {
            pairs.append(Twins(object: object, other: parent.insertCopy(of: object), columns: .max))
        }
        try pairs.withUnsafeBufferPointer { pairs in
            for position in pairs.indices {
                try push(pairs[position], to: parent)
                if pending.isTouched(pairs[position].object) { parent.touchObject(pairs[position].other) }
            }
        }
        try pushTransients(save, pairs, to: parent)
        try pushLinks(to: parent)
        for object in save.deletes {
            if let other = try parentObject(object.identifier, parent) { parent.deleteObject(other) }
        }
        try parent.throwDeferredError()
    }

    /// The objects that a save needs of the parent and that it has not got yet, loaded by few statements.
    private func loadParentObjects(_ save: PendingSave, _ parent: ModelContext) throws -> [ManagedObject] {
        var missing: [UInt16: [Int64]] = [:]
        for position in save.updates.indices {
            let row = save.updates[position].row
            if !parent.registry.contains(row.rowID, row.root) { missing[row.root, default: []].append(row.rowID) }
        }
        for object in save.deletes {
            let root = object.rootNumber
            let rowID = object.record.rowID
            if parent.registry[rowID, root] == nil { missing[root, default: []].append(rowID) }
        }
        var loaded: [ManagedObject] = []
        for (root, rowIDs) in missing.sorted(by: { $0.key < $1.key }) {
            let stored = rowIDs.filter { $0 > 0 }
            if stored.count < 2 { continue }
            parent.loadObjects(container.model.entity(root), stored)
            loaded += stored.compactMap { parent.registry[$0, root] }
        }
        try parent.throwDeferredError()
        return loaded
    }

    /// Gives the parent's object what this context changed of it.
    ///
    /// Values of most types are what they were when they come back from the store. Where one changed that may not be, all
    /// take the way through a statement. What did not change is not looked at: whether the store can keep it, the parent's
    /// save tells.
    private func push(_ pair: Twins, to parent: ModelContext) throws {
        let traits = pair.object.traits
        if pair.columns & traits.pointee.referenceMask != 0 { try pushReferences(pair, to: parent) }
        let columns = pair.columns & traits.pointee.ownColumns & ~traits.pointee.referenceMask
        if columns == 0 { return }
        guard columns & ~traits.pointee.unconvertedColumns == 0, pair.other.traits == traits else {
            return try pushConverted(pair)
        }
        // A new object's copy has them already.
        if pair.object.record.state != .inserted { pair.other.take(columns, from: pair.object) }
    }

    private func pushReferences(_ pair: Twins, to parent: ModelContext) throws {
        for (number, relationship) in pair.object.entity.relationships.numbered {
            guard case .column(let column) = relationship.storage,
                pair.columns & ManagedObject.bit(of: column) != 0
            else { continue }
            let target = try pair.object.identifier(inColumn: column).flatMap { try parentObject($0, parent) }
            parent.setToOne(pair.other, number, target)
        }
    }

    /// Gives the parent's object what changed, as the store would give it back.
    private func pushConverted(_ pair: Twins) throws {
        let (object, other) = (pair.object, pair.other)
        let original = object.record.state == .inserted ? nil : object.original
        let changed = try columns(of: object, changedSince: original.map { type(of: object).object(of: $0) })
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
        _ save: PendingSave, _ pairs: [Twins], to parent: ModelContext
    ) throws {
        if save.inserts.isEmpty, transients.isEmpty { return }
        for pair in pairs where pair.object.record.state == .inserted || transients.include(pair.object) {
            TransientValues(pair.object)?.assign(to: pair.other)
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
