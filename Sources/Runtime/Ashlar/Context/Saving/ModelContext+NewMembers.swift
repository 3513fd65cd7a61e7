/// The effects of a save on new members of deleted objects.
struct TakenAlong {
    let owners: [ManagedObject]
    /// The objects that had changes before.
    let changed: Set<ObjectIdentifier>
    let group: UndoGroup
}

/// Applying deletion rules to members that joined deleted objects.
extension ModelContext {
    /// Applies the deletion rules of deleted objects to members that joined them since.
    ///
    /// - Parameter taken: Receives the effects, even if the method throws.
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

    /// Reverts the effects of a failed save on new members.
    func takeBack(_ taken: TakenAlong) {
        // If there are several stores, some may be committed.
        if taken.group.deleted.contains(where: { $0.record.state == .gone }) { return }
        apply(taken.group, isRedo: false)
        for object in taken.group.deleted + taken.group.values.map(\.object) where object.record.state == .persisted {
            for (column, inverse, _) in heldReferences(of: object) {
                // The store has the object as a member.
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
