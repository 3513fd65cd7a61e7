import AshlarSQLite
import Containers

/// Which of a container's stores holds the objects of which entity.
final class StorePlacement: Sendable {
    /// The number by which the process knows the store of each entity, by the number of the entity; 0 for none.
    private let numbers: ConstantList<UInt32>
    /// The position of the store of each entity among the container's; nil where all are in the only store.
    private let positions: ContiguousArray<Int?>?

    init(_ stores: [PersistentStore], of model: ModelDescription) {
        let registered = stores.map {
            StoreRegistry.shared.register(storeIdentifier: $0.storeIdentifier, model: model)
        }
        let positions = model.entitySchemas.map { entity in
            stores.firstIndex { $0.entityNames.contains(entity.name) }
        }
        numbers = ConstantList(positions.map { $0.map { registered[$0] } ?? 0 })
        self.positions = stores.count == 1 && !positions.contains(nil) ? nil : ContiguousArray(positions)
    }

    /// Whether all entities are in the only store.
    var isSimple: Bool { positions == nil }

    /// The number of the store that holds an entity; 0 when none does.
    @inline(__always)
    func storeNumber(of entity: UInt16) -> UInt32 {
        Int(entity) < numbers.count ? numbers[Int(entity)] : 0
    }

    /// The position of the store that holds an entity; nil when none does.
    func store(of entity: UInt16) -> Int? {
        guard let positions else { return 0 }
        return Int(entity) < positions.count ? positions[Int(entity)] : nil
    }
}

extension ModelContainer {
    /// The number by which the process knows the store of an entity.
    @inline(__always)
    func storeNumber(of root: UInt16) -> UInt32 { placement.storeNumber(of: root) }

    /// The number by which the process knows one of the stores; 0 when it holds no entity.
    func number(of store: PersistentStore) -> UInt32 {
        guard let entity = model.entitySchemas.first(where: { store.entityNames.contains($0.name) }) else { return 0 }
        return placement.storeNumber(of: entity.number.entity)
    }

    /// The name by which connections know the store of an entity.
    func schemaName(of root: UInt16) -> String {
        placement.isSimple ? "main" : placement.store(of: root).map { stores[$0].schemaName } ?? "main"
    }

    /// The query for the greatest rowid that an entity's table ever used; it binds the table's name.
    func lastRowIDQuery(of root: UInt16) -> String {
        if placement.isSimple { return "SELECT \"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = ?1" }
        return "SELECT \"seq\" FROM \(sequenceTable(of: root)) WHERE \"name\" = ?1"
    }

    /// The table in which SQLite keeps the greatest rowid that each table of an entity's store ever used.
    func sequenceTable(of root: UInt16) -> String {
        "\(schemaName(of: root)).\"sqlite_sequence\""
    }

    /// The entity that no store holds and that an error of SQLite is therefore about: "no such table: Post".
    func entityWithoutStore(_ error: SQLiteError) -> EntitySchema? {
        if placement.isSimple { return nil }
        return model.entitySchemas.first {
            storeNumber(of: $0.number.root) == 0 && error.message == "no such table: \($0.tableName)"
        }
    }
}
