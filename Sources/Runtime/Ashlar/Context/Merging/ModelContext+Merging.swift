/// The merging of other contexts' saves.
extension ModelContext {
    /// Whether the context automatically merges the saves of other contexts of the container.
    ///
    /// It defaults to false, and to true for ``ModelContainer/mainContext``.
    ///
    ///     context.automaticallyMergesChangesFromParent = true
    ///
    /// Unchanged objects get the new values. Changed objects get those of the properties that they did not change.
    /// Deleted objects leave the context. ``mergePolicy`` decides about a property that both sides changed; under
    /// ``MergePolicy/error`` it stays a conflict, which ``save()`` throws.
    ///
    /// The context merges when it next fetches or processes its pending changes, and after its own saves. The main
    /// context and those of a ``BackgroundContext`` also merge by themselves soon after the other save. Core Data has a
    /// property of the same name, with which the context's value wins.
    public var automaticallyMergesChangesFromParent: Bool {
        get { subscription.isOn }
        set {
            if newValue == subscription.isOn { return }
            if newValue {
                subscription.begin(container.hub, wake: wake)
            } else {
                subscription.end(container.hub)
            }
        }
    }

    /// Merges the changes of another context into this one.
    ///
    /// It merges one notification; ``automaticallyMergesChangesFromParent`` merges every save.
    ///
    ///     for await notification in container.saves() {
    ///         try context.mergeChanges(from: notification)
    ///     }
    ///
    /// - Parameter notification: The notification of a save by a context of the same container, on any task.
    ///   Identifiers of other stores are ignored.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func mergeChanges(from notification: ContextNotification) throws {
        try throwDeferredError()
        try merge(notification.limited(to: container))
    }

    private func merge(_ notification: ContextNotification) throws {
        reading.advance()
        if let batch = notification.batch { return try merge(batch) }
        for identifier in notification.deletedIdentifiers {
            guard let object = registry.object(identifier) else { continue }
            // If the object has changes here, its deletion is a conflict, which the next save reports.
            if object.record.state == .persisted, !object.record.isListed || object.keepsRow {
                lose(object)
            } else {
                pending.noteRowToMerge(RowKey(root: identifier.number.root, rowID: identifier.rowID))
                if object.record.state == .persisted { keepAsMember(object) }
            }
        }
        if listeners.observers.wants(.objectsDidChange) {
            listeners.event?.merged += notification.insertedIdentifiers.filter { registry.object($0) == nil }
        }
        // A deleted row that was inserted again counts as inserted.
        let inserted = notification.insertedIdentifiers
        let identifiers = inserted + notification.updatedIdentifiers + notification.refreshedIdentifiers
        var start = 0
        while start < identifiers.count {
            let end = min(start + Self.maximumCopies, identifiers.count)
            let stored = try storedCopies(of: rowsMergedByCopy(identifiers[start..<end]))
            for position in start..<end {
                let identifier = identifiers[position]
                // Each copy is used once, because the object may exchange its values with the copy's.
                let copy = stored[identifier.number.root]?.take(identifier.rowID)
                guard let object = registry.object(identifier) else { continue }
                if object.record.state == .persisted {
                    // A fetch may have registered a new row before.
                    try refreshObject(
                        object, mergeChanges: true, settlesConflicts: true, tellsOfSame: position >= inserted.count,
                        stored: copy)
                } else {
                    pending.noteRowToMerge(RowKey(root: identifier.number.root, rowID: identifier.rowID))
                }
            }
            start = end
        }
        for (root, rowIDs) in notification.derivedRows.sorted(by: { $0.key < $1.key }) {
            let map = registry.map(for: root)
            let known = rowIDs.filter { map[$0]?.record.state == .persisted }.sorted()
            if !known.isEmpty { try readDerivedValues(container.model.entity(root), known, map, isMerged: true) }
        }
        let roots = Set(notification.identifiers.map(\.number.root))
        forgetMembers(leadingTo: roots)
        try settlePartners(ofRowsIn: roots)
        for results in listeners.liveResults.all { results.note(notification) }
    }

    /// The most rows that a merge reads together.
    private static var maximumCopies: Int { 1000 }

    /// Returns the rows that a merge reads along with others. An object's callback may change the store, after which
    /// the earlier data is outdated.
    private func rowsMergedByCopy(_ identifiers: ArraySlice<PersistentIdentifier>) -> [RowKey] {
        if parent != nil { return [] }
        let derived = container.model.rootsWithDerivedColumns.map(\.number.root)
        return identifiers.compactMap { identifier in
            guard let object = registry.object(identifier), object.record.state == .persisted,
                !object.traits.pointee.hasLifecycle, !derived.contains(identifier.number.root)
            else { return nil }
            return RowKey(root: identifier.number.root, rowID: identifier.rowID)
        }
    }

    /// Keeps an object as a member of its destinations, although its row was deleted. Its links were deleted with the
    /// row.
    private func keepAsMember(_ object: ManagedObject) {
        for (number, relationship) in object.entity.relationships.numbered {
            if case .joinTable = relationship.storage { forgetMembers(of: object, number) }
        }
        for (column, inverse, other) in heldReferences(of: object) {
            guard let target = object.identifier(inColumn: column) else { continue }
            let key = LinkKey(target, inverse)
            pending.links(key, other).add(object.record.rowID)
            // Its position is only in the list of members, which must be kept when the members are loaded again.
            if other.pointee.isOrdered, let owner = registry.object(target), owner.hasLoaded(inverse) {
                pending.reorder(key, of: owner, other, isRearranged: false)
            }
        }
    }

    /// Makes relationships load their members again if they lead to tables that others wrote.
    func forgetMembers(leadingTo roots: Set<UInt16>, onlyWithoutInverse: Bool = false) {
        registry.visitWithLinks { object in
            for number in object.loadedRelationships {
                if onlyWithoutInverse, object.entity.relationships[number].inverse != nil { continue }
                guard let destination = destination(of: object, number), roots.contains(destination.number.root)
                else { continue }
                forgetMembers(of: object, number)
                noteMutation(object, relationship: number)
            }
        }
    }

    /// Makes an object load the members of a relationship again. An order that was set here is stored nowhere else:
    /// members that remain keep it, and new ones come after them. If members were only added or removed here, the
    /// others have the order of the store.
    func forgetMembers(of object: ManagedObject, _ number: RelationshipNumber) {
        guard let links = object.links(number), links.isLoaded else { return }
        let key = LinkKey(object, number)
        let ordered = pending.reordered[key] == nil ? nil : links.rowIDs
        links.members = nil
        links.checked = nil
        guard let ordered else { return }
        let loaded = members(of: object, number)
        let after = Set(loaded)
        if pending.isRearranged(key) {
            let before = Set(ordered)
            links.rowIDs = ordered.filter(after.contains) + loaded.filter { !before.contains($0) }
        } else {
            let added = Set(pending.links[key]?.added ?? [])
            links.rowIDs = OrderKeys.placing(
                ordered.filter(after.contains), among: loaded.filter { !added.contains($0) })
        }
    }

    /// Merges the saves in the inbox.
    func mergeWaitingChanges() throws {
        guard subscription.isOn || hasRenumberedRows, activity.mayMerge else { return }
        activity.begin()
        defer { activity.end() }
        try followRenumberedRows()
        guard let inbox = subscription.inbox else { return }
        for notification in inbox.takeAll() { try merge(notification) }
    }
}

extension ContextNotification {
    /// Returns the notification without identifiers of rows outside a container's stores.
    fileprivate func limited(to container: ModelContainer) -> ContextNotification {
        var result = self
        func limit(_ identifiers: inout [PersistentIdentifier]) {
            identifiers.removeAll { !$0.isRow(of: $0.number.root, in: container.storeNumber(of: $0.number.root)) }
        }
        limit(&result.insertedIdentifiers)
        limit(&result.updatedIdentifiers)
        limit(&result.deletedIdentifiers)
        limit(&result.refreshedIdentifiers)
        return result
    }
}

extension ModelContainer {
    /// Returns the future saves of all contexts of this container as an asynchronous sequence, which any task may read.
    ///
    /// Notifications wait in memory until they are read. The sequence ends when the container is released.
    ///
    ///     for await save in container.saves() { print(save.author ?? "unknown", save.identifiers.count) }
    public func saves() -> AsyncStream<ContextNotification> { hub.stream() }
}
