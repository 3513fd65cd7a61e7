import Synchronization

/// Assigns a small number to each store that this process opens, so that an identifier contains no string.
final class StoreRegistry: Sendable {
    struct Entry: Sendable {
        var storeIdentifier: String
        var model: ModelDescription

        func entityName(_ number: UInt16) -> String? {
            model.entitySchemas.indices.contains(Int(number)) ? model.entitySchemas[Int(number)].name : nil
        }
    }

    static let shared = StoreRegistry()

    private let entries = Mutex<[Entry]>([])

    /// Returns the number of a store. A store that is opened again with the same model keeps its number.
    func register(storeIdentifier: String, model: ModelDescription) -> UInt32 {
        entries.withLock { entries in
            let known = entries.firstIndex { $0.storeIdentifier == storeIdentifier && $0.model === model }
            if let known { return UInt32(known + 1) }
            entries.append(Entry(storeIdentifier: storeIdentifier, model: model))
            return UInt32(entries.count)
        }
    }

    subscript(number: UInt32) -> Entry? {
        entries.withLock { entries in
            number > 0 && Int(number) <= entries.count ? entries[Int(number) - 1] : nil
        }
    }

    /// Returns the newest number of a store, with the number of one of its entities.
    func find(storeIdentifier: String, entityName: String) -> (store: UInt32, number: EntityNumber)? {
        entries.withLock { entries in
            for (index, entry) in entries.enumerated().reversed() where entry.storeIdentifier == storeIdentifier {
                if let entity = entry.model.entitySchema(named: entityName) {
                    return (UInt32(index + 1), entity.number)
                }
            }
            return nil
        }
    }
}
