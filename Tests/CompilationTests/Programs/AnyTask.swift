import Ashlar
import Foundation

// A module whose declarations belong to the main actor by default uses its model in every task.

extension Animal {
    nonisolated enum Diet: String, Codable, Sendable {
        case herbivorous = "Herbivore"
        case carnivorous = "Carnivore"
        case omnivorous = "Omnivore"
    }
}

nonisolated func inAnyTask() throws -> [Animal.Values] {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: ZooModel.self, configurations: configuration)
    let context = ModelContext(container)
    let category = AnimalCategory(name: "Mammal")
    let animal = Animal(diet: .carnivorous, name: "Lion", category: category)
    context.insert(animal)
    animal.name = "Lioness"
    animal.enclosure = Enclosure(name: "Savanna", position: Position(latitude: 1, longitude: 2))
    try context.save()
    let lions = Animal.where { $0.name == "Lioness" && $0.category.name == "Mammal" && $0.enclosure.name == "Savanna" }
    return try context.fetchValues(lions)
}

nonisolated func compareInAnyTask(_ first: Animal.Values, _ second: Animal.Values) throws -> Bool {
    let data = try JSONEncoder().encode([first, second])
    let positions = Set([first, second].map(\.enclosure?.position))
    return try JSONDecoder().decode([Animal.Values].self, from: data) == [second, first] && positions.count == 1
}

func onTheMainActor(_ container: ModelContainer) throws -> [String] {
    try container.mainContext.fetch(Animal.order { $0.name.ascending }).map { $0.values.name }
}
