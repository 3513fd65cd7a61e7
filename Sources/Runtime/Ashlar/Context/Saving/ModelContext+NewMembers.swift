/// What a save did with members that came to deleted objects.
struct TakenAlong {
    let owners: [ManagedObject]
    /// The objects that had changes before.
    let changed: Set<ObjectIdentifier>
    let group: UndoGroup
}

/// New members that go along with deleted objects.
extension ModelContext {
    /// Does with members that came to deleted objects since what the deletion did with those that were known.
    ///
    /// - Parameter taken: Gets what was done, also if this throws.
    func takeAlong(_ members: [NewMember], _ taken: inout [TakenAlong]) throws {
        endEvent()
        let changed = Set(pending.changed.map(ObjectIdentifier.init))
        listeners.isRecording = true
        updateEvents()
        defer {
            tellOfEvent { event in
                let group = UndoGroup(event, self, name: "")
                taken.append(TakenAlong(owners: members.map(\.owner), changed: changed, group: group))
            }
            listeners.isRecording = false
            updateEvents()
            if !listeners.liveResults.isEmpty { updateLiveResults() }
        }
        for member in members {
            guard let object = try existingObject(member.member), try refreshObject(object, mergeChanges: true) else {
                continue
            }
            if member.description.deletionRule == .cascade {
                deleteObject(object)
            } else if let inverse = member.description.inverse,
                case .column(let column) = object.entity.relationships[inverse].storage,
                object.identifier(inColumn: column) == member.owner.identifier
            {
                setToOne(object, inverse, nil)
            }
        }
    }

    /// Takes back what a save did with new members, as it failed.
    func takeBack(_ taken: TakenAlong) {
        // Of several stores, some may be committed.
        if taken.group.deleted.contains(where: { $0.record.state == .gone }) { return }
        apply(taken.group, isRedo: false)
        for object in taken.group.deleted + taken.group.values.map(\.object) where object.record.state == .persisted {
            for (column, inverse, _) in heldReferences(of: object) {
                // The store has the object where it was.
                guard object.changesFromOriginal & ManagedObject.bit(of: column) == 0,
                    let target = object.identifier(inColumn: column)
                else { continue }
                pending.links[LinkKey(target, inverse)]?.forget(object.record.rowID)
                guard let owner = registry.object(target) else { continue }
                forgetMembers(of: owner, inverse)
                unlistIfUnchanged(owner)
            }
        }
        for object in pending.changed
        where !taken.changed.contains(ObjectIdentifier(object)) && object.changesFromOriginal == 0
            && !pending.hasChangedLinks(object) && !pending.hasChangedMembers(object)
        {
            pending.unlist(object)
            clean(object)
        }
    }
}
