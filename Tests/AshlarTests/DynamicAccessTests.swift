import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Access to properties by their names.
@Suite struct DynamicAccessTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    @Test("row 64: attributes and relationships by their names")
    func attributesAndRelationships() throws {
        let context = try studioContext()
        let article = ColumnArticle(title: "a", writer: Writer(name: "w"))
        context.insert(article)
        #expect(try article.value(forKeyPath: "title") as? String == "a")
        #expect(try article.value(forKeyPath: "weekday") as? Int16 == 1)
        #expect(try article.value(forKeyPath: "body") == nil)
        #expect(try article.value(forKeyPath: "writer") as? Writer === article.writer)
        #expect(try article.value(forKeyPath: "writer.name") as? String == "w")
        #expect((try article.value(forKeyPath: "topics") as? ToMany<Topic>)?.isEmpty == true)
        try context.save()
        try article.setValue("b", forKeyPath: "title")
        try article.setValue("text", forKeyPath: "body")
        try article.setValue([PaletteTransformer.Color(red: 4, green: 5, blue: 6)], forKeyPath: "colors")
        try article.setValue("x", forKeyPath: "writer.name")
        #expect(
            article.changedProperties == ["title", "body", "colors"] && article.writer?.changedProperties == ["name"])
        #expect(article.changedValues.count == 3 && article.changedValues["title"] as? String == "b")
        try article.setValue(nil, forKeyPath: "body")
        #expect(article.body == nil && article.changedProperties == ["title", "colors"])
        let topic = Topic(name: "t")
        try article.setValue(ToMany([topic]), forKeyPath: "topics")
        #expect(topic.articles.array == [article])
        try article.setValue(nil, forKeyPath: "writer")
        #expect(try article.writer == nil && article.value(forKeyPath: "writer.name") == nil)
        try context.save()
        let stored = try #require(try context.fetched(ColumnArticle.self).first)
        #expect(stored.title == "b" && stored.colors?.count == 1)
        let diary = Diary(text: "d")
        try diary.setValue("transient", forKeyPath: "log")
        #expect(try diary.log == "transient" && diary.value(forKeyPath: "log") as? String == "transient")
    }

    @Test("row 64: parts of composites by their names")
    func composites() throws {
        let somewhere = PostalAddress(position: Coordinate(latitude: 1, longitude: 2), street: "High Street")
        let resident = Resident(home: somewhere, name: "r", work: somewhere, nothing: Blank())
        context.insert(resident)
        #expect(try resident.value(forKeyPath: "home") as? PostalAddress == somewhere)
        #expect(try resident.value(forKeyPath: "home.street") as? String == "High Street")
        #expect(try resident.value(forKeyPath: "home.position.latitude") as? Double == 1)
        try resident.setValue("Low Street", forKeyPath: "work.street")
        #expect(resident.work.street == "Low Street")
        #expect(throws: PropertyError.readOnly(entity: "Resident", property: "home.street")) {
            try resident.setValue("Low Street", forKeyPath: "home.street")
        }
        try resident.setValue(nil, forKeyPath: "home")
        #expect(try resident.home == nil && resident.value(forKeyPath: "home.position.latitude") == nil)
        try resident.setValue(Coordinate(latitude: 3, longitude: 4), forKeyPath: "seen")
        #expect(try resident.value(forKeyPath: "seen") as? Coordinate == resident.seen)
    }

    @Test("row 64: mistakes are errors that say what is wrong")
    func mistakes() throws {
        let article = Article(title: "a")
        func error(_ body: () throws(PropertyError) -> Void) -> PropertyError? {
            do throws(PropertyError) { try body() } catch { return error }
            return nil
        }
        #expect(
            error { () throws(PropertyError) in _ = try article.value(forKeyPath: "titel") }
                == .unknown(entity: "Article", property: "titel"))
        #expect(
            error { () throws(PropertyError) in _ = try article.value(forKeyPath: "title.count") }
                == .noObject(entity: "Article", property: "title"))
        #expect(
            error { () throws(PropertyError) in _ = try article.value(forKeyPath: "topics.name") }
                == .noObject(entity: "Article", property: "topics"))
        #expect(
            error { () throws(PropertyError) in try article.setValue(nil, forKeyPath: "title") }
                == .wrongType(entity: "Article", property: "title", expected: "String", found: "nil"))
        #expect(
            error { () throws(PropertyError) in try article.setValue("1", forKeyPath: "likes") }
                == .wrongType(entity: "Article", property: "likes", expected: "Int64", found: "String"))
        #expect(
            error { () throws(PropertyError) in try article.setValue("w", forKeyPath: "writer.name") }
                == .nothing(entity: "Article", property: "writer"))
        #expect(article.title == "a" && article.likes == 0)
        #expect(PropertyError.unknown(entity: "A", property: "b").description.contains("A has no property b"))
    }

    /// Every property of every entity is found by its name.
    @Test func everyPropertyOfTheModels() throws {
        for model in [TortureModel.modelDescription, StudioModel.modelDescription] {
            for entity in model.entities {
                let own = entity.ownColumns.map { entity.columns[$0].property } + entity.relationships.map(\.name)
                for name in own {
                    let property = String(name.prefix { $0 != "." })
                    #expect(entity.modelClass._ashlarKeyPaths.keyPath(of: property) != nil, "\(entity.name).\(name)")
                }
            }
        }
    }
}
