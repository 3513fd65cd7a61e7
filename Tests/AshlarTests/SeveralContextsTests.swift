import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Random work of several contexts and their children at the same time. Any policy resolves conflicts, and each
/// context merges the saves of the others. In the end, both sides of each relationship agree, and a context without
/// changes holds the same values that a new one reads.
@Suite struct SeveralContextsTests {
    private struct Play {
        let container: ModelContainer
        var contexts: [ModelContext] = []
        var children: [Int: ModelContext] = [:]
        var random: SeededGenerator
        var count = 0
        var log: [String] = []

        init(seed: Seed) throws {
            container = try memoryContainer(StudioModel.self)
            random = SeededGenerator(seed: seed)
            for _ in 0..<3 { contexts.append(newContext()) }
        }

        private mutating func newContext() -> ModelContext {
            let context = ModelContext(container)
            context.automaticallyMergesChangesFromParent = true
            if random.oneIn(2) { context.undoManager = ModelUndoManager() }
            context.mergePolicy = anyPolicy()
            return context
        }

        private mutating func anyPolicy() -> MergePolicy {
            let policies: [MergePolicy] = [
                .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
            ]
            return policies[Int.random(in: 0..<5, using: &random)]
        }

        private mutating func any<Model: PersistentModel>(_ context: ModelContext, _: Model.Type) throws -> Model? {
            try context.fetch(FetchDescriptor<Model>()).sorted { $0.persistentModelID < $1.persistentModelID }
                .randomElement(using: &random)
        }

        /// Takes one step in one of the contexts, or in its child. Each step has a seed of its own, so that omitting
        /// some does not change the others.
        mutating func step(_ seed: UInt64) throws -> ModelContext {
            random = SeededGenerator(seed: seed)
            let index = Int.random(in: 0..<3, using: &random)
            let isChilds = random.oneIn(4)
            if isChilds, children[index] == nil { children[index] = ModelContext(parent: contexts[index]) }
            let context = isChilds ? children[index] ?? contexts[index] : contexts[index]
            let kind = Int.random(in: 0..<24, using: &random)
            log.append("\(index)\(isChilds ? "c" : "") \(Self.names[kind])")
            switch kind {
            case 0...13: try change(context, kind)
            case 14, 15: try save(context)
            case 16: context.rollback()
            case 17:
                let isUndo = random.oneIn(2)
                log[log.count - 1] = "\(index)\(isChilds ? "c" : "") \(isUndo ? "undo" : "redo")"
                if isUndo { context.undoManager?.undo() } else { context.undoManager?.redo() }
            case 18: if let article = try any(context, Article.self) { try refresh(article, context) }
            case 19: try context.refreshAllObjects()
            case 20: context.processPendingChanges()
            case 21: children[index] = nil
            case 22: try context.obtainPermanentIdentifiers(for: context.insertedModelsArray)
            default: context.registry.visitMaps { $1.sweep() }
            }
            return context
        }

        private static let names = [
            "insert", "insert", "insert writer", "insert topic", "title", "likes", "writer", "add topic",
            "remove topic", "add chapter", "take chapter", "remove chapter", "delete", "delete writer and topic",
            "save",
            "save", "rollback", "undo", "refresh", "refresh all", "process", "drop child", "obtain identifiers",
            "sweep",
        ]

        private mutating func refresh(_ article: Article, _ context: ModelContext) throws {
            do {
                try context.refresh(article, mergeChanges: random.oneIn(2))
            } catch StoreError.missingObject {
                #expect(article.isDeleted)
            }
        }

        private mutating func change(_ context: ModelContext, _ kind: Int) throws {
            count += 1
            let article = try any(context, Article.self)
            switch kind {
            case 0, 1:
                let slug = random.oneIn(3) ? "s\(Int.random(in: 0..<4, using: &random))" : nil
                let new = random.oneIn(3) ? ColumnArticle(title: "") : Article(title: "")
                (new.slug, new.title) = (slug, "a\(count)")
                new.writer = try any(context, Writer.self)
                context.insert(new)
            case 2: context.insert(Writer(name: "w\(count)"))
            case 3: context.insert(Topic(name: "t\(count)"))
            case 4: article?.title = "b\(count)"
            case 5: article?.likes += 1
            case 6: article?.writer = random.oneIn(3) ? nil : try any(context, Writer.self)
            case 7: if let topic = try any(context, Topic.self) { article?.topics.append(topic) }
            case 8: if let topic = article?.topics.randomElement(using: &random) { article?.topics.remove(topic) }
            case 9: article?.chapters.append(Chapter(name: "c\(count)"))
            case 10:
                guard let article, let chapter = try any(context, Chapter.self) else { return }
                article.chapters.insert(chapter, at: Int.random(in: 0...article.chapters.count, using: &random))
            case 11: if let chapter = article?.chapters.first { article?.chapters.remove(chapter) }
            case 12: if let article, random.oneIn(2) { context.delete(article) }
            default:
                if random.oneIn(2), let writer = try any(context, Writer.self) { context.delete(writer) }
                if random.oneIn(3), let topic = try any(context, Topic.self) { context.delete(topic) }
            }
        }

        /// Saves. If the save is refused, resolves the conflict as a program would.
        private mutating func save(_ context: ModelContext) throws {
            do {
                try context.save()
            } catch is SaveError {
                context.mergePolicy = anyPolicy()
                do { try context.save() } catch is SaveError { context.rollback() }
            }
        }

        mutating func finish() throws {
            for index in contexts.indices {
                if let child = children[index] { try save(child) }
                try save(contexts[index])
            }
        }
    }

    /// The contents of a context, by rowids.
    private func contents(_ context: ModelContext) throws -> [String] {
        func number(_ object: ManagedObject?) -> String { object.map { "\($0.identifier.rowID)" } ?? "-" }
        func numbers(_ objects: ToMany<some PersistentModel>) -> [Int64] { objects.map(\.identifier.rowID).sorted() }
        var lines: [String] = []
        for article in try context.fetch(Article.all) {
            lines.append(
                "article \(number(article)) \(type(of: article)) \(article.slug ?? "-") \(article.title) "
                    + "\(article.likes) writer \(number(article.writer)) topics \(numbers(article.topics)) "
                    + "chapters \(article.chapters.map { $0.identifier.rowID })")
        }
        for writer in try context.fetch(Writer.all) {
            lines.append("writer \(number(writer)) \(writer.name) \(numbers(writer.articles))")
        }
        for topic in try context.fetch(Topic.all) { lines.append("topic \(number(topic)) \(numbers(topic.articles))") }
        for chapter in try context.fetch(Chapter.all) {
            lines.append("chapter \(number(chapter)) \(chapter.name) \(number(chapter.article))")
        }
        return lines.sorted()
    }

    private func difference(_ context: ModelContext, _ stored: [String]) throws -> String? {
        let held = Set(try contents(context))
        let (extra, missing) = (held.subtracting(stored).sorted(), Set(stored).subtracting(held).sorted())
        return extra.isEmpty && missing.isEmpty ? nil : "it holds \(extra) instead of \(missing)"
    }

    /// Describes a link that only one side of a relationship has. Returns nil if there is none.
    private func disagreement(_ context: ModelContext) throws -> String? {
        func name(_ object: ManagedObject) -> String { "\(object.entity.name) \(object.identifier.rowID)" }
        for article in try context.fetch(Article.all) {
            if let writer = article.writer, !writer.articles.contains(article) {
                return "\(name(writer)) is without \(name(article))"
            }
            for topic in article.topics where !topic.articles.contains(article) {
                return "\(name(topic)) is without \(name(article))"
            }
            for chapter in article.chapters where chapter.article !== article {
                return "\(name(chapter)) is without \(name(article))"
            }
            if Set(article.chapters).count != article.chapters.count { return "\(name(article)) has a chapter twice" }
        }
        for writer in try context.fetch(Writer.all) {
            for article in writer.articles where article.writer !== writer {
                return "\(name(article)) is without \(name(writer))"
            }
        }
        for topic in try context.fetch(Topic.all) {
            for article in topic.articles where !article.topics.contains(topic) {
                return "\(name(article)) is without \(name(topic))"
            }
        }
        for chapter in try context.fetch(Chapter.all) {
            if let article = chapter.article, !article.chapters.contains(chapter) {
                return "\(name(article)) is without \(name(chapter))"
            }
        }
        return nil
    }

    /// Plays some steps. Returns a description of the failure, and the number of steps that led to it.
    private func failure(seed: Seed, _ steps: [UInt64]) throws -> (String, Int)? {
        var play = try Play(seed: seed)
        for (number, step) in steps.enumerated() {
            let context = try play.step(step)
            // A child reads its parent's relationships once.
            if context.parent != nil { continue }
            let failure =
                try disagreement(context)
                ?? (context.hasChanges ? nil : difference(context, contents(ModelContext(play.container))))
            if let failure { return ("\(failure) after \(play.log)", number + 1) }
        }
        try play.finish()
        let stored = try contents(ModelContext(play.container))
        for (index, context) in play.contexts.enumerated() {
            if let failure = try difference(context, stored) {
                return ("at the end, context \(index): \(failure) after \(play.log)", steps.count)
            }
        }
        try play.container.expectSound("\(play.log)")
        return nil
    }

    /// Returns the failure with as few steps as the search finds.
    private func shortened(seed: Seed, _ steps: [UInt64], _ failure: String) throws -> String {
        var (steps, failure) = (steps, failure)
        var size = max(1, steps.count / 2)
        while true {
            var isShorter = false
            var start = 0
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                if let (other, count) = try self.failure(seed: seed, fewer) {
                    (steps, failure, isShorter) = (Array(fewer.prefix(count)), other, true)
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { return failure }
            if !isShorter { size = max(1, size / 2) }
        }
    }

    @Test("rows 60, 69, 71, 83: contexts that work at the same time agree with the store", arguments: seeds(12))
    func severalContexts(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let steps = (0..<60).map { _ in random.next() }
        guard let (failure, count) = try failure(seed: seed, steps) else { return }
        Issue.record("\(try shortened(seed: seed, Array(steps.prefix(count)), failure))")
    }
}
