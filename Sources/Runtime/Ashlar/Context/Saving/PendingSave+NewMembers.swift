import AshlarSQLite
import Containers

/// A member that joined an object after the context read it, and that the object's deletion would delete or change.
struct NewMember {
    let owner: ManagedObject
    let relationship: RelationshipNumber
    /// The identifier of the member, with its root entity.
    let member: PersistentIdentifier

    var row: RowKey { RowKey(root: member.number.root, rowID: member.rowID) }
    var description: RelationshipDescription { owner.entity.relationships[relationship] }
    /// The failure of a relationship that denies the owner's deletion because of the member.
    var denial: ValidationFailure { ValidationFailure(owner, description.name, .deletionDenied) }
}

/// Thrown by a save whose merge policy applies the deletion rules to ``PendingSave/newMembers``.
struct NewMembersGo: Error {
    /// The new members as conflicts.
    let conflicts: [MergeConflict]
}

/// Members that joined deleted objects since this context read them.
///
/// The actions of foreign keys would delete them, or clear their references, without a new version or a notification of
/// any context. They are therefore conflicts of the deleted object.
extension PendingSave {
    /// Finds the members of deleted objects that the save neither deletes nor moves away, with one statement for each
    /// relationship of an entity. Changed references are written before.
    ///
    /// - Throws: ``VersionConflict`` if there are any; ``SaveError/validation(_:)`` if they deny the deletion.
    func findNewMembers(of owners: [ManagedObject], _ connection: Connection) throws {
        var groups: [(entity: EntityDescription, owners: [ManagedObject])] = []
        for owner in owners {
            let entity = owner.entity
            if let known = groups.lastIndex(where: { $0.entity === entity }) {
                groups[known].owners.append(owner)
            } else {
                groups.append((entity, [owner]))
            }
        }
        var found: [NewMember] = []
        for (entity, owners) in groups {
            let rowIDs = RowIDList.json(RowIDList.sorted(owners.map(\.record.rowID)))
            for number in entity.dependentRelationships {
                found += try members(of: owners, rowIDs, entity, number, connection)
            }
        }
        let denials = Set(found.filter { $0.description.deletionRule == .deny }.map(\.denial))
        if !denials.isEmpty { throw SaveError.validation(denials.sorted { $0.object < $1.object }) }
        newMembers = found.filter { !unreadableMembers.contains($0.row) }
        if !newMembers.isEmpty { throw VersionConflict() }
    }

    /// Returns the stored members that the save does not delete.
    private func members(
        of owners: [ManagedObject], _ rowIDs: String, _ entity: EntityDescription, _ number: RelationshipNumber,
        _ connection: Connection
    ) throws -> [NewMember] {
        let relationship = entity.relationships[number]
        guard let destination = container.model.destination(of: entity, number),
            let (table, owner, member) = relationship.memberColumns(destination)
        else { return [] }
        let (name, column) = (table.quotedIdentifier, owner.quotedIdentifier)
        let statement = try connection.statement(
            "SELECT \(name).\(column), \(name).\(member.quotedIdentifier) FROM json_each(?1) AS \"wanted$\" "
                + "CROSS JOIN \(name) ON \(name).\(column) = \"wanted$\".\"value\"")
        defer { statement.reset() }
        statement.bind(.text(rowIDs), 1)
        lazy var deleted = Set(deletes.map { RowKey($0) })
        lazy var objects = Dictionary(owners.map { ($0.record.rowID, $0) }, uniquingKeysWith: { $1 })
        let (root, store) = (destination.number.root, container.storeNumber(of: destination.number.root))
        // Pairs in a join table are removed later.
        let isJoined = if case .joinTable = relationship.storage { true } else { false }
        var found: [NewMember] = []
        while try statement.step() {
            let (ownerID, rowID) = (statement.integer(0), statement.integer(1))
            guard !deleted.contains(RowKey(root: root, rowID: rowID)), let owner = objects[ownerID],
                !isJoined || pending.links[LinkKey(owner, number)]?.removed.contains(rowID) != true
            else { continue }
            let identifier = PersistentIdentifier(
                rowID: rowID, store: store, entity: EntityNumber(root: root, entity: root))
            found.append(NewMember(owner: owner, relationship: number, member: identifier))
        }
        return found
    }

    // MARK: Settling

    /// The new members with their owners.
    private var newMembersByOwner: [(owner: ManagedObject, members: [NewMember])] {
        Dictionary(grouping: newMembers) { ObjectIdentifier($0.owner) }.values.map { ($0[0].owner, $0) }
            .sorted { $0.owner.identifier < $1.owner.identifier }
    }

    /// The new members as conflicts of the deleted objects.
    var newMemberConflicts: [MergeConflict] { newMembersByOwner.map { conflict($0.owner, $0.members) } }

    private func conflict(_ owner: ManagedObject, _ members: [NewMember]) -> MergeConflict {
        MergeConflict(
            object: owner.identifier, entity: owner.entity.name, kind: .changed, oldVersion: owner.record.version,
            newVersion: owner.record.version, changedProperties: [],
            storeChangedProperties: Set(members.map(\.description.name)).sorted())
    }

    /// Settles conflicts over new members by the context's policy: the owner stays, or the deletion rules apply to its
    /// new members.
    ///
    /// - Throws: ``NewMembersGo`` for members to which the rules apply; ``SaveError/conflict(_:)`` for those that the
    ///   policy leaves.
    func resolveNewMembers() throws {
        let found = newMembersByOwner
        newMembers = []
        var (going, conflicts, unresolved): ([NewMember], [MergeConflict], [MergeConflict]) = ([], [], [])
        for (owner, all) in found {
            var isKept = false
            var members: [NewMember] = []
            for member in all {
                let object = registry.object(member.member)
                if let object, restored.contains(where: { $0 === object }) {
                    // If a member is kept, an owner whose deletion would delete it is kept too.
                    isKept = true
                } else if try errors.ignoringInvalidValues({ try graph.existingObject(member.member) }) != nil {
                    members.append(member)
                } else {
                    unreadableMembers.insert(member.row)
                }
            }
            guard isKept || !members.isEmpty,
                let stored = try self.conflicts.storedCopy(of: owner.record.rowID, like: owner)
            else { continue }
            if isKept {
                try keepWithOwners(owner, stored)
                continue
            }
            let conflict = conflict(owner, members)
            beforeMerging.append(ObjectState(owner))
            switch try self.conflicts.mergePolicy.settled(
                conflict, owner, stored, self.conflicts.originalCopy(of: owner)
            ).kind {
            case .storeTrump, .rollback: try keepWithOwners(owner, stored)
            case .objectTrump, .overwrite:
                going += members
                conflicts.append(conflict)
            case .error, .custom: unresolved.append(conflict)
            }
        }
        if !unresolved.isEmpty { throw SaveError.conflict(unresolved) }
        if !going.isEmpty {
            newMembers = going
            throw NewMembersGo(conflicts: conflicts)
        }
    }

    /// Takes back the deletion of an object, and of the objects whose deletion would delete it.
    private func keepWithOwners(_ object: ManagedObject, _ stored: ManagedObject) throws {
        var waiting = [(object, stored)]
        while let (object, stored) = waiting.popLast() {
            guard deletes.contains(where: { $0 === object }) else { continue }
            beforeMerging.append(ObjectState(object))
            keep(object, stored)
            for relationship in object.entity.relationships {
                guard case .column(let column) = relationship.storage, let inverse = relationship.inverse,
                    let owner = object.identifier(inColumn: column).flatMap({ registry.object($0) }),
                    owner.record.state == .deleted, owner.entity.relationships.contains(inverse),
                    owner.entity.relationships[inverse].hasDependentMembers,
                    let stored = try conflicts.storedCopy(of: owner.record.rowID, like: owner)
                else { continue }
                waiting.append((owner, stored))
            }
        }
    }
}
