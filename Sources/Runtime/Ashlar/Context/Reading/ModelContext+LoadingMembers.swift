import AshlarSQLite
import Containers

/// Loading the members of to-many relationships.
extension ModelContext {
    /// Returns the largest number of owners whose members are loaded together, and the number of rows after which the
    /// load ends.
    ///
    /// The first limits are low enough for programs that visit only a few objects. Later limits estimate the owners
    /// that have the desired number of rows. Reading begins with the lowest rowid, so with more owners it might end
    /// before the one that needs its members.
    private static func siblingLimits(after last: SiblingLoad?) -> SiblingLoad {
        guard let last else { return SiblingLoad(owners: 1000, rows: maximumSiblingRows) }
        let rows = 50_000
        return SiblingLoad(owners: min(16_000, max(1, last.owners * rows / max(1, last.rows))), rows: rows)
    }

    /// Loads the members of a relationship, and those of its owner's siblings if a loop goes over them.
    func loadMembers(of owner: ManagedObject, _ number: RelationshipNumber) {
        if let parent { return loadMembers(of: owner, number, from: parent) }
        guard let destination = destinationTraits(of: owner, number) else { return }
        let entity = destination.pointee.entity
        if loadsSiblings(of: owner, .members(number)) {
            loadMembersWithSiblings(of: owner, number, entity)
        } else {
            loadMembers(of: owner, number, entity)
        }
    }

    private func loadMembersWithSiblings(
        of owner: ManagedObject, _ number: RelationshipNumber, _ entity: EntityDescription
    ) {
        var owners = [owner]
        let traits = owner.traits
        let map = registry.map(for: owner.rootNumber)
        let limits = Self.siblingLimits(after: map.lastLoad(of: .members(number), for: owner.record.rowID))
        map.forEachSibling(of: owner.record.rowID) { sibling in
            guard sibling.record.state == .persisted, sibling !== owner, !sibling.hasLoaded(number),
                // An entity of another branch may have another relationship with the same number.
                sibling.traits == traits || sibling.traits.pointee.has(number, of: traits)
            else { return .needless }
            owners.append(sibling)
            return owners.count < limits.owners ? .served : .enough
        }
        if let load = loadMembers(of: owners, number, entity, rowLimit: limits.rows) {
            map.note(load, of: .members(number), for: owner.record.rowID)
        }
        // The load may have ended before its owner.
        if !owner.hasLoaded(number) { loadMembers(of: owner, number, entity) }
    }

    /// Loads the members of a relationship of several owners, unless they are loaded.
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

    private func loadMembers(of owner: ManagedObject, _ number: RelationshipNumber, _ destination: EntityDescription) {
        let relationship = owner.traits.pointee[number].pointee.description
        guard let statements = relationship.memberStatements(destination) else { return }
        let map = registry.map(for: destination.number.root)
        var members: [Int64] = []
        do {
            try readObjects("fetching \(relationship.name)") { connection in
                let statement = try connection.statement(statements.ofOne)
                defer { statement.reset() }
                statement.bind(owner.record.rowID, 1)
                map.beginBatch()
                try visitRows(statement, destination, map) { _ in
                    .read
                } _: {
                    // The array would otherwise be reallocated for the second and the third member.
                    if members.isEmpty { members.reserveCapacity(3) }
                    members.append($0)
                }
            }
            load(OrderedRowIDs(members), owner, number)
        } catch {
            errors.note(error)
        }
    }

    /// Sets the members of an owner to those that the store has.
    @inline(__always)
    private func load(_ members: OrderedRowIDs, _ owner: ManagedObject, _ number: RelationshipNumber) {
        owner.load(members, pending.links.isEmpty ? nil : pending.links[LinkKey(owner, number)], number)
    }

    /// Loads the members of several owners, and returns the extent of the load; nil if nothing could be read.
    @discardableResult
    private func loadMembers(
        of owners: [ManagedObject], _ number: RelationshipNumber, _ destination: EntityDescription,
        rowLimit: Int = .max
    ) -> SiblingLoad? {
        guard let relationship = owners.first?.traits.pointee[number].pointee.description,
            let statements = relationship.memberStatements(destination)
        else { return nil }
        let owners = Self.sorted(owners)
        do {
            let stored = try storedMembers(owners, relationship, destination, statements, rowLimit)
            var next = 0
            var start = 0
            var position = 0
            while position < owners.count {
                let object = Unmanaged.passUnretained(owners[position])
                let rowID = object._withUnsafeGuaranteedRef { $0.record.rowID }
                if rowID > stored.last { break }
                position &+= 1
                // Both are sorted by rowid.
                while next < stored.owners.count, stored.owners[next].rowID < rowID {
                    start = stored.owners[next].end
                    next &+= 1
                }
                var part = 0..<0
                if next < stored.owners.count, stored.owners[next].rowID == rowID {
                    part = start..<stored.owners[next].end
                }
                object._withUnsafeGuaranteedRef { load(OrderedRowIDs(stored.members, part), $0, number) }
            }
            return SiblingLoad(owners: position, rows: stored.members.count)
        } catch {
            errors.note(error)
            return nil
        }
    }

    /// Returns objects of one table sorted by rowid, which they usually already are.
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

    /// Returns the stored members of each of several owners, and registers their objects. The owners that have members
    /// are sorted by rowid. Once the limit of rows is reached, no further owner is read.
    ///
    /// - Parameter owners: The owners, sorted by rowid.
    private func storedMembers(
        _ owners: [ManagedObject], _ relationship: RelationshipDescription, _ destination: EntityDescription,
        _ statements: MemberStatements, _ rowLimit: Int
    ) throws -> StoredMembers {
        var stored = StoredMembers()
        let map = registry.map(for: destination.number.root)
        try readObjects("fetching \(relationship.name)") { connection in
            map.beginBatch()
            let range = OwnerRange(owners, mayHaveGaps: rowLimit < .max)
            if let range, let scan = statements.scan,
                let count = try scan.memberCount(of: range.first...range.last, atMost: rowLimit, connection)
            {
                let statement = try connection.statement(scan.statement)
                defer { statement.reset() }
                statement.bind(range.first, 1)
                statement.bind(range.last, 2)
                map.reserve(count)
                var scanned = ScannedMembers(of: owners, in: range, count)
                try visitRows(statement, destination, map) {
                    scanned.asks(for: $0) ? .read : .skip
                } _: {
                    scanned.append($0)
                }
                stored = scanned.stored
                return
            }
            let statement = try connection.statement(range != nil ? statements.ofRange : statements.ofMany)
            defer { statement.reset() }
            if let range {
                statement.bind(range.first, 1)
                statement.bind(range.last, 2)
            } else {
                statement.bind(.text(RowIDList.json(owners.map { $0.record.rowID })), 1)
            }
            stored.reserve(owners.count)
            let hasGaps = range?.hasGaps == true
            var rows = 0
            // The next requested owner, if other rowids are between them.
            var asked = 0
            try visitRows(statement, destination, map) { owner in
                if rows >= rowLimit, stored.isPast(owner) { return .end }
                rows &+= 1
                if hasGaps {
                    while owners[asked].record.rowID < owner { asked &+= 1 }
                    if owners[asked].record.rowID != owner { return .skip }
                }
                stored.begin(owner)
                return .read
            } _: {
                stored.append($0)
            }
        }
        return stored
    }

    /// The treatment of a row of members, once its owner is known.
    private enum MemberRow {
        case read, skip, end
    }

    /// Calls a closure with the rowid of each row's member, once its object is registered, unless it is deleted. Before
    /// that, another closure decides by the owner's rowid, which is in the last column.
    @inline(__always)
    private func visitRows(
        _ statement: Statement, _ destination: EntityDescription, _ map: IdentityMap, _ decide: (Int64) -> MemberRow,
        _ visit: (Int64) -> Void
    ) throws {
        let row = Row(statement: statement.handle, store: container.storeNumber(of: destination.number.root))
        let ownerColumn = statement.columnCount - 1
        let hasDerivedColumns = destination.hasDerivedColumns
        try ObjectMaker.withTemporary(destination) { maker in
            while try statement.step() {
                switch decide(statement.integer(ownerColumn)) {
                case .end: return
                case .skip: continue
                case .read: break
                }
                if hasDerivedColumns {
                    try visitObjectWithDerivedValues(at: row, &maker, map, destination) {
                        if $0.record.state != .deleted { visit($0.record.rowID) }
                    }
                } else {
                    try visitObject(at: row, &maker, map, destination) {
                        if $0.record.state != .deleted { visit($0.record.rowID) }
                    }
                }
            }
        }
    }
}
