import AshlarSQLite
import Containers

/// The store of each entity, among the stores of a container.
final class StorePlacement: Sendable {
    /// The process's numbers for the stores of the entities, by the numbers of the entities; 0 for an entity without a
    /// store.
    private let numbers: ConstantList<UInt32>
    /// The position of each entity's store in the container; nil if the only store holds all entities.
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

    /// Whether the only store holds all entities.
    var isSimple: Bool { positions == nil }

    /// Returns the number of the store that holds an entity; 0 if none does.
    @inline(__always)
    func storeNumber(of entity: UInt16) -> UInt32 {
        Int(entity) < numbers.count ? numbers[Int(entity)] : 0
    }

    /// Returns the position of the store that holds an entity; nil if none does.
    func store(of entity: UInt16) -> Int? {
        guard let positions else { return 0 }
        return Int(entity) < positions.count ? positions[Int(entity)] : nil
    }
}
