import CPrefetch

/// Changes that are undone together.
struct UndoGroup {
    struct TransientChange {
        fileprivate(set) var before: TransientValues
        fileprivate(set) var after: TransientValues
    }

    let name: String
    private(set) var values: ContiguousArray<ValueChange> = []
    /// The transient values that changed, by the objects of ``values``.
    private(set) var transients: [ObjectIdentifier: TransientChange] = [:]
    private(set) var inserted: ContiguousArray<ManagedObject> = []
    private(set) var deleted: ContiguousArray<ManagedObject> = []
    private(set) var links: [ContextEvent.LinkChange] = []
    private(set) var orders: [ContextEvent.OrderChange] = []
    /// Raw values that the rows of ``values`` had before.
    private(set) var unknownRawValues: [ObjectIdentifier: KeptRawValues] = [:]

    var isEmpty: Bool {
        values.isEmpty && inserted.isEmpty && deleted.isEmpty && links.isEmpty && orders.isEmpty
    }

    init(_ event: ContextEvent, _ context: ModelContext, name: String) {
        self.name = name
        // Objects that were inserted and deleted within one group leave nothing to undo.
        let forgotten = Set(event.inserted.lazy.filter { $0.record.state == .detached }.map(ObjectIdentifier.init))
        func counts(_ object: ManagedObject) -> Bool {
            forgotten.isEmpty || !forgotten.contains(ObjectIdentifier(object))
        }
        (inserted, deleted) = Self.outcome(
            inserted: event.inserted.filter(counts),
            // Deletions by others that the context merged are not undone here.
            deleted: event.deleted.filter {
                counts($0) && $0.record.state != .gone && !event.lost.contains(ObjectIdentifier($0))
            })
        links = event.links.filter { counts($0.owner) && counts($0.member) }
        noteTransients(event)
        // A deleted object loses its references, so its values are kept even if they did not change.
        let coming = Set((inserted + deleted).map(ObjectIdentifier.init))
        let untouched = inserted.filter { !event.hasTouch(of: $0) }
        values = event.takeTouches()
        var mayHaveUnknownRawValues = false
        keepChanges { change in
            change.object.endTouch(context)
            if change.object.traits.pointee.hasUnknownRawValues { mayHaveUnknownRawValues = true }
            if !counts(change.object) { return false }
            if coming.isEmpty || !coming.contains(ObjectIdentifier(change.object)) { return nil }
            change.becomeWhole()
            return true
        }
        for object in untouched { note(whole: object, before: .none) }
        if mayHaveUnknownRawValues {
            for change in values where change.object.traits.pointee.hasUnknownRawValues {
                unknownRawValues[ObjectIdentifier(change.object)] = context.unknownRawValues(
                    of: change.object, in: change.columns, before: change.before)
            }
        }
        orders = event.orders.filter { counts($0.owner) }.map { order in
            var order = order
            order.after = context.members(of: order.owner, order.relationship)
            return order
        }
    }

    /// Returns the resulting insertions and deletions of objects that may have had both, several times.
    private static func outcome(
        inserted: [ManagedObject], deleted: [ManagedObject]
    ) -> (inserted: ContiguousArray<ManagedObject>, deleted: ContiguousArray<ManagedObject>) {
        if inserted.isEmpty || deleted.isEmpty { return (ContiguousArray(inserted), ContiguousArray(deleted)) }
        var balance: [ObjectIdentifier: Int] = [:]
        for object in inserted { balance[ObjectIdentifier(object), default: 0] += 1 }
        for object in deleted { balance[ObjectIdentifier(object), default: 0] -= 1 }
        func rest(_ objects: [ManagedObject], _ sign: Int) -> ContiguousArray<ManagedObject> {
            ContiguousArray(
                objects.lazy.filter { object in
                    // Once, though it may be listed several times.
                    guard balance[ObjectIdentifier(object)] == sign else { return false }
                    balance[ObjectIdentifier(object)] = 0
                    return true
                })
        }
        return (rest(inserted, 1), rest(deleted, -1))
    }

    private mutating func noteTransients(_ event: ContextEvent) {
        if event.transientsBefore.isEmpty { return }
        for touch in event.touches {
            let identity = ObjectIdentifier(touch.object)
            guard let before = event.transientsBefore[identity], let after = TransientValues(touch.object)
            else { continue }
            transients[identity] = TransientChange(before: before, after: after)
        }
    }

    /// Completes the changes with the objects' present values, and removes those that changed nothing.
    ///
    /// The list is taken from the event without a copy, which would retain each object.
    ///
    /// - Parameter isKept: Whether to keep a change as it is or to remove it; nil compares its values.
    private mutating func keepChanges(_ isKept: (inout ValueChange) -> Bool?) {
        let transients = transients
        let kept = values.withUnsafeMutableBufferPointer { values in
            var kept = 0
            var position = 0
            while position < values.count {
                CPrefetchAhead(values.baseAddress, MemoryLayout<ValueChange>.stride, position, values.count)
                let isWanted =
                    isKept(&values[position])
                    ?? (values[position].complete()
                        || !transients.isEmpty && transients[ObjectIdentifier(values[position].object)] != nil)
                if isWanted {
                    if kept < position { values.swapAt(kept, position) }
                    kept &+= 1
                }
                position &+= 1
            }
            return kept
        }
        if kept < values.count { values.removeSubrange(kept...) }
    }

    private mutating func note(whole object: ManagedObject, before: KeptValues) {
        var change = ValueChange(object: object, columns: 0, before: before)
        change.becomeWhole()
        values.append(change)
    }
}

/// Joining groups, in time proportional to their size.
extension UndoGroup {
    /// Joins several groups, the oldest first.
    init(joining groups: some Sequence<UndoGroup>) {
        var name = ""
        var lists = Lists()
        for group in groups {
            if !group.name.isEmpty { name = group.name }
            for change in group.values { lists.join(change, group.transients) }
            for order in group.orders { lists.join(order) }
            for object in group.inserted { Lists.move(object, from: &lists.deleted, to: &lists.inserted) }
            for object in group.deleted { Lists.move(object, from: &lists.inserted, to: &lists.deleted) }
            lists.links += group.links
            // The oldest group's values take precedence.
            for (identity, other) in group.unknownRawValues {
                unknownRawValues[identity, default: other].join(other)
            }
        }
        self.name = name
        values = lists.values
        transients = lists.transients
        inserted = lists.inserted.array
        deleted = lists.deleted.array
        links = lists.links
        orders = lists.orders
    }

    /// The contents of a joined group, and their positions.
    private struct Lists {
        private struct OrderKey: Hashable {
            let owner: ObjectIdentifier
            let relationship: RelationshipNumber
        }

        var values: ContiguousArray<ValueChange> = []
        var transients: [ObjectIdentifier: TransientChange] = [:]
        var inserted = JoinedObjects()
        var deleted = JoinedObjects()
        var links: [ContextEvent.LinkChange] = []
        var orders: [ContextEvent.OrderChange] = []
        private var valuePositions: [ObjectIdentifier: Int] = [:]
        private var orderPositions: [OrderKey: Int] = [:]

        init() {}

        mutating func join(_ change: ValueChange, _ changes: [ObjectIdentifier: TransientChange]) {
            let identity = ObjectIdentifier(change.object)
            if !changes.isEmpty, let transient = changes[identity] {
                transients[identity, default: transient].after = transient.after
            }
            guard let position = valuePositions[identity] else {
                valuePositions[identity] = values.count
                values.append(change)
                return
            }
            let known = values[position]
            values[position].columns |= change.columns
            values[position].before = known.before.adding(
                change.columns & ~known.columns, of: change.before, change.object)
            values[position].after = change.after.adding(
                known.columns & ~change.columns, of: known.after, change.object)
        }

        mutating func join(_ order: ContextEvent.OrderChange) {
            let key = OrderKey(owner: ObjectIdentifier(order.owner), relationship: order.relationship)
            if let position = orderPositions[key] {
                orders[position].after = order.after
            } else {
                orderPositions[key] = orders.count
                orders.append(order)
            }
        }

        /// Removes an object from one list, or adds it to the other if the first does not contain it.
        static func move(_ object: ManagedObject, from list: inout JoinedObjects, to other: inout JoinedObjects) {
            if !list.remove(object) { other.append(object) }
        }
    }
}

/// Objects in insertion order; any object can be removed. Membership tests take constant time.
private struct JoinedObjects {
    private var list = ManagedObjectList()
    private var identities: Set<ObjectIdentifier> = []

    init() {}

    var array: ContiguousArray<ManagedObject> { mutating get { list.array } }

    mutating func append(_ object: ManagedObject) {
        if identities.insert(ObjectIdentifier(object)).inserted { list.append(object) }
    }

    /// Removes an object, and returns whether it was there.
    mutating func remove(_ object: ManagedObject) -> Bool {
        if identities.remove(ObjectIdentifier(object)) == nil { return false }
        list.remove(object)
        return true
    }
}
