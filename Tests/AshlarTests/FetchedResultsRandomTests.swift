import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

#if canImport(SQLite3)
    import SQLite3
#elseif StaticSQLite
    import CSQLiteStatic
#else
    import CSQLite
#endif

/// A list that is updated only with a controller's changes equals the controller's objects and the result of a fetch.
@Suite struct FetchedResultsRandomTests {
    /// A list that applies changes as a table view does, and checks that they are consistent.
    private final class Mirror: FetchedResultsControllerDelegate {
        typealias Model = Article
        typealias SectionName = Int64
        var sections: [(name: Int64, objects: [Article])] = []
        var updated: Set<ObjectIdentifier> = []
        var failures: [any Error] = []

        func controller(
            _ controller: FetchedResultsController<Article, Int64>,
            didChangeContentWith changes: FetchedResultsChanges<Article, Int64>
        ) {
            var old = sections
            let leaving = changes.objects.compactMap { change in change.kind == .update ? nil : change.indexPath }
            for path in leaving.sorted().reversed() { old[path[0]].objects.remove(at: path[1]) }
            for section in changes.sections where section.kind == .delete {
                #expect(old[section.index].objects.isEmpty && old[section.index].name == section.name)
                old.remove(at: section.index)
            }
            for section in changes.sections where section.kind == .insert {
                old.insert((section.name ?? -1, []), at: section.index)
            }
            let coming = changes.objects.filter { $0.kind != .update }.compactMap { change in
                change.newIndexPath.map { ($0, change.object) }
            }
            for (path, object) in coming.sorted(by: { $0.0 < $1.0 }) {
                old[path[0]].objects.insert(object, at: path[1])
            }
            for change in changes.objects where change.kind == .update || change.kind == .move {
                updated.insert(ObjectIdentifier(change.object))
                guard let path = change.newIndexPath else { continue }
                #expect(old[path[0]].objects[path[1]] === change.object)
            }
            sections = old
        }

        func controller(_ controller: FetchedResultsController<Article, Int64>, didFailWith error: any Error) {
            failures.append(error)
        }
    }

    private static let descriptors: [FetchDescriptor<Article>] = [
        Article.order { $0.likes.ascending },
        Article.where { $0.title != "3" }.order { $0.likes.descending },
        Article.where { $0.writer.name == "1" }.order { $0.likes.ascending },
        Article.where { $0.title != "2" }.order { $0.likes.ascending }.limit(7).offset(2),
        Article.where { $0.topics.count > 0 }.order { $0.likes.ascending },
        Article.order { $0.likes.ascending }.order { $0.title.descending },
    ]

    @Test(arguments: seeds(10))
    func changesLeadToTheNewResults(seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let context = try studioContext()
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.automaticallyMergesChangesFromParent = true
        if generator.oneIn(2) { context.undoManager = ModelUndoManager() }
        let other = ModelContext(context.container)
        other.mergePolicy = .mergeByPropertyStoreTrump
        try Self.change(other, &generator, count: 30)
        try other.save()
        let watched = Self.descriptors.map { descriptor in
            let controller = FetchedResultsController(descriptor, in: context) { $0.likes / 4 }
            return (controller: controller, mirror: Mirror())
        }
        for (controller, mirror) in watched {
            controller.delegate = mirror
            try controller.performFetch()
            mirror.sections = controller.sections.map { ($0.name ?? -1, Array($0)) }
        }
        for step in 0..<30 {
            try Self.change(context, &generator, count: Int.random(in: 0...5, using: &generator))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: try context.save()
            case 3..<5:
                other.rollback()
                try Self.change(other, &generator, count: 4)
                try other.save()
            case 5: context.rollback()
            case 6: context.undoManager?.undo()
            case 7: try context.refreshAllObjects()
            default: break
            }
            context.processPendingChanges()
            for (index, (controller, mirror)) in watched.enumerated() {
                let place: Testing.Comment = "seed \(seed), step \(step), controller \(index)"
                #expect(mirror.failures.isEmpty, place)
                let own = controller.sections.map { ($0.name ?? -1, Array($0)) }
                #expect(mirror.sections.map(\.name) == own.map(\.0), place)
                #expect(mirror.sections.map { $0.objects.map(\.title) } == own.map { $0.1.map(\.title) }, place)
                let fresh = FetchedResultsController(controller.fetchDescriptor, in: context) { $0.likes / 4 }
                try fresh.performFetch()
                #expect(controller.fetchedObjects == fresh.fetchedObjects, place)
                #expect(controller.snapshot == fresh.snapshot, place)
                let plain = try context.fetch(controller.fetchDescriptor)
                #expect(plain == controller.fetchedObjects, place)
                for (section, objects) in own.enumerated() {
                    for (item, object) in objects.1.enumerated() {
                        #expect(controller.indexPath(for: object) == [section, item], place)
                    }
                }
            }
        }
    }

    private static func change(
        _ context: ModelContext, _ generator: inout SeededGenerator, count: Int
    ) throws {
        var articles = try context.fetch(Article.order { $0.title.ascending })
        let writers = try context.fetch(Writer.all)
        let topics = try context.fetch(Topic.all)
        for _ in 0..<count {
            let article = articles.randomElement(using: &generator)
            switch Int.random(in: 0..<9, using: &generator) {
            case 0, 1:
                let title = "\(Int.random(in: 0..<5, using: &generator))"
                let likes = Int64.random(in: 0..<20, using: &generator)
                let new =
                    generator.oneIn(3) ? ColumnArticle(likes: likes, title: title) : Article(likes: likes, title: title)
                context.insert(new)
                articles.append(new)
            case 2, 3: article?.likes = Int64.random(in: 0..<20, using: &generator)
            case 4: article?.title = "\(Int.random(in: 0..<5, using: &generator))"
            case 5:
                if let article {
                    context.delete(article)
                    articles.removeAll { $0 === article }
                }
            case 6:
                article?.writer =
                    generator.oneIn(4) || writers.isEmpty
                    ? Writer(city: UUID().uuidString, name: "\(Int.random(in: 0..<3, using: &generator))")
                    : writers.randomElement(using: &generator)
            case 7: writers.randomElement(using: &generator)?.name = "\(Int.random(in: 0..<3, using: &generator))"
            default:
                let topic = topics.randomElement(using: &generator) ?? Topic(name: "t")
                if let article, article.topics.contains(topic) {
                    article.topics.remove(topic)
                } else {
                    article?.topics.append(topic)
                }
            }
        }
    }
}
