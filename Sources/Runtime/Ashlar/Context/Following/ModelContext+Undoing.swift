import CPrefetch

/// The steps of an undo and a redo.
extension ModelContext {
    /// Undoes or redoes a group.
    func apply(_ group: UndoGroup, isRedo: Bool) {
        isUndoing = true
        listeners.event?.touching = listeners.hasOthers ? .objects : .nothing
        let (others, disappearing) = isRedo ? (group.inserted, group.deleted) : (group.deleted, group.inserted)
        let appearing = inOrderOfRows(others)
        // The other objects have their values, with the changes that others saved since.
        let new = Set(appearing.lazy.filter { $0.record.state != .deleted }.map(ObjectIdentifier.init))
        for object in appearing { bringBack(object) }
        if !appearing.isEmpty {
            // No inverse leads from these objects to the relationships that had them as members.
            forgetMembers(leadingTo: Set(appearing.map(\.entity.number.root)), onlyWithoutInverse: true)
        }
        let (isFollowed, hasTransients) = (listeners.hasOthers, !group.transients.isEmpty)
        group.values.withUnsafeBufferPointer { values in
            // By address, because a copy of a change would retain its contents.
            for position in values.indices {
                CPrefetchAhead(values.baseAddress, MemoryLayout<ValueChange>.stride, position, values.count)
                let change = values.baseAddress.unsafelyUnwrapped + position
                Unmanaged.passUnretained(change.pointee.object)._withUnsafeGuaranteedRef { object in
                    let isChanged = change.pointee.columns == .max && !new.contains(ObjectIdentifier(object))
                    let columns = isChanged ? change.pointee.differences : change.pointee.columns
                    set(
                        object, columns, to: isRedo ? change.pointee.after : change.pointee.before,
                        isFollowed: isFollowed)
                    guard hasTransients, object.isIn(self),
                        let transients = group.transients[ObjectIdentifier(object)]
                    else { return }
                    (isRedo ? transients.after : transients.before).assign(to: object)
                }
            }
        }
        if !group.values.isEmpty, autosaving.isOn { scheduleAutosave() }
        for change in isRedo ? group.links : group.links.reversed() {
            // An object that came and went within the group, or that others deleted, has no links.
            guard change.owner.isLive(in: self), change.member.isLive(in: self) else { continue }
            if change.isAddition == isRedo {
                if isMember(change.member.record.rowID, of: change.owner, change.relationship) { continue }
                add(change.member, to: change.owner, change.relationship)
            } else if !change.goesWithOwner {
                remove(change.member, from: change.owner, change.relationship)
            }
        }
        for object in appearing { returnToOtherSides(object) }
        for order in group.orders where order.owner.isLive(in: self) {
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
        for kept in group.unknownRawValues.values { pending.noteUnknownRawValues(kept, areRestored: !isRedo) }
        announce(appearing, isRedo ? .undoInsertion : .undoDeletion)
        announce(group.values.lazy.map(\.object), .undoUpdate)
        endEvent()
        // If only the undo manager listens, the changes of the undo itself are not recorded.
        if listeners.hasOthers { listeners.event?.touching = .values } else { listeners.beginEvent() }
        isUndoing = false
    }

    private func announce(_ objects: some Sequence<ManagedObject>, _ event: SnapshotEvents) {
        guard hooks.areUsed else { return }
        for object in objects where object.entity.hasLifecycle && object.isLive(in: self) {
            withoutTransientChanges { (object as? any ManagedObjectLifecycle)?.awake(fromSnapshotEvents: event) }
        }
    }

    /// Returns objects whose rows were deleted in the order of the rows, whichever order a cascade deleted them in.
    private func inOrderOfRows(_ objects: ContiguousArray<ManagedObject>) -> [ManagedObject] {
        // The rowids of objects that were never saved count downward.
        let hadRows = objects.allSatisfy { $0.record.rowID > 0 }
        return hadRows ? RowKey.sort(objects) { RowKey($0) } : Array(objects)
    }

    /// Inserts an object again: takes back its unsaved deletion, or makes it a new object with its old values.
    private func bringBack(_ object: ManagedObject) {
        insertObject(object, isNew: false)
    }

    /// If a deletion is denied, the other sides keep the object. Adds it to those that were read meanwhile without it.
    private func returnToOtherSides(_ object: ManagedObject) {
        let rowID = object.record.rowID
        for number in object.traits.pointee.numbers {
            guard let inverse = object.traits.pointee[number].pointee.inverse else { continue }
            for other in destinationObjects(of: object, number) {
                guard let links = other.links(inverse), links.members?.contains(rowID) == false else { continue }
                links.members?.append(rowID)
                noteMutation(other, relationship: inverse)
            }
        }
    }

    /// Merges changes of an object that others saved while it was deleted here.
    private func mergeMissedChanges(of object: ManagedObject) {
        let row = RowKey(root: object.rootNumber, rowID: object.record.rowID)
        guard object.record.state == .persisted, pending.takeRowToMerge(row) else { return }
        do {
            try refreshObject(object, mergeChanges: true, settlesConflicts: true)
        } catch {
            errors.note(error)
        }
    }

    /// Removes an object without applying its deletion rules, whose effects are undone separately.
    private func takeAway(_ object: ManagedObject) {
        guard object.isLive(in: self) else { return }
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

    /// Sets columns of an object to kept values, including references and their inverses.
    ///
    /// - Parameter isFollowed: Whether observers other than the undo manager are notified of each change.
    private func set(_ object: ManagedObject, _ columns: UInt64, to values: KeptValues, isFollowed: Bool) {
        if columns == 0 { return }
        let isDeleted = object.record.state == .deleted
        guard isDeleted ? object.isIn(self) : object.isLive(in: self) else { return }
        let traits = object.traits
        let references = traits.pointee.referenceMask
        if case .one(let value) = values, columns & references == 0, !isDeleted, !isFollowed, object.isNoted(columns) {
            return object.put(value)
        }
        if columns & references != 0 {
            for number in traits.pointee.numbers {
                let (relationship, column) = (traits.pointee[number], traits.pointee[number].pointee.column)
                guard relationship.pointee.place == .column, columns & ManagedObject.bit(of: column) != 0
                else { continue }
                let wanted = values.identifier(inColumn: column, object.layout).map(latest)
                if object.identifier(inColumn: column) == wanted { continue }
                if isDeleted {
                    setReference(ofDeleted: object, column, to: wanted)
                } else {
                    setReference(of: object, number, column, to: wanted)
                }
            }
        }
        // The last bit stands for other columns too.
        if !isDeleted { object.take(values, columns & (~references | ManagedObject.bit(of: 63))) }
    }

    private func setReference(
        of object: ManagedObject, _ number: RelationshipNumber, _ column: Int, to wanted: PersistentIdentifier?
    ) {
        if let wanted, let deleted = registry.object(wanted), deleted.record.state == .deleted {
            setToOne(object, number, nil)
            keep(deleted, column, number, of: object)
            return
        }
        do {
            setToOne(object, number, try wanted.flatMap { try existingObject($0) })
        } catch {
            errors.note(error)
        }
    }

    /// Restores a reference of a deleted object, by which its deletion is denied.
    private func setReference(ofDeleted object: ManagedObject, _ column: Int, to wanted: PersistentIdentifier?) {
        object._ashlarWillChange(ManagedObject.bit(of: column))
        object.setIdentifier(wanted, inColumn: column)
    }

    /// Sets a reference to an object that is deleted with the next save, unless its deletion is denied.
    private func keep(
        _ deleted: ManagedObject, _ column: Int, _ number: RelationshipNumber, of object: ManagedObject
    ) {
        object._ashlarWillChange(ManagedObject.bit(of: column))
        object.setIdentifier(deleted.identifier, inColumn: column)
        guard let inverse = object.traits.pointee[number].pointee.inverse else { return }
        addMember(object.record.rowID, to: deleted.identifier, inverse, deleted.traits.pointee[inverse])
    }

    // MARK: Objects that got another identity

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
