/// Bringing results up to date.
extension FetchedResultsController: LiveResults {
    /// From how many changed rows on the fetch is repeated rather than that these are asked for one by one.
    private static var maximumRows: Int { 1000 }

    func note(_ changes: ContextChanges) {
        guard let scope else { return }
        if changes.invalidatedAll {
            self.scope = nil
            pending = PendingResultChanges()
            mutate { list = ResultList() }
            return
        }
        for object in changes.inserted { note(object, scope, columns: .max) }
        for object in changes.deleted { note(object, scope, columns: .max) }
        if !scope.references.isEmpty {
            // Conditions treat a reference to a deleted object as nil. The reference counts again if the deletion is
            // taken back.
            let isTakenBack = { (object: ManagedObject) in object.record.state != .inserted }
            pending.isUnknown =
                pending.isUnknown || changes.deleted.contains { scope.references.contains($0.rootNumber) }
                || changes.inserted.contains { scope.references.contains($0.rootNumber) && isTakenBack($0) }
        }
        for object in changes.updated {
            // A merge may take back changes, which are then missing from the recorded ones.
            let isKnown = object.record.isListed && !modelContext.pending.hasChangedLinks(object)
            note(object, scope, columns: isKnown ? object.changes : .max)
        }
        for object in changes.refreshed {
            note(object, scope, columns: changes.refreshedColumns[ObjectIdentifier(object)] ?? .max)
        }
        if changes.hasLinkChanges, !scope.followed.isEmpty { pending.isUnknown = true }
    }

    func note(_ object: ManagedObject) {
        if let scope { note(object, scope, columns: .max) }
    }

    private func note(_ object: ManagedObject, _ scope: ResultScope, columns: UInt64) {
        let root = object.rootNumber
        if root == scope.root { pending.touch(object) }
        if scope.follows(root, columns) { pending.isUnknown = true }
    }

    func note(_ notification: ContextNotification) {
        guard let scope else { return }
        for identifier in notification.insertedIdentifiers where identifier.number.root == scope.root {
            // A fetch, or the same notification, may have brought it before.
            let known = modelContext.registry[identifier.rowID, scope.root]
            if known.map({ list.contains($0) }) != true { pending.rows.insert(identifier.rowID) }
        }
        for identifiers in [notification.updatedIdentifiers, notification.refreshedIdentifiers] {
            for identifier in identifiers where identifier.number.root == scope.root {
                pending.rows.insert(identifier.rowID)
            }
        }
        if !scope.followed.isEmpty,
            notification.writtenColumns.contains(where: { scope.follows($0.key, $0.value) })
        {
            pending.isUnknown = true
        }
        if notification.deletedIdentifiers.contains(where: { scope.references.contains($0.number.root) }) {
            pending.isUnknown = true
        }
        // A deleted object that is loaded leaves the context, and is noted as an object. A deleted row beyond a window
        // has no object to note.
        if scope.hasWindow, notification.deletedIdentifiers.contains(where: { $0.number.root == scope.root }) {
            pending.isUnknown = true
        }
    }

    func noteSaved(_ inserted: [ManagedObject]) {
        guard let scope else { return }
        if scope.hasWindow, inserted.contains(where: { $0.rootNumber == scope.root }) {
            // Among equal objects the new ones may be others now that are cut off.
            pending.isUnknown = true
        }
        var order = ObjectOrder(scope.orders, time: FetchTime(store: storeNumber))
        for object in inserted where list.contains(object) {
            // New objects are last among equal ones, and mostly stay so with the identifiers that the store gave them.
            let (before, after) = list.neighbours(of: object)
            let isInPlace =
                before.map { order.precedes($0, object) } ?? true && after.map { order.precedes(object, $0) } ?? true
            if !isInPlace { pending.touch(object) }
        }
    }

    func noteUnknownChanges(of columns: [UInt16: UInt64]) {
        guard let scope else { return }
        if columns[scope.root] != nil || columns.contains(where: { scope.follows($0.key, $0.value) }) {
            pending.isUnknown = true
        }
    }

    func noteUnknownChanges() {
        if scope != nil { pending.isUnknown = true }
    }

    func update() {
        guard let scope, !pending.isEmpty else { return }
        let changes = pending
        pending = PendingResultChanges()
        do {
            if changes.isUnknown || changes.rows.count > Self.maximumRows
                || scope.hasWindow
            {
                try refetch(scope, changes)
            } else {
                try judge(scope, changes)
            }
        } catch StoreError.suspended {
            // The results stay as they are, and the first update after the suspension fetches everything.
            pending.isUnknown = true
        } catch {
            self.scope = nil
            mutate { list = ResultList() }
            modelContext.errors.note(error)
            delegate?.controller(self, didFailWith: error)
        }
    }

    // MARK: The objects that changed

    /// Judges the objects that changed, and moves them.
    private func judge(_ scope: ResultScope, _ changes: PendingResultChanges) throws {
        var touched = changes
        let unknown = changes.rows.filter { modelContext.registry[$0, scope.root] == nil }
        if !unknown.isEmpty {
            for object in try modelContext.objects(of: unknown.sorted(), as: Model.self) {
                if let object { touched.touch(object) }
            }
        }
        for rowID in changes.rows.sorted() {
            if let object = modelContext.registry[rowID, scope.root] { touched.touch(object) }
        }
        let matching = try touched.touched.filter { try matches($0, scope) }
        if matching.isEmpty, !touched.touched.contains(where: list.contains) { return }
        try modelContext.prefetch(
            fetchDescriptor.prefetchedRelationships, of: matching.filter { !list.contains($0) })
        delegate?.controllerWillChangeContent(self)
        // Where things were, and came to, is for the delegate alone.
        if delegate == nil { return try move(touched.touched, matching, scope) }
        let oldSections = list.sections
        let oldNames = oldSections.map(\.name)
        var places = touched.touched.map { ResultChange(object: $0, from: list.place(of: $0)) }
        try move(touched.touched, matching, scope)
        for index in places.indices { places[index].to = list.place(of: places[index].object) }
        ResultChange.rank(&places)
        let remaining = Set(oldSections.filter { list.section(named: $0.name) === $0 }.map(\.name))
        let newNames = list.sections.map(\.name)
        let kept = ResultDifference.keptSections(oldNames, newNames, remaining: remaining)
        tell(
            ResultDifference(
                oldSections: oldNames, newSections: newNames, kept: kept, places, isUpdated: { _ in true }),
            oldNames)
    }

    /// Takes objects out of the list that are in it, and puts others where the order has them.
    private func move(_ touched: [ManagedObject], _ matching: [ManagedObject], _ scope: ResultScope) throws {
        var order = ObjectOrder(scope.orders, time: FetchTime(store: storeNumber))
        var misplaced: SectionKey??
        mutate {
            for object in touched { list.remove(object) }
            for object in matching {
                let keys = order.keys(object)
                let name = self.name(of: object, scope)
                let isInOrder = list.insert(object, name) { order.precedes(keys, $0) }
                if !isInOrder { misplaced = .some(name) }
            }
        }
        if let error = order.error { throw error }
        if let misplaced { throw Self.outOfOrder(misplaced) }
    }

    private var storeNumber: UInt32 { modelContext.container.storeNumber(of: Model._ashlarEntity.number.root) }

    private func matches(_ object: ManagedObject, _ scope: ResultScope) throws -> Bool {
        guard let model = object as? Model, object.liveContext === modelContext,
            scope.includesSubentities || object.entity === Model._ashlarEntity
        else { return false }
        guard fetchesPendingChanges || object.record.state == .persisted else { return false }
        guard let condition = scope.condition else { return true }
        var evaluator = ExpressionEvaluator(time: FetchTime(store: storeNumber))
        let holds = evaluator.holds(condition, for: model)
        if let error = evaluator.error { throw error }
        return holds
    }

    private var fetchesPendingChanges: Bool { fetchDescriptor.includePendingChanges }

    private func name(of object: ManagedObject, _ scope: ResultScope) -> SectionKey? {
        guard let sectionName, let model = object as? Model else { return nil }
        return SectionKey(sectionName(model), tellsBytesApart: !scope.isCollated)
    }

    private static func outOfOrder(_ name: SectionKey?) -> FetchError {
        .sectionsOutOfOrder(entity: Model._ashlarEntity.name, name: name.map { "\($0.base)" } ?? "")
    }

    // MARK: All objects

    /// Fetches all objects.
    func fetchedList(_ scope: ResultScope) throws -> ResultList {
        var descriptor = fetchDescriptor
        descriptor.sortOrders = scope.orders
        var list = ResultList()
        let objects = try modelContext.fetchObjects(descriptor)
        try modelContext.prefetch(descriptor.prefetchedRelationships, of: objects)
        for object in objects {
            let name = name(of: object, scope)
            if !list.append(object, name) { throw Self.outOfOrder(name) }
        }
        return list
    }

    /// Fetches all objects again, and determines the differences.
    private func refetch(_ scope: ResultScope, _ changes: PendingResultChanges) throws {
        let known = modelContext.listeners.event?.refreshed.count ?? 0
        let new = try fetchedList(scope)
        var updated = Set(changes.touched.map(ObjectIdentifier.init))
        for rowID in changes.rows {
            if let object = modelContext.registry[rowID, scope.root] {
                updated.insert(ObjectIdentifier(object))
            }
        }
        // The changes include values that this fetch found to differ; no later event reports them again.
        for object in modelContext.listeners.event?.refreshed.dropFirst(known) ?? [] {
            updated.insert(ObjectIdentifier(object))
        }
        for object in pending.touched { updated.insert(ObjectIdentifier(object)) }
        modelContext.listeners.event?.refreshed.removeSubrange(known...)
        pending = PendingResultChanges()
        var places: [ObjectIdentifier: ResultChange] = [:]
        for (place, object) in list.places {
            places[ObjectIdentifier(object)] = ResultChange(object: object, from: place)
        }
        for (place, object) in new.places {
            places[ObjectIdentifier(object), default: ResultChange(object: object)].to = place
        }
        let oldNames = list.sections.map(\.name)
        let newNames = new.sections.map(\.name)
        let difference = ResultDifference(
            oldSections: oldNames, newSections: newNames, kept: ResultDifference.keptSections(oldNames, newNames),
            Array(places.values), isUpdated: { updated.contains(ObjectIdentifier($0)) })
        if difference.isEmpty { return }
        delegate?.controllerWillChangeContent(self)
        mutate { list = new }
        tell(difference, oldNames)
    }

    private func tell(_ difference: ResultDifference, _ oldNames: [SectionKey?]) {
        guard let delegate else { return }
        let changes = FetchedResultsChanges<Model, SectionName>(
            difference, oldSections: oldNames, newSections: list.sections.map(\.name))
        for section in changes.sections { delegate.controller(self, didChange: section) }
        for object in changes.objects { delegate.controller(self, didChange: object) }
        delegate.controller(self, didChangeContentWith: changes)
        delegate.controllerDidChangeContent(self)
    }
}
