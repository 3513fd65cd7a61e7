@_spi(Generated) import Ashlar
import Foundation
import Testing

extension Animal {
    enum Diet: String, Codable {
        case herbivorous = "Herbivore"
        case carnivorous = "Carnivore"
    }
}

/// Colors are kept as the bytes that they are.
enum PaletteTransformer: AttributeTransformer {
    static func data(from value: [UInt8]) -> Data { Data(value) }
    static func value(from data: Data) -> [UInt8] { [UInt8](data) }
}

/// Runs the golden files of the generator, which this target compiles as they are committed.
@Suite struct GeneratedCodeTests {
    private func context(_ model: any ManagedObjectModel.Type) throws -> ModelContext {
        ModelContext(try ModelContainer(for: model, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    @Test func theZooWorks() throws {
        let context = try context(ZooModel.self)
        let category = AnimalCategory(name: "Reptile", animals: [Animal(diet: .carnivorous, name: "Gecko")])
        context.insert(category)
        try context.save()
        let values = try context.fetchValues(Animal.where { $0.diet == .carnivorous && $0.category == category })
        #expect(values.map(\.name) == ["Gecko"])
        #expect(values.first?.category == category.persistentModelID)
    }

    @Test func animalsHaveEnclosures() throws {
        let context = try context(ZooModel.self)
        let gecko = Animal(
            diet: .carnivorous, enclosure: Enclosure(name: "North", position: Position(latitude: 51)), name: "Gecko")
        context.insert(gecko)
        context.insert(Animal(diet: .herbivorous, name: "Hare"))
        try context.save()
        gecko.enclosure?.position.height = 3
        try context.save()
        let other = ModelContext(context.container)
        let found = try other.fetch(
            Animal.where { $0.enclosure.position.latitude > 50 && $0.enclosure.name == "North" })
        #expect(found.map(\.enclosure) == [gecko.enclosure])
        #expect(try other.fetch(Animal.where { $0.enclosure == nil }).map(\.name) == ["Hare"])
    }

    @Test("rows 31, 32: the photo feed works") func thePhotoFeedWorks() throws {
        let context = try context(PhotoFeedModel.self)
        let author = Author(name: "Amara")
        let post = Post(
            latitude: 40.4, longitude: 116.6, palette: [1, 2, 3], timestamp: .now, title: "Wall", author: author)
        post.comments.append(Comment(text: "Where?", timestamp: .now, post: post))
        context.insert(post)
        try context.save()
        let other = ModelContext(context.container)
        let found = try #require(
            try other.fetch(Post.where { $0.byPlace(latitude: 40...41, longitude: 116...117) }).first)
        #expect(found.values.palette == [1, 2, 3])
        #expect(found.author?.name == "Amara")
        #expect(found.comments.map(\.text) == ["Where?"])
        #expect(try other.fetchCount(Post.where { $0.byPlace(latitude: 0...1, longitude: 116...117) }) == 0)
    }

    @Test func theNewsroomWorks() throws {
        let context = try context(NewsroomModel.self)
        let reporter = Reporter(name: "Éva")
        let feature = Feature(title: "Wall", wordCount: 7, author: reporter)
        context.insert(reporter)
        context.insert(feature)
        try context.save()
        #expect(reporter.reportsCount == 1 && reporter.wordsTotal == 7 && reporter.canonicalName == "eva")
        #expect(feature.authorKey == "eva" && feature.subject == "Wall" && feature.sidebarsCount == 0)
        let values = try context.fetchValues(Feature.where { $0.authorName == "Éva" })
        #expect(values == [feature.values])
    }

    @Test func configurationsWork() throws {
        typealias Configuration = OutpostModel.Configuration
        let stores = [Configuration.cloud, Configuration.local, Configuration.map].map {
            ModelConfiguration(configuration: $0, isStoredInMemoryOnly: true)
        }
        let context = ModelContext(try ModelContainer(for: OutpostModel.self, configurations: stores))
        context.insert(Memo(title: "kept"))
        context.insert(Landmark(name: "Gate"))
        try context.save()
        #expect(try context.fetchCount(Memo.all) == 1 && context.fetchCount(Landmark.all) == 1)
    }
}
