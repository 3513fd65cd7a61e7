import Foundation
import Testing

@testable import Ashlar

/// Saves that refer to objects that other contexts deleted meanwhile.
@Suite struct MissingRowTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let other: ModelContext
    private let topic: Topic
    private let article: Article

    init() throws {
        container = try memoryContainer(StudioModel.self)
        (context, other) = (ModelContext(container), ModelContext(container))
        topic = Topic(name: "topic")
        article = Article(title: "article")
        context.insert(topic)
        context.insert(article)
        try context.save()
    }

    private func delete() throws {
        other.delete(try other.model(for: article.persistentModelID) as Article)
        try other.save()
    }

    @Test("row 130: a new link to what others deleted is a conflict") func conflict() throws {
        topic.articles.append(article)
        try delete()
        #expect { try context.save() } throws: { error in
            guard case SaveError.conflict(let conflicts) = error else { return false }
            return conflicts.map(\.kind) == [.deleted] && conflicts[0].object == article.persistentModelID
        }
        #expect(topic.articles.array == [article] && context.hasChanges)
    }

    @Test("row 130: policies settle it", arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback])
    func theStoreIsRight(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        topic.articles.append(article)
        topic.name = "renamed"
        try delete()
        try context.save()
        #expect(topic.articles.isEmpty && article.modelContext == nil && topic.name == "renamed")
        #expect(try ModelContext(container).fetchCount(Article.all) == 0)
        try container.expectSound()
    }

    @Test("row 130: or bring it back", arguments: [MergePolicy.mergeByPropertyObjectTrump, .overwrite])
    func theObjectIsRight(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        topic.articles.append(article)
        try delete()
        try context.save()
        #expect(topic.articles.array == [article])
        let reader = ModelContext(container)
        #expect(try reader.fetch(Topic.all).first?.articles.map(\.title) == ["article"])
        try container.expectSound()
    }

    /// The context merged the deletion before, but the new link is still one of its changes.
    @Test func whatIsKnownToBeGone() throws {
        context.automaticallyMergesChangesFromParent = true
        context.mergePolicy = .mergeByPropertyStoreTrump
        topic.articles.append(article)
        try delete()
        context.processPendingChanges()
        try context.save()
        #expect(topic.articles.isEmpty && !context.hasChanges)
        try container.expectSound()
    }

    @Test("row 130: a reference to what others deleted") func references() throws {
        let chapter = Chapter(name: "chapter")
        context.insert(chapter)
        try context.save()
        article.chapters.append(chapter)
        try delete()
        #expect(throws: SaveError.self) { try context.save() }
        context.mergePolicy = .mergeByPropertyStoreTrump
        try context.save()
        #expect(article.modelContext == nil && !context.hasChanges)
        try container.expectSound()
    }

    @Test func aRequiredReferenceWithoutAnInverseKeepsItsDestination() throws {
        let context = ModelContext(try memoryContainer(CustomsModel.self))
        let tariff = Tariff(name: "tariff")
        let levy = Levy(name: "levy", tariff: tariff)
        context.insert(levy)
        try context.save()
        let fresh = ModelContext(context.container)
        fresh.delete(try fresh.model(for: tariff.persistentModelID) as Tariff)
        #expect { try fresh.save() } throws: { error in
            guard case SaveError.validation(let failures) = error else { return false }
            return failures.map(\.object) == [levy.persistentModelID] && failures.map(\.entity) == ["Levy"]
                && isValidation(error, ["tariff"], .missingRequiredValue)
        }
        fresh.rollback()
        #expect(throws: SaveError.self) {
            try fresh.transaction {
                fresh.delete(try fresh.model(for: tariff.persistentModelID) as Tariff)
                try fresh.save()
            }
        }
        fresh.rollback()
        context.delete(tariff)
        #expect { try context.save() } throws: { isValidation($0, ["tariff"], .missingRequiredValue) }
        context.delete(levy)
        try context.save()
        #expect(try context.fetchCount(Tariff.all) == 0)
    }
}
