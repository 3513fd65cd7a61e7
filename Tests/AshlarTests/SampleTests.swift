import Ashlar
import Foundation
import Testing

/// The sample "Adding and editing persistent data in your app", its import changed and its views left out.
@Suite struct SampleTests {
    let modelContext: ModelContext

    init() throws {
        let container = try ModelContainer(
            for: ZooModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        modelContext = ModelContext(container)
    }

    /// The sample's `AnimalEditor`: values apart from the model, copied back on save only.
    private struct AnimalEditor {
        let animal: Animal?
        let modelContext: ModelContext
        var name = ""
        var selectedDiet = Animal.Diet.herbivorous
        var selectedCategory: AnimalCategory?

        init(animal: Animal?, modelContext: ModelContext) {
            self.animal = animal
            self.modelContext = modelContext
            if let animal {
                // Edit the incoming animal.
                name = animal.name
                selectedDiet = animal.diet
                selectedCategory = animal.category
            }
        }

        var editorTitle: String { animal == nil ? "Add Animal" : "Edit Animal" }

        func save() {
            if let animal {
                // Edit the animal.
                animal.name = name
                animal.diet = selectedDiet
                animal.category = selectedCategory
            } else {
                // Add an animal.
                let newAnimal = Animal(diet: selectedDiet, name: name)
                newAnimal.category = selectedCategory
                modelContext.insert(newAnimal)
            }
        }
    }

    @Test func addsAnAnimal() throws {
        let mammal = AnimalCategory(name: "Mammal")
        modelContext.insert(mammal)
        var editor = AnimalEditor(animal: nil, modelContext: modelContext)
        #expect(editor.editorTitle == "Add Animal")
        editor.name = "Dog"
        editor.selectedDiet = .carnivorous
        editor.selectedCategory = mammal
        editor.save()
        #expect(mammal.animals.map(\.name) == ["Dog"])
        try modelContext.save()

        let other = ModelContext(modelContext.container)
        let animals = try other.fetch(Animal.all)
        #expect(animals.map(\.name) == ["Dog"])
        #expect(animals.first?.diet == .carnivorous)
        #expect(animals.first?.category?.name == "Mammal")
    }

    @Test("row 175: edits an animal") func editsAnAnimal() throws {
        let mammal = AnimalCategory(name: "Mammal")
        let reptile = AnimalCategory(name: "Reptile")
        let animal = Animal(diet: .carnivorous, name: "Dog", category: mammal)
        modelContext.insert(animal)
        modelContext.insert(reptile)
        try modelContext.save()

        var editor = AnimalEditor(animal: animal, modelContext: modelContext)
        #expect(editor.editorTitle == "Edit Animal")
        #expect(editor.name == "Dog")
        editor.name = "Tortoise"
        editor.selectedDiet = .herbivorous
        editor.selectedCategory = reptile
        #expect(!modelContext.hasChanges)
        editor.save()
        #expect(modelContext.hasChanges)
        #expect(mammal.animals.isEmpty)
        #expect(reptile.animals.first === animal)
        try modelContext.save()
        #expect(!modelContext.hasChanges)

        let other = ModelContext(modelContext.container)
        let category = try #require(try other.fetch(AnimalCategory.where { $0.name == "Reptile" }).first)
        #expect(category.animals.map(\.name) == ["Tortoise"])
    }

    @Test func discardsEdits() throws {
        let animal = Animal(diet: .carnivorous, name: "Dog")
        modelContext.insert(animal)
        try modelContext.save()
        var editor = AnimalEditor(animal: animal, modelContext: modelContext)
        editor.name = "Cat"
        // Cancel: the editor goes away without saving.
        #expect(animal.name == "Dog")
        #expect(!modelContext.hasChanges)

        animal.name = "Cat"
        modelContext.rollback()
        #expect(animal.name == "Dog")
        #expect(!modelContext.hasChanges)
    }

    @Test func deletingACategoryDeletesItsAnimals() throws {
        let mammal = AnimalCategory(name: "Mammal")
        mammal.animals = [Animal(diet: .carnivorous, name: "Dog"), Animal(diet: .herbivorous, name: "Sloth")]
        modelContext.insert(mammal)
        modelContext.insert(Animal(diet: .carnivorous, name: "Newt"))
        try modelContext.save()
        #expect(try modelContext.fetchCount(Animal.all) == 3)
        modelContext.delete(mammal)
        try modelContext.save()
        #expect(try modelContext.fetch(Animal.all).map(\.name) == ["Newt"])
    }

    @Test func categoryNamesAreUnique() throws {
        modelContext.insert(AnimalCategory(name: "Mammal"))
        try modelContext.save()
        let second = AnimalCategory(name: "Mammal")
        modelContext.insert(second)
        #expect {
            try modelContext.save()
        } throws: { error in
            guard case SaveError.notUnique(let object, let properties, _) = error else { return false }
            return object == second.persistentModelID && properties == ["name"]
        }
        #expect(modelContext.hasChanges)
        second.name = "Bird"
        try modelContext.save()
        #expect(try modelContext.fetchCount(AnimalCategory.all) == 2)
    }
}
