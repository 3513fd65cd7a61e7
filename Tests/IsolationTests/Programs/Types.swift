// Restrictions of the types alone. Each line that ends in `// error` must give one, and no other line may.

import Ashlar
import Foundation

func requireSendable(_ value: some Sendable) {}

func notSendable(_ context: ModelContext, _ animal: Animal, _ category: AnimalCategory) {
    requireSendable(context)  // error
    requireSendable(animal)  // error
    requireSendable(category.animals)  // error
}

func sendable(_ container: ModelContainer, _ animal: Animal, _ background: BackgroundContext) {
    requireSendable(container)
    requireSendable(background)
    requireSendable(animal.persistentModelID)
    requireSendable(animal.values)
    requireSendable(Animal.where { $0.name == "Lion" })
}

func theMainContext(_ container: ModelContainer) {
    _ = container.mainContext  // error
}

func objectAsAResult(_ background: BackgroundContext) async throws {
    _ = try await background.perform { context in try context.fetch(Animal.all)[0] }  // error
    _ = try background.performAndWait { context in try context.fetch(Animal.all) }  // error
    _ = try await background.perform { context in try context.fetch(Animal.all).map(\.persistentModelID) }
}

func objectIntoABackgroundContext(_ background: BackgroundContext, _ outside: Animal) async throws {
    try await background.perform { context in
        context.insert(outside)  // error
    }
}
