import Containers

/// The changes in a context since it last processed its pending changes, for observers and for undo.
///
/// A context has one only while there are observers, and then every changed object reports each change.
final class ContextEvent {
    /// The data to keep about objects that change. During an undo, values are not needed, and objects only for others.
    enum Touching {
        case values, objects, nothing
    }

    /// A change of a relationship that is stored in a table of its own.
    struct LinkChange {
        var owner: ManagedObject
        var relationship: RelationshipNumber
        var member: ManagedObject
        var isAddition: Bool
        /// Whether the link is lost only through the deletion of its owner: without an inverse, the owner keeps its
        /// members until its deletion is saved.
        var goesWithOwner = false
    }

    /// A change of the order of a relationship's members.
    struct OrderChange {
        var owner: ManagedObject
        var relationship: RelationshipNumber
        var before: [Int64]
        var after: [Int64] = []
    }

    /// Changed objects in the order of their first change.
    @exclusivity(unchecked) private(set) var touches: ContiguousArray<ValueChange> = []
    /// The position of an object in ``touches``, by its address, which is unique while the object is held here. Only
    /// objects up to the last one that was looked up are in the table: most objects change once.
    @exclusivity(unchecked) private var positions = RowIDTable()
    @exclusivity(unchecked) private var positionCount = 0
    /// The transient values that objects had before.
    private(set) var transientsBefore: [ObjectIdentifier: TransientValues] = [:]
    let keepsValues: Bool
    /// The data to keep about objects that change.
    var touching = Touching.values
    var inserted: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    /// The deleted objects that others deleted.
    private(set) var lost: Set<ObjectIdentifier> = []
    var refreshed: [ManagedObject] = []
    /// The objects that others inserted, and that the context merged without creating them.
    var merged: [PersistentIdentifier] = []
    /// The bits of the columns that changed in objects that were read again.
    private(set) var refreshedColumns: [ObjectIdentifier: UInt64] = [:]
    private(set) var links: [LinkChange] = []
    private(set) var orders: [OrderChange] = []
    private var ordered: [ObjectIdentifier: [RelationshipNumber]] = [:]

    var isEmpty: Bool {
        touches.isEmpty && inserted.isEmpty && deleted.isEmpty && refreshed.isEmpty && links.isEmpty && merged.isEmpty
    }

    init(keepsValues: Bool) { self.keepsValues = keepsValues }

    /// Records that columns of an object are about to change.
    ///
    /// - Parameter isFirst: Whether the object's original values, if any, were kept just now for the same change.
    func touch(_ object: ManagedObject, columns: UInt64, isFirst: Bool = false) {
        if touching == .nothing { return }
        let keepsValues = keepsValues && touching == .values
        let position = object.record.isTouched ? position(of: object) : -1
        if position < 0 {
            object.record.isTouched = true
            let before = keepsValues ? object.values(before: columns, isFirst: isFirst) : .none
            touches.append(ValueChange(object: object, columns: columns, before: before))
        } else if touches[position].columns & columns != columns {
            if keepsValues {
                touches[position].before = object.values(
                    before: columns & ~touches[position].columns, and: touches[position].before)
            }
            touches[position].columns |= columns
        }
    }

    /// Moves the changed objects out, so that the caller need not copy them. The caller must then end them as
    /// ``end(_:)`` does.
    func takeTouches() -> ContiguousArray<ValueChange> {
        defer {
            touches = []
            positions.removeAll()
            positionCount = 0
        }
        return touches
    }

    /// Resets the objects, as the next event contains none of them. No code of the program may run before that.
    func end(_ context: ModelContext) {
        for position in touches.indices { touches[position].object.endTouch(context) }
    }

    /// Returns whether the object, or columns of it, were recorded.
    func hasTouch(of object: ManagedObject) -> Bool { position(of: object) >= 0 }

    /// The position among the changed objects; negative if the object did not change.
    private func position(of object: ManagedObject) -> Int {
        let count = touches.count
        if positionCount < count {
            if !positions.hasRoom(for: count - positionCount) { positions.resize(minimumCapacity: count * 4) }
            while positionCount < count {
                positions.insert(Self.address(touches[positionCount].object), at: positionCount)
                positionCount += 1
            }
        }
        return positions.position(of: Self.address(object))
    }

    private static func address(_ object: ManagedObject) -> Int64 {
        Int64(truncatingIfNeeded: Int(bitPattern: ObjectIdentifier(object)))
    }

    /// Records that a transient attribute of an object is about to change.
    func noteTransients(of object: ManagedObject) {
        guard keepsValues, transientsBefore[ObjectIdentifier(object)] == nil else { return }
        transientsBefore[ObjectIdentifier(object)] = TransientValues(object)
    }

    func note(_ change: LinkChange) { links.append(change) }

    /// Records that others deleted an object.
    func noteLoss(of object: ManagedObject) {
        deleted.append(object)
        lost.insert(ObjectIdentifier(object))
    }

    /// Records that an object was read again.
    func noteRefresh(_ object: ManagedObject, columns: UInt64) {
        refreshed.append(object)
        refreshedColumns[ObjectIdentifier(object), default: 0] |= columns
    }

    /// Records columns whose changes a merge took back. Later changes of the object in this event do not count them.
    func noteTakenBack(of object: ManagedObject, columns: UInt64) {
        refreshedColumns[ObjectIdentifier(object), default: 0] |= columns
    }

    /// - Parameter members: The present members. They are read for the first change alone, as they may be many.
    func willReorder(
        _ owner: ManagedObject, _ relationship: RelationshipNumber, _ members: @autoclosure () -> [Int64]
    ) {
        if ordered[ObjectIdentifier(owner)]?.contains(relationship) == true { return }
        ordered[ObjectIdentifier(owner), default: []].append(relationship)
        orders.append(OrderChange(owner: owner, relationship: relationship, before: members()))
    }
}

extension ManagedObject {
    /// Records that the next event does not contain the object. An object that moved to another context may be in an
    /// event there.
    @inline(__always)
    final func endTouch(_ context: ModelContext) {
        if isIn(context) { record.isTouched = false }
    }
}

extension ModelContext {
    /// Processes the changes since the last time: merges, notifies observers, closes the undo group, and autosaves.
    ///
    /// The context merges the saves of other contexts, and notifies observers of
    /// ``ContextNotification/Kind/objectsDidChange``. It ends the current group of the undo manager, and saves if
    /// ``autosaveEnabled`` is set.
    ///
    ///     context.processPendingChanges()
    ///
    /// The end of a `perform` calls it. A save ends the undo group first, and merges at its end. Core Data does this at
    /// the end of each turn of the run loop, which programs without a run loop do not have.
    public func processPendingChanges() {
        mergeAndTell()
        autosave()
    }

    /// Merges the saves of other contexts, and notifies observers of the changes.
    func mergeAndTell() {
        do {
            try mergeWaitingChanges()
        } catch {
            errors.note(error)
        }
        endEvent()
    }

    /// Ends the present event, and notifies observers, the undo manager and live results.
    func endEvent() {
        tellOfEvent()
        if !listeners.liveResults.isEmpty { updateLiveResults() }
    }

    /// Notifies observers and the undo manager of the present event, and begins a new one.
    func tellOfEvent() {
        tellOfEvent { undoManager?.register($0, self) }
    }

    /// Notifies observers of the present event, and begins a new one.
    ///
    /// - Parameter keep: Keeps the values of the event, if it has them.
    func tellOfEvent(_ keep: (ContextEvent) -> Void) {
        guard let event = listeners.takeEvent() else { return }
        let touched = listeners.hasOthers ? event.touches.map(\.object) : []
        if event.keepsValues { keep(event) }
        event.end(self)
        if !listeners.hasOthers { return }
        let inserted = event.inserted.filter { $0.isLive(in: self) }
        let new = Set(inserted.map(ObjectIdentifier.init))
        let merged = mergedObjects(event.merged)
        let changes = ContextChanges(
            inserted: inserted + merged.objects, merged: merged.others,
            updated: touched.filter { $0.isLive(in: self) && !new.contains(ObjectIdentifier($0)) },
            deleted: event.deleted, refreshed: event.refreshed, hasLinkChanges: !event.links.isEmpty,
            refreshedColumns: event.refreshedColumns)
        for results in listeners.liveResults.all { results.note(changes) }
        if !changes.isEmpty { notify(.objectsDidChange, changes) }
    }

    /// The objects of rows that others inserted, if an observer receives objects. Otherwise returns their identifiers
    /// and reads nothing.
    private func mergedObjects(
        _ identifiers: [PersistentIdentifier]
    ) -> (objects: [ManagedObject], others: [PersistentIdentifier]) {
        if identifiers.isEmpty || !listeners.observers.observations.contains(where: { $0.kind == .objectsDidChange }) {
            return ([], identifiers)
        }
        let missing = Dictionary(grouping: identifiers.filter { registry.object($0) == nil }, by: \.number.root)
        // Held until all are loaded, so that a sweep does not release them.
        let known = identifiers.compactMap { registry.object($0) }
        for (root, identifiers) in missing.sorted(by: { $0.key < $1.key }) {
            loadObjects(container.model.entity(root), identifiers.map(\.rowID))
        }
        return withExtendedLifetime(known) {
            (identifiers.compactMap { registry.object($0) }.filter { $0.isLive(in: self) }, [])
        }
    }

    /// Begins or stops recording changes, as observers and the undo manager come and go.
    func updateEvents() { listeners.update(pending) { tellOfEvent() } }
}
