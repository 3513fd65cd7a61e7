import Testing

@testable import Ashlar

/// Undoing insertions and deletions of the same objects, several times and with their links.
@Suite struct UndoneObjectsTests {
    private func context<Model: ManagedObjectModel>(_ model: Model.Type) throws -> (ModelContext, ModelUndoManager) {
        let context = ModelContext(try memoryContainer(model))
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        return (context, undoManager)
    }

    /// Saves, and makes the changes before it permanent.
    private func save(_ context: ModelContext) throws {
        try context.save()
        context.undoManager?.removeAllActions()
    }

    // MARK: Insertions and deletions within one group

    @Test func whoIsDeletedAndInsertedAgainStays() throws {
        let (context, undoManager) = try context(StudioModel.self)
        let article = Article(title: "a", chapters: ["x", "y", "z"].map { Chapter(name: $0) })
        context.insert(article)
        try save(context)
        context.delete(article)
        context.insert(article)
        undoManager.undo()
        try context.save()
        #expect(try context.fetchCount(Article.all) == 1 && article.chapters.map(\.name) == ["x", "y", "z"])
        // The same if the object is deleted, or inserted, in the end.
        context.delete(article)
        context.insert(article)
        context.delete(article)
        undoManager.undo()
        try context.save()
        #expect(try context.fetchCount(Article.all) == 1 && article.chapters.map(\.name) == ["x", "y", "z"])
        undoManager.redo()
        try context.save()
        #expect(try context.fetchCount(Article.all) == 0)
        try context.container.expectSound()
    }

    @Test func aNewObjectThatIsDeletedAndInsertedAgain() throws {
        let (context, undoManager) = try context(StudioModel.self)
        let article = Article(title: "a")
        context.insert(article)
        context.delete(article)
        context.insert(article)
        undoManager.undo()
        #expect(!context.hasChanges && article.modelContext == nil)
        undoManager.redo()
        try context.save()
        #expect(try context.fetch(Article.all) == [article])
    }

    @Test(arguments: [false, true]) func aGroupLeavesNothingOfWhoCameAndWent(isSaved: Bool) throws {
        let (context, undoManager) = try context(StudioModel.self)
        let topic = Topic(name: "t")
        context.insert(topic)
        try save(context)
        undoManager.beginUndoGrouping()
        let article = Article(title: "a", topics: [topic])
        context.insert(article)
        if isSaved { try context.save() } else { context.processPendingChanges() }
        context.delete(article)
        if isSaved { try context.save() }
        undoManager.endUndoGrouping()
        undoManager.undo()
        #expect(context.insertedModelsArray.isEmpty && topic.articles.isEmpty)
        try context.save()
        undoManager.redo()
        try context.save()
        #expect(try context.fetchCount(Article.all) == 0 && topic.articles.isEmpty)
        try context.container.expectSound()
    }

    // MARK: Links

    @Test(arguments: [false, true], [false, true])
    func linksWithoutInverse(isOwnerSaved: Bool, isDeletionSaved: Bool) throws {
        let (context, undoManager) = try context(DepotModel.self)
        let seals = ["r", "s", "t"].map { Seal(name: $0) }
        for seal in seals { context.insert(seal) }
        try save(context)
        let padlock = Padlock(name: "p")
        padlock.tags = ToMany([seals[2], seals[0]])
        context.insert(padlock)
        if isOwnerSaved { try context.save() } else { context.processPendingChanges() }
        context.delete(padlock)
        if isDeletionSaved { try context.save() } else { context.processPendingChanges() }
        for _ in 0..<2 {
            undoManager.undo()
            #expect(padlock.tags.map(\.name).sorted() == ["r", "t"])
            undoManager.redo()
            #expect(padlock.modelContext == nil || padlock.isDeleted)
        }
        undoManager.undo()
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(Padlock.all).map { $0.tags.map(\.name).sorted() } == [["r", "t"]])
        try context.container.expectSound()
    }

    /// If an object is not deleted in the end, it keeps the links that its deletion would remove.
    @Test(arguments: 0..<3) func linksWithoutInverseOfWhoStays(_ way: Int) throws {
        let (context, undoManager) = try context(DepotModel.self)
        let padlock = Padlock(name: "p")
        padlock.tags = ToMany(["r", "t"].map { Seal(name: $0) })
        context.insert(padlock)
        try save(context)
        context.delete(padlock)
        if way == 2 {
            context.insert(padlock)
            padlock.name = "x"
            undoManager.undo()
            undoManager.redo()
        } else {
            context.processPendingChanges()
            if way == 1 {
                context.insert(padlock)
                context.processPendingChanges()
                undoManager.undo()
            }
            undoManager.undo()
            undoManager.redo()
            if way == 1 { undoManager.redo() } else { context.insert(padlock) }
        }
        try context.save()
        #expect(padlock.tags.map(\.name).sorted() == ["r", "t"])
        let other = ModelContext(context.container)
        #expect(try other.fetch(Padlock.all).map { $0.tags.map(\.name).sorted() } == [["r", "t"]])
    }

    @Test func anOrderWithoutInverse() throws {
        let (context, undoManager) = try context(HarborModel.self)
        let beacons = [3.0, 1, 2].map { Beacon(range: $0) }
        let port = Port(name: "p")
        port.beacons = ToMany(beacons)
        context.insert(port)
        try save(context)
        context.delete(port)
        try context.save()
        undoManager.undo()
        #expect(port.beacons.map(\.range) == [3, 1, 2])
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(Port.all).map { $0.beacons.map(\.range) } == [[3, 1, 2]])
    }

    /// An undo does not link members again that others deleted, and reports no error.
    @Test func aMemberThatOthersDeleted() throws {
        let (context, undoManager) = try context(StudioModel.self)
        context.automaticallyMergesChangesFromParent = true
        let topics = ["s", "t"].map { Topic(name: $0) }
        let article = Article(title: "a", topics: topics)
        context.insert(article)
        try save(context)
        article.topics = []
        try context.save()
        let other = ModelContext(context.container)
        other.delete(try #require(try other.fetchFirst(Topic.where { $0.name == "t" })))
        try other.save()
        context.processPendingChanges()
        undoManager.undo()
        try context.save()
        #expect(article.topics.map(\.name) == ["s"])
        try context.container.expectSound()
    }

    // MARK: Changes that others saved

    @Test(arguments: [false, true]) func whoComesBackHasWhatOthersSaved(isInsertion: Bool) throws {
        let (context, undoManager) = try context(StudioModel.self)
        context.automaticallyMergesChangesFromParent = true
        let article = Article(title: "a")
        context.insert(article)
        if isInsertion {
            try context.save()
        } else {
            try save(context)
            context.delete(article)
            undoManager.undo()
        }
        let other = ModelContext(context.container)
        try other.fetch(Article.all).first?.title = "x"
        try other.save()
        context.processPendingChanges()
        #expect(article.title == "x")
        if isInsertion { undoManager.undo() } else { undoManager.redo() }
        #expect(article.isDeleted)
        if isInsertion { undoManager.redo() } else { undoManager.undo() }
        try context.save()
        #expect(article.title == "x")
        #expect(try ModelContext(context.container).fetchValues(Article.all).map(\.title) == ["x"])
    }

    /// A change before a deletion is undone with it, if both belong to one group.
    @Test func aChangeBeforeTheDeletion() throws {
        let (context, undoManager) = try context(StudioModel.self)
        let article = Article(likes: 1, title: "a")
        context.insert(article)
        try save(context)
        article.title = "b"
        article.likes = 2
        context.delete(article)
        undoManager.undo()
        #expect(article.title == "a" && article.likes == 1)
        try context.save()
        #expect(try ModelContext(context.container).fetchValues(Article.all).map(\.title) == ["a"])
    }

    /// Another context deleted the object, and the undo reverts its insertion.
    @Test func whoWasDeletedElsewhereAndIsInsertedAgainGoes() throws {
        let (context, undoManager) = try context(StudioModel.self)
        let article = Article(title: "a")
        context.insert(article)
        try save(context)
        let other = ModelContext(context.container)
        other.delete(try #require(try other.fetch(Article.all).first))
        try other.save()
        try? context.refresh(article)
        context.insert(article)
        undoManager.undo()
        #expect(article.modelContext == nil && context.insertedModelsArray.isEmpty)
        undoManager.redo()
        try context.save()
        #expect(try ModelContext(context.container).fetchCount(Article.all) == 1)
    }

    // MARK: Objects of other stores

    /// An object of another store, with the same row number as an object of this store.
    @Test func anObjectOfAnotherStoreIsNobodyElse() throws {
        let (context, undoManager) = try context(StudioModel.self)
        let writer = Writer(name: "here")
        let article = Article(title: "a", writer: writer)
        context.insert(article)
        try save(context)
        let copy = try writerOfAnotherStore()
        #expect(copy.persistentModelID.rowID == writer.persistentModelID.rowID)
        context.insert(copy)
        context.processPendingChanges()
        article.writer = nil
        undoManager.undo()
        #expect(article.writer === writer)
    }

    private func writerOfAnotherStore() throws -> Writer {
        let context = ModelContext(try memoryContainer(StudioModel.self))
        let writer = Writer(name: "there")
        context.insert(writer)
        try context.save()
        return writer
    }

    @Test func anObjectThatWasLeftIsNobodyElse() throws {
        let (context, undoManager) = try context(StudioModel.self)
        let left = Writer(name: "w")
        context.insert(Article(title: "a", writer: left))
        try save(context)
        context.reset()
        context.insert(left)
        context.processPendingChanges()
        let article = try #require(try context.fetch(Article.all).first)
        let writer = try #require(article.writer)
        article.writer = nil
        undoManager.undo()
        #expect(article.writer === writer && writer !== left)
    }

    // MARK: Observers

    @Test func whatAnObserverChangesDuringASaveIsUndone() throws {
        let (context, undoManager) = try context(StudioModel.self)
        let article = Article(title: "a")
        context.insert(article)
        try save(context)
        do {
            let observation = context.observe(.objectsDidChange) { _, _ in
                if article.likes == 0 { article.likes = 10 }
            }
            defer { observation.cancel() }
            article.title = "x"
            try context.save()
        }
        #expect(try ModelContext(context.container).fetchValues(Article.all).map(\.likes) == [10])
        while undoManager.canUndo { undoManager.undo() }
        #expect(article.title == "a" && article.likes == 0)
    }

    /// If an observer changes an object when a save notifies it, observers are notified of that change too.
    @Test func whatAnObserverChangesDuringASaveIsTold() throws {
        let (context, _) = try context(StudioModel.self)
        let (article, writer) = (Article(title: "a"), Writer(name: "w"))
        context.insert(article)
        context.insert(writer)
        try save(context)
        var told: [Article] = []
        let observation = context.observe(.objectsDidChange) { _, changes in
            if changes.updated.contains(where: { $0 === writer }) { article.title = "x" }
            told += changes.updated.compactMap { $0 as? Article }
        }
        defer { observation.cancel() }
        writer.name = "v"
        try context.save()
        #expect(told == [article])
    }

    /// A save that clears references to a deleted object adds no undo group, and keeps the groups that can be redone.
    @Test func aSaveIsNoStep() throws {
        let (context, undoManager) = try context(TortureModel.self)
        let (node, other, label) = (Node(name: "n"), Node(name: "o"), Label(name: "l"))
        node.favourite = label
        for model in [node, other] { context.insert(model) }
        try save(context)
        node.name = "m"
        context.processPendingChanges()
        context.delete(label)
        context.processPendingChanges()
        other.name = "p"
        undoManager.undo()
        #expect(undoManager.canRedo)
        try context.save()
        #expect(node.favourite == nil && undoManager.canRedo)
        undoManager.redo()
        #expect(other.name == "p")
    }
}
