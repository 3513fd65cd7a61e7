/// Saving into a parent context.
extension ModelContext {
    /// An object of this context, and the parent's object of the same row.
    private struct Twins {
        /// The object. The save retains it, and the caller retains the save.
        let object: Unmanaged<ManagedObject>
        /// The parent's object; nil until it is loaded.
        var other: ManagedObject?
        /// The bits of the columns that changed here; all for a new object.
        let columns: UInt64
    }

    /// Applies the changes of a save of this context to the parent.
    ///
    /// - Throws: ``SaveError/conflict(_:)`` if the parent no longer has an object that this context changed. Then
    ///   nothing is changed.
    func push(_ save: PendingSave, to parent: ModelContext) throws {
        var pairs = try twins(of: save, parent)
        for object in save.inserts {
            pairs.append(
                Twins(object: Unmanaged.passUnretained(object), other: parent.insertCopy(of: object), columns: .max))
        }
        try pairs.withUnsafeBufferPointer { pairs in
            var position = 0
            while position < pairs.count {
                // A copy of the pair would count references.
                let other = pairs[position].other.map { Unmanaged.passUnretained($0) }
                try pairs[position].object._withUnsafeGuaranteedRef { object in
                    try other?._withUnsafeGuaranteedRef {
                        try push(pairs[position].columns, of: object, to: $0, of: parent)
                        if pending.isTouched(object) { parent.touchObject($0) }
                    }
                }
                position &+= 1
            }
        }
        try pushTransients(save, pairs, to: parent)
        if !pending.unknownRawValues.isEmpty { pushUnknownRawValues(pairs, to: parent) }
        try pushLinks(to: parent)
        for object in save.deletes {
            if let other = try parentObject(object.identifier, parent) { parent.deleteObject(other) }
        }
        try parent.throwDeferredError()
    }

    /// Returns the changed objects of a save, paired with the parent's objects.
    private func twins(of save: PendingSave, _ parent: ModelContext) throws -> ContiguousArray<Twins> {
        var pairs: ContiguousArray<Twins> = []
        pairs.reserveCapacity(save.updates.count + save.inserts.count)
        var unknown: [RowKey] = []
        save.updates.withUnsafeBufferPointer { updates in
            var position = 0
            while position < updates.count {
                let row = updates[position].row
                pairs.append(
                    Twins(
                        object: Unmanaged.passUnretained(updates[position].object),
                        other: parent.registry[row.rowID, row.root], columns: updates[position].mask))
                if pairs[position].other == nil { unknown.append(row) }
                position &+= 1
            }
        }
        for object in save.deletes where !parent.registry.contains(object.record.rowID, object.rootNumber) {
            unknown.append(RowKey(object))
        }
        // Held until all are paired, so that a sweep does not release them.
        let loaded = try loadParentObjects(unknown, parent)
        var missing: [MergeConflict] = []
        for position in pairs.indices {
            let object = pairs[position].object
            if pairs[position].other == nil {
                pairs[position].other = try parentObject(object.takeUnretainedValue().identifier, parent)
            }
            let other = pairs[position].other.map { Unmanaged.passUnretained($0) }
            if other?._withUnsafeGuaranteedRef({ $0.record.state != .deleted }) != true {
                missing.append(try save.conflict(over: object.takeUnretainedValue()))
            }
        }
        withExtendedLifetime(loaded) {}
        if !missing.isEmpty { throw SaveError.conflict(missing) }
        return pairs
    }

    /// Loads objects that the parent does not have, with few statements.
    private func loadParentObjects(_ rows: [RowKey], _ parent: ModelContext) throws -> [ManagedObject] {
        var loaded: [ManagedObject] = []
        for (root, rows) in Dictionary(grouping: rows, by: \.root).sorted(by: { $0.key < $1.key }) {
            let stored = rows.map(\.rowID).filter { $0 > 0 }
            if stored.count < 2 { continue }
            parent.loadObjects(container.model.entity(root), stored)
            loaded += stored.compactMap { parent.registry[$0, root] }
        }
        try parent.throwDeferredError()
        return loaded
    }

    /// Copies the changes of an object to the parent's object.
    ///
    /// Values of most types are the same when they come back from the store. If a changed value may differ, all values
    /// are passed through a statement. Unchanged values are not examined: the parent's save reports whether the store
    /// accepts them.
    private func push(
        _ changed: UInt64, of object: ManagedObject, to other: ManagedObject, of parent: ModelContext
    ) throws {
        let traits = object.traits
        if changed & traits.pointee.referenceMask != 0 {
            try pushReferences(changed, of: object, to: other, of: parent)
        }
        let columns = changed & traits.pointee.ownColumns & ~traits.pointee.referenceMask
        if columns == 0 { return }
        guard columns & ~traits.pointee.unconvertedColumns == 0, other.traits == traits else {
            return try pushConverted(object, other)
        }
        // The copy of a new object already has the values.
        if object.record.state == .inserted || other.takeOnlyChange(columns, of: object) { return }
        other.take(columns, from: object)
    }

    private func pushReferences(
        _ changed: UInt64, of object: ManagedObject, to other: ManagedObject, of parent: ModelContext
    ) throws {
        for (number, relationship) in object.entity.relationships.numbered {
            guard case .column(let column) = relationship.storage, changed & ManagedObject.bit(of: column) != 0
            else { continue }
            let target = try object.identifier(inColumn: column).flatMap { try parentObject($0, parent) }
            parent.setToOne(other, number, target)
        }
    }

    /// Copies the changes to the parent's object as the store would return them.
    private func pushConverted(_ object: ManagedObject, _ other: ManagedObject) throws {
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

    /// Copies changed transient values to the parent's objects.
    private func pushTransients(
        _ save: PendingSave, _ pairs: ContiguousArray<Twins>, to parent: ModelContext
    ) throws {
        if save.inserts.isEmpty, transients.isEmpty { return }
        for pair in pairs {
            let object = pair.object.takeUnretainedValue()
            guard let other = pair.other, object.record.state == .inserted || transients.include(object) else {
                continue
            }
            TransientValues(object)?.assign(to: other)
        }
        for object in save.touched where transients.include(object) {
            guard let other = try parentObject(object.identifier, parent) else { continue }
            TransientValues(object)?.assign(to: other)
        }
    }

    /// Passes to the parent the raw values without a case that undone changes restore.
    private func pushUnknownRawValues(_ pairs: ContiguousArray<Twins>, to parent: ModelContext) {
        for pair in pairs {
            let identity = ObjectIdentifier(pair.object.takeUnretainedValue())
            guard let other = pair.other, let kept = pending.unknownRawValues[identity] else { continue }
            parent.pending.noteUnknownRawValues(kept.of(other), areRestored: true)
        }
    }

    /// Applies changes of join tables, and of the order of ordered relationships, to the parent.
    private func pushLinks(to parent: ModelContext) throws {
        func parentObject(_ rowID: Int64, _ root: UInt16) throws -> ManagedObject? {
            let number = EntityNumber(root: root, entity: root)
            return try self.parentObject(
                PersistentIdentifier(rowID: rowID, store: container.storeNumber(of: root), entity: number), parent)
        }
        for (key, links) in pending.links {
            guard case .joinTable(_, let own, _, _) = links.relationship.storage,
                // Each pair is recorded at both ends.
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
            // The parent may have lost members since, or gained others, which come last.
            let present = parent.members(of: owner, key.relationship)
            let known = Set(present)
            let ordered = members(of: entry.owner, key.relationship).filter(known.contains)
            let order: [Int64]
            if pending.isRearranged(key) {
                let placed = Set(ordered)
                order = ordered + present.filter { !placed.contains($0) }
            } else {
                let added = Set(pending.links[key]?.added ?? [])
                order = OrderKeys.placing(ordered, among: present.filter { !added.contains($0) })
            }
            if order != present { parent.setOrder(order, of: owner, key.relationship) }
        }
    }

    /// Inserts a copy of a child's new object under the same identifier, without its references.
    func insertCopy(of object: ManagedObject) -> ManagedObject {
        let copy = copy(of: object)
        for column in copy.entity.referenceColumns { copy.setIdentifier(nil, inColumn: column) }
        register(inserted: copy, keepsRowID: true)
        return copy
    }
}
