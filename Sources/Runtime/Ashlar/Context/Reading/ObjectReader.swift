import AshlarSQLite
import SystemFoundation

/// Objects that are moved from rows to an array, each retained once.
///
/// Code that is not generic fills it, and the caller receives an array of its own type without a copy per element.
struct ObjectBuffer: ~Copyable {
    private(set) var count = 0
    private var capacity = 0
    private var elements: UnsafeMutablePointer<Unmanaged<ManagedObject>>?

    init() {}

    deinit {
        for index in 0..<count { elements?[index].release() }
        elements?.deallocate()
    }

    mutating func append(_ object: ManagedObject) {
        if count == capacity { grow() }
        elements?.advanced(by: count).initialize(to: Unmanaged.passRetained(object))
        count += 1
    }

    private mutating func grow() {
        let larger = max(16, capacity * 2)
        let moved = UnsafeMutablePointer<Unmanaged<ManagedObject>>.allocate(capacity: larger)
        if let elements {
            moved.moveInitialize(from: elements, count: count)
            elements.deallocate()
        }
        elements = moved
        capacity = larger
    }

    /// Returns the objects as an array, whose class they must have.
    consuming func array<Model: ManagedObject>(of type: Model.Type) -> [Model] {
        let count = count
        let source = elements
        let result = [Model](unsafeUninitializedCapacity: count) { target, initialized in
            if let source, let address = target.baseAddress {
                // A reference to a class is one pointer, whatever its static type, and is already retained.
                UnsafeMutableRawPointer(address).copyMemory(
                    from: source, byteCount: count * MemoryLayout<Unmanaged<ManagedObject>>.stride)
            }
            initialized = count
        }
        self.count = 0
        return result
    }
}

extension ModelContext {
    /// Runs a statement and appends the object of each row; a registered object is reused.
    func read(
        _ statement: Statement, _ entity: EntityDescription, into buffer: inout ObjectBuffer
    ) throws {
        let map = registry.map(for: entity.number.root)
        map.beginBatch()
        let row = Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root))
        try ObjectMaker.withTemporary(entity) { maker in
            if entity.hasDerivedColumns {
                while try statement.step() {
                    try visitObjectWithDerivedValues(at: row, &maker, map, entity) { buffer.append($0) }
                }
            } else {
                while try statement.step() {
                    try visitObject(at: row, &maker, map, entity) { buffer.append($0) }
                }
            }
        }
        map.sweepIfGrown(isFetching: true)
    }

    /// Runs a closure that reads objects, and calls their callbacks once the connection is free.
    func readObjects(_ doing: @autoclosure () -> String, _ body: (Connection) throws -> Void) throws {
        defer { awakeFetchedObjects() }
        try checked { try read(doing(), body) }
    }

    func awakeFetchedObjects() {
        if !hooks.areWaiting { return }
        // The callback of an object may fetch others.
        let objects = hooks.takeAwaking()
        withoutTransientChanges {
            for object in objects { (object as? any ManagedObjectLifecycle)?.awakeFromFetch() }
        }
    }

    /// Calls a closure with the object of a statement's present row, unless a required value cannot be read.
    ///
    /// Only the map retains the object: retaining and releasing it for each row would take a tenth of the time that the
    /// row does.
    @inline(__always)
    func visitObject(
        at row: Row, _ maker: inout ObjectMaker, _ map: IdentityMap, _ entity: EntityDescription,
        _ visit: (ManagedObject) -> Void
    ) throws {
        let rowID = row.rowID
        if rowID <= 0 { throw Self.invalidRowID(rowID, entity) }
        if let known = map.reference(to: rowID) {
            let version = row.version
            if known._withUnsafeGuaranteedRef({ $0.record.version }) == version {
                return known._withUnsafeGuaranteedRef(visit)
            }
            // Observers may fetch, and the map may then release the object.
            let object = known.takeUnretainedValue()
            if try refresh(object, row, version, entity) { visit(object) }
            return
        }
        guard let made = try insertObject(at: row, rowID, &maker, map, entity) else { return }
        made._withUnsafeGuaranteedRef(visit)
    }

    /// Creates and registers the object of a new row. Returns nil if a required value cannot be read.
    @inline(__always)
    private func insertObject(
        at row: Row, _ rowID: Int64, _ maker: inout ObjectMaker, _ map: IdentityMap, _ entity: EntityDescription
    ) throws -> Unmanaged<ManagedObject>? {
        let made: Unmanaged<ManagedObject>
        do {
            made = try maker.retainedObject(at: row)
        } catch {
            let readable = try readAround(error, row, entity) { (row) throws(RowError) in
                try entity.modelClass.object(at: row)
            }
            guard let readable else { return nil }
            made = Unmanaged.passRetained(readable)
        }
        made._withUnsafeGuaranteedRef { object in
            object.record.rowID = rowID
            object.record.version = row.version
            object.record.changes = 0
            object.record.state = .persisted
            object.record.context = self
            object.record.isObserved = listeners.observesObjects
            hooks.noteFetch(of: object)
        }
        map.insert(retained: made, rowID: rowID)
        return made
    }

    /// Updates an object without changes of its own, because another context or program saved its row. Returns false if
    /// a required value cannot be read.
    func refresh(
        _ object: ManagedObject, _ row: Row, _ version: Int64, _ entity: EntityDescription
    ) throws -> Bool {
        guard object.record.state == .persisted, !object.record.isListed || object.keepsRow else { return true }
        let references = object.entity.referenceColumns
        let before = references.map { object.identifier(inColumn: $0) }
        do {
            try object.reload(row)
        } catch {
            // An object that can no longer be read keeps its values and its version, so that no save overwrites the
            // row.
            let isReadable: Void? = try readAround(error, row, entity) { (row) throws(RowError) in
                try object.reload(row)
            }
            if isReadable == nil { return false }
        }
        object.forgetPrimitiveChanges()
        object.record.version = version
        object.record.links = nil
        listeners.event?.noteRefresh(object, columns: .max)
        noteMutationOfAll(object)
        for relationship in object.entity.relationships {
            guard case .column(let column) = relationship.storage, let position = references.firstIndex(of: column)
            else { continue }
            referenceChanged(
                of: object, relationship, from: before[position], to: object.identifier(inColumn: column))
        }
        return true
    }

    /// Returns the error for a row whose number belongs to an object that was never saved.
    @inline(never)
    static func invalidRowID(_ rowID: Int64, _ entity: EntityDescription) -> StoreError {
        .invalidValue(
            entity: entity.name, property: "id$", rowID: rowID, expected: "the number of a row, which is 1 or more")
    }

    /// Returns the error of a column, with the name of its property.
    static func storeError(_ error: RowError, _ entity: EntityDescription, rowID: Int64) -> StoreError {
        let index = Int(error.column) - entity.firstColumn
        let column = entity.columns.indices.contains(index) ? entity.columns[index] : nil
        return .invalidValue(
            entity: column?.entity ?? entity.name, property: column?.property ?? "column \(error.column)",
            rowID: rowID, expected: error.expected)
    }
}

extension EntityDescription {
    /// The position of the first property's column in a selected row, after identifier, version and discriminator.
    var firstColumn: Int { hasDiscriminator ? 3 : 2 }

    /// Returns the condition that excludes rows of entities without these discriminators; nil if all rows belong.
    static func discriminatorCondition(_ table: String, _ discriminators: [String?]) -> String? {
        if discriminators.isEmpty { return nil }
        let column = "\(table.quotedIdentifier).\"entity$\""
        let names = discriminators.compactMap { $0 }.map(\.quotedLiteral)
        let named = names.isEmpty ? nil : "\(column) IN (\(names.joined(separator: ", ")))"
        guard discriminators.contains(nil) else { return named }
        return named.map { "(\(column) IS NULL OR \($0))" } ?? "\(column) IS NULL"
    }
}
