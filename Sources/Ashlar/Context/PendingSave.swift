/// What one save writes, gathered from a context and left as it is until the transaction is committed.
final class PendingSave {
    struct Update {
        var object: ManagedObject
        /// The bits of the columns to write.
        var mask: UInt64
        /// Whether a relationship without a column changed, so that the row's version must change too.
        var bumpsVersion: Bool
    }

    let context: ModelContext
    let inserts: [ManagedObject]
    let updates: [Update]
    let deletes: [ManagedObject]
    /// The rowids that the store gave to objects with temporary ones.
    var permanentRowIDs = PermanentRowIDs()
    /// The statement of the last update: most updates of a save set the same columns.
    var lastUpdate: (entity: EntityDescription, mask: UInt64, columns: [Int], statement: Statement)?
    /// The columns whose values objects exchange; they are freed first. A column is known by its table and its name.
    var exchanged: Set<String> = []
    /// The columns of the constraint that an update just broke.
    var collisions: Set<String> = []

    init(_ context: ModelContext) {
        self.context = context
        inserts = context.inserted.filter { $0.record.state == .inserted }
        deletes = Array(context.deleted)
        updates = context.changed.filter { $0.record.state == .persisted }.compactMap { object in
            let original = object.record.original
            let mask = original.map { object._ashlarChanges(since: $0, in: object.record.changes) } ?? 0
            // A column that was set to the value that it had is no change.
            let hasLinks = object.record.changes == 0
            return mask == 0 && !hasLinks ? nil : Update(object: object, mask: mask, bumpsVersion: hasLinks)
        }
    }

    // MARK: Validation

    /// Throws ``SaveError/validation(_:)`` with all rules that objects break.
    func validate() throws {
        var failures: [ValidationFailure] = []
        for object in inserts { validate(object, &failures) }
        for update in updates { validate(update.object, &failures) }
        try validateOtherEnds(&failures)
        for object in deletes {
            if let relationship = context.denyingRelationship(of: object) {
                failures.append(
                    ValidationFailure(
                        object: object.identifier, entity: object.entity.name, property: relationship.name,
                        rule: .deletionDenied))
            }
        }
        if !failures.isEmpty { throw SaveError.validation(failures) }
    }

    /// Objects whose required relationship is stored at its other end, which this save takes away.
    private func validateOtherEnds(_ failures: inout [ValidationFailure]) throws {
        let validated = Set(updates.map { ObjectIdentifier($0.object) })
        let ends = context.pendingLinks.filter {
            !$0.value.relationship.isToMany && !$0.value.relationship.isOptional && $0.key.rowID > 0
        }
        for key in ends.keys.sorted(by: { ($0.root, $0.rowID) < ($1.root, $1.rowID) }) {
            let identifier = PersistentIdentifier(
                rowID: key.rowID, store: context.container.storeNumber,
                entity: EntityNumber(root: key.root, entity: key.root))
            guard let object = try context.existingObject(identifier), !validated.contains(ObjectIdentifier(object))
            else { continue }
            validate(object, &failures)
        }
    }

    private func validate(_ object: ManagedObject, _ failures: inout [ValidationFailure]) {
        let entity = object.entity
        for number in entity.requiredToOneRelationships {
            let relationship = entity.relationships[number]
            let isMissing: Bool
            if case .column(let column) = relationship.storage {
                isMissing = object._ashlarIdentifier(column) == nil
            } else {
                isMissing = context.toOne(object, number) == nil
            }
            if isMissing {
                failures.append(
                    ValidationFailure(
                        object: object.identifier, entity: entity.name, property: relationship.name,
                        rule: .missingRequiredValue))
            }
        }
    }
}
