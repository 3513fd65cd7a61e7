// Values that must not cross an isolation boundary do not compile. Each line that ends in `// error` must give one, and
// no other line may.

import Ashlar
import Foundation

func objectToAnotherTask(_ context: ModelContext, _ animal: Animal) async {
    Task.detached {  // error
        print(animal.name)
    }
    print(animal.name)
}

func contextToAnotherTask(_ context: ModelContext) async {
    Task.detached {  // error
        try context.save()
    }
    print(context.hasChanges)
}

@MainActor
func objectOfTheMainContext(_ container: ModelContainer) throws {
    let animal = try container.mainContext.fetch(Animal.all)[0]
    Task.detached {  // error
        print(animal.name)
    }
}

@MainActor
func collectionOfTheMainContext(_ container: ModelContainer) throws {
    let animals = try container.mainContext.fetch(AnimalCategory.all)[0].animals
    Task.detached {  // error
        print(animals.count)
    }
}

actor Keeper: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor

    init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        modelExecutor = DefaultSerialModelExecutor(modelContainer: modelContainer)
    }

    func animal() throws -> Animal? { try modelContext.fetch(Animal.all).first }

    func count() throws -> Int { try modelContext.fetchCount(Animal.all) }
}

func objectOutOfAnActor(_ keeper: Keeper) async throws {
    let animal = try await keeper.animal()  // error
    print(animal?.name ?? "")
}

// MARK: Values that may cross

func identifiersAndValues(_ container: ModelContainer, _ keeper: Keeper) async throws {
    let context = ModelContext(container)
    let identifiers = try context.fetch(Animal.all).map(\.persistentModelID)
    let values = try context.fetchValues(AnimalCategory.all)
    let request = Animal.where { $0.name == "Lion" }
    await Task.detached {
        print(identifiers, values, (try? ModelContext(container).fetch(request).count) ?? 0)
    }.value
    print(try await keeper.count())
}

func aContextThatNobodyElseHas(_ container: ModelContainer) {
    let context = ModelContext(container)
    Task.detached { try context.save() }
}
