/// The rules that must hold before anything is written.
extension PendingSave {
    /// Throws ``SaveError/validation(_:)`` with all rules that objects break; an error of ``ValidatedModel/validate(for:)`` itself
    /// if it is the only failure.
    func validate() throws {
        var failures: [ValidationFailure] = []
        // Not through iterators, here and in other loops over all objects: where nothing is optimised, they take longer
        // than the rest.
        var position = 0
        while position < inserts.count {
            let object = inserts[position]
            position &+= 1
            if object.entity.validatesInsertions { validate(object, .insert, &failures) }
        }
        if hasRuledUpdates || !hasGatheredUpdates {
            for update in updates where update.traits.pointee.validatesUpdates {
                validate(update.object, .update, &failures)
            }
        }
        for object in touched where object.entity.isValidated { validate(object, .update, &failures) }
        try validateOtherEnds(&failures)
        position = 0
        while position < deletes.count {
            let object = deletes[position]
            position &+= 1
            if let relationship = graph.denyingRelationship(of: object) {
                failures.append(ValidationFailure(object, relationship.name, .deletionDenied))
            }
            if object.entity.isValidated { validateByUser(object, .delete, &failures) }
        }
        // A rule may have needed a load that failed, and would then have been judged without its objects.
        try errors.throwFirst()
        // Statements find it out as they bind the values; a parent gets them without one, and an error tells all failures.
        if surroundings.isForParent || !failures.isEmpty { failures += notANumberFailures() }
        // As Core Data's save does, which wraps several failures only.
        if failures.count == 1, let error = failures[0].underlyingError { throw error }
        if !failures.isEmpty { throw SaveError.validation(failures) }
    }

    /// The values that are not numbers although they should be.
    func notANumberFailures() -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        for object in inserts { noteNotANumbers(object, &failures) }
        // The store has none, so that it is one that changed; by their positions, as a copy of each would count references.
        for position in updates.indices
        where updates[position].mask & updates[position].object.traits.pointee.notANumberColumns != 0 {
            noteNotANumbers(updates[position].object, &failures)
        }
        return failures
    }

    private func noteNotANumbers(_ object: ManagedObject, _ failures: inout [ValidationFailure]) {
        for column in object.notANumberColumns {
            failures.append(ValidationFailure(object, object.entity.columns[column].property, .notANumber))
        }
    }

    private func validate(_ object: ManagedObject, _ operation: SaveOperation, _ failures: inout [ValidationFailure]) {
        let entity = object.entity
        for number in entity.requiredToOneRelationships {
            let relationship = entity.relationships[number]
            let isMissing: Bool
            if case .column(let column) = relationship.storage {
                isMissing = object.identifier(inColumn: column) == nil
            } else {
                isMissing = graph.toOne(object, number) == nil
            }
            if isMissing { failures.append(ValidationFailure(object, relationship.name, .missingRequiredValue)) }
        }
        for column in entity.ruledColumns { validate(object, entity.columns[column], column, &failures) }
        if operation == .insert {
            for number in entity.boundedRelationships { validateCount(object, number, &failures) }
        }
        if entity.isValidated { validateByUser(object, operation, &failures) }
    }

    private func validate(
        _ object: ManagedObject, _ column: ColumnDescription, _ number: Int, _ failures: inout [ValidationFailure]
    ) {
        let value = object.sqliteValue(number)
        for rule in column.rules {
            guard let broken = rule.broken(by: value, isDecimal: column.isDecimal) else { continue }
            var failure = ValidationFailure(object, column.property, broken, value: value)
            failure.isDate = column.isDate
            failures.append(failure)
        }
    }

    private func validateCount(
        _ object: ManagedObject, _ number: RelationshipNumber, _ failures: inout [ValidationFailure]
    ) {
        let relationship = object.entity.relationships[number]
        let count = graph.livingMembers(of: object, number).count
        if let rule = relationship.rule(brokenBy: count) {
            failures.append(ValidationFailure(object, relationship.name, rule))
        }
    }

    /// Rules of objects whose relationships this save changes at the other end: a required one that becomes empty, a
    /// to-many one whose count is bounded.
    private func validateOtherEnds(_ failures: inout [ValidationFailure]) throws {
        let ends = pending.links.filter { key, links in
            key.rowID > 0
                && (links.relationship.isToMany ? links.relationship.isBounded : !links.relationship.isOptional)
        }
        if ends.isEmpty { return }
        let touched = touched.filter(\.entity.isValidated)
        let validated = Set((updates.map(\.object) + touched).map(ObjectIdentifier.init))
        let keys = ends.map(\.key).sorted {
            ($0.root, $0.rowID, $0.relationship) < ($1.root, $1.rowID, $1.relationship)
        }
        for key in keys {
            let identifier = PersistentIdentifier(
                rowID: key.rowID, store: container.storeNumber(of: key.root),
                entity: EntityNumber(root: key.root, entity: key.root))
            guard let object = try graph.existingObject(identifier), object.record.state != .inserted else {
                continue
            }
            if pending.links[key]?.relationship.isToMany == true {
                validateCount(object, key.relationship, &failures)
            } else if !validated.contains(ObjectIdentifier(object)) {
                validate(object, .update, &failures)
            }
        }
    }

    private func validateByUser(
        _ object: ManagedObject, _ operation: SaveOperation, _ failures: inout [ValidationFailure]
    ) {
        guard let model = object as? any ValidatedModel else { return }
        do {
            try model.validate(for: operation)
        } catch let failure as ValidationFailure {
            failures.append(failure)
        } catch SaveError.validation(let found) {
            failures += found
        } catch {
            failures.append(ValidationFailure(object, throwing: error))
        }
    }
}
