import Testing

@testable import Ashlar

/// Undoing changes of a member of an ordered relationship whose owner the context has not read.
@Suite struct UndoneOrderTests {
    let container: ModelContainer
    /// The context with the undo manager.
    let editor: ModelContext
    let undoManager = ModelUndoManager()

    init() throws {
        container = try memoryContainer(StudioModel.self)
        let context = ModelContext(container)
        context.insert(Article(title: "a", chapters: ["x", "y", "z"].map { Chapter(name: $0) }))
        context.insert(Article(title: "b", chapters: [Chapter(name: "w")]))
        try context.save()
        editor = ModelContext(container)
        editor.undoManager = undoManager
    }

    private func chapter(_ name: String, _ context: ModelContext) throws -> Chapter {
        try #require(try context.fetch(Chapter.where { $0.name == name }).first)
    }

    /// The chapters that the store has, by the titles of their articles.
    private func saved() throws -> [String: [String]] {
        let context = ModelContext(container)
        let articles = try context.fetch(Article.all)
        try container.expectSound()
        return Dictionary(uniqueKeysWithValues: articles.map { ($0.title, $0.chapters.map(\.name)) })
    }

    @Test(arguments: [false, true]) func theMemberComesBackToItsPlace(isSaved: Bool) throws {
        let chapter = try chapter("x", editor)
        chapter.article = nil
        if isSaved { try editor.save() }
        undoManager.undo()
        #expect(chapter.article?.chapters.map(\.name) == ["x", "y", "z"])
        try editor.save()
        #expect(try saved() == ["a": ["x", "y", "z"], "b": ["w"]])
        undoManager.redo()
        try editor.save()
        #expect(try saved() == ["a": ["y", "z"], "b": ["w"]])
        undoManager.undo()
        try editor.save()
        #expect(try saved() == ["a": ["x", "y", "z"], "b": ["w"]])
    }

    @Test func ofAChildContext() throws {
        let child = ModelContext(parent: ModelContext(container))
        child.undoManager = undoManager
        let chapter = try chapter("y", child)
        chapter.article = try chapterOwner("b", child)
        try child.save()
        try child.parent?.save()
        #expect(try saved() == ["a": ["x", "z"], "b": ["w", "y"]])
        undoManager.undo()
        try child.save()
        try child.parent?.save()
        #expect(try saved() == ["a": ["x", "y", "z"], "b": ["w"]])
    }

    private func chapterOwner(_ title: String, _ context: ModelContext) throws -> Article {
        try #require(try context.fetch(Article.where { $0.title == title }).first)
    }

    /// A merge of another context's save adds no undo group.
    @Test func aMergeIsNoGroup() throws {
        editor.automaticallyMergesChangesFromParent = true
        let chapter = try chapter("x", editor)
        chapter.article = try chapterOwner("b", editor)
        editor.processPendingChanges()
        undoManager.undo()
        undoManager.redo()
        undoManager.undo()
        #expect(undoManager.canRedo && !undoManager.canUndo)
        undoManager.redo()
        for title in ["u", "v"] {
            let other = ModelContext(container)
            try self.chapter("x", other).name = title
            try other.save()
            try other.fetch(Chapter.where { $0.name == title }).first?.name = "x"
            try other.save()
            editor.processPendingChanges()
        }
        undoManager.undo()
        #expect(chapter.article?.title == "a" && chapter.name == "x")
        #expect(!undoManager.canUndo && undoManager.canRedo)
        try editor.save()
        #expect(try saved() == ["a": ["x", "y", "z"], "b": ["w"]])
    }

    /// Only an undo needs the order. If the owner cannot be read, a member can still be taken out.
    @Test func anOwnerThatCannotBeRead() throws {
        try container.pool.write { try $0.execute("UPDATE \"Article\" SET \"colors\" = x'FF' WHERE \"title\" = 'a'") }
        let chapter = try chapter("x", editor)
        chapter.article = nil
        try editor.save()
        #expect(throws: StoreError.self) { try ModelContext(container).fetch(Article.all) }
    }

    /// A chapter that is deleted and inserted again keeps its place, even without an undo manager.
    @Test func whoIsNotDeletedAfterAllKeepsItsPlace() throws {
        editor.undoManager = nil
        let chapter = try chapter("x", editor)
        editor.delete(chapter)
        editor.insert(chapter)
        #expect(chapter.article?.chapters.map(\.name) == ["x", "y", "z"])
        try editor.save()
        #expect(chapter.article?.chapters.map(\.name) == ["x", "y", "z"])
        #expect(try saved() == ["a": ["x", "y", "z"], "b": ["w"]])
        // A chapter that moved to another article meanwhile is its last.
        chapter.article = try chapterOwner("b", editor)
        editor.delete(chapter)
        editor.insert(chapter)
        try editor.save()
        #expect(chapter.article?.chapters.map(\.name) == ["w", "x"])
        #expect(try saved() == ["a": ["y", "z"], "b": ["w", "x"]])
    }
}
