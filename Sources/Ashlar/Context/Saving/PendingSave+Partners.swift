import AshlarSQLite
import Containers

/// A foreign key column of a one-to-one relationship.
struct PartnerColumn: Hashable {
    var root: UInt16
    var column: String
}

/// An object that a save gives a partner which another row has.
struct TakenPartner {
    let object: ManagedObject
    /// The position of the foreign key column.
    let column: Int
    /// The row that has the partner in the store.
    let holder: Int64
}

/// One-to-one relationships. One side alone has a column, so that two contexts can give one object two partners without
/// writing the same row.
extension PendingSave {
    /// Notes which partners objects of an entity get, where columns of one-to-one relationships are written.
    func notePartners(of objects: some Sequence<ManagedObject>, _ entity: EntityDescription, _ mask: UInt64) {
        for column in container.model.oneToOneColumns(of: entity) where mask & ManagedObject.bit(of: column) != 0 {
            let key = PartnerColumn(root: entity.number.root, column: entity.columns[column].name)
            for object in objects {
                // Nobody else has one that is inserted with it.
                guard let partner = object.identifier(inColumn: column), !partner.isTemporary else { continue }
                partners[key, default: [:]][partner.rowID] = object
            }
        }
    }

    /// Finds the objects whose partners other rows have, once all is written, by one statement for each relationship.
    ///
    /// - Throws: ``VersionConflict`` where there are any.
    func findTakenPartners(_ connection: Connection) throws {
        takenPartners = []
        for (key, objects) in partners {
            let (table, column) = (
                container.model.entity(key.root).tableName.quotedIdentifier, key.column.quotedIdentifier
            )
            let statement = try connection.statement(
                "SELECT \(table).\(column), \(table).\"id$\" FROM json_each(?1) AS \"wanted$\" "
                    + "CROSS JOIN \(table) ON \(table).\(column) = \"wanted$\".\"value\"")
            defer { statement.reset() }
            statement.bind(.text(RowIDList.json(objects.keys.sorted())), 1)
            while try statement.step() {
                let (partner, holder) = (statement.integer(0), statement.integer(1))
                guard let object = objects[partner],
                    holder != permanentRowIDs[object.record.rowID] ?? object.record.rowID,
                    let position = object.entity.columns.firstIndex(where: { $0.name == key.column })
                else { continue }
                takenPartners.append(TakenPartner(object: object, column: position, holder: holder))
            }
        }
        if takenPartners.isEmpty { return }
        takenPartners.sort { ($0.object.identifier, $0.column) < ($1.object.identifier, $1.column) }
        throw VersionConflict()
    }

    // MARK: Settling

    func conflict(_ taken: TakenPartner) throws -> MergeConflict {
        let object = taken.object
        let property = object.entity.columns[taken.column].property
        let isNew = object.record.state == .inserted
        return MergeConflict(
            object: object.identifier, entity: object.entity.name, kind: .notUnique([property]),
            oldVersion: isNew ? 0 : object.record.version, newVersion: try stored(object)?.record.version ?? 0,
            changedProperties: [property], storeChangedProperties: [])
    }

    private func stored(_ object: ManagedObject) throws -> ManagedObject? {
        if object.record.state == .inserted { return nil }
        return try conflicts.storedCopy(of: object.record.rowID, like: object)
    }

    /// Settles conflicts over partners as the context's policy says: the object keeps the partner that the store has, or
    /// takes its new one from the other row.
    ///
    /// - Throws: ``SaveError/conflict(_:)`` for those that the policy leaves.
    func resolveTakenPartners() throws {
        let found = takenPartners
        takenPartners = []
        var unresolved: [MergeConflict] = []
        for taken in found {
            let (object, column) = (taken.object, taken.column)
            let identifier = PersistentIdentifier(
                rowID: taken.holder, store: container.storeNumber(of: object.rootNumber),
                entity: EntityNumber(root: object.rootNumber, entity: object.rootNumber))
            guard let partner = object.identifier(inColumn: column),
                let theirs = try conflicts.storedCopy(of: taken.holder, like: object)
            else { continue }
            let (conflict, stored) = (try conflict(taken), try stored(object))
            beforeMerging.append(ObjectState(object))
            switch try conflicts.mergePolicy.settled(conflict, object, theirs, stored).kind {
            case .storeTrump, .rollback:
                object.setIdentifier(stored?.identifier(inColumn: column), inColumn: column)
                if object.original != nil, returned[ObjectIdentifier(object)] == nil { update(object) }
            case .objectTrump, .overwrite:
                guard let holder = try graph.existingObject(identifier) else {
                    unresolved.append(conflict)
                    continue
                }
                beforeMerging.append(ObjectState(holder))
                try merge(holder, with: theirs, conflicts.originalCopy(of: holder), .mergeByPropertyObjectTrump)
                guard holder.identifier(inColumn: column) == partner else { continue }
                holder.setIdentifier(nil, inColumn: column)
                update(holder)
            case .error, .custom: unresolved.append(conflict)
            }
        }
        if !unresolved.isEmpty { throw SaveError.conflict(unresolved) }
    }
}
