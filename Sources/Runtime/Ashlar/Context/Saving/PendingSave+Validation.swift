/// The rules that must be satisfied before anything is written.
extension PendingSave {
    /// Throws ``SaveError/validation(_:)`` with all violated rules, or an error of ``ValidatedModel/validate(for:)``
    /// itself if it is the only failure.
    func validate() throws {
        var failures: [ValidationFailure] = []
        // This loop and others over all objects use no iterators, which take longer than the rest in unoptimized
        // builds.
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
        // A rule may have needed a load that failed, and was then evaluated without its objects.
        try errors.throwFirst()
        // Statements detect this while binding. A save into a parent has no statements, and a validation error reports
        // all failures.
        if surroundings.isForParent || !failures.isEmpty { failures += notANumberFailures() }
        // Core Data's save does the same: it wraps only several failures.
        if failures.count == 1, let error = failures[0].underlyingError { throw error }
        if !failures.isEmpty { throw SaveError.validation(failures) }
    }

    /// Returns the failures of values that are not a number.
    func notANumberFailures() -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        for object in inserts { noteNotANumbers(object, &failures) }
        // The store has none, so it must be in a changed column. Accessed by position, because a copy would count
        // references.
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

    /// Validates objects whose relationships this save changes at the other end: required relationships that become
    /// empty, and to-many relationships with a bounded count.
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
