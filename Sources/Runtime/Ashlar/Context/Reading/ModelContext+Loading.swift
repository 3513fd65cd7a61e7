import AshlarSQLite
import Containers
import SystemFoundation

/// Lazy loading. The first object of a fetch that reads a relationship loads only its own destinations; the second
/// loads those of all objects. One object thus costs little, and a loop over all objects needs few statements.
extension ModelContext {
    /// The number of rows after which a load for siblings ends.
    static let maximumSiblingRows = 20_000

    /// Returns the object of an identifier, and reads it from the store if the context does not have it.
    ///
    ///     let post: Post = try context.model(for: identifier)
    ///
    /// The counterparts are SwiftData's `model(for:)` and Core Data's `existingObject(with:)`.
    ///
    /// - Parameter identifier: The object's identifier.
    /// - Throws: ``StoreError/missingObject(_:)`` if the row does not exist, or is deleted in this context.
    ///   ``StoreError/invalidValue(entity:property:rowID:expected:)`` if it holds an invalid value.
    public func model<Model: PersistentModel>(for identifier: PersistentIdentifier) throws -> Model {
        guard let model = try objectOfIdentifier(identifier) as? Model else {
            try throwDeferredError()
            throw StoreError.missingObject(identifier)
        }
        return model
    }

    /// Returns the object of an identifier, of any class.
    ///
    ///     let found = try context.model(for: identifier) as? Post
    ///
    /// SwiftData has a method of the same name.
    ///
    /// - Parameter identifier: The object's identifier.
    /// - Throws: The errors of ``model(for:)->Model``.
    @_disfavoredOverload
    public func model(for identifier: PersistentIdentifier) throws -> any PersistentModel {
        guard let model = try objectOfIdentifier(identifier) as? any PersistentModel else {
            try throwDeferredError()
            throw StoreError.missingObject(identifier)
        }
        return model
    }

    private func objectOfIdentifier(_ identifier: PersistentIdentifier) throws -> ManagedObject? {
        try throwDeferredError()
        if let later = laterIdentifier(identifier) { return try readObject(later) }
        return try readObject(identifier)
    }

    @inline(__always)
    private func readObject(_ identifier: PersistentIdentifier) throws -> ManagedObject? {
        let object: ManagedObject?
        // Invalid values of a registered object were reported when it was read.
        if let registered = registry.object(identifier) {
            object = registered.record.state == .deleted ? nil : registered
        } else {
            errors.beginFetch()
            object = try unregisteredObject(identifier)
            try errors.throwInvalidValue()
        }
        return object
    }

    func existingObject(_ identifier: PersistentIdentifier) throws -> ManagedObject? {
        let identifier = laterIdentifier(identifier) ?? identifier
        if let object = registry.object(identifier) {
            return object.record.state == .deleted ? nil : object
        }
        return try unregisteredObject(identifier)
    }

    private func unregisteredObject(_ identifier: PersistentIdentifier) throws -> ManagedObject? {
        if let parent {
            let object = try parentObject(identifier, parent).flatMap { self.object(of: $0) }
            awakeFetchedObjects()
            return object?.record.state == .deleted ? nil : object
        }
        let root = identifier.number.root
        let store = container.storeNumber(of: root)
        guard !identifier.isTemporary, store != 0, identifier.isRow(of: root, in: store) else { return nil }
        let entity = container.model.entity(root)
        return try fetchObject(entity, identifier.rowID)
    }

    /// Returns the destination of a to-one relationship. If it is not registered, it is loaded, possibly with those of
    /// the object's siblings.
    @inline(__always)
    func destination(
        _ identifier: PersistentIdentifier, of object: ManagedObject, column: @autoclosure () -> Int
    ) -> ManagedObject? {
        let known = registry[identifier.rowID, identifier.number.root]
        guard let found = known ?? loadDestination(identifier, of: object, column()) else { return nil }
        return found.record.state == .deleted ? nil : found
    }

    /// Returns whether a to-one relationship with an identifier reads as nil, because the destination is deleted here
    /// or elsewhere.
    fileprivate func leadsNowhere(_ identifier: PersistentIdentifier, of object: ManagedObject, column: Int) -> Bool {
        if let known = registry[identifier.rowID, identifier.number.root] { return known.record.state == .deleted }
        // The store ensures that its references lead to existing rows.
        let isStored =
            parent == nil && object.record.state == .persisted && object.changes & ManagedObject.bit(of: column) == 0
        return !isStored && destination(identifier, of: object, column: column) == nil
    }

    @inline(never)
    private func loadDestination(
        _ identifier: PersistentIdentifier, of object: ManagedObject, _ column: Int
    ) -> ManagedObject? {
        let entity = object.entity
        let map = registry.map(for: identifier.number.root)
        let reference = entity.layout.references[column]
        let type = type(of: object)
        var missing = RowIDSet()
        missing.insert(identifier.rowID)
        let loadsSiblings = loadsSiblings(of: object, .destination(column: column))
        if loadsSiblings {
            self.registry.map(for: entity.number.root).forEachSibling(of: object.record.rowID) { sibling in
                let other =
                    Swift.type(of: sibling) == type
                    ? sibling.identifier(at: reference)
                    : sibling.entity.columns.count > column ? sibling.identifier(inColumn: column) : nil
                guard let other, other.number.root == identifier.number.root, !other.isTemporary,
                    !map.contains(other.rowID)
                else { return .needless }
                missing.insert(other.rowID)
                return missing.count < Self.maximumSiblingRows ? .served : .enough
            }
        }
        loadObjects(container.model.entity(identifier.number.root), missing.sorted())
        return map[identifier.rowID]
    }

    /// Loads the destinations of a foreign key of several objects of one entity, unless they are registered.
    func loadDestinations(of objects: [ManagedObject], column: Int) {
        var missing = RowIDSet()
        var root: UInt16?
        for object in objects {
            guard let identifier = object.identifier(inColumn: column), !identifier.isTemporary,
                !registry.contains(identifier.rowID, identifier.number.root)
            else { continue }
            missing.insert(identifier.rowID)
            root = identifier.number.root
        }
        if let root { loadObjects(container.model.entity(root), missing.sorted()) }
    }

    func earlierAccess(to property: LoadedProperty, of object: ManagedObject) -> EarlierAccess {
        registry.map(for: object.rootNumber).earlierAccess(to: property, of: object.record.rowID)
    }

    /// Returns whether a property that an object reads is loaded for other objects of the same fetch too.
    func loadsSiblings(of object: ManagedObject, _ property: LoadedProperty) -> Bool {
        switch relationshipLoading {
        case .siblings: true
        case .object: false
        case .automatic:
            earlierAccess(to: property, of: object) == .other
        }
    }

    /// Registers the objects of rows; the next throwing call throws any error.
    func loadObjects(_ entity: EntityDescription, _ rowIDs: [Int64]) {
        do {
            try fetchObjects(entity, rowIDs)
        } catch {
            errors.note(error)
        }
    }

    private func fetchObjects(_ entity: EntityDescription, _ rowIDs: [Int64]) throws {
        if let parent {
            try fetchObjects(entity, rowIDs, from: parent)
        } else if rowIDs.count == 1 {
            _ = try fetchObject(entity, rowIDs[0])
        } else {
            registry.map(for: entity.number.root).reserve(rowIDs.count)
            _ = try readObjects(entity, RowIDList.sorted(rowIDs))
        }
    }

    /// Reads the objects of rows, in the order of a list.
    func readObjects(
        _ entity: EntityDescription, _ rowIDs: [Int64], comparesForeignChanges: Bool = false
    ) throws -> ObjectBuffer {
        var buffer = ObjectBuffer()
        let mayKnowRows = comparesForeignChanges && (registry.knownMap(for: entity.number.root)?.count ?? 0) > 0
        try readObjects("fetching \(entity.name)") { connection in
            let statement = try connection.statementForMany(entity)
            defer { statement.reset() }
            statement.bind(RowIDList.json(rowIDs), 1)
            try read(statement, entity, into: &buffer)
            if mayKnowRows, container.foreignCommitsExist(connection, entity.number.root) {
                try compareRegistered(statement, entity)
            }
        }
        return buffer
    }

    private func fetchObject(_ entity: EntityDescription, _ rowID: Int64) throws -> ManagedObject? {
        var object: ManagedObject?
        try readObjects("fetching \(entity.name)") { connection in
            let statement = try connection.statementForOne(entity)
            defer { statement.reset() }
            statement.bind(rowID, 1)
            guard try statement.step() else { return }
            let row = Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root))
            try registry.withMap(for: entity.number.root) { map in
                map.beginBatch()
                try ObjectMaker.withTemporary(entity) { maker in
                    if entity.hasDerivedColumns {
                        try visitObjectWithDerivedValues(at: row, &maker, map, entity) { object = $0 }
                    } else {
                        try visitObject(at: row, &maker, map, entity) { object = $0 }
                    }
                }
                map.sweepIfGrown()
            }
        }
        return object
    }
}

extension ManagedObject {
    /// Returns the rowid in a foreign key as conditions use it: NULL if the relationship's property is nil.
    final func referenceValue(inColumn column: Int) -> SQLiteValue {
        guard let identifier = identifier(inColumn: column) else { return .null }
        let isNil = record.context?.leadsNowhere(identifier, of: self, column: column) ?? false
        return isNil ? .null : .integer(identifier.rowID)
    }
}
