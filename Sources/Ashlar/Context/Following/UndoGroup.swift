/// Changes that are undone together.
struct UndoGroup {
    struct ValueChange {
        var object: ManagedObject
        var before: ValuesBox
        var after: ValuesBox
        /// The transient values; nil where none changed.
        var transients: (before: TransientValues, after: TransientValues)?
    }

    let name: String
    private(set) var values: [ValueChange] = []
    private(set) var inserted: [ManagedObject] = []
    private(set) var deleted: [ManagedObject] = []
    private(set) var links: [ContextEvent.LinkChange] = []
    private(set) var orders: [ContextEvent.OrderChange] = []

    var isEmpty: Bool {
        values.isEmpty && inserted.isEmpty && deleted.isEmpty && links.isEmpty && orders.isEmpty
    }

    init(_ event: ContextEvent, _ context: ModelContext, name: String) {
        self.name = name
        // What was inserted and deleted again within one group leaves nothing to undo.
        let forgotten = Set(event.inserted.filter { $0.record.state == .detached }.map(ObjectIdentifier.init))
        func counts(_ object: ManagedObject) -> Bool { !forgotten.contains(ObjectIdentifier(object)) }
        inserted = event.inserted.filter(counts)
        // What others deleted, and the context merged, is not this context's to undo.
        deleted = event.deleted.filter { counts($0) && $0.record.state != .gone }
        links = event.links.filter { counts($0.owner) && counts($0.member) }
        // An object that goes loses its references, so that its values are kept though they did not change.
        let coming = Set((inserted + deleted).map(ObjectIdentifier.init))
        values = (event.touched + inserted.filter { event.valuesBefore($0) == nil }).compactMap { object in
            guard counts(object) else { return nil }
            let after = object.snapshot()
            let before = event.valuesBefore(object) ?? after
            let transients = event.transientsBefore[ObjectIdentifier(object)].flatMap { before in
                TransientValues(object).map { (before: before, after: $0) }
            }
            let isChanged = object.changes(since: before, in: .max) != 0 || transients != nil
            guard isChanged || coming.contains(ObjectIdentifier(object)) else { return nil }
            return ValueChange(object: object, before: before, after: after, transients: transients)
        }
        orders = event.orders.filter { counts($0.owner) }.map { order in
            var order = order
            order.after = context.members(of: order.owner, order.relationship)
            return order
        }
    }

    /// One group of several, the oldest first.
    init(joining groups: [UndoGroup]) {
        name = groups.last { !$0.name.isEmpty }?.name ?? ""
        var positions: [ObjectIdentifier: Int] = [:]
        for group in groups {
            for change in group.values {
                if let position = positions[ObjectIdentifier(change.object)] {
                    values[position].after = change.after
                    if let transients = change.transients {
                        let before = values[position].transients?.before ?? transients.before
                        values[position].transients = (before, transients.after)
                    }
                } else {
                    positions[ObjectIdentifier(change.object)] = values.count
                    values.append(change)
                }
            }
            links += group.links
            for order in group.orders {
                if let index = orders.firstIndex(where: {
                    $0.owner === order.owner && $0.relationship == order.relationship
                }) {
                    orders[index].after = order.after
                } else {
                    orders.append(order)
                }
            }
            for object in group.inserted {
                if deleted.contains(where: { $0 === object }) {
                    deleted.removeAll { $0 === object }
                } else {
                    inserted.append(object)
                }
            }
            for object in group.deleted {
                if inserted.contains(where: { $0 === object }) {
                    inserted.removeAll { $0 === object }
                } else {
                    deleted.append(object)
                }
            }
        }
    }
}

extension ModelContext {
    /// Undoes a group, or does it again.
    func apply(_ group: UndoGroup, isRedo: Bool) {
        isUndoing = true
        let (appearing, disappearing) =
            isRedo ? (group.inserted, group.deleted) : (group.deleted, group.inserted)
        for object in appearing { bringBack(object) }
        if !appearing.isEmpty {
            // Nothing leads from them to those that had them for members.
            forgetMembers(leadingTo: Set(appearing.map(\.entity.number.root)), onlyWithoutInverse: true)
        }
        for change in group.values {
            set(change.object, to: isRedo ? change.after : change.before)
            guard let transients = change.transients, change.object.record.context === self else { continue }
            (isRedo ? transients.after : transients.before).assign(to: change.object)
        }
        for change in isRedo ? group.links : group.links.reversed() {
            if change.isAddition == isRedo {
                add(change.member, to: change.owner, change.relationship)
            } else {
                remove(change.member, from: change.owner, change.relationship)
            }
        }
        for object in appearing { returnToOtherSides(object) }
        for order in group.orders where order.owner.liveContext === self {
            let root = destination(of: order.owner, order.relationship)?.number.root ?? 0
            let wanted = (isRedo ? order.after : order.before).map { laterRowIDs.latest($0, root) }
            let members = members(of: order.owner, order.relationship)
            let (known, present) = (Set(wanted), Set(members))
            // Members that others added meanwhile are last.
            setOrder(
                wanted.filter(present.contains) + members.filter { !known.contains($0) }, of: order.owner,
                order.relationship)
        }
        for object in appearing { mergeMissedChanges(of: object) }
        for object in disappearing { takeAway(object) }
        announce(appearing, isRedo ? .undoInsertion : .undoDeletion)
        announce(group.values.map(\.object), .undoUpdate)
        endEvent()
        isUndoing = false
    }

    private func announce(_ objects: [ManagedObject], _ event: SnapshotEvents) {
        for object in objects where object.entity.hasLifecycle && object.liveContext === self {
            withoutTransientChanges { (object as? any ManagedObjectLifecycle)?.awake(fromSnapshotEvents: event) }
        }
    }

    /// An object that is there again: its deletion was not saved, or it becomes a new one with its old values.
    private func bringBack(_ object: ManagedObject) {
        if object.record.state == .gone { object.record.state = .detached }
        insertObject(object)
    }

    /// Where a deletion is denied, the other sides keep the object; but those that were read meanwhile left it out.
    private func returnToOtherSides(_ object: ManagedObject) {
        let rowID = object.record.rowID
        for (number, relationship) in object.entity.relationships.numbered {
            guard let inverse = relationship.inverse else { continue }
            for other in destinations(of: object, number, object.entity.relationships[number]) {
                guard let links = other.links(inverse), links.members?.contains(rowID) == false else { continue }
                links.members?.append(rowID)
                noteMutation(other, relationship: inverse)
            }
        }
    }

    /// An object takes over what others saved of it while it was deleted here.
    private func mergeMissedChanges(of object: ManagedObject) {
        let row = RowKey(root: object.entity.number.root, rowID: object.record.rowID)
        guard object.record.state == .persisted, pending.takeRowToMerge(row) else { return }
        do {
            try refreshObject(object, mergeChanges: true)
        } catch {
            errors.note(error)
        }
    }

    /// Takes an object away without its deletion rules: what they did is undone by itself.
    private func takeAway(_ object: ManagedObject) {
        guard object.liveContext === self else { return }
        registry.noteDisappearance()
        leaveOtherSides(object)
        if object.record.state == .inserted {
            pending.removeInserted(object)
            listeners.event?.deleted.append(object)
            forget(object)
        } else {
            listeners.event?.deleted.append(object)
            object.record.state = .deleted
            pending.delete(object)
        }
    }

    /// Gives an object the values of a box, references and their other sides included.
    private func set(_ object: ManagedObject, to values: ValuesBox) {
        guard object.record.context === self else { return }
        let target = copy(of: object)
        target.restore(values)
        if object.record.state == .deleted { return setReferences(ofDeleted: object, to: target) }
        guard object.liveContext === self else { return }
        for (number, relationship) in object.entity.relationships.numbered {
            guard case .column(let column) = relationship.storage else { continue }
            let wanted = target.identifier(inColumn: column).map(latest)
            if object.identifier(inColumn: column) == wanted { continue }
            if let wanted, let deleted = registry.object(wanted), deleted.record.state == .deleted {
                setToOne(object, number, nil)
                keep(deleted, relationship, column, of: object)
                continue
            }
            do {
                setToOne(object, number, try wanted.flatMap { try existingObject($0) })
            } catch {
                errors.note(error)
            }
        }
        // The references are set by now, by identifiers that a save may have changed.
        for column in object.entity.referenceColumns {
            target.setIdentifier(object.identifier(inColumn: column), inColumn: column)
        }
        let snapshot = target.snapshot()
        let mask = object.changes(since: snapshot, in: .max)
        for bit in 0..<64 where mask & (1 << UInt64(bit)) != 0 { object._ashlarWillChange(1 << UInt64(bit)) }
        object.restore(snapshot)
    }

    /// Gives an object that is deleted the references again by which its deletion is denied.
    private func setReferences(ofDeleted object: ManagedObject, to target: ManagedObject) {
        for relationship in object.entity.relationships {
            guard case .column(let column) = relationship.storage else { continue }
            let wanted = target.identifier(inColumn: column).map(latest)
            if object.identifier(inColumn: column) == wanted { continue }
            object._ashlarWillChange(ManagedObject.bit(of: column))
            object.setIdentifier(wanted, inColumn: column)
        }
    }

    /// Lets an object refer to one again that is deleted with the next save, unless its deletion is denied.
    private func keep(
        _ deleted: ManagedObject, _ relationship: RelationshipDescription, _ column: Int, of object: ManagedObject
    ) {
        object._ashlarWillChange(ManagedObject.bit(of: column))
        object.setIdentifier(deleted.identifier, inColumn: column)
        guard let inverse = relationship.inverse else { return }
        addMember(object.record.rowID, to: deleted.identifier, inverse, deleted.entity.relationships[inverse])
    }

    // MARK: Objects that got another identity since

    func noteLaterRowID(of object: ManagedObject, _ rowID: Int64) {
        guard undoManager != nil, rowID != object.record.rowID else { return }
        laterRowIDs.note(RowKey(object), rowID)
    }

    private func latest(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
        PersistentIdentifier(
            rowID: laterRowIDs.latest(identifier.rowID, identifier.number.root),
            store: container.storeNumber(of: identifier.number.root), entity: identifier.number)
    }
}
