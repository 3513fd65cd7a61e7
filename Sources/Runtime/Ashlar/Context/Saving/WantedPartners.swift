import AshlarSQLite
import Containers

/// The partners that objects get through one-to-one relationships, if a stored row may already have the same partner.
struct WantedPartners {
    /// A foreign key column of a one-to-one relationship.
    private struct Column: Hashable {
        var root: UInt16
        var name: String
    }

    /// The objects by the rowids of their partners.
    private var objects: [Column: [Int64: ManagedObject]] = [:]

    init() {}

    var isEmpty: Bool { objects.isEmpty }

    /// Records the partners in a column of objects of an entity.
    mutating func note(
        _ objects: some Sequence<ManagedObject>, _ entity: EntityDescription, column: Int
    ) {
        let key = Column(root: entity.number.root, name: entity.columns[column].name)
        for object in objects {
            // A partner that is inserted in the same save belongs to no other row.
            guard let partner = object.identifier(inColumn: column), !partner.isTemporary else { continue }
            self.objects[key, default: [:]][partner.rowID] = object
        }
    }

    /// Returns the objects whose partners belong to other rows, with one statement for each relationship.
    ///
    /// - Parameter rowID: Returns the stored rowid of an object.
    func taken(
        _ model: ModelDescription, _ connection: Connection, rowID: (ManagedObject) -> Int64
    ) throws -> [TakenPartner] {
        var taken: [TakenPartner] = []
        for (key, objects) in objects {
            let (table, column) = (model.entity(key.root).tableName.quotedIdentifier, key.name.quotedIdentifier)
            let statement = try connection.statement(
                "SELECT \(table).\(column), \(table).\"id$\" FROM json_each(?1) AS \"wanted$\" "
                    + "CROSS JOIN \(table) ON \(table).\(column) = \"wanted$\".\"value\"")
            defer { statement.reset() }
            statement.bind(.text(RowIDList.json(objects.keys.sorted())), 1)
            while try statement.step() {
                let (partner, holder) = (statement.integer(0), statement.integer(1))
                guard let object = objects[partner], holder != rowID(object),
                    let position = object.entity.columns.firstIndex(where: { $0.name == key.name })
                else { continue }
                taken.append(TakenPartner(object: object, column: position, holder: holder))
            }
        }
        return taken.sorted { ($0.object.identifier, $0.column) < ($1.object.identifier, $1.column) }
    }
}

/// An object whose partner is also that of another row.
struct TakenPartner {
    let object: ManagedObject
    /// The position of the foreign key column.
    let column: Int
    /// The row that has the partner in the store.
    let holder: Int64
}

extension ModelContainer {
    /// Returns the identifier of the row that has an object's partner.
    func identifier(ofHolder taken: TakenPartner) -> PersistentIdentifier {
        let root = taken.object.rootNumber
        return PersistentIdentifier(
            rowID: taken.holder, store: storeNumber(of: root), entity: EntityNumber(root: root, entity: root))
    }
}

extension ConflictSettling {
    /// Returns a copy of an object's row; nil if it does not exist.
    func storedRow(of object: ManagedObject) throws -> ManagedObject? {
        if object.record.state == .inserted { return nil }
        return try storedCopy(of: object.record.rowID, like: object)
    }

    /// Returns the conflict of an object whose partner belongs to another row.
    ///
    /// - Parameter stored: A copy of the object's row.
    func conflict(_ taken: TakenPartner, _ stored: ManagedObject?) -> MergeConflict {
        let object = taken.object
        let property = object.entity.columns[taken.column].property
        return MergeConflict(
            object: object.identifier, entity: object.entity.name, kind: .notUnique([property]),
            oldVersion: object.record.state == .inserted ? 0 : object.record.version,
            newVersion: stored?.record.version ?? 0, changedProperties: [property], storeChangedProperties: [])
    }
}
