import Ashlar

/// The combined effect of consecutive changes of objects.
struct ToldChanges {
    private var wasThere: [PersistentIdentifier: Bool] = [:]
    private var isThere: [PersistentIdentifier: Bool] = [:]

    mutating func add(_ operation: RowChange.Operation, _ identifier: PersistentIdentifier) {
        if wasThere[identifier] == nil { wasThere[identifier] = operation != .insert }
        if operation != .update || isThere[identifier] == nil { isThere[identifier] = operation != .delete }
    }

    mutating func add(_ application: ChangesetApplication) {
        for identifier in application.inserted { add(.insert, identifier) }
        for identifier in application.updated { add(.update, identifier) }
        for identifier in application.deleted { add(.delete, identifier) }
    }

    var changes: ChangedObjects {
        var changes = ChangedObjects()
        for (identifier, was) in wasThere {
            switch (was, isThere[identifier] ?? false) {
            case (false, false): continue
            case (false, true): changes.inserted.append(identifier)
            case (true, false): changes.deleted.append(identifier)
            case (true, true): changes.updated.append(identifier)
            }
        }
        changes.inserted.sort()
        changes.updated.sort()
        changes.deleted.sort()
        return changes
    }
}
