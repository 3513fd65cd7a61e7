import Ashlar

/// Reads every object of a store through the program's own classes.
struct ObjectReading {
    private let container: ModelContainer
    /// The number of objects of each entity, with those of the entities below it.
    private let counts: [String: Int]
    private(set) var problems: [MigrationProblem] = []

    /// - Parameter contents: The contents of the store, read from its tables.
    init(_ container: ModelContainer, _ contents: StoreContents) {
        self.container = container
        let model = container.model
        var counts: [String: Int] = [:]
        for object in contents.objects {
            for name in Self.kinds(of: object.entityName, model) { counts[name, default: 0] += 1 }
        }
        self.counts = counts
        for entity in model.entities {
            guard let type = entity.modelClass as? any PersistentModel.Type else { continue }
            read(type, entity, model)
        }
    }

    private static func kinds(of entityName: String, _ model: ModelDescription) -> [String] {
        Array(
            sequence(first: entityName) { name in model.entity(named: name)?.parentName })
    }

    private mutating func read<Model: PersistentModel>(
        _ type: Model.Type, _ entity: EntityDescription, _ model: ModelDescription
    ) {
        let kinds = Set(Self.kinds(of: entity.name, model))
        let attributes = entity.columns.filter { kinds.contains($0.entity) }.compactMap {
            $0.property.split(separator: ".").first.map(String.init)
        }
        let names = Set(attributes + entity.relationships.map(\.name)).sorted()
        let context = ModelContext(container)
        let objects: [Model]
        do {
            objects = try context.fetch(Model.all)
        } catch {
            problems.append(MigrationProblem(entity: entity.name, "The objects cannot be fetched: \(error)"))
            return
        }
        let count = counts[entity.name] ?? 0
        if objects.count != count {
            problems.append(MigrationProblem(entity: entity.name, "\(objects.count) of \(count) objects are fetched."))
        }
        for object in objects {
            for name in names {
                do {
                    _ = try object.value(forKeyPath: name)
                } catch {
                    problems.append(
                        MigrationProblem(
                            entity: entity.name, property: name, rowID: object.persistentModelID.rowID,
                            "It cannot be read: \(error)"))
                }
            }
        }
        do {
            // A row that cannot be read is left out, and the next fetch throws.
            _ = try context.fetchCount(Model.all)
        } catch {
            problems.append(MigrationProblem(entity: entity.name, "An object cannot be read: \(error)"))
        }
    }
}
