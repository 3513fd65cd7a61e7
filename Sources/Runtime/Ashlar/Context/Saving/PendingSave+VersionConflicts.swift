/// Thrown by a transaction that found ``PendingSave/conflicting`` objects.
struct VersionConflict: Error {}

/// Rows that others changed or deleted since this context read them.
extension PendingSave {
    /// Settles conflicts by the context's policy, and throws ``SaveError/conflict(_:)`` for those that it leaves.
    func resolveVersionConflicts() throws {
        var unresolved: [MergeConflict] = []
        let adopting = conflicting.filter { $0.record.state == .inserted }
        giveUpAdoptedRows(of: adopting)
        for object in conflicting where object.record.state != .inserted {
            let stored = try conflicts.storedCopy(of: object.record.rowID, like: object)
            let original = conflicts.originalCopy(of: object)
            beforeMerging.append(ObjectState(object))
            if let stored, try combines(object, stored, original) {
                try merge(object, with: stored, original, .mergeByPropertyObjectTrump)
                continue
            }
            let conflict = try conflicts.conflict(object, stored, original)
            let policy = try conflicts.mergePolicy.settled(conflict, object, stored, original)
            if policy.isError {
                unresolved.append(conflict)
                continue
            }
            if let stored {
                try merge(object, with: stored, original, policy)
            } else {
                settleLoss(of: object, policy)
            }
        }
        if !unresolved.isEmpty { throw SaveError.conflict(unresolved) }
        let settled = Set(conflicting.map(ObjectIdentifier.init))
        for index in conflictDetections.indices {
            let object = conflictDetections[index].object
            if settled.contains(ObjectIdentifier(object)) { conflictDetections[index].version = object.record.version }
        }
        if !adopting.isEmpty { try resolveConstraintConflicts() }
        // Combined values may break a rule that both sides satisfied.
        try validate()
        try clearReferencesToMissingRows()
    }

    func conflict(over object: ManagedObject) throws -> MergeConflict {
        let stored = try conflicts.storedCopy(of: object.record.rowID, like: object)
        return try conflicts.conflict(object, stored, conflicts.originalCopy(of: object))
    }

    /// Returns whether an object and its row can be combined as a merge before the save would have done.
    private func combines(_ object: ManagedObject, _ stored: ManagedObject, _ original: ManagedObject) throws -> Bool {
        guard object.record.state == .persisted, !conflictDetections.contains(where: { $0.object === object })
        else { return false }
        return try conflicts.changedColumns(of: object, since: original, stored)
            .combines(mergesAutomatically: conflicts.automaticallyMergesChangesFromParent)
    }

    /// Resets new objects that took over rows that others changed or deleted since, and objects that gave way to them.
    /// All are new again, and their unique values are looked up once more.
    private func giveUpAdoptedRows(of objects: [ManagedObject]) {
        if objects.isEmpty { return }
        let before = Dictionary(
            beforeMerging.map { (ObjectIdentifier($0.object), $0) }, uniquingKeysWith: { first, _ in first })
        var returning = objects
        let adopting = Set(objects.map(ObjectIdentifier.init))
        for object in replaced {
            guard let other = replacements[object.record.rowID], adopting.contains(ObjectIdentifier(other)) else {
                continue
            }
            replacements[object.record.rowID] = nil
            returning.append(object)
        }
        replaced.removeAll { object in returning.contains { $0 === object } }
        removeUpdates(of: adopting)
        for object in returning {
            before[ObjectIdentifier(object)]?.restore()
            inserts.append(object)
        }
    }

    // MARK: A row that was changed

    func merge(
        _ object: ManagedObject, with stored: ManagedObject, _ original: ManagedObject?, _ policy: MergePolicy
    ) throws {
        if object.record.state == .deleted {
            switch policy.kind {
            case .objectTrump, .overwrite: object.record.version = stored.record.version
            case .storeTrump, .rollback, .error, .custom: keep(object, stored)
            }
            return
        }
        let changed = try conflicts.changedColumns(of: object, since: original, stored)
        let kept = Dictionary(uniqueKeysWithValues: changed.kept(by: policy, of: object).map { ($0, object) })
        let merged = try conflicts.storedCopy(
            of: object.record.rowID, like: object, keeping: kept, values: changed.sums)
        guard let merged else {
            // The row was deleted meanwhile.
            return settleLoss(of: object, policy)
        }
        // Others changed the row meanwhile; the next attempt finds this again.
        if merged.record.version != stored.record.version { return }
        take(merged, stored, into: object)
        update(object)
    }

    /// Sets merged values, as if the object had been read from the present row and then changed.
    func take(_ merged: ManagedObject, _ stored: ManagedObject, into object: ManagedObject) {
        object.restore(merged.snapshot())
        object.original = stored.snapshot()
        object.record.version = merged.record.version
    }

    /// Updates an object's columns to write to those that differ from the present row. If none differs, an empty update
    /// remains, so that the object counts as saved.
    func update(_ object: ManagedObject) {
        guard let original = object.original else { return }
        let mask = object.changes(since: original, in: .max)
        withUpdate(of: object) { $0.mask = mask }
    }

    /// Keeps an object that was deleted here, because others changed it.
    func keep(_ object: ManagedObject, _ stored: ManagedObject) {
        deletes.removeAll { $0 === object }
        take(stored, stored, into: object)
        restored.append(object)
        // The save clears other objects' references to it, unless that is reverted.
        for update in updates {
            let other = update.object
            guard let original = other.original else { continue }
            let copy = conflicts.copy(of: other)
            copy.restore(original)
            for column in other.entity.referenceColumns where other.identifier(inColumn: column) == nil {
                guard copy.identifier(inColumn: column) == object.identifier else { continue }
                beforeMerging.append(ObjectState(other))
                other.setIdentifier(object.identifier, inColumn: column)
                self.update(other)
            }
        }
    }

    // MARK: A row that was deleted

    private func settleLoss(of object: ManagedObject, _ policy: MergePolicy) {
        removeUpdate(of: object)
        switch policy.kind {
        case .objectTrump, .overwrite:
            inserts.append(object)
            // The new version is far from all earlier ones, so that contexts with an old version detect another row.
            returned[ObjectIdentifier(object)] = object.record.version &+ Int64.random(in: 1 << 20..<1 << 40)
        case .storeTrump, .rollback, .error, .custom:
            lost.append(object)
        }
    }
}
