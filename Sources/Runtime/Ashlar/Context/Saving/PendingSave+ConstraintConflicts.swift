import AshlarSQLite
import SystemFoundation

/// Settling conflicts over unique values before anything is written.
extension PendingSave {
    /// Values of one uniqueness constraint, as the store compares them.
    private struct ConstraintKey: Hashable {
        var table: String
        var columns: [Int]
        var values: [SQLiteValue]
    }

    /// The object or row that already has the values.
    private enum Holder {
        case object(ManagedObject)
        case row(Int64)
    }

    /// Settles conflicts over unique values by the context's policy. The default policy leaves them to the store.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    func resolveConstraintConflicts() throws -> Bool {
        if conflicts.mergePolicy.isError { return false }
        var holders: [ConstraintKey: ManagedObject] = [:]
        var found = false
        /// Records the values of an object that took over a row, for the objects after it.
        func note(_ object: ManagedObject) {
            for columns in object.entity.schema.uniquenessConstraints {
                if let key = Self.key(of: object, columns) { holders[key] = object }
            }
        }
        for update in updates where update.adopted != nil { note(update.object) }
        for update in updates where update.adopted == nil {
            let object = update.object
            for columns in object.entity.schema.uniquenessConstraints
            where columns.contains(where: { update.mask & ManagedObject.bit(of: $0) != 0 }) {
                guard let key = Self.key(of: object, columns) else { continue }
                if holders[key] == nil { holders[key] = object }
                guard let holder = try holder(of: columns, object, holders: [:], key) else { continue }
                try settle(changed: object, columns, holder)
                found = true
            }
        }
        var leaving: Set<ObjectIdentifier> = []
        for object in inserts where object.record.state == .inserted {
            var keys: [ConstraintKey] = []
            for columns in object.entity.schema.uniquenessConstraints {
                guard let key = Self.key(of: object, columns) else { continue }
                if let holder = try holder(of: columns, object, holders: holders, key) {
                    try settle(inserted: object, columns, holder)
                    if case .row = holder { note(object) }
                    leaving.insert(ObjectIdentifier(object))
                    found = true
                    break
                }
                keys.append(key)
            }
            if leaving.contains(ObjectIdentifier(object)) { continue }
            for key in keys { holders[key] = object }
        }
        if !leaving.isEmpty { inserts.removeAll { leaving.contains(ObjectIdentifier($0)) } }
        // Combined values may break a rule that both sides satisfied.
        if found { try validate() }
        return found
    }

    /// Returns nil if one of the values is NULL, which conflicts with nothing.
    private static func key(of object: ManagedObject, _ columns: [Int]) -> ConstraintKey? {
        var values: [SQLiteValue] = []
        for column in columns {
            switch object.sqliteValue(column) {
            case .null: return nil
            // The store compares bytes, but Swift considers texts equal that differ in the composition of accents.
            case .text(let text): values.append(.blob(Data(text.utf8)))
            case let value: values.append(value)
            }
        }
        return ConstraintKey(table: object.entity.tableName, columns: columns, values: values)
    }

    private func holder(
        of columns: [Int], _ object: ManagedObject, holders: [ConstraintKey: ManagedObject], _ key: ConstraintKey
    ) throws -> Holder? {
        if let holder = holders[key], holder !== object { return .object(holder) }
        guard let rowID = try conflicts.row(with: columns, of: object), rowID != object.record.rowID else { return nil }
        let identifier = PersistentIdentifier(
            rowID: rowID, store: container.storeNumber(of: object.rootNumber),
            entity: object.entity.number)
        guard let known = registry.object(identifier) else { return .row(rowID) }
        // A row that this save deletes or gives another value leaves its value free.
        if known.record.state == .deleted { return nil }
        return Self.key(of: known, columns) == key ? .object(known) : nil
    }

    // MARK: Settling

    /// Returns the policy for an object and the holder of its values.
    private func policy(
        _ object: ManagedObject, _ columns: [Int], _ stored: ManagedObject?, _ original: ManagedObject?
    ) throws -> MergePolicy {
        let entity = object.entity
        let properties = columns.map { entity.columns[$0].property }
        let isNew = object.record.state == .inserted
        let values = zip(properties, columns).map { ($0, object.sqliteValue($1)) }
        let conflict = MergeConflict(
            object: object.identifier, entity: entity.name, kind: .notUnique(properties),
            oldVersion: isNew ? 0 : object.record.version, newVersion: stored?.record.version ?? 0,
            changedProperties: properties, storeChangedProperties: [],
            values: Dictionary(values) { first, _ in first })
        beforeMerging.append(ObjectState(object))
        let policy = try conflicts.mergePolicy.settled(conflict, object, stored, original)
        if policy.isError { throw SaveError.takenValues(of: object, columns) }
        return policy
    }

    /// Restores former values of a changed object.
    private func settle(changed object: ManagedObject, _ columns: [Int], _ holder: Holder) throws {
        let rowID = object.record.rowID
        guard let stored = try conflicts.storedCopy(of: rowID, like: object) else { return }
        let taken: ManagedObject? =
            switch holder {
            case .object(let other): other
            case .row(let other): try conflicts.storedCopy(of: other, like: object)
            }
        var kept: [Int: ManagedObject] = [:]
        switch try policy(object, columns, taken, stored).kind {
        case .storeTrump:
            let returned = conflicts.completing(Set(columns), of: object, against: stored)
            for column in object.entity.ownColumns where !returned.contains(column) { kept[column] = object }
        case .rollback: break
        case .objectTrump, .overwrite, .error, .custom:
            throw SaveError.takenValues(of: object, columns)
        }
        guard let merged = try conflicts.storedCopy(of: rowID, like: object, keeping: kept) else { return }
        take(merged, stored, into: object)
        update(object)
    }

    /// Replaces a new object by the holder of its values, or changes the holder.
    private func settle(inserted object: ManagedObject, _ columns: [Int], _ holder: Holder) throws {
        graph.giveUpPermanentIdentifier(of: object)
        switch holder {
        case .row(let rowID):
            guard let stored = try conflicts.storedCopy(of: rowID, like: object) else { return }
            let policy = try policy(object, columns, stored, nil)
            try requireSameClass(object, stored, columns)
            var kept: [Int: ManagedObject] = [:]
            for column in try winning(object, policy) { kept[column] = object }
            guard let merged = try conflicts.storedCopy(of: rowID, like: object, keeping: kept) else { return }
            take(merged, stored, into: object)
            update(object)
            withUpdate(of: object) { $0.adopted = AdoptedRow(rowID: rowID, version: stored.record.version) }
        case .object(let other):
            let policy = try policy(object, columns, conflicts.copy(of: other), nil)
            try requireSameClass(object, other, columns)
            var sources: [Int: ManagedObject] = [:]
            for column in other.entity.ownColumns { sources[column] = other }
            for column in try winning(object, policy) { sources[column] = object }
            beforeMerging.append(ObjectState(other))
            let composed = try conflicts.composedCopy(like: other, sources).snapshot()
            if other.record.state == .persisted, other.original == nil {
                other.original = other.snapshot()
            }
            other.restore(composed)
            // The object was saved before, or took over a row.
            if other.original != nil { update(other) }
            replaced.append(object)
            replacements[object.record.rowID] = other
        }
    }

    /// Returns the columns whose values the row receives from the new object.
    private func winning(_ object: ManagedObject, _ policy: MergePolicy) throws -> [Int] {
        switch policy.kind {
        case .overwrite: object.entity.ownColumns
        // Nil means that no value was given.
        case .objectTrump: try object.entity.ownColumns.filter { try !conflicts.storedValue($0, of: object).isNull }
        case .storeTrump, .rollback, .error, .custom: []
        }
    }

    /// Throws if the row would have to change its entity.
    private func requireSameClass(_ object: ManagedObject, _ other: ManagedObject, _ columns: [Int]) throws {
        if type(of: object) != type(of: other) {
            throw SaveError.takenValues(of: object, columns)
        }
    }
}
