import Ashlar

/// Consistent rows of several tables: a counter, and an article with a chapter for each of its newest numbers.
final class MovingWindow {
    private static let size = 20

    let context: ModelContext
    private let counter: Part
    private var articles: [Article]
    private var number: Int

    /// Reads the rows of a store, and makes them if there are none.
    init(_ context: ModelContext) throws {
        self.context = context
        if let known = try context.fetch(Part.all).first {
            counter = known
        } else {
            counter = Part(name: "0")
            context.insert(counter)
            try context.save()
        }
        number = Int(counter.name) ?? -1
        articles = try context.fetch(Article.order { $0.likes.ascending })
    }

    /// Increments the counter in one save, and returns it.
    func move() throws -> Int {
        number += 1
        counter.name = "\(number)"
        let article = Article(likes: Int64(number), title: "a")
        article.chapters.append(Chapter(name: "\(number)"))
        context.insert(article)
        articles.append(article)
        if articles.count > Self.size { context.delete(articles.removeFirst()) }
        try context.save()
        return number
    }

    /// Reads the window in several ways, one after the other. Returns its number, and a description of the first
    /// mismatch.
    static func read(_ context: ModelContext) throws -> (number: Int, violation: String?) {
        let articles = try context.fetch(Article.order { $0.likes.ascending })
        let number = try context.fetch(Part.all).first.flatMap { Int($0.name) } ?? -1
        let expected = number < 1 ? [] : Array(max(1, number - size + 1)...number)
        let found = [
            articles.map { Int($0.likes) },
            articles.flatMap { $0.chapters.compactMap { Int($0.name) } },
            try context.fetchValues(Article.order { $0.likes.ascending }).map { Int($0.likes) },
        ]
        if let other = found.first(where: { $0 != expected }) { return (number, "\(other) with \(number)") }
        let count = try context.fetchCount(Chapter.all)
        return (number, count == expected.count ? nil : "\(count) chapters with \(number)")
    }
}
