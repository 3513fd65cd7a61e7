import DataModel
import ModelFormat
import RandomNumbers
import RandomSeeds
import Testing

@testable import GeneratorPipeline

/// A plan made with remembered parts of earlier plans equals one made without.
@Suite struct PlanMemoryTests {
    private func model(_ name: String, _ entities: [Entity]) -> Model { Model(name: name, entities: entities) }

    @Test func answersAreFoundOncePerVersions() {
        let memory: PlanMemory? = PlanMemory()
        let first = model("First", [Entity(name: "Post")])
        var count = 0
        func ask(_ models: [Model], _ context: Int = 0) -> Int {
            memory.answer("question", models, context) {
                count += 1
                return models.count
            }
        }
        #expect(ask([first]) == 1)
        #expect(ask([first]) == 1)
        #expect(count == 1)
        // Another context, another model, and another question of the same model are new.
        _ = ask([first], 1)
        _ = ask([model("First", [Entity(name: "Person")])], 1)
        #expect(memory.answer("other", [first]) { "text" } == "text")
        #expect(count == 3)
        // The last version decides which answer is replaced.
        #expect(ask([first, model("Second", [])]) == 2)
        #expect(count == 4)
    }

    @Test(arguments: seeds(3)) func editedModelsHaveThePlanOfNewOnes(_ seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let bodies = [
            #"<entity name="Post"><attribute name="a" optional="YES" attributeType="String"/></entity>"#,
            #"<entity name="Post"><attribute name="a" optional="YES" attributeType="Integer 64"/></entity>"#,
            #"<entity name="Post"><attribute name="b" optional="YES" attributeType="String" elementID="a"/></entity>"#,
            #"<entity name="Post"><attribute name="b" attributeType="Strng"/></entity>"#,
            #"<entity name="Post"/><entity name="Person"><attribute name="a" attributeType="Date"/></entity>"#,
            #"<entity name="Post"><relationship name="r" optional="YES" destinationEntity="Post"/></entity>"#,
        ].map(contents)
        let folder = try ModelFolder()
        let files = try folder.writeBundle("M", ["M": bodies[0], "M 2": bodies[0], "M 3": bodies[0], "M 4": bodies[0]])
        let memory = PlanMemory()
        var texts = ModelTexts()
        for _ in 0..<30 {
            let file = try #require(files.randomElement(using: &generator))
            texts.open[file] = try Array(#require(bodies.randomElement(using: &generator)).utf8)
            let path = "\(folder.path)/M.xcdatamodeld"
            let remembered = ModelPlan.make(
                modelPath: path, configuration: GeneratorConfiguration(), texts: texts, memory: memory)
            let new = ModelPlan.make(modelPath: path, texts: texts)
            #expect(remembered.diagnostics.sorted == new.diagnostics.sorted)
            #expect(remembered.plan?.versions == new.plan?.versions)
            #expect(remembered.plan?.steps == new.plan?.steps)
        }
    }
}
