import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Contexts that save into another context.
@Suite struct ChildContextTests {
    let parent: ModelContext
    let child: ModelContext
    let article: Article
    let writer: Writer

    init() throws {
        parent = try studioContext()
        child = ModelContext(parent: parent)
        writer = Writer(name: "w")
        article = Article(title: "title", writer: writer, chapters: [Chapter(name: "1"), Chapter(name: "2")])
        parent.insert(article)
        try parent.save()
    }

    private func twin() throws -> Article { try child.model(for: article.persistentModelID) }

    @Test("row 71: it sees what the parent did not save") func itSeesWhatTheParentDidNotSave() throws {
        article.title = "changed"
        let new = Article(title: "new", writer: writer)
        parent.insert(new)
        let read = try child.fetch(Article.order { $0.title.ascending })
        #expect(read.map(\.title) == ["changed", "new"] && read.allSatisfy { $0.modelContext === child })
        #expect(!child.hasChanges && read[1].persistentModelID == new.persistentModelID)
        #expect(read[1].writer?.articles.count == 2 && read[1].writer !== writer)
        #expect(try child.fetchCount(Article.where { $0.title == "new" }) == 1)
        parent.delete(new)
        #expect(try child.fetch(Article.all).count == 1)
        article.title = "again"
        #expect(try child.fetch(Article.all).map(\.title) == ["again"])
        #expect(read[0].title == "again")
    }

    @Test("row 71: a save changes the parent only") func aSaveChangesTheParentOnly() throws {
        let twin = try twin()
        twin.title = "mine"
        twin.likes = 3
        let new = Article(title: "new", writer: twin.writer, topics: [Topic(name: "t")])
        child.insert(new)
        #expect(article.title == "title" && writer.articles.count == 1)
        try child.save()
        #expect(!child.hasChanges && article.title == "mine" && article.likes == 3)
        #expect(writer.articles.map(\.title).sorted() == ["mine", "new"])
        #expect(parent.insertedModelsArray.count == 2 && parent.changedModelsArray.count >= 1)
        #expect(try parent.fetched(Article.self).map(\.title) == ["title"])
        try parent.save()
        let reader = ModelContext(parent.container)
        let read = try reader.fetch(Article.order { $0.title.ascending })
        #expect(read.map(\.title) == ["mine", "new"] && read[1].topics.map(\.name) == ["t"])
        #expect(read.allSatisfy { $0.writer?.name == "w" })
        try parent.container.expectSound()
    }

    /// When the parent saves, the temporary identifiers of the objects that the child saved become permanent.
    @Test func identifiersBecomePermanent() throws {
        let new = Article(title: "new")
        child.insert(new)
        try child.save()
        let topic = Topic(name: "t", articles: [new])
        child.insert(topic)
        new.writer = try child.model(for: writer.persistentModelID)
        #expect(new.persistentModelID.isTemporary)
        try parent.save()
        #expect(!new.persistentModelID.isTemporary && topic.persistentModelID.isTemporary)
        #expect(child.registeredModel(for: new.persistentModelID) == new as Article? && topic.articles.array == [new])
        try child.save()
        try parent.save()
        let reader = ModelContext(parent.container)
        let read: Article = try reader.model(for: new.persistentModelID)
        #expect(read.topics.map(\.name) == ["t"] && read.writer?.name == "w")
    }

    @Test func lettingGoDiscards() throws {
        do {
            let editor = ModelContext(parent: parent)
            let copy: Article = try editor.model(for: article.persistentModelID)
            copy.title = "edited"
            editor.delete(try #require(copy.chapters.first))
        }
        #expect(article.title == "title" && article.chapters.count == 2 && !parent.hasChanges)
        let twin = try twin()
        twin.title = "x"
        child.rollback()
        #expect(twin.title == "title")
    }

    @Test func membersThatBecomeOneInTheParent() throws {
        parent.mergePolicy = .mergeByPropertyStoreTrump
        let saved = Article(title: "saved")
        saved.slug = "same"
        let topic = Topic(name: "topic")
        parent.insert(saved)
        parent.insert(topic)
        try parent.save()
        let new = Article(title: "new")
        new.slug = "same"
        parent.insert(new)
        let childTopic: Topic = try child.model(for: topic.persistentModelID)
        let childSaved: Article = try child.model(for: saved.persistentModelID)
        let childNew: Article = try child.model(for: new.persistentModelID)
        childTopic.articles.append(childNew)
        childTopic.articles.append(childSaved)
        #expect(childTopic.articles.count == 2)
        // The saved object replaces the new one.
        try parent.save()
        let one: Article = try child.model(for: saved.persistentModelID)
        #expect(Array(childTopic.articles) == [one])
        try child.refresh(one, mergeChanges: false)
        #expect(childTopic.articles.isEmpty)
        #expect(one.topics.isEmpty)
        try child.save()
        try parent.save()
        let reader = ModelContext(parent.container)
        #expect(try reader.fetch(Topic.all)[0].articles.isEmpty)
    }

    @Test func deletionsAndOrder() throws {
        let twin = try twin()
        twin.chapters.insert(Chapter(name: "0"), at: 0)
        child.delete(twin.chapters[1])
        #expect(twin.chapters.map(\.name) == ["0", "2"])
        #expect(try child.fetch(Chapter.order { $0.name.ascending }).map(\.name) == ["0", "2"])
        try child.save()
        #expect(article.chapters.map(\.name) == ["0", "2"])
        try parent.save()
        let reader = ModelContext(parent.container)
        #expect(try reader.fetch(Article.all).first?.chapters.map(\.name) == ["0", "2"])
        child.delete(twin)
        try child.save()
        #expect(article.isDeleted && writer.articles.isEmpty)
        try parent.save()
        #expect(try ModelContext(parent.container).fetchCount(Chapter.all) == 0)
    }

    @Test func rulesHoldAtEachLevel() throws {
        child.insert(Toolbox(name: "without tools"))
        #expect { try child.save() } throws: { isValidation($0, ["tools"], .tooFewObjects(minimum: 1)) }
        #expect(!parent.hasChanges)
    }

    @Test func whatTheParentDeletedIsAConflict() throws {
        let twin = try twin()
        twin.title = "mine"
        parent.delete(article)
        #expect { try child.save() } throws: { error in
            guard case SaveError.conflict(let conflicts) = error else { return false }
            return conflicts.map(\.kind) == [.deleted]
        }
        #expect(twin.hasChanges)
    }

    @Test func propertiesThatOnlyTheParentChangedStay() throws {
        let twin = try twin()
        twin.title = "mine"
        article.body = "theirs"
        try child.save()
        #expect(article.title == "mine" && article.body == "theirs")
        try child.refresh(twin)
        #expect(twin.body == "theirs")
    }

    @Test func threeLevels() throws {
        let grandchild = ModelContext(parent: child)
        let article = Article(title: "deep", writer: try grandchild.model(for: writer.persistentModelID))
        grandchild.insert(article)
        try grandchild.save()
        #expect(try child.fetchCount(Article.all) == 2 && parent.fetchCount(Article.all) == 1)
        try child.save()
        try parent.save()
        #expect(!article.persistentModelID.isTemporary)
        #expect(grandchild.registeredModel(for: article.persistentModelID) == article as Article?)
        #expect(try ModelContext(parent.container).fetchCount(Article.all) == 2)
    }

    /// After a child with random changes saves, the parent shows its state; after the parent saves, so does the store.
    @Test(arguments: seeds()) func randomChanges(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let parent = try studioContext()
        for number in 0..<4 {
            parent.insert(
                Article(title: "a\(number)", writer: Writer(name: "w\(number)"), topics: [Topic(name: "t\(number)")]))
        }
        try parent.save()
        func state(_ context: ModelContext) throws -> [String] {
            let articles = try context.fetch(Article.all).map { article in
                "\(article.title) \(article.likes) \(article.writer?.name ?? "-") \(article.topics.map(\.name).sorted()) "
                    + "\(article.chapters.map(\.name))"
            }
            let writers = try context.fetch(Writer.all).map { "\($0.name) \($0.articles.map(\.title).sorted())" }
            let topics = try context.fetch(Topic.all).map { "\($0.name) \($0.articles.map(\.title).sorted())" }
            return articles.sorted() + writers.sorted() + topics.sorted()
        }
        for round in 0..<15 {
            let child = ModelContext(parent: parent)
            var names = (0..<1000).lazy.map { "n\(round).\($0)" }.makeIterator()
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let context = random.oneIn(4) ? parent : child
                let article = try context.fetch(Article.all).randomElement(using: &random)
                let writer = try context.fetch(Writer.all).randomElement(using: &random)
                let topic = try context.fetch(Topic.all).randomElement(using: &random)
                switch Int.random(in: 0..<9, using: &random) {
                case 0: article?.title = names.next()!
                case 1: article?.writer = random.oneIn(3) ? nil : writer
                case 2: if let topic { article?.topics.append(topic) }
                case 3: if let topic { article?.topics.remove(topic) }
                case 4: article?.chapters.append(Chapter(name: names.next()!))
                case 5: if let article, let last = article.chapters.last { article.chapters.move(last, to: 0) }
                case 6: context.insert(Article(title: names.next()!, writer: writer, topics: topic.map { [$0] } ?? []))
                case 7: context.insert(Writer(name: names.next()!, articles: article.map { [$0] } ?? []))
                // The parent may have changed an object that only the child deletes; the reverse would be a conflict.
                default: if context === child, let article { context.delete(article) }
                }
                if context === parent { try child.refreshAllObjects() }
            }
            let expected = try state(child)
            try child.save()
            let pushed = try state(parent)
            #expect(pushed == expected, "seed \(seed), round \(round)")
            if random.oneIn(2) {
                try parent.save()
                #expect(try state(ModelContext(parent.container)) == expected, "seed \(seed), round \(round)")
                #expect(try state(child) == expected, "seed \(seed), round \(round)")
            }
        }
        try parent.save()
        try parent.container.expectSound("seed \(seed)")
    }
}

/// Derived attributes in contexts that save into another context.
@Suite struct ChildContextDerivationTests {
    private let parent: ModelContext
    private let child: ModelContext
    private let author: Reporter

    init() throws {
        parent = ModelContext(try memoryContainer(NewsroomModel.self))
        child = ModelContext(parent: parent)
        author = Reporter(name: "Éva")
        parent.insert(author)
        parent.insert(Report(title: "One", wordCount: 3, author: author))
        try parent.save()
    }

    /// `reportsCount` is required; `canonicalName` is optional.
    @Test("row 71: objects with derived attributes are saved") func objectsWithDerivedAttributesAreSaved() throws {
        let twin: Reporter = try child.model(for: author.persistentModelID)
        #expect(twin.reportsCount == 1 && twin.canonicalName == "eva")
        twin.name = "Ada"
        let new = Reporter(name: "Bea")
        child.insert(new)
        try child.save()
        #expect(author.name == "Ada" && author.reportsCount == 1 && author.canonicalName == "eva")
        try parent.save()
        #expect(author.canonicalName == "ada" && new.canonicalName == "bea" && new.reportsCount == 0)
        #expect(
            try ModelContext(parent.container).fetch(Reporter.order { $0.name.ascending }).map(\.name) == [
                "Ada", "Bea",
            ])
    }

    @Test("row 71: a child sees what the store derives") func aChildSeesWhatTheStoreDerives() throws {
        let twin: Reporter = try child.model(for: author.persistentModelID)
        let grandchild = ModelContext(parent: child)
        let third: Reporter = try grandchild.model(for: author.persistentModelID)
        third.name = "changed"
        child.insert(Report(title: "Two", wordCount: 4, author: twin))
        try child.save()
        // The derived values change only when the store derives them.
        #expect(twin.reportsCount == 1 && author.reportsCount == 1)
        try parent.save()
        #expect(author.reportsCount == 2 && twin.reportsCount == 2 && twin.wordsTotal == 7)
        #expect(third.reportsCount == 2 && third.name == "changed" && !child.hasChanges)
        grandchild.rollback()
        #expect(third.reportsCount == 2 && third.name == "Éva")
        // A fetch by the parent updates the children.
        try parent.container.execute("DELETE FROM \"Report\"")
        _ = try parent.fetch(Reporter.all)
        #expect(author.reportsCount == 0 && twin.reportsCount == 0 && third.reportsCount == 0)
    }

    @Test func aChildInsertsForAnOwnerThatIsNew() throws {
        let owner = Reporter(name: "new")
        child.insert(owner)
        child.insert(Report(title: "Two", wordCount: 4, author: owner))
        try child.save()
        try parent.save()
        #expect(owner.reportsCount == 1 && owner.wordsTotal == 4)
        try parent.container.expectSound()
    }
}
