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
