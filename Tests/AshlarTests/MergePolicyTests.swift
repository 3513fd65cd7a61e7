import Foundation
import Testing

@testable import Ashlar

/// The merge policy resolves conflicts between changes of two contexts.
@Suite struct MergePolicyTests {
    let context: ModelContext
    let other: ModelContext

    init() throws {
        context = try studioContext()
        other = ModelContext(context.container)
    }

    enum Policy: CaseIterable {
        case error, storeTrump, objectTrump, overwrite, rollback

        var value: MergePolicy {
            switch self {
            case .error: .error
            case .storeTrump: .mergeByPropertyStoreTrump
            case .objectTrump: .mergeByPropertyObjectTrump
            case .overwrite: .overwrite
            case .rollback: .rollback
            }
        }
    }

    /// The same article in both contexts.
    private func article() throws -> (Article, Article) {
        let article = Article(body: "body", colors: [], likes: 1, slug: "s", title: "title")
        context.insert(article)
        try context.save()
        return (article, try other.model(for: article.persistentModelID))
    }

    private func stored(_ identifier: PersistentIdentifier) throws -> Article.Values? {
        let fresh = ModelContext(context.container)
        return try fresh.fetch(Article.where { $0.isIn([identifier]) }).first?.values
    }

    private func isConflict(_ error: any Error, _ kind: MergeConflict.Kind) -> Bool {
        guard case SaveError.conflict(let conflicts) = error else { return false }
        return conflicts.map(\.kind) == [kind]
    }

    // MARK: A row that was changed

    @Test("row 130: a row that both changed", arguments: Policy.allCases)
    func aRowThatBothChanged(_ policy: Policy) throws {
        let (mine, theirs) = try article()
        let red = PaletteTransformer.Color(red: 255, green: 0, blue: 0)
        theirs.title = "their title"
        theirs.body = "their body"
        try other.save()
        mine.title = "my title"
        mine.likes = 7
        mine.colors = [red]
        context.mergePolicy = policy.value
        let expected: (title: String, body: String, likes: Int64, colors: [PaletteTransformer.Color])
        switch policy {
        case .error:
            #expect { try context.save() } throws: { isConflict($0, .changed) }
            #expect(mine.title == "my title" && mine.body == "body" && mine.hasChanges)
            #expect(try stored(mine.persistentModelID)?.title == "their title")
            return
        case .storeTrump: expected = ("their title", "their body", 7, [red])
        case .objectTrump: expected = ("my title", "their body", 7, [red])
        case .overwrite: expected = ("my title", "body", 7, [red])
        case .rollback: expected = ("their title", "their body", 1, [])
        }
        try context.save()
        let values = try #require(try stored(mine.persistentModelID))
        #expect(values.title == expected.title && values.body == expected.body)
        #expect(values.likes == expected.likes && values.colors == expected.colors)
        #expect(mine.values == values && !context.hasChanges)
        // The object has the row's version now: the next save finds no conflict.
        context.mergePolicy = .error
        mine.body = "after"
        try context.save()
        #expect(try stored(mine.persistentModelID)?.body == "after")
    }

    @Test("row 130: a row that was deleted", arguments: Policy.allCases)
    func aRowThatWasDeleted(_ policy: Policy) throws {
        let (mine, theirs) = try article()
        let identifier = mine.persistentModelID
        other.delete(theirs)
        try other.save()
        mine.title = "mine"
        context.mergePolicy = policy.value
        switch policy {
        case .error: #expect { try context.save() } throws: { isConflict($0, .deleted) }
        case .storeTrump, .rollback:
            try context.save()
            #expect(mine.isDeleted && mine.modelContext == nil && mine.title == "mine")
            #expect(try stored(identifier) == nil)
        case .objectTrump, .overwrite:
            try context.save()
            #expect(mine.persistentModelID == identifier && !context.hasChanges)
            #expect(try stored(identifier) == mine.values)
            mine.title = "again"
            try context.save()
        }
    }

    @Test(arguments: Policy.allCases) func aDeletionOfARowThatWasChanged(_ policy: Policy) throws {
        let writer = Writer(name: "w")
        let (mine, theirs) = try article()
        mine.writer = writer
        let chapter = Chapter(name: "c")
        mine.chapters.append(chapter)
        try context.save()
        other.rollback()
        try other.refresh(theirs)
        theirs.title = "theirs"
        try other.save()
        context.delete(mine)
        context.mergePolicy = policy.value
        switch policy {
        case .error:
            #expect { try context.save() } throws: { isConflict($0, .changed) }
            #expect(mine.isDeleted && context.deletedModelsArray.count == 2)
        case .storeTrump, .rollback:
            try context.save()
            #expect(!mine.isDeleted && mine.title == "theirs" && mine.modelContext === context)
            #expect(mine.writer === writer && writer.articles.array == [mine])
        case .objectTrump, .overwrite:
            try context.save()
            #expect(mine.isDeleted)
            #expect(try stored(mine.persistentModelID) == nil)
        }
        try context.container.expectSound()
    }

    /// The first new object takes over the row, and the others are merged into it.
    @Test(arguments: [Policy.storeTrump, .objectTrump, .overwrite, .rollback])
    func severalNewObjectsWithAValueThatARowHas(_ policy: Policy) throws {
        let saved = Article(slug: "taken", title: "saved")
        other.insert(saved)
        try other.save()
        let new = (1...3).map { Article(slug: "taken", title: "\($0)") }
        for article in new { context.insert(article) }
        new[1].chapters.append(Chapter(name: "c"))
        context.mergePolicy = policy.value
        try context.save()
        let found = try context.fetch(Article.where { $0.slug == "taken" })
        #expect(found.count == 1 && found.first === new[0])
        #expect(new[0].persistentModelID == saved.persistentModelID)
        #expect(new[1].isDeleted && new[2].isDeleted)
        let takesNew = policy == .objectTrump || policy == .overwrite
        #expect(new[0].title == (takesNew ? "3" : "saved"))
        #expect(try stored(saved.persistentModelID)?.title == new[0].title)
        #expect(new[0].chapters.map(\.name) == ["c"])
        try context.container.expectSound()
    }

    /// If a deletion is reverted, so is its nullification of references to the object.
    @Test func referencesToAnObjectWhoseDeletionIsTakenBack() throws {
        let writer = Writer(name: "w")
        let (mine, _) = try article()
        mine.writer = writer
        try context.save()
        let theirs: Writer = try other.model(for: writer.persistentModelID)
        theirs.city = "Rome"
        try other.save()
        context.delete(writer)
        #expect(mine.writer == nil)
        context.mergePolicy = .mergeByPropertyStoreTrump
        try context.save()
        #expect(mine.writer === writer && writer.city == "Rome" && writer.articles.array == [mine])
        let reader = ModelContext(context.container)
        let fresh: Article = try reader.model(for: mine.persistentModelID)
        #expect(fresh.writer?.city == "Rome")
    }

    @Test func relationshipsInMemoryFollowAMergedReference() throws {
        let (mine, theirs) = try article()
        let first = Writer(name: "first")
        let second = Writer(name: "second")
        for writer in [first, second] { context.insert(writer) }
        mine.writer = first
        try context.save()
        #expect(first.articles.array == [mine] && second.articles.isEmpty)
        try other.refresh(theirs)
        theirs.writer = try other.model(for: second.persistentModelID)
        try other.save()
        mine.title = "mine"
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(mine.writer === second && second.articles.array == [mine] && first.articles.isEmpty)
    }

    /// If the save fails for another reason, the objects whose conflicts were resolved are as before.
    @Test func aFailureAfterMergingPutsEverythingBack() throws {
        let (mine, theirs) = try article()
        theirs.title = "theirs"
        theirs.body = "theirs"
        try other.save()
        mine.title = "mine"
        context.insert(Writer(city: "c", name: "w"))
        try context.save(ignoring: SaveError.self)
        let version = mine.record.version
        context.insert(Writer(city: "c", name: "w"))
        context.mergePolicy = .custom { conflict, _, _, _ in
            if case .notUnique = conflict.kind { return .error }
            return .mergeByPropertyObjectTrump
        }
        #expect { try context.save() } throws: { if case SaveError.notUnique = $0 { true } else { false } }
        #expect(mine.title == "mine" && mine.body == "body" && mine.record.version == version && mine.hasChanges)
        context.rollback()
        #expect(mine.title == "title")
    }

    // MARK: Custom policies

    @Test("row 131: a custom policy sees all sides") func aCustomPolicySeesAllSides() throws {
        let (mine, theirs) = try article()
        theirs.likes = 10
        try other.save()
        mine.likes = 5
        context.mergePolicy = .custom { conflict, object, stored, original in
            let article = try #require(object as? Article)
            let stored = try #require(stored as? Article)
            let original = try #require(original as? Article)
            #expect(conflict.changedProperties == ["likes"] && conflict.storeChangedProperties == ["likes"])
            article.likes = original.likes + (article.likes - original.likes) + (stored.likes - original.likes)
            return .mergeByPropertyObjectTrump
        }
        try context.save()
        #expect(mine.likes == 14)
        #expect(try stored(mine.persistentModelID)?.likes == 14)
    }

    @Test func aCustomPolicyMayRefuse() throws {
        struct Refusal: Error {}
        let (mine, theirs) = try article()
        theirs.likes = 10
        try other.save()
        mine.likes = 5
        context.mergePolicy = .custom { _, _, _, _ in throw Refusal() }
        #expect(throws: Refusal.self) { try context.save() }
        #expect(mine.likes == 5 && mine.hasChanges)
    }

    // MARK: Values that must be unique

    @Test("row 132: an inserted duplicate", arguments: Policy.allCases, [true, false])
    func anInsertedDuplicate(_ policy: Policy, _ isRegistered: Bool) throws {
        let (first, _) = try article()
        let identifier = first.persistentModelID
        let target = isRegistered ? context : ModelContext(context.container)
        let topic = Topic(name: "t")
        let duplicate = Article(body: nil, likes: 9, slug: "s", title: "new")
        target.insert(duplicate)
        duplicate.topics.append(topic)
        duplicate.chapters.append(Chapter(name: "c"))
        target.mergePolicy = policy.value
        if policy == .error {
            #expect { try target.save() } throws: { error in
                guard case SaveError.notUnique(duplicate.persistentModelID, ["slug"], _) = error else { return false }
                return true
            }
            #expect(duplicate.isInserted)
            return
        }
        try target.save()
        #expect(try target.fetchCount(Article.all) == 1 && !target.hasChanges)
        let values = try #require(try stored(identifier))
        switch policy {
        case .objectTrump: #expect(values.title == "new" && values.body == "body" && values.likes == 9)
        case .overwrite: #expect(values.title == "new" && values.body == nil && values.likes == 9)
        default: #expect(values.title == "title" && values.body == "body" && values.likes == 1)
        }
        #expect(duplicate.persistentModelID == identifier)
        let survivor = isRegistered ? first : duplicate
        #expect(survivor.modelContext === target && survivor.values == values)
        #expect(isRegistered == (duplicate.modelContext == nil))
        // References to the new object now lead to the survivor.
        #expect(topic.articles.array == [survivor] && survivor.chapters.map(\.name) == ["c"])
        let reader = ModelContext(context.container)
        let fresh: Article = try reader.model(for: identifier)
        #expect(fresh.topics.map(\.name) == ["t"] && fresh.chapters.map(\.name) == ["c"])
        survivor.title = "later"
        try target.save()
        #expect(try stored(identifier)?.title == "later")
        try context.container.expectSound()
    }

    @Test func twoNewObjectsWithOneValue() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let articles = (0..<3).map { Article(likes: $0, slug: "same", title: "\($0)") }
        for article in articles { context.insert(article) }
        let topics = articles.map { Topic(name: $0.title, articles: [$0]) }
        try context.save()
        #expect(try context.fetchCount(Article.all) == 1)
        #expect(articles[0].title == "2" && articles[0].likes == 2)
        #expect(articles[1].modelContext == nil && articles[1].persistentModelID == articles[0].persistentModelID)
        #expect(topics.allSatisfy { $0.articles.array == [articles[0]] } && articles[0].topics.count == 3)
        try context.container.expectSound()
    }

    @Test func compoundValuesAndManyAtOnce() throws {
        let old = (0..<50).map { Writer(city: "c\($0 % 5)", name: "w\($0 / 5)") }
        for writer in old { context.insert(writer) }
        try context.save()
        let target = ModelContext(context.container)
        target.mergePolicy = .mergeByPropertyObjectTrump
        for index in 0..<100 {
            target.insert(Writer(city: index % 10 < 9 ? "c\(index % 10)" : nil, name: "w\(index / 10)"))
        }
        try target.save()
        // Of the 100 writers, 50 were there before. Of the 90 with a city, 40 are new; those without a city do not
        // collide.
        #expect(try target.fetchCount(Writer.all) == 100)
        try context.container.expectSound()
    }

    @Test func whatThisSaveFreesIsNoCollision() throws {
        let (first, _) = try article()
        let second = Article(slug: "2", title: "second")
        context.insert(second)
        try context.save()
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.delete(first)
        second.slug = "3"
        let new = [Article(slug: "s", title: "new"), Article(slug: "2", title: "newer")]
        for article in new { context.insert(article) }
        try context.save()
        #expect(try context.fetchCount(Article.all) == 3)
        #expect(new.allSatisfy { $0.modelContext === context } && second.title == "second")
    }

    @Test(arguments: Policy.allCases) func aChangedObjectThatCollides(_ policy: Policy) throws {
        let (first, _) = try article()
        let second = Article(slug: "2", title: "second")
        context.insert(second)
        try context.save()
        second.slug = "s"
        second.title = "changed"
        context.mergePolicy = policy.value
        switch policy {
        case .error, .objectTrump, .overwrite:
            #expect { try context.save() } throws: { if case SaveError.notUnique = $0 { true } else { false } }
            #expect(second.slug == "s" && second.title == "changed" && second.hasChanges)
        case .storeTrump:
            try context.save()
            #expect(second.slug == "2" && second.title == "changed")
        case .rollback:
            try context.save()
            #expect(second.slug == "2" && second.title == "second")
        }
        #expect(first.title == "title")
        #expect(try stored(first.persistentModelID)?.slug == "s")
    }

    /// A row cannot become one of another entity.
    @Test func aDuplicateOfAnotherEntityIsRefused() throws {
        _ = try article()
        context.mergePolicy = .overwrite
        context.insert(ColumnArticle(slug: "s", title: "column"))
        #expect { try context.save() } throws: { if case SaveError.notUnique = $0 { true } else { false } }
    }

    // MARK: Objects that only matter

    @Test("row 133: conflicts of an unchanged object") func conflictsOfAnUnchangedObject() throws {
        let (mine, theirs) = try article()
        context.detectConflicts(for: mine)
        try context.save()
        theirs.likes = 3
        try other.save()
        context.detectConflicts(for: mine)
        let topic = Topic(name: "depends on it")
        context.insert(topic)
        #expect { try context.save() } throws: { isConflict($0, .changed) }
        #expect(topic.isInserted)
        context.mergePolicy = .rollback
        try context.save()
        #expect(mine.likes == 3 && !topic.isInserted)
    }

    /// Nothing is left to save, and later fetches refresh the object.
    @Test(arguments: [Policy.storeTrump, .rollback]) func anObjectOfWhichAMergeKeepsNothingIsUnchanged(
        _ policy: Policy
    ) throws {
        let (mine, theirs) = try article()
        context.mergePolicy = policy.value
        context.automaticallyMergesChangesFromParent = true
        mine.title = "my title"
        theirs.title = "their title"
        try other.save()
        context.processPendingChanges()
        #expect(mine.title == "their title" && !mine.hasChanges && !context.hasChanges)
        context.automaticallyMergesChangesFromParent = false
        theirs.body = "their body"
        try other.save()
        _ = try context.fetch(Article.all)
        #expect(mine.body == "their body")
    }
}

extension ModelContext {
    fileprivate func save<Failure: Error>(ignoring type: Failure.Type) throws {
        do { try save() } catch is Failure {}
    }
}
