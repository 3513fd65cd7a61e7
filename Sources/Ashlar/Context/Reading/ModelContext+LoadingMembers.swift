import AshlarSQLite
import Containers

/// Loads the members of relationships to many.
extension ModelContext {
    /// The most owners whose members one load fetches.
    private static let maximumOwners = 1000

    /// Loads the members of a relationship, with those of siblings of its owner where these are gone over.
    func loadMembers(of owner: ManagedObject, _ number: RelationshipNumber) {
        if let parent { return loadMembers(of: owner, number, from: parent) }
        guard let destination = destinationTraits(of: owner, number) else { return }
        let entity = destination.pointee.entity
        guard loadsSiblings(of: owner, .members(number)) else { return loadMembers(of: [owner], number, entity) }
        var owners = [owner]
        let traits = owner.traits
        registry.map(for: owner.rootNumber).forEachSibling(of: owner.record.rowID) { sibling in
            guard sibling.record.state == .persisted, sibling !== owner, !sibling.hasLoaded(number) else { return true }
            // An entity of another branch may have another relationship at the same number.
            if sibling.traits == traits || sibling.traits.pointee.has(number, of: traits) { owners.append(sibling) }
            return owners.count < Self.maximumOwners
        }
        loadMembers(of: owners, number, entity, rowLimit: Self.maximumSiblingRows)
        // It may be behind the rows at which the load ended.
        if !owner.hasLoaded(number) { loadMembers(of: [owner], number, entity) }
    }

    /// Loads the members of a relationship of several owners, where they are not loaded yet.
    func loadMembers(ofAll objects: [ManagedObject], _ number: RelationshipNumber) {
        var owners: [ManagedObject] = []
        for object in objects where !object.hasLoaded(number) {
            guard object.record.state == .persisted, object.entity.relationships.contains(number) else { continue }
            if parent != nil {
                loadMembers(of: object, number)
            } else if let first = owners.first, first.entity !== object.entity,
                first.entity.relationships[number] != object.entity.relationships[number]
            {
                continue
            } else {
                owners.append(object)
            }
        }
        guard let first = owners.first, let destination = destination(of: first, number) else { return }
        loadMembers(of: owners, number, destination)
    }

    private func loadMembers(
        of owners: [ManagedObject], _ number: RelationshipNumber, _ destination: EntityDescription,
        rowLimit: Int = .max
    ) {
        guard let relationship = owners.first?.traits.pointee[number].pointee.description,
            let statements = relationship.memberStatements(destination)
        else { return }
        let owners = Self.sorted(owners)
        do {
            let stored = try storedMembers(owners, relationship, destination, statements, rowLimit)
            var next = 0
            var start = 0
            var position = 0
            while position < owners.count {
                let object = Unmanaged.passUnretained(owners[position])
                let rowID = object._withUnsafeGuaranteedRef { $0.record.rowID }
                position &+= 1
                if rowID > stored.last { return }
                // Both are in the order of the rowids.
                while next < stored.owners.count, stored.owners[next].rowID < rowID {
                    start = stored.owners[next].end
                    next &+= 1
                }
                var part = 0..<0
                if next < stored.owners.count, stored.owners[next].rowID == rowID {
                    part = start..<stored.owners[next].end
                }
                object._withUnsafeGuaranteedRef {
                    $0.load(
                        OrderedRowIDs(stored.members, part),
                        pending.links.isEmpty ? nil : pending.links[LinkKey($0, number)], number)
                }
            }
        } catch {
            errors.note(error)
        }
    }

    /// Objects of one table in the order of their rowids, which they mostly have.
    private static func sorted(_ objects: [ManagedObject]) -> [ManagedObject] {
        let isSorted = objects.withUnsafeBufferPointer { objects in
            var position = 1
            while position < objects.count {
                if objects[position].record.rowID < objects[position &- 1].record.rowID { return false }
                position &+= 1
            }
            return true
        }
        return isSorted ? objects : RowKey.sort(objects) { RowKey($0) }
    }

    /// The members that the store holds for each of several owners, with their objects registered; the owners that have
    /// any are in the order of their rowids. After some rows no owner is begun any more.
    ///
    /// - Parameter owners: In the order of their rowids.
    private func storedMembers(
        _ owners: [ManagedObject], _ relationship: RelationshipDescription, _ destination: EntityDescription,
        _ statements: MemberStatements, _ rowLimit: Int
    ) throws -> StoredMembers {
        var stored = StoredMembers(owners.count)
        let map = registry.map(for: destination.number.root)
        try readObjects("fetching \(relationship.name)") { connection in
            let range = OwnerRange(owners, mayHaveGaps: rowLimit < .max)
            let statement = try connection.statement(
                owners.count == 1 ? statements.ofOne : range != nil ? statements.ofRange : statements.ofMany)
            defer { statement.reset() }
            if owners.count == 1 {
                statement.bind(owners[0].record.rowID, 1)
            } else if let range {
                statement.bind(range.first, 1)
                statement.bind(range.last, 2)
            } else {
                statement.bind(.text(RowIDList.json(owners.map { $0.record.rowID })), 1)
            }
            map.beginBatch()
            let row = Row(statement: statement.handle, store: container.storeNumber(of: destination.number.root))
            let ownerColumn = statement.columnCount - 1
            let hasDerivedColumns = destination.hasDerivedColumns
            var maker = ObjectMaker(destination)
            var rows = 0
            // The next owner that is asked for, where the range has others between them.
            var asked = 0
            while try statement.step() {
                let owner = statement.integer(ownerColumn)
                if rows >= rowLimit, stored.isPast(owner) { return }
                rows &+= 1
                if range?.hasGaps == true {
                    while owners[asked].record.rowID < owner { asked &+= 1 }
                    if owners[asked].record.rowID != owner { continue }
                }
                if hasDerivedColumns {
                    try visitObjectWithDerivedValues(at: row, &maker, map, destination) { stored.append($0, of: owner) }
                } else {
                    try visitObject(at: row, &maker, map, destination) { stored.append($0, of: owner) }
                }
            }
        }
        return stored
    }
}

/// The members that the store has of several owners.
private struct StoredMembers {
    /// The members of all owners, one owner's after the other's.
    private(set) var members: [Int64] = []
    /// The owners that have any, in the order of their rowids, each with the end of its members.
    private(set) var owners: [(rowID: Int64, end: Int)] = []
    /// The last owner whose members were read to their end.
    private(set) var last = Int64.max
    /// The owner of whose members one was read last.
    private var reached = Int64.min

    /// Makes room for two members of each of some owners.
    init(_ ownerCount: Int) {
        members.reserveCapacity(ownerCount * 2)
        owners.reserveCapacity(ownerCount)
    }

    @inline(__always)
    mutating func append(_ member: ManagedObject, of owner: Int64) {
        if member.record.state == .deleted { return }
        members.append(member.record.rowID)
        if reached == owner {
            owners[owners.count - 1].end = members.count
        } else {
            owners.append((owner, members.count))
            reached = owner
        }
    }

    /// Ends before an owner, where others have members and all of theirs were read.
    mutating func isPast(_ owner: Int64) -> Bool {
        if reached == owner || reached == .min { return false }
        last = reached
        return true
    }
}

/// Owners whose rowids follow each other, as those of one fetch mostly do: their members lie side by side in an index, so that
/// nothing has to be looked for.
private struct OwnerRange {
    let first: Int64
    let last: Int64
    /// Whether it has others between them, whose members are passed over.
    let hasGaps: Bool

    /// Nil where the owners do not lie close enough.
    ///
    /// - Parameter mayHaveGaps: Whether there may be a few others between them; nobody knows how many members these have.
    init?(_ owners: [ManagedObject], mayHaveGaps: Bool) {
        if owners.count < 2 { return nil }
        (first, last) = (owners[0].record.rowID, owners[owners.count - 1].record.rowID)
        // Both are numbers of rows, from 1 on.
        let others = last - first + 1 - Int64(owners.count)
        hasGaps = others > 0
        if others < 0 || others > (mayHaveGaps ? Int64(owners.count) / 8 : 0) { return nil }
    }
}
